//===- Passes.td - Passes on the pop dialect ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES

include "ipu-mlir/Dialect/Pop/Transforms/AutodiffPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/CodePasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "ipu-mlir/Dialect/Pop/Transforms/GraphPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/LossScalePasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/OptimizerPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/ReplicaPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/TrainingPasses.td"
include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"pop-decompose">, KeepsAll {
  let summary = "Decompose ops into simpler ops that tiles can compute";
  // A copy between IPUs becomes one that does not say where it is.
  let preserves = !listremove(AllConditions, [NO_IMPLICIT_COPY, VGRAPH]);
  let tests = [
    "Dialect/Pop/decompose.mlir",
    "Dialect/Pop/decompose-draws.mlir",
    "Dialect/Pop/graph-decompose.mlir",
  ];
  let description = [{
    Replaces every op with `DecomposableOpInterface` by the ops of its
    decomposition, until no op can be decomposed. Pools, softmax and batch
    normalisation become reductions and elementwise ops; convolutions lose their
    pads; reductions get one axis, the last, of at most one block; ops that
    accumulate floats narrower than f32 do so in f32, and a `pop.cast` rounds
    the result. Bits do not change: the decomposition defines the order of
    accumulation. If the op has a `pop.draw`, each new op that may round gets it
    with its own `part`.

    An op too large to decompose stays; the lowering to tiles reports it.

    Before:
    ```mlir
    func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = pop.softmax %x {axis = 1 : i64} : tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
    After:
    ```mlir
    func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = pop.reduce max %x {axes = array<i64: 1>, keep_dims} : tensor<2x3xf32> -> tensor<2x1xf32>
      %1 = pop.sub %x, %0 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
      %2 = pop.exp %1 : tensor<2x3xf32>
      %3 = pop.reduce sum %2 {axes = array<i64: 1>, keep_dims} : tensor<2x3xf32> -> tensor<2x1xf32>
      %4 = pop.div %2, %3 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
      return %4 : tensor<2x3xf32>
    }
    ```
  }];
}

def ChooseAccumulationPass : Pass<"pop-choose-accumulation">, KeepsAll {
  let summary = "Choose accumulation orders of sums";
  let bitEffect = Reassociates<"sums that have no order of accumulation">;
  let tests = ["Dialect/Pop/choose-accumulation.mlir"];
  let description = [{
    Chooses an accumulation order for each op that accumulates and has none; no
    pass changes it afterwards. The choice depends only on the kind of the op,
    its element types and its extents, so that results do not depend on the
    target, on the number of replicas or tiles, or on functions. A sum is one
    chain, or one block, if there are many outputs or few addends; otherwise it
    is split into blocks, which tiles can share. Matmuls and convolutions get
    the smallest number of blocks that takes almost the fewest cycles on a
    nominal machine; reductions get ceil(2^15 / outputs) blocks of at least 64
    addends. See docs/dialects/pop.md for the rules of each op.

    The pass runs before anything that slices ops: a slice of a chosen sum has the
    same bits, while an order chosen afterwards would be that of the slice.

    Before:
    ```mlir
    func.func @f(%a: tensor<4x1024xf32>, %b: tensor<1024x8xf32>) -> tensor<4x8xf32> {
      %y = pop.matmul %a, %b : (tensor<4x1024xf32>, tensor<1024x8xf32>) -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%a: tensor<4x1024xf32>, %b: tensor<1024x8xf32>) -> tensor<4x8xf32> {
      %y = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 32, lanes = 1>} : (tensor<4x1024xf32>, tensor<1024x8xf32>) -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"accumulation", "accumulation", "::mlir::pop::AccumulationKind",
           /*default=*/"::mlir::pop::AccumulationKind::Blocked",
           "Which orders are chosen",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::AccumulationKind::Blocked, "blocked",
                        "blocks where sums are long and outputs are few"),
             clEnumValN(::mlir::pop::AccumulationKind::Chain, "chain",
                        "chains, and blocks of 1024 for reductions"))}]>
  ];
}

def VerifyGraphsPass : Pass<"pop-verify-graphs", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Verify calls between graphs";
  let tests = [
    "Dialect/Pop/verify-graphs.mlir",
    "Dialect/Pop/verify-graphs-invalid.mlir",
  ];
  let description = [{
    Fails, with an error that shows the calls on the way, if

    - a function calls itself, directly or through others;
    - the code of a graph is loaded while the graph runs;
    - a call passes the same elements by two refs, or by a ref and in a variable
      that the callee uses by its name, and the callee modifies them. Arguments
      may be copied in and out, so that the result would be undefined. The
      callee may read one of two refs, if it does so before it modifies the
      other;
    - two variables lie in one row of a remote buffer.
  }];
}

