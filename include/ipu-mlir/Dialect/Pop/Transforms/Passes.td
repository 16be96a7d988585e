//===- Passes.td - Passes on the pop dialect ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES

include "ipu-mlir/Dialect/Pop/Transforms/AutodiffPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/BatchPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/CodePasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/CollectivePasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "ipu-mlir/Dialect/Pop/Transforms/GraphPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/InferencePasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/LossScalePasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/OptimizerPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/PipelinePasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/PlacementPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/RecomputePasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/ReplicaPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/SerializePasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/StreamingPasses.td"
include "ipu-mlir/Dialect/Pop/Transforms/TrainingPasses.td"
include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"pop-decompose">, KeepsAll {
  let summary = "Decompose ops into simpler ops that tiles can compute";
  // A copy between IPUs becomes a copy without a placement.
  let preserves = AllConditions;
  let tests = [
    "Dialect/Pop/decompose.mlir",
    "Dialect/Pop/decompose-draws.mlir",
    "Dialect/Pop/graph-decompose.mlir",
  ];
  let description = [{
    Replaces every op that implements `DecomposableOpInterface` by the ops of its
    decomposition. The new ops are decomposed in the same way. For example:
    - Pools, softmax and batch normalisation become reductions and elementwise ops.
    - The pads of convolutions become separate ops.
    - A reduction over axes other than the last axis becomes a reduction over the last
      axis. If the last axis has more elements than a block of the accumulation order,
      two reductions replace the reduction: the first one combines the elements of each
      block, and the second one combines the results of the blocks.
    - Ops that accumulate floats narrower than f32 become ops that accumulate in f32. A
      `pop.cast` rounds the result.

    The decomposition of an op defines the accumulation order of the op. The pass
    therefore changes no bit of a result. If an op has a `pop.draw`, each new op that
    may round gets a `pop.draw` with the same number and its own `part`. If the
    decomposition needs a tensor that exceeds the limits of tensor sizes, the pass does
    not decompose the op, and the lowering to tiles emits an error for the op.

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
  let bitEffect = Reassociates<"sums that have no accumulation order">;
  let tests = ["Dialect/Pop/choose-accumulation.mlir"];
  let description = [{
    Chooses an accumulation order (`accum`) for each op that accumulates and has no
    order. No later pass changes the order. The choice depends only on the kind of the
    op, its element types and its extents. Results therefore do not depend on the
    target, on the number of replicas or tiles, or on the function that contains the op.
    If an op has many outputs or few addends, each sum of a matmul or convolution is one
    chain, and a reduction has blocks of 1024 elements. Otherwise the pass splits each
    sum into more blocks, which different tiles can compute. For a matmul or
    convolution, the candidates are possible divisions of the sums into blocks. The pass
    estimates the cycles of each candidate on a nominal machine. It chooses the
    candidate with the fewest cycles, and prefers blocks of equal size.
    For a reduction, the pass chooses about ceil(2^15 / outputs) blocks for each output,
    with 64 to 1024 elements each. docs/dialects/pop.md describes the rules for each op.

    The pass must run before any pass that splits ops. If a pass splits a sum that
    already has an order, the bits of the sum do not change. If the order were chosen
    after the split, the order would depend on the extents of the parts.

    With `partials=f16`, the chosen orders of matmuls and convolutions of f16 whose sums
    are divided into blocks have `partials = f16`: the result of each block is rounded to
    f16, so that half as many bytes move between tiles. The blocks are the same as with
    `partials=f32`.

    With `warn-kept`, the pass warns if sums already have the order that it would choose
    with another value of `accumulation` or of `partials`. An earlier run of the pass has probably chosen
    these orders, and the option of this run has no effect on them.

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
           "Accumulation order of sums that do not have one",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::AccumulationKind::Blocked, "blocked",
                        "blocks for long sums with few results"),
             clEnumValN(::mlir::pop::AccumulationKind::Chain, "chain",
                        "chains, but blocks of 1024 for reductions"))}]>,
    Option<"partials", "partials", "::mlir::pop::PartialsKind",
           /*default=*/"::mlir::pop::PartialsKind::F32",
           "Type of the results of blocks of matmuls and convolutions of f16",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::PartialsKind::F32, "f32", "not rounded"),
             clEnumValN(::mlir::pop::PartialsKind::F16, "f16",
                        "rounded to f16, and added in f32"))}]>,
    Option<"warnsKept", "warn-kept", "bool", /*default=*/"false",
           "Warn about sums that have the order of other values of the options">
  ];
}

