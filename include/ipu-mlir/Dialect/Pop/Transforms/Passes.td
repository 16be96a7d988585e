//===- Passes.td - Passes on the pop dialect ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "ipu-mlir/Dialect/Pop/Transforms/GraphPasses.td"
include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"pop-decompose">, KeepsAll {
  let summary = "Write ops as simpler ops that tiles can compute";
  // A copy between IPUs becomes one that does not say where it is.
  let preserves = !listremove(AllConditions, [NO_IMPLICIT_COPY, VGRAPH]);
  let tests = [
    "Dialect/Pop/decompose.mlir",
    "Dialect/Pop/decompose-draws.mlir",
    "Dialect/Pop/graph-decompose.mlir",
  ];
  let description = [{
    Replaces every op of `DecomposableOpInterface` by what it decomposes to,
    until none can be decomposed. Pools, softmax and batch normalisation become
    reductions and elementwise ops; convolutions lose their pads; reductions get
    one axis, the last, of at most one block; what accumulates floats narrower
    than f32 does so in f32 and is rounded by a `pop.cast`. Bits do not change:
    the decomposition is the definition of the order of accumulation. If the op has
    a `pop.draw`, those that may round of what it becomes have it with parts of their
    own.

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
  let summary = "Choose the order in which sums are accumulated";
  let bitEffect = Reassociates<"sums that have no order of accumulation">;
  let tests = ["Dialect/Pop/choose-accumulation.mlir"];
  let description = [{
    Gives each op that accumulates and has no order of accumulation one, which no
    pass changes afterwards. The choice depends on the kind of the op, its element
    types and its extents alone, so that results do not depend on the target, on
    the number of replicas or tiles, or on functions: sums are one chain, or one
    block, where outputs are many or terms are few; else they are cut into
    ceil(2^21 / outputs) blocks (ceil(2^15 / outputs) in a reduction) of at least
    64 terms, in multiples of 16, which tiles can share. See docs/dialects/pop.md for the rules of each op.

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
      %y = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 64, lanes = 1>} : (tensor<4x1024xf32>, tensor<1024x8xf32>) -> tensor<4x8xf32>
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
  let summary = "Check how graphs call each other";
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
      may be copied in and out, so that such a callee would mean nothing. It may
      read one of two refs, as long as it does so before it modifies the other;
    - two variables lie in one row of a remote buffer.
  }];
}

def VerifyCodeLoadsPass
    : Pass<"pop-verify-code-loads", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Check that loads of code fit its copies and calls";
  let tests = ["Dialect/Pop/verify-code-loads.mlir"];
  let description = [{
    Fails where code is copied from a buffer to which no path from the start of
    the program has brought it. Warns of

    - a copy from a buffer to which only some paths have brought the code;
    - a load of code that nothing uses before it is loaded again;
    - a call of a graph whose code some paths load and others do not;
    - a call of a graph whose code was loaded to a buffer and not copied to where
      it can be called.

    Calls are right all the same: what no load brings in time is in the image. But
    it takes memory there, which loads are meant to save. The pass works on both
    pop and ipu. See docs/code-loading.md.
  }];
}

def PrintCodeLivenessPass
    : Pass<"pop-print-code-liveness", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Print where the code of graphs has to be on the chip";
  let tests = ["Dialect/Pop/code-liveness.mlir"];
  let description = [{
    Prints, for each graph that is called or loaded, whether its code is always
    live, in the image when the program starts, or loaded; and the ranges between
    whose ops it is live. Ops are numbered in the order of their function. The
    pass works on both pop and ipu. See docs/code-loading.md.

    Remarks of the category `pop-code` name loads that are dead and, where code
    is kept on the chip although there are loads, the path without a load.
  }];
}

def MergeCodeLoadsPass
    : Pass<"pop-merge-code-loads", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Load the code of several graphs at once";
  let tests = ["Dialect/Pop/merge-code-loads.mlir"];
  let description = [{
    Merges `pop.remote_code_load`s to one place if no op between them moves data
    between a chip and what is outside of it, or needs or moves code. Calls do,
    so that no code is there before it was. A `pop.in_sequence` asks for no more.
    Remarks of the category `pop-code` say what was merged and, of loads after
    others, why they were not.

    Before:
    ```mlir
    func.func @main() {
      pop.remote_code_load @g to executable
      pop.remote_code_load @h to executable
      call @g() : () -> ()
      call @h() : () -> ()
      return
    }
    ```
    After:
    ```mlir
    func.func @main() {
      pop.remote_code_load [@g, @h] to executable
      call @g() : () -> ()
      call @h() : () -> ()
      return
    }
    ```
  }];
}

def OverlapCodeLoadsPass
    : Pass<"pop-overlap-code-loads", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Mark loads of code that overlap compute";
  let tests = ["Dialect/Pop/overlap-code-loads.mlir"];
  let description = [{
    Marks each `pop.remote_code_load` A that goes on while the compute B after it
    runs with `pop.overlaps_compute`. For the others a remark of the category
    `pop-code` says which of the conditions of PopXL's user guide fails:

    1. A comes before B.
    2. B does not need what A loads.

    3. A is on I/O tiles: `pop.tile_set` is `io`, and it loads to `io_buffer`.
    4. B is on compute tiles.
    5. what else is transferred in between can be merged with A.

    B is what runs first after A, also in calls, branches and loops, and after
    the block or function that ends with A; where there are several paths, each
    has to meet the conditions.

    Before:
    ```mlir
    func.func @main(%r: !pop.ref<4xf32>) {
      pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
      pop.exp_ %r : !pop.ref<4xf32>
      pop.code_copy @g from io_buffer to executable
      call @g() : () -> ()
      return
    }
    ```
    After:
    ```mlir
    func.func @main(%r: !pop.ref<4xf32>) {
      pop.remote_code_load @g to io_buffer {pop.overlaps_compute, pop.tile_set = #pop<tile_set io>}
      pop.exp_ %r : !pop.ref<4xf32>
      pop.code_copy @g from io_buffer to executable
      call @g() : () -> ()
      return
    }
    ```
  }];
}

def AnnotateReplicaEqualPass
    : Pass<"pop-annotate-replica-equal", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Attach on which replicas values are equal";
  let tests = [
    "Dialect/Pop/annotate-replica-equal.mlir",
    "Dialect/Pop/replica-equal-calls.mlir",
  ];
  let description = [{
    Gives each op that makes tensors `pop.replica_equal`, a partition of the
    replicas for each result (of a ref: for what it refers to at first); each op
    that gets tensors or refs `pop.replica_equal_operands`, a partition for each
    operand (of a ref: for what the op reads by it), but not what ends a region;
    and each op that may modify refs by its operands
    `pop.replica_equal_modified`, a partition for each of these, in order.
    Arguments of functions get `pop.replica_equal` as well. Attributes of these
    names are replaced. See docs/replica-equal.md.

    A function has one answer for all of its calls; where they pass what is equal
    on different replicas, a warning shows them. With `clone-callees` such a
    function is cloned for each combination of partitions of its arguments, unless
    it is used by more than calls or calls itself; at most 1024 clones are made.
    Variables of which the host reads one value for replicas that are not proven
    equal get a warning.

    Fails if groups of replicas do not fit the number of replicas.

    Before:
    ```mlir
    pop.stream @x host_to_device : tensor<2xf32>
    func.func @main() {
      %x = pop.host_load @x : tensor<2xf32>
      %y = pop.all_reduce add %x : tensor<2xf32>
      return
    }
    ```
    After, with `replicas=2`:
    ```mlir
    pop.stream @x host_to_device : tensor<2xf32>
    func.func @main() {
      %x = pop.host_load @x {pop.replica_equal = [#pop.replica_partition<none of 2>]} : tensor<2xf32>
      %y = pop.all_reduce add %x {pop.replica_equal = [#pop.replica_partition<all of 2>], pop.replica_equal_operands = [#pop.replica_partition<none of 2>]} : tensor<2xf32>
      return
    }
    ```
  }];
  let options = [
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Number of replicas; 0 for that of the module's target">,
    Option<"cloneCallees", "clone-callees", "bool", /*default=*/"false",
           "Clone functions whose calls disagree on what is equal">,
    Option<"fold", "fold", "bool", /*default=*/"true",
           "Know what ops fold to, rather than take them to compute anything">,
    Option<"onlyReplicated", "only-replicated", "bool", /*default=*/"false",
           "Do nothing if there is one replica">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def PrintReplicaEqualPass
    : Pass<"pop-print-replica-equal", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Print on which replicas values are equal";
  let tests = [
    "Dialect/Pop/replica-equal.mlir",
    "Dialect/Pop/replica-equal-explain.mlir",
  ];
  let description = [{
    Prints, for each function and op in order of the program, each result's
    partition and, after `modifies`, that of each ref operand which the op may
    modify: `all`, `none`, or classes such as `{0,1}{2,3}`. Of a ref it is that of
    what it refers to. After `from` is what it gets by each operand. Ops without
    any are left out, and so are terminators; ops are numbered in the order of
    their function. With `explain` a remark on each result and each modified ref
    that is not equal on all replicas says which op makes two of them differ, and
    which ops pass the difference on.
  }];
  let options = [
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Number of replicas; 0 for that of the module's target">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "Remark on what is not equal, with the cause">,
  ];
}

def NumberDrawsPass : Pass<"pop-number-draws", "::mlir::ModuleOp">, Contract {
  let summary = "Number what is rounded with random bits";
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"those of ops without a number">;
  let tests = [
    "Dialect/Pop/number-draws.mlir",
    "Dialect/Pop/number-draws-invalid.mlir",
  ];
  let description = [{
    In a module that rounds stochastically with generator `counter`, gives each op
    that may round and has no `pop.draw` the next number that no op has, in the order
    of the program. Whatever happens to the op afterwards, it draws the bits of its
    number: passes may split it, move it within its body, or merge it with others
    into one step. Numbers that are there stay, so that a transform which computes an
    op once more, or a user, can say which bits it gets.

    Each function and loop body that draws and has no `pop.advance_draws` ends with
    one, so that it draws other bits when it is executed again. What transforms do to
    numbers is in docs/stochastic-rounding.md.

    Does nothing to other modules.

    Before:
    ```mlir
    module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
      func.func @main(%x: tensor<2xf16>) -> tensor<2xf16> {
        %0 = pop.exp %x : tensor<2xf16>
        %1 = pop.mul %0, %x {pop.draw = #pop.draw<7>} : tensor<2xf16>
        return %1 : tensor<2xf16>
      }
    }
    ```
    After:
    ```mlir
    %0 = pop.exp %x {pop.draw = #pop.draw<0>} : tensor<2xf16>
    %1 = pop.mul %0, %x {pop.draw = #pop.draw<7>} : tensor<2xf16>
    pop.advance_draws
    return %1 : tensor<2xf16>
    ```
  }];
  let options = [
    Option<"first", "first", "int64_t", /*default=*/"0",
           "The least number to give">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def StochasticRoundingPass
    : Pass<"pop-stochastic-rounding", "::mlir::ModuleOp">, Contract {
  let summary = "Choose which replicas round which results alike";
  let guarantees = [SR_COMPLETE];
  let guaranteesUnless = "only-warn";
  // With `generator` it makes a module round stochastically.
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"which replicas draw the same bits">;
  let original = "StochasticRounding";
  let differs =
      "Groups of replicas may be equal, not only all; a program may force "
      "methods; random bits may follow from numbers of ops instead of from "
      "generators with a state.";
  let tests = [
    "Dialect/Pop/stochastic-rounding.mlir",
    "Dialect/Pop/stochastic-rounding-options.mlir",
    "Dialect/Pop/stochastic-rounding-invalid.mlir",
  ];
  let description = [{
    For a module with `pop.stochastic_rounding`, or with the options of that name,
    which set it, gives each op of a function that is no terminator a
    `pop.stochastic_rounding_method`: replicas draw the same random bits where the
    op's results and what it modifies are equal on them (of an op that makes
    nothing, what it gets), by the replica-equal analysis. So what is equal stays
    equal: weights that are updated alike do not drift apart, and gradients of
    different data get errors of their own. An op that has a method already keeps
    it, and what it makes is no more equal than its method.

    A function has one method for all of its calls: one that updates what is equal
    and is also called for what differs rounds both with differing seeds. With
    `only-warn`, before `pop-lower-calls`, the pass warns of such calls;
    `pop-annotate-replica-equal=clone-callees` takes them apart.

    Ops that may round and have no number of a draw get one, as by
    `pop-number-draws`.

    Does nothing for a module that rounds to nearest. Last in a pipeline: an op
    made afterwards has no method. The analysis is that of
    `pop-annotate-replica-equal`, which gives the same answers afterwards.

    Before, with two replicas:
    ```mlir
    module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
      func.func @main() {
        %x = pop.host_load @x : tensor<2xf16>
        %g = pop.all_reduce mean %x : tensor<2xf16>
        return
      }
    }
    ```
    After:
    ```mlir
    %x = pop.host_load @x {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 2>} : tensor<2xf16>
    %g = pop.all_reduce mean %x {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 2>} : tensor<2xf16>
    ```
  }];
  let options = [
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Number of replicas; 0 for that of the module's target">,
    Option<"generator", "generator", "std::string", /*default=*/"\"\"",
           "'counter' or 'stream': round stochastically, whatever the module "
           "says">,
    Option<"overflow", "overflow", "std::string", /*default=*/"\"nan\"",
           "With a generator, what becomes of numbers that are too large: 'nan' "
           "or 'clip'">,
    Option<"onlyWarn", "only-warn", "bool", /*default=*/"false",
           "Give no methods, but warn where calls of a function disagree on what "
           "is equal">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def VerifyStochasticRoundingPass
    : Pass<"pop-verify-stochastic-rounding", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Check that all ops have seeds for rounding, or none";
  let guarantees = [SR_COMPLETE];
  let guaranteesUnless = "only-forced";
  let tests = [
    "Dialect/Pop/stochastic-rounding-invalid.mlir",
    "Dialect/Pop/stochastic-rounding-control-invalid.mlir",
  ];
  let description = [{
    In a module with `pop.stochastic_rounding` each op of a function that is no
    terminator has a `pop.stochastic_rounding_method` for the replicas of the
    target; in any other module none has. The method of an op that rounds has no
    class of replicas which do not execute the op equally often, because a branch
    or a loop around it or around a call of its function is decided differently:
    their generators would no longer be in the same state. With generator `counter`
    each op that may round has a `pop.draw`; no other op has one, and none in a module
    that rounds to nearest.

    With `only-forced`, before methods are chosen, ops may still be without one:
    errors are then at the ops of the program rather than at each of those that
    they are lowered to.
  }];
  let options = [
    Option<"onlyForced", "only-forced", "bool", /*default=*/"false",
           "Check only ops that have a method">,
  ];
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
    ref that is the same variable at all calls of a function is used by the
    function itself, and so is one that an op allocates for all of them; other
    refs are copied in, and out again if the function may modify them.

    The code of a function is on the tiles once, so that its arguments are at
    fixed addresses. Needs `pop-verify-graphs`: no function meets what it modifies
    under two names. Fails at recursion, at an entry with refs or callers, and at
    functions of several blocks.

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
  let summary = "Keep what loops and branches carry in refs";
  let preserves =
      !listremove(AllConditions, Placement # [NO_INPLACE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/lower-control-flow.mlir",
    "Dialect/Pop/lower-control-flow-invalid.mlir",
  ];
  let description = [{
    `scf.for`, `scf.while` and `scf.if` lose their operands and results: what they
    carry lies in refs that are allocated before them, but for results that have no
    use or that all branches yield as one value from outside of them. Loops count from 0 by 1,
    and the iteration index, if it is used, is a tensor in a ref. An
    `scf.index_switch` becomes a chain of `scf.if`, and an `arith.select` of tensors
    a `pop.select`.

    A predicate is a constant or the `tensor.extract` of a tensor of one element,
    which becomes a 0-d tensor; a bound or the argument of a switch may also be the
    `arith.index_cast` of one, and the index of a loop is used by `pop.from_scalar`;
    anything else on scalars is an error.

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
  let summary = "Copy what is read from a ref that changes too early";
  let tests = ["Dialect/Pop/snapshot-reads.mlir"];
  let description = [{
    The result of `pop.read` is the tensor of that moment. Where no op between it
    and its last use may write the ref, the result can share the ref's storage;
    elsewhere this pass inserts a `pop.copy`. Afterwards all reads can share.

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
  let summary = "Check that what each ref refers to is known";
  let tests = [
    "Dialect/Pop/graph-verify-refs.mlir",
    "Dialect/Pop/graph-verify-refs-invalid.mlir",
  ];
  let description = [{
    Each ref must be made by an op that is an origin of refs (`pop.get_variable`,
    `pop.alloc`, `pop.from_tensor`) or a view of another ref, or be an argument of
    a function. Anything else is an error: refs that a call, a branch, a loop or
    `arith.select` gives, that a loop carries, that a block takes or that a
    function returns. Regions use refs of the ops around them, and calls pass them
    on. Which tensor an op touches can then be told from the program alone.

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
  let summary = "Check that placements do not contradict each other";
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
  let summary = "Canonicalize ops and keep their placements";
  // A branch that is never taken may have had the only call of a graph.
  let preserves = !listremove(AllConditions, [NO_DEAD_GRAPHS]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/canonicalize.mlir",
    "Dialect/Pop/canonicalize-placement.mlir",
  ];
  let description = [{
    The rewrites of `canonicalize`. An op that a rewrite or a fold makes inherits
    the placement of the op that is rewritten. Constants of one value are one at
    the start of the function for each virtual graph, stage and tile set; a placed
    constant that ops of another placement use is cloned for them.

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
    `cse`, as the pass of the pipelines between placement and lowering: two ops are
    one only if all their attributes are equal, placements and replica-equal
    annotations included.

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
  let summary = "Check that conditions hold";
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
