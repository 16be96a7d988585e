//===- Passes.td - Passes on ipu programs ------------------*- tablegen -*-===//
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
    Replaces math functions in codelets by arithmetic:

    - log, tanh, sin, cos and powf of f32 become arithmetic in f64. The result is
      correctly rounded, with rare exceptions.
    - exp of f32 becomes arithmetic in f32 with an error of less than 0.9 units in the
      last place.
    - Other functions of f32, such as erf, become the polynomial approximations of
      MLIR.
    - log, tanh, sin, cos, powf, exp, erf and rsqrt of f64 become arithmetic on pairs
      of f64 that represent about 100 bits. The result is correctly rounded, with rare
      exceptions.
    - Functions that IEEE 754 defines exactly (sqrt, fma, rounding) do not change.

    Afterwards the engines `jit` and `interp` execute the same additions and
    multiplications, and results do not depend on a math library of the host. The pass
    emits an error for all other functions of f64, such as atan, because these
    functions have no expansion.

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
  let summary = "Insert steps that switch workers between RNG states";
  let description = [{
    A worker has one RNG state at a time. If a program draws from several states
    (`ipu.rng_state`), this pass changes each step with an operand `rng` so that the
    step draws from the storage `rng.workers`. Where the next draw needs another
    state, the pass inserts a step `rng.get`, which saves the current state, and a
    step `rng.set`, which loads the other state. The pass does not change the bits
    that are drawn. A program with one state needs no such steps.

    The pass tracks which state the workers hold at each step, and inserts steps only
    where this state changes. Each iteration of a loop starts with the state from
    which the loop draws first, and each call starts with the state from which the
    function draws first. If the branches of an `ipu.if` end with different states,
    the pass inserts steps at the end of one branch, so that both branches end with
    the same state. This is the state at the end of `then_body`, unless the next draw
    after the `ipu.if` uses the state at the end of `else_body`.

    The pass emits an error if a compute set draws from two states. It must run before
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
    If the tile mapping of an input of `ipu.vertices` is not equivalent to its access
    mapping, the pass copies the input to a new variable with the access mapping.
    Afterwards the tile mapping of each operand is equivalent to its access mapping.
    An input may be a view that has the dimensions of a variable in another order. The
    pass does not copy such a view if its tile mapping is equivalent to the access
    mapping and the last stride of the codelet's argument is dynamic. Any other view
    of a variable that is not in row-major order is copied. The copies for one
    compute set form one `ipu.exchange`, which follows an `ipu.sync`. The pass
    divides the exchange into two exchanges if pairs of tiles can then receive
    elements at twice the width, and this takes fewer cycles.

    The pass changes an `ipus` sync before an exchange to `internal` if no element
    moves from one IPU to another IPU and no later exchange relies on the sync.

    Vertices with the cost kind `reduce_columns` combine the rows of their first
    input. A tile may already hold elements that a move copies to this input. If the
    vertices can read these elements from the source variable of the move, without a
    copy, and this saves cycles, the pass adds the source variable to the `in_place`
    of the vertices.

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

def PlaceSyncsPass : Pass<"ipu-place-syncs", "::mlir::func::FuncOp"> {
  let summary = "Name the IPUs that wait in each sync";
  let description = [{
    Names the IPUs that take part in an `ipu.sync`: those with tiles of the variables that
    the exchanges and transfers after the sync move, up to the next sync, call, loop or
    branch. If these are all IPUs of a replica, or if there is no such step, the pass does
    not change the sync. It runs after `ipu-merge-steps`, because exchanges that are merged
    have one sync.

    In the following example, tile mapping `#m` is on IPU 1 of two IPUs. Before:
    ```mlir
    ipu.sync internal
    ipu.exchange "a" {
      ipu.move %x to %x0 : memref<8xf32, #m> to memref<8xf32, #m>
    }
    ```
    After:
    ```mlir
    ipu.sync internal on [1]
    ipu.exchange "a" {
      ipu.move %x to %x0 : memref<8xf32, #m> to memref<8xf32, #m>
    }
    ```
  }];
}

def MergeStepsPass : Pass<"ipu-merge-steps", "::mlir::func::FuncOp"> {
  let summary = "Merge independent exchanges and compute sets";
  let description = [{
    Merges an exchange into an earlier exchange if no dependence prevents this and
    if one exchange takes no more cycles than two exchanges. Let S be the earlier
    exchange and the steps between the two exchanges. A dependence exists if a step
    of S writes a variable that the later exchange reads, or uses a variable that
    the later exchange writes. The pass erases the `ipu.sync` before the later
    exchange, unless another exchange relies on this sync. The `ipu.sync` before the
    earlier exchange gets the stronger of the two kinds. The pass merges compute
    sets in the same way. If a replica has several IPUs, the pass merges two steps
    only if the same IPUs take part in both of them, so that no IPU waits for another
    one. The pass also erases a move if an earlier exchange has
    copied the same elements to the same tiles; users of the move's target then read
    the earlier copy. Each body of a loop or branch is optimized separately. No step
    moves past a call.

    A variable that is written earlier is live for longer. Therefore the pass moves a
    step up only together with the first user of the step's results, and only as far
    as this user can move. A step also keeps its position if the variables that would
    be live at the same time, including always-live variables, could take more than
    `available-memory-proportion` of a tile's memory. The estimate of this memory is
    a sum over these variables: for each variable, it adds the bytes on the tile that
    holds most of this variable.

    The name of a merged step consists of the names of the original steps, as in
    `"a+b"`, and its location is the fused location of these steps. A remark of
    category `ipu-merge` counts the exchanges, compute sets and moves that the pass
    removed.

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
           "Share of a tile's memory, 0 to 1, that merging may fill">,
  ];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def LivenessPass : Pass<"ipu-liveness", "::mlir::func::FuncOp"> {
  let summary = "Insert `ipu.write_undef` after last uses";
  let description = [{
    Inserts `ipu.write_undef` after the last op that uses a variable or a view of the
    variable, so that other variables can use the memory. The pass also erases unused
    variables and views. It inserts no `ipu.write_undef` for variables with initial
    values or for variables of an `ipu.storage`. If a loop or branch uses a variable
    that is defined outside of the loop or branch, the variable stays live until the
    end of the loop or branch. Existing `ipu.write_undef`s are kept.

    Before:
    ```mlir
    %0 = ipu.var "x" : memref<64xf32, #m>
    ipu.host_load @x to %0 : memref<64xf32, #m>
    ipu.host_store %0 to @y : memref<64xf32, #m>
    ipu.sync internal
    ```
    After:
    ```mlir
    %0 = ipu.var "x" : memref<64xf32, #m>
    ipu.host_load @x to %0 : memref<64xf32, #m>
    ipu.host_store %0 to @y : memref<64xf32, #m>
    ipu.write_undef %0 : memref<64xf32, #m>
    ipu.sync internal
    ```
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def EstimateCostPass : Pass<"ipu-estimate-cost"> {
  let summary = "Estimate the cycles, operations and bytes of each step";
  let description = [{
    Sets the `cost` of every step by the formulas of docs/device-model.md for the
    target of the module. The pass replaces existing costs. It runs on a module or on
    a function. The cost of a step that loads code depends on other functions, so for
    a program with such a step the pass must run on the module. The pass also reports
    the cycles of each step in a remark of category `ipu-cost`. The option `level`
    selects one of two estimates for compute sets: `fast` adds up the cycles of a
    tile's vertices, and `detailed` assigns parts of a tile's vertices to the workers
    of the tile when workers become free.

    Before:
    ```mlir
    func.func @main() {
      ipu.sync internal
      return
    }
    ```
    After:
    ```mlir
    func.func @main() {
      ipu.sync internal cost <cycles = [90], total = 132480, tile = 0, flops = 0, bytes = 0>
      return
    }
    ```
  }];
  let options = [
    Option<"level", "level", "::mlir::ipu::CostLevel",
           /*default=*/"::mlir::ipu::CostLevel::Fast",
           "Estimate for compute sets",
           [{::llvm::cl::values(
             clEnumValN(::mlir::ipu::CostLevel::Fast, "fast",
                        "adds up the cycles of a tile's vertices"),
             clEnumValN(::mlir::ipu::CostLevel::Detailed, "detailed",
                        "assigns a tile's vertices to its workers"))}]>,
  ];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def AllocatePass : Pass<"ipu-allocate"> {
  let summary = "Allocate variables in tile memory";
  let description = [{
    Chooses an address for each variable on each tile that holds elements of the
    variable, and proves that no two variables that are live at the same time overlap.
    On a module, the pass allocates each function without callers together with all
    functions that it calls. The pass also runs on a single function that calls no
    other function.

    If a program does not fit, the pass emits an error at the step at which the
    fullest tile needs the most memory. The error names the tile, the uses of its
    bytes, the five largest variables, and possible remedies. With `allow-oom` the
    pass emits a warning instead. If the code alone is too large, the pass emits a
    separate diagnostic. docs/memory.md lists what the pass counts. On a module, the
    pass also checks that all remote buffers of a replica fit in the streaming memory
    of its IPUs.

    The addresses are not added to the ops of the program. The pass reports the result
    in the attribute `ipu.memory` of the function and in a remark of category
    `ipu-memory`. The pass should run after `ipu-liveness`; otherwise all variables
    stay live until the end of the program.

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
           "Warn, rather than fail, if a program does not fit in tile memory or its remote "
           "buffers do not fit in streaming memory">,
  ];
}

#endif // IPU_MLIR_DIALECT_IPU_TRANSFORMS_PASSES
