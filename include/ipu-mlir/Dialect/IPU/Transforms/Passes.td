//===- Passes.td - Passes on ipu programs -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_TRANSFORMS_PASSES
#define IPU_MLIR_DIALECT_IPU_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"ipu-expand-math", "::mlir::ipu::CodeletOp"> {
  let summary = "Expand math functions of codelets into arithmetic";
  let description = [{
    Replaces math functions in codelets by arithmetic. Functions of f32: log,
    tanh, sin, cos and powf become arithmetic in f64, which gives the correctly
    rounded result with rare exceptions; exp becomes arithmetic in f32 with an
    error of less than 0.9 units in the last place; the others, such as erf,
    become MLIR's polynomial approximations. The same functions, erf and rsqrt
    of f64 become arithmetic on pairs of f64 that represent about 100 bits,
    which is also correctly rounded with rare exceptions. Both engines then
    compute the same additions and multiplications, and bits do not depend on a
    library of the host. Functions that IEEE 754 defines exactly (sqrt, fma,
    rounding) stay.

    Other functions of f64, such as atan, have no expansion and are an error.

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

def SwitchRngStatesPass
    : Pass<"ipu-switch-rng-states", "::mlir::ModuleOp"> {
  let summary = "Save and restore RNG state only where it changes";
  let description = [{
    Workers have one state for random bits at a time. Of a program that draws from
    several (`ipu.rng_state`), each step with an `rng` draws from the storage
    `rng.workers` instead, and where the state changes, steps `rng.get` and
    `rng.set` save the one that is there and load the other one. Bits are the same as
    without this pass. A program with one state keeps it in the workers.

    The pass saves and loads states only where needed: it knows which state the
    workers have at each step. A loop starts each iteration with the state that
    it draws from first, a function each call; if branches of an `ipu.if` end
    with different states, the pass switches to the state that is drawn from
    next, or else to that of the first branch.

    Fails if a compute set draws from two states; run it before
    `ipu-merge-steps`.

    Before:
    ```mlir
    ipu.compute_set "mul" { ipu.vertices @mul_sr ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%none : memref<4x6x4xi32, #m>) access [#m, #m] }
    ipu.compute_set "add" { ipu.vertices @add_sr ins(%w : memref<4xf16, #m>) outs(%v : memref<4xf16, #m>) rng(%all : memref<4x6x4xi32, #m>) access [#m, #m] }
    ```
    After:
    ```mlir
    ipu.compute_set "rng.set" { ipu.vertices @copy_rng ins(%none : memref<4x6x4xi32, #m>) outs(%workers : memref<4x6x4xi32, #m>) access [#m, #m] }
    ipu.compute_set "mul" { ipu.vertices @mul_sr ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%workers : memref<4x6x4xi32, #m>) access [#m, #m] }
    ipu.compute_set "rng.get" { ipu.vertices @copy_rng ins(%workers : memref<4x6x4xi32, #m>) outs(%none : memref<4x6x4xi32, #m>) access [#m, #m] }
    ipu.compute_set "rng.set" { ipu.vertices @copy_rng ins(%all : memref<4x6x4xi32, #m>) outs(%workers : memref<4x6x4xi32, #m>) access [#m, #m] }
    ipu.compute_set "add" { ipu.vertices @add_sr ins(%w : memref<4xf16, #m>) outs(%v : memref<4xf16, #m>) rng(%workers : memref<4x6x4xi32, #m>) access [#m, #m] }
    ipu.compute_set "rng.get" { ipu.vertices @copy_rng ins(%workers : memref<4x6x4xi32, #m>) outs(%all : memref<4x6x4xi32, #m>) access [#m, #m] }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def MaterializeExchangePass
    : Pass<"ipu-materialize-exchange", "::mlir::func::FuncOp"> {
  let summary = "Insert exchanges for operands that vertices read from other tiles";
  let description = [{
    Copies an input of `ipu.vertices` to a new variable with the access mapping,
    if the input is a view or has another tile mapping. The copies of one
    compute set are one `ipu.exchange`, after an `ipu.sync` of the tiles that
    take part. Afterwards the tile mapping of each operand is equivalent to its
    access mapping.

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

def MergeStepsPass : Pass<"ipu-merge-steps", "::mlir::func::FuncOp"> {
  let summary = "Merge independent exchanges and compute sets";
  let description = [{
    Merges an exchange into an earlier one if no step after the earlier one
    writes what it reads, or uses what it writes. Its `ipu.sync` is erased, and
    the stronger kind of both syncs stays. Compute sets are merged in the same
    way. A move of elements that an earlier exchange has brought to the same
    tiles is erased, and its users read the variable that is there. Each body of
    a loop or branch is optimized by itself. Nothing moves past a call.

    A step moves up only as far as its users can move with it. A variable that
    is written sooner takes memory for longer: a step stays where it is if the
    variables that would be live at the same time, always-live ones included,
    could take more than `available-memory-proportion` of a tile's memory. (The
    estimate adds up the bytes of each variable on its own fullest tile.)

    A merged step has the names of its parts, `"a+b"`, and their locations
    fused. A remark of category `ipu-merge` counts the exchanges, compute sets
    and moves that were removed.

    Before:
    ```mlir
    ipu.sync internal
    ipu.exchange "a" {
      ipu.move %x to %x0 : memref<8xf32, #m> to memref<8xf32, #n>
    }
    ipu.compute_set "a" {
      ipu.vertices @f ins(%x0 : memref<8xf32, #n>) outs(%a : memref<8xf32, #n>) access [#n, #n]
    }
    ipu.sync internal
    ipu.exchange "b" {
      ipu.move %y to %y0 : memref<8xf32, #m> to memref<8xf32, #n>
    }
    ipu.compute_set "b" {
      ipu.vertices @g ins(%a, %y0 : memref<8xf32, #n>, memref<8xf32, #n>)
        outs(%b : memref<8xf32, #n>) access [#n, #n, #n]
    }
    ```
    After:
    ```mlir
    ipu.sync internal
    ipu.exchange "a+b" {
      ipu.move %x to %x0 : memref<8xf32, #m> to memref<8xf32, #n>
      ipu.move %y to %y0 : memref<8xf32, #m> to memref<8xf32, #n>
    }
    ipu.compute_set "a" {
      ipu.vertices @f ins(%x0 : memref<8xf32, #n>) outs(%a : memref<8xf32, #n>) access [#n, #n]
    }
    ipu.compute_set "b" {
      ipu.vertices @g ins(%a, %y0 : memref<8xf32, #n>, memref<8xf32, #n>)
        outs(%b : memref<8xf32, #n>) access [#n, #n, #n]
    }
    ```
  }];
  let options = [
    Option<"availableMemoryProportion", "available-memory-proportion", "double",
           /*default=*/"0.6",
           "Part of a tile's memory that merging may fill, from 0 to 1">,
  ];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def LivenessPass : Pass<"ipu-liveness", "::mlir::func::FuncOp"> {
  let summary = "Insert `ipu.write_undef` after last uses";
  let description = [{
    Inserts `ipu.write_undef` after the last op that uses a variable or a view
    of it, so that other variables can have the memory, and erases unused
    variables and views. Variables with initial values and those of an
    `ipu.storage` get none. A variable from outside of a loop or branch that
    uses it stays live until the end of that loop or branch. Existing
    `ipu.write_undef`s are kept.
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def EstimateCostPass : Pass<"ipu-estimate-cost"> {
  let summary = "Estimate the cycles, operations and bytes of each step";
  let description = [{
    Sets the `cost` of every step by the formulas of docs/device-model.md for
    the module's target. Runs on a module or on a function. Existing costs are
    replaced. The cost of a step that loads code depends on other functions, so
    that the pass must run on the module if there is one. Each step's cycles are
    also a remark of category `ipu-cost`. Compute sets are estimated at one of
    two levels: `fast` adds up the cycles of a tile's vertices; `detailed`
    assigns their parts to the worker contexts of the tile as these become free.
  }];
  let options = [
    Option<"level", "level", "::mlir::ipu::CostLevel",
           /*default=*/"::mlir::ipu::CostLevel::Fast",
           "How compute sets are estimated",
           [{::llvm::cl::values(
             clEnumValN(::mlir::ipu::CostLevel::Fast, "fast",
                        "vertices of a tile one after the other"),
             clEnumValN(::mlir::ipu::CostLevel::Detailed, "detailed",
                        "workers of a tile one by one"))}]>,
  ];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def AllocatePass : Pass<"ipu-allocate"> {
  let summary = "Allocate variables in tile memory";
  let description = [{
    Gives each variable an address on each tile that holds a part of it, and
    proves that no two variables that are live at the same time overlap. Runs on
    a module, for each function without callers together with all functions that
    it calls, or on one function that calls none. A program that does not fit is
    an error at the step at which the fullest tile holds most: it names the
    tile, what the bytes are for, the five largest variables, and what may help;
    with `allow-oom` a warning. Too much code is a diagnostic of its own.
    docs/memory.md says what counts.

    Addresses do not change the program. Their result is the attribute
    `ipu.memory` of the function and a remark of category `ipu-memory`. Run it
    after `ipu-liveness`, without which variables stay live to the end.

    Before:
    ```
    func.func @main() {
    ```
    After:
    ```
    func.func @main() attributes {ipu.memory = #ipu.memory_summary<tile = 0, step = 1, ...>} {
    ```
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
  let options = [
    Option<"allowOOM", "allow-oom", "bool", /*default=*/"false",
           "Only warn of a program that does not fit">,
  ];
}

#endif // IPU_MLIR_DIALECT_IPU_TRANSFORMS_PASSES
