// A slot of a buffer costs what the slot takes, whatever the number of slots is,
// because each tile holds its part of every slot. Except in caches, slots have
// 1 MiB.
//
// RUN: %python %S/Inputs/compare-costs.py ipu-opt %s

// Updates are in place, along any dimension. A tile replaces its 178 elements in
// 6 * (30 + 19 + 2 * 15) cycles, and the start is sent to all tiles.
// expect: update_8 < 1.05 * update_2
// expect: update_32 < 1.05 * update_2
// expect: update_2 < 800
// expect: update_f16_32 < 1.05 * update_f16_2
// expect: update_f16_2 < 1000
// expect: update_middle_32 < 1.05 * update_middle_2
// expect: update_middle_2 < 1100

// Slices copy one slot.
// expect: read_32 < 1.05 * read_2
// expect: read_2 < 800
// expect: read_middle_32 < 1.05 * read_middle_2
// expect: read_middle_2 < 1100

// A slot with a constant number is a view.
// expect: part_32 < 1.05 * part_2
// expect: part_2 < 1000

// Each iteration of a loop saves a row, and each iteration of another loop reads
// a row. Only the zeros with which the rows begin take more cycles if there are
// more rows: 6 * (24 + 478) instead of 6 * (24 + 60).
// expect: rows_32 - rows_4 < 2600
// expect: rows_4 < 6000

// Caches of keys and values: of one layer, with a position of 16 heads of 64
// elements; and of several layers, with a position of a layer.
// expect: cache_4096 < 1.05 * cache_512
// expect: cache_512 < 1000
// expect: layers_24 < 1.1 * layers_2
// expect: layers_2 < 1400

// program: update_2
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<2x262144xf32> = dense<0.0> : tensor<2x262144xf32>
  pop.variable @s : tensor<1x262144xf32> = dense<0.0> : tensor<1x262144xf32>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<2x262144xf32>
    %s = pop.get_variable @s : !pop.ref<1x262144xf32>
    %0 = pop.read %s : !pop.ref<1x262144xf32>
    pop.dynamic_update_ %b, %0[%i] {axes = array<i64: 0>} : !pop.ref<2x262144xf32>, tensor<1x262144xf32>, tensor<1xi32>
    return
  }
}

// -----
// program: update_8
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<8x262144xf32> = dense<0.0> : tensor<8x262144xf32>
  pop.variable @s : tensor<1x262144xf32> = dense<0.0> : tensor<1x262144xf32>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<8x262144xf32>
    %s = pop.get_variable @s : !pop.ref<1x262144xf32>
    %0 = pop.read %s : !pop.ref<1x262144xf32>
    pop.dynamic_update_ %b, %0[%i] {axes = array<i64: 0>} : !pop.ref<8x262144xf32>, tensor<1x262144xf32>, tensor<1xi32>
    return
  }
}

// -----
// program: update_32
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<32x262144xf32> = dense<0.0> : tensor<32x262144xf32>
  pop.variable @s : tensor<1x262144xf32> = dense<0.0> : tensor<1x262144xf32>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<32x262144xf32>
    %s = pop.get_variable @s : !pop.ref<1x262144xf32>
    %0 = pop.read %s : !pop.ref<1x262144xf32>
    pop.dynamic_update_ %b, %0[%i] {axes = array<i64: 0>} : !pop.ref<32x262144xf32>, tensor<1x262144xf32>, tensor<1xi32>
    return
  }
}

// -----
// program: update_f16_2
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<2x524288xf16> = dense<0.0> : tensor<2x524288xf16>
  pop.variable @s : tensor<1x524288xf16> = dense<0.0> : tensor<1x524288xf16>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<2x524288xf16>
    %s = pop.get_variable @s : !pop.ref<1x524288xf16>
    %0 = pop.read %s : !pop.ref<1x524288xf16>
    pop.dynamic_update_ %b, %0[%i] {axes = array<i64: 0>} : !pop.ref<2x524288xf16>, tensor<1x524288xf16>, tensor<1xi32>
    return
  }
}

// -----
// program: update_f16_32
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<32x524288xf16> = dense<0.0> : tensor<32x524288xf16>
  pop.variable @s : tensor<1x524288xf16> = dense<0.0> : tensor<1x524288xf16>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<32x524288xf16>
    %s = pop.get_variable @s : !pop.ref<1x524288xf16>
    %0 = pop.read %s : !pop.ref<1x524288xf16>
    pop.dynamic_update_ %b, %0[%i] {axes = array<i64: 0>} : !pop.ref<32x524288xf16>, tensor<1x524288xf16>, tensor<1xi32>
    return
  }
}

// -----
// program: update_middle_2
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<64x2x4096xf32> = dense<0.0> : tensor<64x2x4096xf32>
  pop.variable @s : tensor<64x1x4096xf32> = dense<0.0> : tensor<64x1x4096xf32>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<64x2x4096xf32>
    %s = pop.get_variable @s : !pop.ref<64x1x4096xf32>
    %0 = pop.read %s : !pop.ref<64x1x4096xf32>
    pop.dynamic_update_ %b, %0[%i] {axes = array<i64: 1>} : !pop.ref<64x2x4096xf32>, tensor<64x1x4096xf32>, tensor<1xi32>
    return
  }
}

// -----
// program: update_middle_32
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<64x32x4096xf32> = dense<0.0> : tensor<64x32x4096xf32>
  pop.variable @s : tensor<64x1x4096xf32> = dense<0.0> : tensor<64x1x4096xf32>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<64x32x4096xf32>
    %s = pop.get_variable @s : !pop.ref<64x1x4096xf32>
    %0 = pop.read %s : !pop.ref<64x1x4096xf32>
    pop.dynamic_update_ %b, %0[%i] {axes = array<i64: 1>} : !pop.ref<64x32x4096xf32>, tensor<64x1x4096xf32>, tensor<1xi32>
    return
  }
}

// -----
// program: read_2
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<2x262144xf32> = dense<0.0> : tensor<2x262144xf32>
  pop.variable @s : tensor<1x262144xf32> = dense<0.0> : tensor<1x262144xf32>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<2x262144xf32>
    %s = pop.get_variable @s : !pop.ref<1x262144xf32>
    %0 = pop.read %b : !pop.ref<2x262144xf32>
    %1 = pop.dynamic_slice %0[%i] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<2x262144xf32>, tensor<1xi32> -> tensor<1x262144xf32>
    pop.copy_ %s, %1 : !pop.ref<1x262144xf32>, tensor<1x262144xf32>
    return
  }
}

// -----
// program: read_32
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<32x262144xf32> = dense<0.0> : tensor<32x262144xf32>
  pop.variable @s : tensor<1x262144xf32> = dense<0.0> : tensor<1x262144xf32>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<32x262144xf32>
    %s = pop.get_variable @s : !pop.ref<1x262144xf32>
    %0 = pop.read %b : !pop.ref<32x262144xf32>
    %1 = pop.dynamic_slice %0[%i] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<32x262144xf32>, tensor<1xi32> -> tensor<1x262144xf32>
    pop.copy_ %s, %1 : !pop.ref<1x262144xf32>, tensor<1x262144xf32>
    return
  }
}

// -----
// program: read_middle_2
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<64x2x4096xf32> = dense<0.0> : tensor<64x2x4096xf32>
  pop.variable @s : tensor<64x1x4096xf32> = dense<0.0> : tensor<64x1x4096xf32>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<64x2x4096xf32>
    %s = pop.get_variable @s : !pop.ref<64x1x4096xf32>
    %0 = pop.read %b : !pop.ref<64x2x4096xf32>
    %1 = pop.dynamic_slice %0[%i] {axes = array<i64: 1>, sizes = array<i64: 1>} : tensor<64x2x4096xf32>, tensor<1xi32> -> tensor<64x1x4096xf32>
    pop.copy_ %s, %1 : !pop.ref<64x1x4096xf32>, tensor<64x1x4096xf32>
    return
  }
}

// -----
// program: read_middle_32
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<64x32x4096xf32> = dense<0.0> : tensor<64x32x4096xf32>
  pop.variable @s : tensor<64x1x4096xf32> = dense<0.0> : tensor<64x1x4096xf32>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %b = pop.get_variable @b : !pop.ref<64x32x4096xf32>
    %s = pop.get_variable @s : !pop.ref<64x1x4096xf32>
    %0 = pop.read %b : !pop.ref<64x32x4096xf32>
    %1 = pop.dynamic_slice %0[%i] {axes = array<i64: 1>, sizes = array<i64: 1>} : tensor<64x32x4096xf32>, tensor<1xi32> -> tensor<64x1x4096xf32>
    pop.copy_ %s, %1 : !pop.ref<64x1x4096xf32>, tensor<64x1x4096xf32>
    return
  }
}

// -----
// program: part_2
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<2x262144xf32> = dense<0.0> : tensor<2x262144xf32>
  pop.variable @s : tensor<1x262144xf32> = dense<0.0> : tensor<1x262144xf32>
  func.func @main() {
    %b = pop.get_variable @b : !pop.ref<2x262144xf32>
    %s = pop.get_variable @s : !pop.ref<1x262144xf32>
    %0 = pop.read %b : !pop.ref<2x262144xf32>
    %1 = pop.slice %0 {starts = array<i64: 1, 0>, sizes = array<i64: 1, 262144>, steps = array<i64: 1, 1>} : tensor<2x262144xf32> -> tensor<1x262144xf32>
    pop.add_ %s, %1 : !pop.ref<1x262144xf32>, tensor<1x262144xf32>
    return
  }
}

// -----
// program: part_32
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @b : tensor<32x262144xf32> = dense<0.0> : tensor<32x262144xf32>
  pop.variable @s : tensor<1x262144xf32> = dense<0.0> : tensor<1x262144xf32>
  func.func @main() {
    %b = pop.get_variable @b : !pop.ref<32x262144xf32>
    %s = pop.get_variable @s : !pop.ref<1x262144xf32>
    %0 = pop.read %b : !pop.ref<32x262144xf32>
    %1 = pop.slice %0 {starts = array<i64: 1, 0>, sizes = array<i64: 1, 262144>, steps = array<i64: 1, 1>} : tensor<32x262144xf32> -> tensor<1x262144xf32>
    pop.add_ %s, %1 : !pop.ref<1x262144xf32>, tensor<1x262144xf32>
    return
  }
}

// -----
// program: rows_4
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @v : tensor<512x512xf32> = dense<1.0> : tensor<512x512xf32>
  func.func @main() {
    %v = pop.get_variable @v : !pop.ref<512x512xf32>
    %x = pop.read %v : !pop.ref<512x512xf32>
    %zeros = pop.constant dense<0.0> : tensor<4x512x512xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 4 : index
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x, %rows = %zeros) -> (tensor<512x512xf32>, tensor<4x512x512xf32>) {
      %t = pop.from_scalar %k : index to tensor<i32>
      %i = pop.reshape %t : tensor<i32> to tensor<1xi32>
      %y = pop.tanh %a : tensor<512x512xf32>
      %row = pop.reshape %y : tensor<512x512xf32> to tensor<1x512x512xf32>
      %new = pop.dynamic_update %rows, %row[%i] {axes = array<i64: 0>} : tensor<4x512x512xf32>, tensor<1x512x512xf32>, tensor<1xi32>
      scf.yield %y, %new : tensor<512x512xf32>, tensor<4x512x512xf32>
    }
    %g = scf.for %k = %c0 to %n step %c1 iter_args(%a = %r#0) -> (tensor<512x512xf32>) {
      %t = pop.from_scalar %k : index to tensor<i32>
      %i = pop.reshape %t : tensor<i32> to tensor<1xi32>
      %row = pop.dynamic_slice %r#1[%i] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<4x512x512xf32>, tensor<1xi32> -> tensor<1x512x512xf32>
      %y = pop.reshape %row : tensor<1x512x512xf32> to tensor<512x512xf32>
      %b = pop.mul %a, %y : tensor<512x512xf32>
      scf.yield %b : tensor<512x512xf32>
    }
    pop.copy_ %v, %g : !pop.ref<512x512xf32>, tensor<512x512xf32>
    return
  }
}

// -----
// program: rows_32
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @v : tensor<512x512xf32> = dense<1.0> : tensor<512x512xf32>
  func.func @main() {
    %v = pop.get_variable @v : !pop.ref<512x512xf32>
    %x = pop.read %v : !pop.ref<512x512xf32>
    %zeros = pop.constant dense<0.0> : tensor<32x512x512xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 32 : index
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x, %rows = %zeros) -> (tensor<512x512xf32>, tensor<32x512x512xf32>) {
      %t = pop.from_scalar %k : index to tensor<i32>
      %i = pop.reshape %t : tensor<i32> to tensor<1xi32>
      %y = pop.tanh %a : tensor<512x512xf32>
      %row = pop.reshape %y : tensor<512x512xf32> to tensor<1x512x512xf32>
      %new = pop.dynamic_update %rows, %row[%i] {axes = array<i64: 0>} : tensor<32x512x512xf32>, tensor<1x512x512xf32>, tensor<1xi32>
      scf.yield %y, %new : tensor<512x512xf32>, tensor<32x512x512xf32>
    }
    %g = scf.for %k = %c0 to %n step %c1 iter_args(%a = %r#0) -> (tensor<512x512xf32>) {
      %t = pop.from_scalar %k : index to tensor<i32>
      %i = pop.reshape %t : tensor<i32> to tensor<1xi32>
      %row = pop.dynamic_slice %r#1[%i] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<32x512x512xf32>, tensor<1xi32> -> tensor<1x512x512xf32>
      %y = pop.reshape %row : tensor<1x512x512xf32> to tensor<512x512xf32>
      %b = pop.mul %a, %y : tensor<512x512xf32>
      scf.yield %b : tensor<512x512xf32>
    }
    pop.copy_ %v, %g : !pop.ref<512x512xf32>, tensor<512x512xf32>
    return
  }
}