def VerifyGraphsPass : Pass<"pop-verify-graphs", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Verify calls between graphs";
  let tests = [
    "Dialect/Pop/verify-graphs.mlir",
    "Dialect/Pop/verify-graphs-invalid.mlir",
  ];
  let description = [{
    Emits an error if
    - a function calls itself, directly or through other functions;
    - the code of a graph is loaded while the graph runs;
    - the callee of a call modifies elements that it can access in two ways: through two
      refs that the call passes, or through such a ref and through the name of a
      variable. The result would be undefined, because a call may copy the tensors of
      refs into the callee and back. As an exception, the callee may read the tensor of
      one of two refs before it modifies the tensor of the other ref;
    - two variables are in the same row of a remote buffer.

    In the first two cases, notes show the calls that lead from the function or graph to
    the op with the error.
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
    Removes the arguments and results of functions that are called. Each argument or
    result becomes a `pop.scratch`. The caller writes the `pop.scratch` of an argument
    before the call, and reads the `pop.scratch` of a result after the call. If a ref
    argument refers to the same variable or allocation at all calls of a function, this
    variable or allocation replaces the argument. For any other ref argument, the caller
    copies the tensor to the `pop.scratch` before the call. If the function may modify
    the tensor, the caller copies the tensor back after the call. If two calls in one
    block pass the same tensor to the same function, and no other call is between these
    two calls, the caller writes the tensor only before the first of them.

    The tiles hold one copy of a function's code, so the arguments of the function must
    be at fixed addresses. The pass runs after `pop-verify-graphs`, which ensures that
    no function modifies a tensor to which it has two refs. `pop-lower-calls` emits an
    error for recursion, for functions with several blocks, and for an entry function
    that has callers or ref arguments.

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
           "Entry function, which becomes the program">,
  ];
}

