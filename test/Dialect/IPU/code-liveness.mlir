// RUN: ipu-opt %s --pop-print-code-liveness -o /dev/null | FileCheck %s

// The analysis of pop's graphs, on programs. Code that only one branch loads is
// in the image; a loop of at least one round surely loads; both regions of a
// while loop run before the first one runs again.

#s = #ipu.map<[], grid = [1], blocks = []>

// CHECK-LABEL: code of @both: loaded
// CHECK-NEXT:    @main: #1 'ipu.if' to #4 'ipu.call' @both
// CHECK-NEXT:    @main, #1 'ipu.if' region 0: #2 'ipu.code_load' to end
// CHECK-NEXT:    @main, #1 'ipu.if' region 1: #3 'ipu.code_load' to end
// CHECK:       code of @one: in the image
// CHECK-NEXT:    @main: start to end
// CHECK-NEXT:    @main, #1 'ipu.if' region 0: #2 'ipu.code_load' to end
// CHECK:       code of @rounds: loaded
// CHECK-NEXT:    @main: #6 'ipu.repeat' to #8 'ipu.call' @rounds
// CHECK-NEXT:    @main, #6 'ipu.repeat' region 0: #7 'ipu.code_load' to end
// CHECK:       code of @next: loaded
// CHECK-NEXT:    @main: #9 'ipu.code_load' to #10 'ipu.while'
// CHECK-NEXT:    @main, #10 'ipu.while' region 0: start to #11 'ipu.call' @next
// CHECK-NEXT:    @main, #10 'ipu.while' region 1: #12 'ipu.code_load' to end
// CHECK:       code of @next in io_buffer: loaded
// CHECK-NEXT:    @main: #13 'ipu.code_load' to #14 'ipu.code_copy'
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func private @both() {
    return
  }
  func.func private @one() {
    return
  }
  func.func private @rounds() {
    return
  }
  func.func private @next() {
    return
  }
  func.func @main() {
    %p = ipu.var "p" : memref<i1, #s>
    ipu.if %p : memref<i1, #s> {
      ipu.code_load [@one, @both] to executable
    } else {
      ipu.code_load [@both] to executable
    }
    ipu.call @both
    ipu.call @one
    ipu.repeat 4 {
      ipu.code_load [@rounds] to executable
    }
    ipu.call @rounds
    ipu.code_load [@next] to executable
    ipu.while %p : memref<i1, #s> {
      ipu.call @next
    } do {
      ipu.code_load [@next] to executable
    }
    ipu.code_load [@next] to io_buffer
    ipu.code_copy @next from io_buffer to compute_buffer
    return
  }
}