// -----
// program: cache_512
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @ks : tensor<16x512x64xf16> = dense<0.0> : tensor<16x512x64xf16>
  pop.variable @vs : tensor<16x512x64xf16> = dense<0.0> : tensor<16x512x64xf16>
  pop.variable @k : tensor<16x1x64xf16> = dense<0.0> : tensor<16x1x64xf16>
  pop.variable @v : tensor<16x1x64xf16> = dense<0.0> : tensor<16x1x64xf16>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %ks = pop.get_variable @ks : !pop.ref<16x512x64xf16>
    %vs = pop.get_variable @vs : !pop.ref<16x512x64xf16>
    %k = pop.get_variable @k : !pop.ref<16x1x64xf16>
    %v = pop.get_variable @v : !pop.ref<16x1x64xf16>
    %0 = pop.read %k : !pop.ref<16x1x64xf16>
    %1 = pop.read %v : !pop.ref<16x1x64xf16>
    pop.dynamic_update_ %ks, %0[%i] {axes = array<i64: 1>} : !pop.ref<16x512x64xf16>, tensor<16x1x64xf16>, tensor<1xi32>
    pop.dynamic_update_ %vs, %1[%i] {axes = array<i64: 1>} : !pop.ref<16x512x64xf16>, tensor<16x1x64xf16>, tensor<1xi32>
    return
  }
}

// -----
// program: cache_4096
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @ks : tensor<16x4096x64xf16> = dense<0.0> : tensor<16x4096x64xf16>
  pop.variable @vs : tensor<16x4096x64xf16> = dense<0.0> : tensor<16x4096x64xf16>
  pop.variable @k : tensor<16x1x64xf16> = dense<0.0> : tensor<16x1x64xf16>
  pop.variable @v : tensor<16x1x64xf16> = dense<0.0> : tensor<16x1x64xf16>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %i = pop.read %n : !pop.ref<1xi32>
    %ks = pop.get_variable @ks : !pop.ref<16x4096x64xf16>
    %vs = pop.get_variable @vs : !pop.ref<16x4096x64xf16>
    %k = pop.get_variable @k : !pop.ref<16x1x64xf16>
    %v = pop.get_variable @v : !pop.ref<16x1x64xf16>
    %0 = pop.read %k : !pop.ref<16x1x64xf16>
    %1 = pop.read %v : !pop.ref<16x1x64xf16>
    pop.dynamic_update_ %ks, %0[%i] {axes = array<i64: 1>} : !pop.ref<16x4096x64xf16>, tensor<16x1x64xf16>, tensor<1xi32>
    pop.dynamic_update_ %vs, %1[%i] {axes = array<i64: 1>} : !pop.ref<16x4096x64xf16>, tensor<16x1x64xf16>, tensor<1xi32>
    return
  }
}

// -----
// program: layers_2
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @ks : tensor<2x16x512x64xf16> = dense<0.0> : tensor<2x16x512x64xf16>
  pop.variable @k : tensor<1x16x1x64xf16> = dense<0.0> : tensor<1x16x1x64xf16>
  pop.variable @i : tensor<2xi32> = dense<1> : tensor<2xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<2xi32>
    %i = pop.read %n : !pop.ref<2xi32>
    %ks = pop.get_variable @ks : !pop.ref<2x16x512x64xf16>
    %k = pop.get_variable @k : !pop.ref<1x16x1x64xf16>
    %0 = pop.read %k : !pop.ref<1x16x1x64xf16>
    pop.dynamic_update_ %ks, %0[%i] {axes = array<i64: 0, 2>} : !pop.ref<2x16x512x64xf16>, tensor<1x16x1x64xf16>, tensor<2xi32>
    return
  }
}

// -----
// program: layers_24
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @ks : tensor<24x16x512x64xf16> = dense<0.0> : tensor<24x16x512x64xf16>
  pop.variable @k : tensor<1x16x1x64xf16> = dense<0.0> : tensor<1x16x1x64xf16>
  pop.variable @i : tensor<2xi32> = dense<1> : tensor<2xi32>
  func.func @main() {
    %n = pop.get_variable @i : !pop.ref<2xi32>
    %i = pop.read %n : !pop.ref<2xi32>
    %ks = pop.get_variable @ks : !pop.ref<24x16x512x64xf16>
    %k = pop.get_variable @k : !pop.ref<1x16x1x64xf16>
    %0 = pop.read %k : !pop.ref<1x16x1x64xf16>
    pop.dynamic_update_ %ks, %0[%i] {axes = array<i64: 0, 2>} : !pop.ref<24x16x512x64xf16>, tensor<1x16x1x64xf16>, tensor<2xi32>
    return
  }
}