def LowerCallsPass : Pass<"pop-lower-calls", "::mlir::ModuleOp">, Contract {
  let summary = "Pass arguments and results of calls in variables";
  let preserves = !listremove(AllConditions, Placement # [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/lower-calls.mlir",
    "Dialect/Pop/lower-calls-invalid.mlir",
  ];
  let description = [{
    Functions that are called lose their arguments and results: each becomes a
    `pop.scratch` that the caller writes before the call and reads after it. A
    ref argument that is the same variable, or the same allocation, at all calls
    of a function is replaced by it; other refs are copied in, and out again if
    the function may modify them.

    The code of a function is on the tiles once, so that its arguments are at
    fixed addresses. Needs `pop-verify-graphs`, so that no function has two
    names for a tensor that it modifies. Fails for recursion, for an entry with
    refs or callers, and for functions of several blocks.

    Before:
    ```mlir
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = pop.relu %x : tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    ```
    After:
    ```mlir
    pop.scratch @f.arg0 : tensor<2xf32>
    pop.scratch @f.result0 : tensor<2xf32>
    func.func @f() {
      %0 = pop.get_variable @f.arg0 : !pop.ref<2xf32>
      %1 = pop.read %0 : !pop.ref<2xf32>
      %2 = pop.relu %1 : tensor<2xf32>
      %3 = pop.get_variable @f.result0 : !pop.ref<2xf32>
      pop.copy_ %3, %2 : !pop.ref<2xf32>, tensor<2xf32>
      return
    }
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = pop.get_variable @f.arg0 : !pop.ref<2xf32>
      pop.copy_ %0, %x : !pop.ref<2xf32>, tensor<2xf32>
      call @f() : () -> ()
      %1 = pop.get_variable @f.result0 : !pop.ref<2xf32>
      %2 = pop.read %1 : !pop.ref<2xf32>
      return %2 : tensor<2xf32>
    }
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
           "Function that is the program">,
  ];
}

def LowerControlFlowPass
    : Pass<"pop-lower-control-flow", "::mlir::func::FuncOp">, Contract {
  let summary = "Store values that loops and branches carry in refs";
  let preserves =
      !listremove(AllConditions, Placement # [NO_INPLACE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/lower-control-flow.mlir",
    "Dialect/Pop/lower-control-flow-invalid.mlir",
  ];
  let description = [{
    Replaces the operands and results of `scf.for`, `scf.while` and `scf.if` by
    refs that are allocated before them. A result that has no use, or that all
    branches yield as one value from outside, needs none. Loops count from 0 by
    1, and the iteration index, if it is used, is a tensor in a ref. An
    `scf.index_switch` becomes a chain of `scf.if`, and an `arith.select` of
    tensors a `pop.select`.

    A predicate must be a constant or the `tensor.extract` of a tensor of one
    element, which becomes a 0-d tensor. A bound, or the argument of a switch,
    may also be the `arith.index_cast` of one. `pop.from_scalar` may use the
    index of a loop. All other ops on scalars are errors.

    Before:
    ```mlir
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
      %0 = pop.relu %a : tensor<2xf32>
      scf.yield %0 : tensor<2xf32>
    }
    ```
    After:
    ```mlir
    %ref = pop.from_tensor %x : tensor<2xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      %0 = pop.read %ref : !pop.ref<2xf32>
      %1 = pop.relu %0 : tensor<2xf32>
      pop.copy_ %ref, %1 : !pop.ref<2xf32>, tensor<2xf32>
    }
    %r = pop.read %ref : !pop.ref<2xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::pop::PopDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SnapshotReadsPass
    : Pass<"pop-snapshot-reads", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Copy reads whose ref is overwritten before the last use";
  let tests = ["Dialect/Pop/snapshot-reads.mlir"];
  let description = [{
    The result of `pop.read` is the tensor at that point of the program. If no
    op between the read and its last use may write the ref, the result can share
    the ref's storage; otherwise this pass inserts a `pop.copy`. Afterwards all
    reads can share the storage.

    Before:
    ```mlir
    %0 = pop.read %r : !pop.ref<2xf32>
    pop.copy_ %r, %x : !pop.ref<2xf32>, tensor<2xf32>
    %1 = pop.relu %0 : tensor<2xf32>
    ```
    After:
    ```mlir
    %0 = pop.read %r : !pop.ref<2xf32>
    %1 = pop.copy %0 : tensor<2xf32>
    pop.copy_ %r, %x : !pop.ref<2xf32>, tensor<2xf32>
    %2 = pop.relu %1 : tensor<2xf32>
    ```
  }];
}

def VerifyRefsPass : Pass<"pop-verify-refs", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Verify that the origin of each ref is known";
  let tests = [
    "Dialect/Pop/graph-verify-refs.mlir",
    "Dialect/Pop/graph-verify-refs-invalid.mlir",
  ];
  let description = [{
    Each ref must be made by an op that is an origin of refs
    (`pop.get_variable`, `pop.alloc`, `pop.from_tensor`) or a view of another
    ref, or be an argument of a function. All other refs are errors: results of
    a call, a branch, a loop or `arith.select`, values that a loop carries,
    arguments of blocks, and values that a function returns. Regions may use
    refs from outside, and calls may pass them on. The tensor that an op uses
    then follows from the program alone.

    ```mlir
    func.func @loop(%r: !pop.ref<4xf32>, %n: index, %t: tensor<4xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        pop.add_ %r, %t : !pop.ref<4xf32>, tensor<4xf32>
      }
      return
    }
    ```
  }];
}

