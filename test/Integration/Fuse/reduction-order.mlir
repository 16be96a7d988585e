// With `reduction-order=blocked` a fused sum of squares has the bits of pop's sum
// of pop's squares, and with the order of the program it has other ones: over
// one block and many, lanes that are not full, and several axes.

// UNSUPPORTED: asan
// RUN: split-file %s %t
// RUN: ipu-run %t/pop.mlir --input='*=ramp' --output-dir=%t/out
// RUN: ipu-opt %t/linalg.mlir --pass-pipeline='builtin.module(fuse-pipeline{reduction-order=blocked},%to_llvm)' | %run_main > %t/blocked.txt
// RUN: %python %S/Inputs/same-bits.py %t/blocked.txt %t/out line_sum rows_sum long_sum columns_sum planes_sum short_sum | FileCheck %s --check-prefix=BLOCKED
// RUN: ipu-opt %t/linalg.mlir --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t/serial.txt
// RUN: %python %S/Inputs/same-bits.py %t/serial.txt %t/out line_sum rows_sum long_sum columns_sum planes_sum short_sum | FileCheck %s --check-prefix=SERIAL
// RUN: ipu-opt %t/linalg.mlir --pass-pipeline='builtin.module(fuse-pipeline{reduction-order=blocked vector-width=1},%to_llvm)' | %run_main > %t/scalar.txt
// RUN: %python %S/Inputs/same-bits.py %t/scalar.txt %t/out line_sum rows_sum long_sum columns_sum planes_sum short_sum | FileCheck %s --check-prefix=BLOCKED
// RUN: ipu-opt %t/linalg.mlir --pass-pipeline='builtin.module(fuse-pipeline,%to_llvm)' | %run_main > %t/fused.txt
// RUN: sed 's/base@ = [^ ]*//' %t/serial.txt > %t/serial.bits
// RUN: sed 's/base@ = [^ ]*//' %t/fused.txt > %t/fused.bits
// RUN: cmp %t/serial.bits %t/fused.bits

// BLOCKED: result 0: 1 elements, 0 differ
// BLOCKED: result 1: 5 elements, 0 differ
// BLOCKED: result 2: 2 elements, 0 differ
// BLOCKED: result 3: 6 elements, 0 differ
// BLOCKED: result 4: 7 elements, 0 differ
// BLOCKED: result 5: 3 elements, 0 differ
// SERIAL: result 0: 1 elements, 1 differ

//--- pop.mlir

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  func.func @main(%line: tensor<3000xi32> {pop.name = "line"},
                  %rows: tensor<5x37xi32> {pop.name = "rows"},
                  %long: tensor<2x20000xi32> {pop.name = "long"},
                  %columns: tensor<2500x6xi32> {pop.name = "columns"},
                  %planes: tensor<30x50x7xi32> {pop.name = "planes"},
                  %short: tensor<3x9xi32> {pop.name = "short"})
      -> (tensor<f32> {pop.name = "line_sum"},
          tensor<5xf32> {pop.name = "rows_sum"},
          tensor<2xf32> {pop.name = "long_sum"},
          tensor<6xf32> {pop.name = "columns_sum"},
          tensor<7xf32> {pop.name = "planes_sum"},
          tensor<3xf32> {pop.name = "short_sum"}) {
    %scale = pop.constant dense<1.0e-3> : tensor<f32>
    %one = pop.constant dense<1.0> : tensor<f32>
    %line_f = pop.cast %line : tensor<3000xi32> to tensor<3000xf32>
    %line_s = pop.mul %line_f, %scale : (tensor<3000xf32>, tensor<f32>) -> tensor<3000xf32>
    %line_x = pop.add %line_s, %one : (tensor<3000xf32>, tensor<f32>) -> tensor<3000xf32>
    %line_q = pop.mul %line_x, %line_x : (tensor<3000xf32>, tensor<3000xf32>) -> tensor<3000xf32>
    %line_y = pop.reduce sum %line_q {axes = array<i64: 0>} : tensor<3000xf32> -> tensor<f32>
    %rows_f = pop.cast %rows : tensor<5x37xi32> to tensor<5x37xf32>
    %rows_s = pop.mul %rows_f, %scale : (tensor<5x37xf32>, tensor<f32>) -> tensor<5x37xf32>
    %rows_x = pop.add %rows_s, %one : (tensor<5x37xf32>, tensor<f32>) -> tensor<5x37xf32>
    %rows_q = pop.mul %rows_x, %rows_x : (tensor<5x37xf32>, tensor<5x37xf32>) -> tensor<5x37xf32>
    %rows_y = pop.reduce sum %rows_q {axes = array<i64: 1>} : tensor<5x37xf32> -> tensor<5xf32>
    %long_f = pop.cast %long : tensor<2x20000xi32> to tensor<2x20000xf32>
    %long_s = pop.mul %long_f, %scale : (tensor<2x20000xf32>, tensor<f32>) -> tensor<2x20000xf32>
    %long_x = pop.add %long_s, %one : (tensor<2x20000xf32>, tensor<f32>) -> tensor<2x20000xf32>
    %long_q = pop.mul %long_x, %long_x : (tensor<2x20000xf32>, tensor<2x20000xf32>) -> tensor<2x20000xf32>
    %long_y = pop.reduce sum %long_q {axes = array<i64: 1>} : tensor<2x20000xf32> -> tensor<2xf32>
    %columns_f = pop.cast %columns : tensor<2500x6xi32> to tensor<2500x6xf32>
    %columns_s = pop.mul %columns_f, %scale : (tensor<2500x6xf32>, tensor<f32>) -> tensor<2500x6xf32>
    %columns_x = pop.add %columns_s, %one : (tensor<2500x6xf32>, tensor<f32>) -> tensor<2500x6xf32>
    %columns_q = pop.mul %columns_x, %columns_x : (tensor<2500x6xf32>, tensor<2500x6xf32>) -> tensor<2500x6xf32>
    %columns_y = pop.reduce sum %columns_q {axes = array<i64: 0>} : tensor<2500x6xf32> -> tensor<6xf32>
    %planes_f = pop.cast %planes : tensor<30x50x7xi32> to tensor<30x50x7xf32>
    %planes_s = pop.mul %planes_f, %scale : (tensor<30x50x7xf32>, tensor<f32>) -> tensor<30x50x7xf32>
    %planes_x = pop.add %planes_s, %one : (tensor<30x50x7xf32>, tensor<f32>) -> tensor<30x50x7xf32>
    %planes_q = pop.mul %planes_x, %planes_x : (tensor<30x50x7xf32>, tensor<30x50x7xf32>) -> tensor<30x50x7xf32>
    %planes_y = pop.reduce sum %planes_q {axes = array<i64: 0, 1>} : tensor<30x50x7xf32> -> tensor<7xf32>
    %short_f = pop.cast %short : tensor<3x9xi32> to tensor<3x9xf32>
    %short_s = pop.mul %short_f, %scale : (tensor<3x9xf32>, tensor<f32>) -> tensor<3x9xf32>
    %short_x = pop.add %short_s, %one : (tensor<3x9xf32>, tensor<f32>) -> tensor<3x9xf32>
    %short_q = pop.mul %short_x, %short_x : (tensor<3x9xf32>, tensor<3x9xf32>) -> tensor<3x9xf32>
    %short_y = pop.reduce sum %short_q {axes = array<i64: 1>} : tensor<3x9xf32> -> tensor<3xf32>
    return %line_y, %rows_y, %long_y, %columns_y, %planes_y, %short_y : tensor<f32>, tensor<5xf32>, tensor<2xf32>, tensor<6xf32>, tensor<7xf32>, tensor<3xf32>
  }
}

//--- linalg.mlir

