//===- Passes.td - Passes that ask the planner -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLACEMENT_PASSES
#define IPU_MLIR_PLACEMENT_PASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def OutlinePass : Pass<"pop-outline", "::mlir::ModuleOp">, Contract {
  let summary = "Outline repeated sequences of ops as one function";
  let original = "SubgraphOutline";
  let differs = "The value of a function is the tile memory that it saves, as the planner "
      "estimates it, and a limit on the cycles of calls. Sequences are chosen so that "
      "they never cross. Numbers of draws may differ between calls.";
  // A function may write to a ref that is an argument. A function has no stage
  // and no phase.
  let preserves = !listremove(AllConditions, [NO_INPLACE] # Placement # [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Placement/outline.mlir",
    "Placement/outline-draws.mlir",
    "Placement/outline-value.mlir",
    "Placement/outline-invalid.mlir",
    "Placement/outline-replicas-invalid.mlir",
    "Integration/Graphs/outline.mlir",
  ];
  let description = [{
    Replaces equal sequences of consecutive ops by calls of one private function, so
    that the tiles hold the code of the sequence and of its exchanges once. Sequences
    may be in different functions, loops and branches. Two sequences are equal if their
    ops have equal attributes and types, and use each other's results in the same way.
    The numbers of draws may differ by one difference for all ops of the sequence. The
    attributes `pop.stage`, `pop.phase`, `pop.batch_phase` and `pop.execution_context` may
    differ, too, but do not change within a sequence; the call gets them. All other attributes have to be equal,
    among them rounding methods and the annotations of replicas on which results are
    equal. Ops of a sequence have one IPU and one recompute kind.

    A value from outside of the sequence becomes an argument. A constant that all
    sequences use, and the handle of a variable that all sequences use, become a part of
    the function. Each result that is used outside of any of the sequences becomes a
    result. Arguments and results are at fixed addresses, so that calls copy them (see
    `pop-lower-calls`). A ref that differs between calls is copied to the function and,
    if the function modifies it, back.

    A function is created if it saves at least `threshold` bytes of a tile, and if the
    copies of a call take at most `max-slowdown` percent of the cycles of the sequence. If the sequences do not
    depend on each other, calls also cost the cycles in which tiles are idle, because
    steps of independent ops are merged otherwise.
    The bytes saved are the code of all sequences but one, without the code of calls and
    copies and without the variables that hold arguments and results. The planner
    estimates the cycles of ops from their best plans alone. Sums without an accumulation
    order have no plan, so `pop-choose-accumulation` should run before. The code of an op
    is `compute_set_code_bytes`, and the code of one exchange if tiles read elements of
    other tiles (docs/memory-transforms.md).

    The pass chooses the function that saves most, and repeats this for the sequences
    that do not overlap with the chosen ones. It then looks for sequences in the new
    functions and for sequences that contain calls, until it finds none. Chosen
    sequences therefore never cross. The time is almost linear in the number of ops.

    Functions whose code is loaded (`pop.remote_code_load`) stay as they are, because
    the code of a new function is not loaded with them. No sequence contains a load of
    code or a `pop.advance_draws`. If the module rounds with random bits of the generator
    `counter`, ops get numbers first, as by `pop-number-draws`. With several replicas,
    such a module needs annotations (`pop-annotate-replica-equal`) or rounding methods,
    because all calls of a function round with one method. Existing functions are not inlined; run `inline`
    before, so that their code is judged in the same way.

    Before:
    ```mlir
    func.func @main(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %0 = pop.matmul %x, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %1 = pop.relu %0 : tensor<64x64xf32>
      %2 = pop.matmul %1, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %3 = pop.relu %2 : tensor<64x64xf32>
      return %3 : tensor<64x64xf32>
    }
    ```
    After, with `threshold=-10000 max-slowdown=10000`:
    ```mlir
    func.func private @outlined(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {no_inline} {
      %0 = pop.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %1 = pop.relu %0 : tensor<64x64xf32>
      return %1 : tensor<64x64xf32>
    }
    func.func @main(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %0 = call @outlined(%x, %u) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %1 = call @outlined(%0, %v) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      return %1 : tensor<64x64xf32>
    }
    ```
  }];
  let options = [
    Option<"threshold", "threshold", "int64_t", /*default=*/"512",
           "Least number of bytes of a tile that a function saves; it may be "
           "negative">,
    Option<"maxSlowdown", "max-slowdown", "int64_t", /*default=*/"10",
           "Greatest number of cycles that calls add, in percent of the cycles "
           "of the sequence">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::ipu::IPUDialect"];
}