def LowerControlFlowPass
    : Pass<"pop-lower-control-flow", "::mlir::func::FuncOp">, Contract {
  let summary = "Store loop-carried values and results of branches in refs";
  let preserves =
      !listremove(AllConditions, Placement # [NO_INPLACE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/lower-control-flow.mlir",
    "Dialect/Pop/lower-control-flow-invalid.mlir",
  ];
  let description = [{
    Replaces the operands and results of `scf.for`, `scf.while` and `scf.if` by refs
    that are allocated before these ops. If the initial value of a loop is a constant of
    zeros, the ref is filled with zeros, so that the constant takes no memory. A result
    needs no ref if it has no use and,
    for a loop, if only the next value of the same argument depends on the argument. A
    result also needs no ref if all branches yield the same value, and the value is
    defined outside of the branches. The new loops count from 0 with step 1. If a loop
    uses its induction variable, a ref holds the induction variable as a tensor. An
    `scf.index_switch` becomes a chain of `scf.if`, and an `arith.select` of tensors
    becomes a `pop.select`.

    A condition must be a constant, or the result of a `tensor.extract` from a tensor
    with one element. This tensor becomes a tensor of rank 0. A loop bound, or the
    argument of a switch, may also be the `arith.index_cast` of such a value.
    `pop.from_scalar` may use the induction variable of a loop. All other ops on scalars
    are errors.

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

def UpdateInPlacePass
    : Pass<"pop-update-in-place", "::mlir::ModuleOp">, Contract {
  let summary = "Write updated tensors to their refs before they are used";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = ["Dialect/Pop/update-in-place.mlir"];
  let description = [{
    A loop that replaces a slice of a tensor in each iteration carries the tensor in a
    ref. It reads the ref, computes a `pop.dynamic_update`, and copies the result to the
    ref at the end of the iteration. The tiles can replace the slice in the storage of
    the ref if the copy directly follows the update. So the pass moves the copy there,
    and other ops read the ref instead of the result of the update.

    The pass does not change an update if an op between the update and the copy may read
    or write the ref, or if the tensor that was read is still used, because the tensor
    would then have to be copied. The pass also does not change an update if an op after
    the copy may write the ref before the last use of the result, or if the update and
    the copy have different IPUs, stages or phases.

    Before:
    ```mlir
    %0 = pop.read %r : !pop.ref<8x4xf32>
    %1 = pop.dynamic_update %0, %u[%i] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
    %2 = pop.relu %1 : tensor<8x4xf32>
    pop.copy_ %r, %1 : !pop.ref<8x4xf32>, tensor<8x4xf32>
    ```
    After:
    ```mlir
    %0 = pop.read %r : !pop.ref<8x4xf32>
    %1 = pop.dynamic_update %0, %u[%i] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
    pop.copy_ %r, %1 : !pop.ref<8x4xf32>, tensor<8x4xf32>
    %2 = pop.read %r : !pop.ref<8x4xf32>
    %3 = pop.relu %2 : tensor<8x4xf32>
    ```
  }];
}

def SnapshotReadsPass
    : Pass<"pop-snapshot-reads", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Copy tensors that are read from a ref and used after a write to the ref";
  let tests = ["Dialect/Pop/snapshot-reads.mlir"];
  let description = [{
    The result of `pop.read` is the value of the tensor when the read executes. If no op
    between the read and the last use of its result may write the ref, the result can
    share the storage of the ref. Otherwise the pass inserts a `pop.copy` of the result.
    After the pass, the result of each `pop.read` can share the storage of its ref.

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
    Each ref must be the result of an op that creates refs (`pop.get_variable`,
    `pop.alloc`, `pop.from_tensor`), a view of another ref, or an argument of a
    function. The pass emits an error for all other refs: loop-carried values, results
    of calls, branches, loops and `arith.select`, and arguments of a block that is not
    the entry block of a function. The pass also emits an error if a function returns a
    ref. Regions may use refs that are defined outside of them, and calls may pass refs.
    With these rules, the tensor to which a ref refers is known at compile time.

    A program that the pass accepts:

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

def CanonicalizePass : Pass<"pop-canonicalize">, Contract {
  let summary = "Canonicalize ops and preserve placements";
  // A branch that is erased because of a constant condition may contain the only call
  // of a graph. If an op without a placement is folded, its user may then read a result
  // of another virtual graph, stage or batch phase.
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
    Applies the rewrites of `canonicalize`. An op that a rewrite or a fold creates
    inherits the placement of the op that it replaces. Equal constants with the same
    virtual graph, stage and tile set are merged into one constant at the start of the
    function. A constant with a placement is cloned for users with another placement.

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
  let summary = "Eliminate common subexpressions with equal placement";
  // Erasing unused ops may erase the only use of a graph.
  let preserves = !listremove(AllConditions, [NO_DEAD_GRAPHS]);
  let tests = ["Dialect/Pop/cse.mlir"];
  let description = [{
    Applies the rewrites of `cse`. The pass merges two ops only if all their attributes
    are equal, including placements and replica-equal annotations. Pipelines use this
    pass after placement and before lowering.

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
    If one of `conditions` does not hold, the pass emits an error at the first op that
    violates this condition. docs/transforms.md lists all conditions. For each pass, it
    also lists the conditions that the pass assumes, guarantees and preserves. The
    option `after` names the pass that ran before the check, and the option `before`
    names the pass that runs after the check. With one of these options, the error also
    names the pass of the option, and says which part of this pass's contract is
    violated. If a pipeline has the option `verify-contracts`, it makes these checks
    before and after each of its passes.

    With `pop-verify-contracts=conditions=VGRAPH` the second op is an error:
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
           "The pass that runs after the check">,
    Option<"after", "after", "std::string", /*default=*/"\"\"",
           "The pass that ran before the check">,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES
