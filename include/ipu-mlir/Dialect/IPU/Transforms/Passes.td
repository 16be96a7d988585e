//===- Passes.td - Passes on ipu programs -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_TRANSFORMS_PASSES
#define IPU_MLIR_DIALECT_IPU_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"ipu-expand-math", "::mlir::ipu::CodeletOp"> {
  let summary = "Write the math functions of codelets as arithmetic";
  let description = [{
    Replaces exp, log, tanh, sin, cos and powf of f32 in codelets by arithmetic in
    f64, which gives the correctly rounded result but for rare exceptions, and
    erf and so on by MLIR's polynomial approximations in f32. They are thus part
    of the program: both engines compute them by the same additions and
    multiplications, and no host library has a say in their bits. Functions that
    IEEE 754 defines exactly (sqrt, fma, rounding) stay.

    A function of f64 has no such approximation and is an error.

    Before:
    ```mlir
    %1 = math.exp %0 : f32
    ```
    After: a polynomial of `arith` ops and `math.fma`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def MaterializeExchangePass
    : Pass<"ipu-materialize-exchange", "::mlir::func::FuncOp"> {
  let summary = "Bring operands of vertices to the tiles that read them";
  let description = [{
    An input of `ipu.vertices` that is a view, or lies over the tiles otherwise
    than the vertices read it, is copied into a fresh variable that has the
    access map. The copies of one compute set are one `ipu.exchange`, after an
    `ipu.sync` of the tiles that take part. Afterwards each operand's own map is
    equivalent to its access map.

    Before:
    ```mlir
    ipu.compute_set "add" {
      ipu.vertices @add ins(%a, %b : memref<8xf32, #m>, memref<8xf32, #n>)
        outs(%c : memref<8xf32, #m>) access [#m, #m, #m]
    }
    ```
    After:
    ```mlir
    %0 = ipu.var "add.in1" copies : memref<8xf32, #m>
    ipu.sync internal
    ipu.exchange "add" {
      ipu.move %b to %0 : memref<8xf32, #n> to memref<8xf32, #m>
    }
    ipu.compute_set "add" {
      ipu.vertices @add ins(%a, %0 : memref<8xf32, #m>, memref<8xf32, #m>)
        outs(%c : memref<8xf32, #m>) access [#m, #m, #m]
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def LivenessPass : Pass<"ipu-liveness", "::mlir::func::FuncOp"> {
  let summary = "End the lives of variables after their last use";
  let description = [{
    Inserts `ipu.write_undef` after the last op that uses a variable or a view
    of it, so that others can have the memory, and erases variables that
    nothing uses. Variables with initial values live always. Works on programs
    without control flow; existing `ipu.write_undef`s are kept.
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def EstimateCostPass : Pass<"ipu-estimate-cost", "::mlir::func::FuncOp"> {
  let summary = "Estimate cycles, operations and bytes of each step";
  let description = [{
    Sets the `cost` of every compute set, exchange, sync and host copy by the
    formulas of docs/device-model.md for the module's target. Costs that are
    there already are made anew. Each step's cycles are also a remark of
    category `ipu-cost`.
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

#endif // IPU_MLIR_DIALECT_IPU_TRANSFORMS_PASSES
