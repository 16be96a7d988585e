// RUN: ipu-opt %s --ipu-allocate | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline="builtin.module(ipu-estimate-cost,ipu-allocate,ipu-execute{check inputs=x=ones})" -o /dev/null | FileCheck %s --check-prefix=VALUE
// RUN: sed "s/452/453/g" %s > %t.more.mlir
// RUN: not ipu-opt %t.more.mlir --ipu-allocate 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: sed "/ipu.code_load/d; s/\[452\]/[4]/; s/452x/4x/g" %s > %t.without.mlir
// RUN: ipu-opt %t.without.mlir --ipu-allocate | FileCheck %s --check-prefix=WITHOUT
// RUN: sed "s/\[4\]/[5]/; s/\b4x/5x/g" %t.without.mlir > %t.without-more.mlir
// RUN: not ipu-opt %t.without-more.mlir --ipu-allocate 2>&1 | FileCheck %s --check-prefix=MORE-WITHOUT

// Where code is not there variables lie in its place: with loads there is room for a
// tensor of 452 elements, without them for one of 4.
//
// With loads, 4096 and seven steps of 12: 4180. From there on, the code of @f or of @g,
// 900 + 24, or at 4184 the tensor, 1808. After that two vertices of 20; for copies to and
// from the host twice 64 + 2 * 16 and once 64 + 16; and at a multiple of 8 the state,
// rounded up to 8: 5992 + 40 + 272 + 8 = 6312.
// Without, two steps less and all code: 6004; 40; three copies of 80; at 6288 the state,
// and the tensor: 6296 + 16.

// CHECK: step = 6, classes = 1, bytes = 6312,
// WITHOUT: classes = 1, bytes = 6312,
// MORE: error: program does not fit: tile 0 needs 6320 bytes at step 6 ('ipu.host_load')
// MORE-WITHOUT: error: program does not fit: tile 0 needs 6320 bytes at step 4 ('ipu.host_load')
// VALUE: y : tensor<452xf32> = dense<[1.0, 1.0,
// VALUE: s : tensor<1xf32> = dense<[36.0]>

#one = #ipu.map<[1], grid = [], blocks = [all]>
#m = #ipu.map<[452], grid = [], blocks = [all]>
!s = memref<1xf32, #one>
!v = memref<452xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64, tile_memory = 6312 : i64}>} {
  ipu.stream @x host_to_device : tensor<452xf32>
  ipu.stream @y device_to_host : tensor<452xf32>
  ipu.stream @s device_to_host : tensor<1xf32>
  ipu.storage @s.storage : !s
  ipu.state @state in @s.storage : tensor<1xf32> = dense<3.0> : tensor<1xf32>
  ipu.codelet @double(%x : !b, %y : !b) inputs 1 cost <reduce, supervisor = 1, worker = 1> {
    linalg.add ins(%x, %x : !b, !b) outs(%y : !b)
  }
  ipu.codelet @square(%x : !b, %y : !b) inputs 1 cost <reduce, supervisor = 1, worker = 1> {
    linalg.mul ins(%x, %x : !b, !b) outs(%y : !b)
  }
  func.func @f() attributes {no_inline} {
    %s = ipu.var "s" of @s.storage : !s
    ipu.compute_set "f" {
      ipu.vertices @double ins(%s : !s) outs(%s : !s) access [#one, #one]
    }
    return
  }
  func.func @g() attributes {no_inline} {
    %s = ipu.var "s" of @s.storage : !s
    ipu.compute_set "g" {
      ipu.vertices @square ins(%s : !s) outs(%s : !s) access [#one, #one]
    }
    return
  }
  func.func @main() {
    ipu.code_load [@f] to executable
    ipu.call @f
    ipu.code_load [@g] to executable
    ipu.call @g
    %y = ipu.var "y" : !v
    ipu.host_load @x to %y : !v
    ipu.host_store %y to @y : !v
    ipu.write_undef %y : !v
    %s = ipu.var "s" of @s.storage : !s
    ipu.host_store %s to @s : !s
    return
  }
}