func.func private @line() -> tensor<3000xf32> {
  %x = tensor.generate {
  ^bb0(%i0: index):
    %int = arith.index_cast %i0 : index to i32
    %ramp = arith.uitofp %int : i32 to f32
    tensor.yield %ramp : f32
  } : tensor<3000xf32>
  return %x : tensor<3000xf32>
}
func.func @sum_line(%ramp: tensor<3000xf32>) -> tensor<f32> {
  %scale = arith.constant 1.0e-3 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<3000xf32>
  %few = tensor.empty() : tensor<f32>
  %q = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%ramp : tensor<3000xf32>) outs(%full : tensor<3000xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %scale : f32
    %x = arith.addf %s, %one : f32
    %r = arith.mulf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<3000xf32>
  %init = linalg.fill ins(%zero : f32) outs(%few : tensor<f32>) -> tensor<f32>
  %y = linalg.reduce { arith.addf } ins(%q : tensor<3000xf32>) outs(%init : tensor<f32>) dimensions = [0]
  return %y : tensor<f32>
}
func.func private @rows() -> tensor<5x37xf32> {
  %x = tensor.generate {
  ^bb0(%i0: index, %i1: index):
    %e1 = arith.constant 37 : index
    %m1 = arith.muli %i0, %e1 : index
    %a1 = arith.addi %m1, %i1 : index
    %int = arith.index_cast %a1 : index to i32
    %ramp = arith.uitofp %int : i32 to f32
    tensor.yield %ramp : f32
  } : tensor<5x37xf32>
  return %x : tensor<5x37xf32>
}
func.func @sum_rows(%ramp: tensor<5x37xf32>) -> tensor<5xf32> {
  %scale = arith.constant 1.0e-3 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<5x37xf32>
  %few = tensor.empty() : tensor<5xf32>
  %q = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%ramp : tensor<5x37xf32>) outs(%full : tensor<5x37xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %scale : f32
    %x = arith.addf %s, %one : f32
    %r = arith.mulf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<5x37xf32>
  %init = linalg.fill ins(%zero : f32) outs(%few : tensor<5xf32>) -> tensor<5xf32>
  %y = linalg.reduce { arith.addf } ins(%q : tensor<5x37xf32>) outs(%init : tensor<5xf32>) dimensions = [1]
  return %y : tensor<5xf32>
}
func.func private @long() -> tensor<2x20000xf32> {
  %x = tensor.generate {
  ^bb0(%i0: index, %i1: index):
    %e1 = arith.constant 20000 : index
    %m1 = arith.muli %i0, %e1 : index
    %a1 = arith.addi %m1, %i1 : index
    %int = arith.index_cast %a1 : index to i32
    %ramp = arith.uitofp %int : i32 to f32
    tensor.yield %ramp : f32
  } : tensor<2x20000xf32>
  return %x : tensor<2x20000xf32>
}
func.func @sum_long(%ramp: tensor<2x20000xf32>) -> tensor<2xf32> {
  %scale = arith.constant 1.0e-3 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<2x20000xf32>
  %few = tensor.empty() : tensor<2xf32>
  %q = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%ramp : tensor<2x20000xf32>) outs(%full : tensor<2x20000xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %scale : f32
    %x = arith.addf %s, %one : f32
    %r = arith.mulf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x20000xf32>
  %init = linalg.fill ins(%zero : f32) outs(%few : tensor<2xf32>) -> tensor<2xf32>
  %y = linalg.reduce { arith.addf } ins(%q : tensor<2x20000xf32>) outs(%init : tensor<2xf32>) dimensions = [1]
  return %y : tensor<2xf32>
}
func.func private @columns() -> tensor<2500x6xf32> {
  %x = tensor.generate {
  ^bb0(%i0: index, %i1: index):
    %e1 = arith.constant 6 : index
    %m1 = arith.muli %i0, %e1 : index
    %a1 = arith.addi %m1, %i1 : index
    %int = arith.index_cast %a1 : index to i32
    %ramp = arith.uitofp %int : i32 to f32
    tensor.yield %ramp : f32
  } : tensor<2500x6xf32>
  return %x : tensor<2500x6xf32>
}
func.func @sum_columns(%ramp: tensor<2500x6xf32>) -> tensor<6xf32> {
  %scale = arith.constant 1.0e-3 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<2500x6xf32>
  %few = tensor.empty() : tensor<6xf32>
  %q = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%ramp : tensor<2500x6xf32>) outs(%full : tensor<2500x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %scale : f32
    %x = arith.addf %s, %one : f32
    %r = arith.mulf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<2500x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%few : tensor<6xf32>) -> tensor<6xf32>
  %y = linalg.reduce { arith.addf } ins(%q : tensor<2500x6xf32>) outs(%init : tensor<6xf32>) dimensions = [0]
  return %y : tensor<6xf32>
}
func.func private @planes() -> tensor<30x50x7xf32> {
  %x = tensor.generate {
  ^bb0(%i0: index, %i1: index, %i2: index):
    %e1 = arith.constant 50 : index
    %m1 = arith.muli %i0, %e1 : index
    %a1 = arith.addi %m1, %i1 : index
    %e2 = arith.constant 7 : index
    %m2 = arith.muli %a1, %e2 : index
    %a2 = arith.addi %m2, %i2 : index
    %int = arith.index_cast %a2 : index to i32
    %ramp = arith.uitofp %int : i32 to f32
    tensor.yield %ramp : f32
  } : tensor<30x50x7xf32>
  return %x : tensor<30x50x7xf32>
}
func.func @sum_planes(%ramp: tensor<30x50x7xf32>) -> tensor<7xf32> {
  %scale = arith.constant 1.0e-3 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<30x50x7xf32>
  %few = tensor.empty() : tensor<7xf32>
  %q = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%ramp : tensor<30x50x7xf32>) outs(%full : tensor<30x50x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %scale : f32
    %x = arith.addf %s, %one : f32
    %r = arith.mulf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<30x50x7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%few : tensor<7xf32>) -> tensor<7xf32>
  %y = linalg.reduce { arith.addf } ins(%q : tensor<30x50x7xf32>) outs(%init : tensor<7xf32>) dimensions = [0, 1]
  return %y : tensor<7xf32>
}
func.func private @short() -> tensor<3x9xf32> {
  %x = tensor.generate {
  ^bb0(%i0: index, %i1: index):
    %e1 = arith.constant 9 : index
    %m1 = arith.muli %i0, %e1 : index
    %a1 = arith.addi %m1, %i1 : index
    %int = arith.index_cast %a1 : index to i32
    %ramp = arith.uitofp %int : i32 to f32
    tensor.yield %ramp : f32
  } : tensor<3x9xf32>
  return %x : tensor<3x9xf32>
}
func.func @sum_short(%ramp: tensor<3x9xf32>) -> tensor<3xf32> {
  %scale = arith.constant 1.0e-3 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<3x9xf32>
  %few = tensor.empty() : tensor<3xf32>
  %q = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%ramp : tensor<3x9xf32>) outs(%full : tensor<3x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %scale : f32
    %x = arith.addf %s, %one : f32
    %r = arith.mulf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<3x9xf32>
  %init = linalg.fill ins(%zero : f32) outs(%few : tensor<3xf32>) -> tensor<3xf32>
  %y = linalg.reduce { arith.addf } ins(%q : tensor<3x9xf32>) outs(%init : tensor<3xf32>) dimensions = [1]
  return %y : tensor<3xf32>
}
func.func @main() {
  %line = call @line() : () -> tensor<3000xf32>
  %line_y = call @sum_line(%line) : (tensor<3000xf32>) -> tensor<f32>
  %line_e = tensor.empty() : tensor<i32>
  %line_b = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%line_y : tensor<f32>) outs(%line_e : tensor<i32>) {
  ^bb0(%a: f32, %out: i32):
    %bits = arith.bitcast %a : f32 to i32
    linalg.yield %bits : i32
  } -> tensor<i32>
  %line_u = tensor.cast %line_b : tensor<i32> to tensor<*xi32>
  call @printMemrefI32(%line_u) : (tensor<*xi32>) -> ()
  %rows = call @rows() : () -> tensor<5x37xf32>
  %rows_y = call @sum_rows(%rows) : (tensor<5x37xf32>) -> tensor<5xf32>
  %rows_e = tensor.empty() : tensor<5xi32>
  %rows_b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%rows_y : tensor<5xf32>) outs(%rows_e : tensor<5xi32>) {
  ^bb0(%a: f32, %out: i32):
    %bits = arith.bitcast %a : f32 to i32
    linalg.yield %bits : i32
  } -> tensor<5xi32>
  %rows_u = tensor.cast %rows_b : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%rows_u) : (tensor<*xi32>) -> ()
  %long = call @long() : () -> tensor<2x20000xf32>
  %long_y = call @sum_long(%long) : (tensor<2x20000xf32>) -> tensor<2xf32>
  %long_e = tensor.empty() : tensor<2xi32>
  %long_b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%long_y : tensor<2xf32>) outs(%long_e : tensor<2xi32>) {
  ^bb0(%a: f32, %out: i32):
    %bits = arith.bitcast %a : f32 to i32
    linalg.yield %bits : i32
  } -> tensor<2xi32>
  %long_u = tensor.cast %long_b : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%long_u) : (tensor<*xi32>) -> ()
  %columns = call @columns() : () -> tensor<2500x6xf32>
  %columns_y = call @sum_columns(%columns) : (tensor<2500x6xf32>) -> tensor<6xf32>
  %columns_e = tensor.empty() : tensor<6xi32>
  %columns_b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%columns_y : tensor<6xf32>) outs(%columns_e : tensor<6xi32>) {
  ^bb0(%a: f32, %out: i32):
    %bits = arith.bitcast %a : f32 to i32
    linalg.yield %bits : i32
  } -> tensor<6xi32>
  %columns_u = tensor.cast %columns_b : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%columns_u) : (tensor<*xi32>) -> ()
  %planes = call @planes() : () -> tensor<30x50x7xf32>
  %planes_y = call @sum_planes(%planes) : (tensor<30x50x7xf32>) -> tensor<7xf32>
  %planes_e = tensor.empty() : tensor<7xi32>
  %planes_b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%planes_y : tensor<7xf32>) outs(%planes_e : tensor<7xi32>) {
  ^bb0(%a: f32, %out: i32):
    %bits = arith.bitcast %a : f32 to i32
    linalg.yield %bits : i32
  } -> tensor<7xi32>
  %planes_u = tensor.cast %planes_b : tensor<7xi32> to tensor<*xi32>
  call @printMemrefI32(%planes_u) : (tensor<*xi32>) -> ()
  %short = call @short() : () -> tensor<3x9xf32>
  %short_y = call @sum_short(%short) : (tensor<3x9xf32>) -> tensor<3xf32>
  %short_e = tensor.empty() : tensor<3xi32>
  %short_b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%short_y : tensor<3xf32>) outs(%short_e : tensor<3xi32>) {
  ^bb0(%a: f32, %out: i32):
    %bits = arith.bitcast %a : f32 to i32
    linalg.yield %bits : i32
  } -> tensor<3xi32>
  %short_u = tensor.cast %short_b : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%short_u) : (tensor<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(%ptr: tensor<*xi32>)