def VerifyPlacementPass
    : Pass<"pop-verify-placement", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Verify that placements do not contradict each other";
  let tests = [
    "Dialect/Pop/placement.mlir",
    "Dialect/Pop/verify-placement-invalid.mlir",
  ];
  let description = [{
    The placement of an op is a set of attributes: `pop.vgraph` (the IPU),
    `pop.stage` (of a pipeline), `pop.phase`, `pop.batch_phase`, `pop.tile_set`,
    `pop.recompute` and `pop.execution_context`. All are optional. This pass reports:

    - ops of one stage on several virtual graphs;
    - ops that use one remote buffer on several virtual graphs;
    - an op on another virtual graph than a variable, an allocated tensor or a ref
      argument that it reads or writes, and a call that passes a ref to a tensor on
      another virtual graph than the callee's argument;
    - a copy that reads an operand on another virtual graph than the operand is on;
    - a virtual graph that the target's replicas do not have, if the module names a
      target;
    - the execution context `subgraph` in the entry function, or another one
      elsewhere.

    Tensors, unlike refs, may cross virtual graphs: `NO_IMPLICIT_COPY` is the
    condition that they do not.

    ```mlir
    pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {pop.vgraph = 0 : i64}
    func.func @main(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) {
      %w = pop.get_variable @w {pop.vgraph = 0 : i64} : !pop.ref<4xf32>
      pop.add_ %w, %x {pop.vgraph = 0 : i64, pop.stage = 0 : i64} : !pop.ref<4xf32>, tensor<4xf32>
      return
    }
    ```
  }];
}

def CanonicalizePass : Pass<"pop-canonicalize">, Contract {
  let summary = "Canonicalize ops and preserve placements";
  // A branch that is never taken may have had the only call of a graph. One that
  // was between two ops, and did not say where it is, may be folded.
  let preserves = !listremove(AllConditions, [
    NO_IMPLICIT_COPY, PSTAGE, BPHASE, NO_DEAD_GRAPHS
  ]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/canonicalize.mlir",
    "Dialect/Pop/canonicalize-placement.mlir",
  ];
  let description = [{
    Applies the rewrites of `canonicalize`. An op that a rewrite or a fold
    creates inherits the placement of the op that it replaces. Equal constants
    are merged at the start of the function, one for each virtual graph, stage
    and tile set; a placed constant is cloned for users of another placement.

    Before:
    ```mlir
    %c = pop.constant {pop.vgraph = 0 : i64} dense<1.0> : tensor<4xf32>
    %0 = pop.add %x, %c {pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = pop.add %0, %c {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    After:
    ```mlir
    %c = pop.constant {pop.vgraph = 0 : i64} dense<1.0> : tensor<4xf32>
    %d = pop.constant {pop.vgraph = 1 : i64} dense<1.0> : tensor<4xf32>
    %0 = pop.add %x, %c {pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = pop.add %0, %d {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def CSEPass : Pass<"pop-cse">, KeepsAll {
  let summary = "Eliminate common subexpressions of equal placement";
  // Unused ops are erased, which may have had the only use of a graph.
  let preserves = !listremove(AllConditions, [NO_DEAD_GRAPHS]);
  let tests = ["Dialect/Pop/cse.mlir"];
  let description = [{
    Applies `cse`, which merges two ops only if all their attributes are equal,
    placements and replica-equal annotations included. Pipelines use this pass
    between placement and lowering.

    Before:
    ```mlir
    %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    %2 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    %2 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
    ```
  }];
}

def VerifyContractsPass
    : Pass<"pop-verify-contracts", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Verify conditions of contracts";
  let tests = [
    "Dialect/Pop/verify-contracts.mlir",
    "Dialect/Pop/verify-contracts-invalid.mlir",
    "Tools/ipu-opt/verify-contracts-lowering.mlir",
    "Tools/ipu-opt/verify-contracts.mlir",
  ];
  let description = [{
    Fails if one of `conditions` does not hold, with an error at the first op that
    violates it. docs/transforms.md lists the conditions, and which of them passes
    assume, guarantee and preserve. With `after` or `before` the error also names
    the pass that ran before or will run afterwards, and what its contract says:
    pipelines with `verify-contracts` have these checks around their passes.

    Of `pop-verify-contracts=conditions=VGRAPH` the third line is an error:
    ```mlir
    %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<2xf32>
    // expected-error @below {{violates VGRAPH: expects attribute 'pop.vgraph'}}
    %1 = pop.relu %0 : tensor<2xf32>
    ```
  }];
  let options = [
    ListOption<"conditions", "conditions", "std::string",
               "Names of conditions, such as VGRAPH">,
    Option<"before", "before", "std::string", /*default=*/"\"\"",
           "The pass that runs afterwards">,
    Option<"after", "after", "std::string", /*default=*/"\"\"",
           "The pass that ran before">,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES
