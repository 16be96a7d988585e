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
    Replaces log, tanh, sin, cos and powf of f32 in codelets by arithmetic in f64,
    which gives the correctly rounded result but for rare exceptions, exp by
    arithmetic in f32, off by less than 0.9 units in the last place, and erf and so
    on by MLIR's polynomial approximations. The same functions, erf and rsqrt of f64
    become arithmetic on pairs of f64 whose sums are numbers of about 100 bits, and
    thus are correctly rounded but for rare exceptions, too. All are part of the
    program: both engines compute them by the same additions and multiplications,
    and no host library has a say in their bits. Functions that IEEE 754 defines
    exactly (sqrt, fma, rounding) stay.

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
  let summary = "Keep one state of generators at a time in the workers";
  let description = [{
    Workers have one state for random bits at a time. Of a program that draws from
    several (`ipu.rng_state`), each step with an `rng` draws from the storage
    `rng.workers` instead, and where the state changes, steps `rng.get` and
    `rng.set` save the one that is there and load the other one. Bits are the same as
    without this pass. A program with one state keeps it in the workers.

    Saved and loaded is only where it is needed: from the start of the program the
    pass knows what the workers have. A loop starts each round with the state that it
    draws from first, a function each call; branches of an `ipu.if` that end with
    different states are brought to the one that is drawn from next, or else to
    that of the first.

    Fails if a compute set draws from two states: belongs before
    `ipu-merge-steps`.

    Before:
    ```mlir
    ipu.compute_set "mul" { ipu.vertices @mul_sr ins(%x : ...) outs(%y : ...) rng(%none : memref<4x6x4xi32, #m>) access [...] }
    ipu.compute_set "add" { ipu.vertices @add_sr ins(%w : ...) outs(%v : ...) rng(%all : memref<4x6x4xi32, #m>) access [...] }
    ```
    After:
    ```mlir
    ipu.compute_set "rng.set" { ipu.vertices @copy_rng ins(%none : ...) outs(%workers : ...) access [#m, #m] }
    ipu.compute_set "mul" { ipu.vertices @mul_sr ins(%x : ...) outs(%y : ...) rng(%workers : memref<4x6x4xi32, #m>) access [...] }
    ipu.compute_set "rng.get" { ipu.vertices @copy_rng ins(%workers : ...) outs(%none : ...) access [#m, #m] }
    ipu.compute_set "rng.set" { ipu.vertices @copy_rng ins(%all : ...) outs(%workers : ...) access [#m, #m] }
    ipu.compute_set "add" { ipu.vertices @add_sr ins(%w : ...) outs(%v : ...) rng(%workers : memref<4x6x4xi32, #m>) access [...] }
    ipu.compute_set "rng.get" { ipu.vertices @copy_rng ins(%workers : ...) outs(%all : ...) access [#m, #m] }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
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

def MergeStepsPass : Pass<"ipu-merge-steps", "::mlir::func::FuncOp"> {
  let summary = "Do independent exchanges, and compute sets, at once";
  let description = [{
    An exchange becomes part of an earlier one if no step after that one writes
    what it reads or touches what it writes; its `ipu.sync` goes away, and the
    stronger of both kinds stays. A compute set becomes part of an earlier one
    likewise. A move of elements that an earlier exchange has brought to the same
    tiles goes away, and its users read the variable that is there. Bodies of
    loops and branches are worked on by themselves. Nothing moves past a call.

    Steps move no further up than their users gain by it. A variable that is
    written sooner takes memory for longer: a step stays where it is if
    afterwards the variables that live at once, always live ones included, could
    take more than `available-memory-proportion` of a tile's memory. (Counted as
    if the fullest tiles of all variables were the same.)

    A merged step has the names of its parts, `"a+b"`, and their locations fused.
    How many exchanges, compute sets and moves went away is a remark of category
    `ipu-merge`.

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
  let summary = "End the lives of variables after their last use";
  let description = [{
    Inserts `ipu.write_undef` after the last op that uses a variable or a view
    of it, so that others can have the memory, and erases variables and views
    that nothing uses. Variables with initial values and those of an `ipu.storage`
    have no end here, and one that a
    loop or branch uses and that is from outside of it lives until that is over.
    Existing `ipu.write_undef`s are kept.
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def EstimateCostPass : Pass<"ipu-estimate-cost"> {
  let summary = "Estimate cycles, operations and bytes of each step";
  let description = [{
    Sets the `cost` of every step by the formulas of docs/device-model.md for the
    module's target. Runs on a module or on a function; steps that load code ask
    for that of other functions, so that it has to be the module then. Costs that are
    there already are made anew. Each step's cycles are also a remark of
    category `ipu-cost`. Compute sets are estimated at one of two levels: `fast`
    adds up what the vertices of a tile take, `detailed` gives their parts to the
    contexts of the tile as they become free.
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
  let summary = "Place variables in the memory of tiles";
  let description = [{
    Runs on a module, for each function of it that is not called and with all
    that this one calls, or on one function that calls none. Gives each variable
    an address on each tile that holds a part of it, and proves that no two that are live at the same time overlap. A program that
    does not fit is an error at the step at which the fullest tile holds most: it
    names the tile, what the bytes are for, the five largest variables, and what
    may help; with `allow-oom` a warning. Too much code is a diagnostic of its
    own. docs/memory.md says what counts.

    Addresses change nothing of the program; what is left of them is attribute
    `ipu.memory` of the function, and a remark of category `ipu-memory`. To be
    run after `ipu-liveness`: before it, variables live to the end.

    Before:
    ```mlir
    func.func @main() {
    ```
    After:
    ```mlir
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