def AutoVgraphPass : Pass<"pop-auto-vgraph", "::mlir::ModuleOp">, Contract {
  let summary = "Split a program over the IPUs of a replica";
  let original = "AutoVirtualGraph";
  let differs = "With `method=balanced`, which is the default, the planner's cycles decide. "
      "Ops that read one large weight are on one IPU.";
  let assumes = [NO_IPU_COPY];
  // A function that is called several times has no virtual graph: it is placed
  // with its calls.
  let preserves = !listremove(AllConditions, [NO_IMPLICIT_COPY, PSTAGE, EPHASE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Placement/auto-vgraph.mlir",
    "Placement/auto-vgraph-functions.mlir",
    "Placement/auto-vgraph-pipeline.mlir",
    "Placement/auto-vgraph-segments.mlir",
    "Placement/auto-vgraph-invalid.mlir",
    "Integration/Placement/auto-vgraph.mlir",
  ];
  let description = [{
    Gives each op a virtual graph, such that each IPU of a replica of the module's target
    has a part of the program. The parts are consecutive in the order of the program,
    also in loops, in branches and in functions that are called once. A call of another
    function is on one IPU, and `pop-place-graphs` places the function. The pass inserts
    no copies between IPUs: `pop-inter-ipu-copy` runs after it. If it runs before
    `pop-autodiff`, the backward pass of each op is on the IPU of the op.

    There are two methods:

    - `balanced` minimises the cycles of the slowest IPU. These are the cycles of its
      ops, as the planner estimates them, and of the copies at both of its ends. Weights,
      activations and code of an IPU have to fit in 80 % of its memory; the rest is for
      temporary data. If no split fits, the fullest IPU has the fewest bytes. A program
      may be faster on fewer IPUs than a replica has.
      With `training` and `micro-batches`, an IPU keeps the activations of as many
      micro-batches as a pipeline with `schedule` processes between its stages of the
      forward and of the backward pass: the first IPU keeps the most.
    - `segments` is the walk of PopART's AutoVirtualGraph. The cost of an op is the bytes
      of its weights and, with `training`, of its results. Each IPU has an equal share of
      the cost, or a share that `ratios` states, as closely as the program can be split. The
      program can be split after an op that is the only one of its segment whose results
      are still needed (see ProgramSplit.h).

    Ops that read a weight of at least a twentieth of the memory of an IPU, such as an
    embedding and a projection with the same weight, are on the IPU of the first of them.
    So are ops that use refs to one tensor or one remote buffer, also in functions that
    they call, and calls of a function whose code is loaded. An op that reads only what such later ops
    compute is there, too. Each IPU that reads a smaller constant has it. An op that
    reads only weights, a load and an allocation are on the IPU of the first op that
    reads them.

    The pass emits an error if the program has a virtual graph or a stage already, if `ratios` do
    not have a sum of 1 or are not as many as the IPUs of a replica, if the program
    cannot be split into as many parts, and if `micro-batches` is not from 0 to 2^31 - 1 or is
    given without `training`.

    Sums without an accumulation order have no plan, so `pop-choose-accumulation` should
    run before.

    Before, for a target with two IPUs:
    ```mlir
    func.func @main(%x: tensor<256x512xf32>, %u: tensor<512x512xf32>, %v: tensor<512x512xf32>) -> tensor<256x512xf32> {
      %0 = pop.matmul %x, %u : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
      %1 = pop.matmul %0, %v : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
      return %1 : tensor<256x512xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<256x512xf32>, %u: tensor<512x512xf32>, %v: tensor<512x512xf32>) -> tensor<256x512xf32> {
      %0 = pop.matmul %x, %u {pop.vgraph = 0 : i64} : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
      %1 = pop.matmul %0, %v {pop.vgraph = 1 : i64} : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
      return %1 : tensor<256x512xf32>
    }
    ```
  }];
  let options = [
    Option<"method", "method", "::mlir::ipu::SplitMethod",
           /*default=*/"::mlir::ipu::SplitMethod::Balanced",
           "how the program is split",
           [{::llvm::cl::values(
             clEnumValN(::mlir::ipu::SplitMethod::Balanced, "balanced",
                        "the slowest IPU takes the fewest cycles"),
             clEnumValN(::mlir::ipu::SplitMethod::Segments, "segments",
                        "IPUs have equal or given shares of the weights"))}]>,
    ListOption<"ratios", "ratios", "double",
               "the share of the cost of each IPU, for 'segments'; equal shares by "
               "default">,
    Option<"training", "training", "bool", /*default=*/"false",
           "activations are kept for a backward pass">,
    Option<"weightFactor", "weight-factor", "double", /*default=*/"1",
           "bytes of memory for each byte of a weight, with its gradient and states">,
    Option<"microBatches", "micro-batches", "int64_t", /*default=*/"0",
           "micro-batches of a pipeline, each of which keeps activations; 0 if the "
           "program becomes no pipeline">,
    Option<"schedule", "schedule", "::mlir::pop::PipelineKind",
           /*default=*/"::mlir::pop::PipelineKind::Popart",
           "schedule of the pipeline",
           [{::mlir::pop::getPipelineKindValues()}]>,
  ];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

#endif // IPU_MLIR_PLACEMENT_PASSES
