// RUN: ipu-opt %s --ipu-estimate-cost --remarks-filter=ipu-cost --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// An image of 8 x 8 in blocks of 2 x 2, each with a row and a column of what
// follows it, on 4 IPUs of 4 tiles.

// In rows of blocks: of each IPU's four boxes three read 3 elements of the next
// IPU's row, and the last one, which ends with the image, 2. That is 11 elements
// into each of three IPUs, and out of as many.
// CHECK: ipu.exchange | {{.*}}link-bytes=132, most-link-bytes=44, partners=1

// In squares: the first IPU reads 3 + 2 elements of the one to the right, 3 + 2
// of the one below, and 1 of the one across; the IPUs at the borders of the
// image 5 of the last one, which gives 11 in all.
// CHECK: ipu.exchange | {{.*}}link-bytes=84, most-link-bytes=44, partners=3

// Each IPU has all elements of the source in rows, and reads them from its own
// tiles in columns: on each tile, 6 rows of 2 elements are on other tiles.
// CHECK: ipu.exchange | {{.*}}bytes=768, {{.*}}link-bytes=0

#flat = #ipu.map<[8, 8], grid = [4, 4], blocks = [p0 * 2 : 2, p1 * 2 : 2]>
#flatHalo = #ipu.map<[8, 8], grid = [4, 4], blocks = [p0 * 2 : 3, p1 * 2 : 3]>
#nested = #ipu.map<[8, 8], grid = [4, 4], blocks = [p0 * 2 : 2, p1 * 2 : 2], ipus = [2, 2] * 4>
#nestedHalo = #ipu.map<[8, 8], grid = [4, 4], blocks = [p0 * 2 : 3, p1 * 2 : 3], ipus = [2, 2] * 4>
#rows = #ipu.map<[8, 8], grid = [4, 4], blocks = [p0 * 2 : 2, all], ipus = [1, 4] * 4>
#columns = #ipu.map<[8, 8], grid = [4, 4], blocks = [all, p1 * 2 : 2], ipus = [4, 1] * 4>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 4 : i64}>} {
  func.func @main() {
    %a = ipu.var "a" : memref<8x8xf32, #flat>
    %b = ipu.var "b" copies : memref<8x8xf32, #flatHalo>
    %c = ipu.var "c" : memref<8x8xf32, #nested>
    %d = ipu.var "d" copies : memref<8x8xf32, #nestedHalo>
    ipu.exchange "rows" {
      ipu.move %a to %b : memref<8x8xf32, #flat> to memref<8x8xf32, #flatHalo>
    }
    ipu.exchange "squares" {
      ipu.move %c to %d : memref<8x8xf32, #nested> to memref<8x8xf32, #nestedHalo>
    }
    %e = ipu.var "e" copies : memref<8x8xf32, #rows>
    %f = ipu.var "f" copies : memref<8x8xf32, #columns>
    ipu.exchange "copies" {
      ipu.move %e to %f : memref<8x8xf32, #rows> to memref<8x8xf32, #columns>
    }
    return
  }
}
