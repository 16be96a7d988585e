//===- Contracts.td - Contracts of passes ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions on programs of pop, and the contract that each pass declares
// beside what `Pass` says of it. ipu-tblgen makes a table of them for C++ and
// one for docs/transforms.md, which says how contracts are checked.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_CONTRACTS
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_CONTRACTS

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// A condition on a module, whose name is that of its def. Conditions.cpp
/// checks it; `text` is what holds.
class Condition<string text> {
  string summary = text;
}

def NO_INPLACE
    : Condition<"no op writes through a ref unless it refers to a variable">;
def NO_IPU_COPY : Condition<"no op copies between IPUs">;
def NO_IMPLICIT_COPY
    : Condition<"no op reads a result of an op of another virtual graph, but "
                "ops that copy between IPUs">;
def VGRAPH : Condition<"each op that computes or moves something has a virtual "
                       "graph (`pop.vgraph`)">;
def PSTAGE
    : Condition<"each op that computes or moves something has a pipeline stage "
                "(`pop.stage`), and none reads a result of a later stage">;
def EPHASE : Condition<"each op that computes or moves something has an "
                       "execution phase (`pop.phase`)">;
def BPHASE
    : Condition<"no op of a batch-serial phase (`pop.batch_phase`) reads a "
                "result of a later one; ops may have none">;
def RANDOM_SEEDED
    : Condition<"each op that draws random numbers has a seed of its own: no "
                "`pop.next_seed` is left">;
def HOST_IO_EXPLICIT
    : Condition<"the entry function has no arguments and no results: the "
                "host's tensors are in streams and variables">;
def LOOPS_EXPLICIT
    : Condition<"no op waits for the end of gradient accumulation (execution "
                "context `accumulate_outer`): loops say what is done when">;
def RECOMPUTE_RESOLVED
    : Condition<"no op is still to be recomputed (`pop.recompute` is not "
                "`recompute`)">;
def NO_DEAD_GRAPHS
    : Condition<"calls and loads of code lead from the entry function to each "
                "other function">;
def SR_COMPLETE
    : Condition<"in a module that rounds stochastically each op of a function, "
                "but terminators, has a rounding method">;

defvar AllConditions = !instances<Condition>();

/// What does not hold of ops that a pass makes without the placement of what
/// they come from.
defvar Placement = [VGRAPH, PSTAGE, EPHASE];

//===----------------------------------------------------------------------===//
// Contracts
//===----------------------------------------------------------------------===//

/// The effect on the bits of what a program computes.
class BitEffect<string text> {
  string changed = text;
}
def Exact : BitEffect<"">;
/// `sums` are accumulated in another order.
class Reassociates<string sums> : BitEffect<sums>;

/// The effect on the random bits that ops draw.
class DrawEffect<string text> {
  string changed = text;
}
def KeepsDraws : DrawEffect<"">;
/// `draws` are others afterwards.
class ChangesDraws<string draws> : DrawEffect<draws>;

/// What a pass declares as a further parent. Fields without a default have to
/// be set.
class Contract {
  /// What holds before the pass.
  list<Condition> assumes = [];
  /// What holds after it, whatever held before.
  list<Condition> guarantees = [];
  /// An option of the pass, a flag, with which it guarantees nothing.
  string guaranteesUnless = "";
  /// What holds after it if it held before: `AllConditions`, or
  /// `!listremove(AllConditions, [...])`.
  list<Condition> preserves = ?;
  BitEffect bitEffect = ?;
  DrawEffect drawEffect = ?;
  /// The transform of PopART that the pass is, one of `Catalogue`.
  string original = "";
  /// Where the pass does something else than its original.
  string differs = "";
  /// The tests of the pass, below `test`.
  list<string> tests = ?;
}

/// The contract of passes that check or print, or that only add what no
/// condition speaks of.
class KeepsAll : Contract {
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
}

//===----------------------------------------------------------------------===//
// The catalogue of graph transforms
//===----------------------------------------------------------------------===//

/// A transform of PopART that no pass does yet, by the name that its pass will
/// have. The line goes when there is the pass.
class Planned<string name, string pass, string text> {
  string original = name;
  string argument = pass;
  string summary = text;
  /// What the table says instead of a pass.
  string state = "not built (`" # pass # "`)";
}
/// A transform of PopART for which a pass, which is another transform, leaves
/// nothing to do.
class Included<string name, string pass, string text>
    : Planned<name, pass, text> {
  let state = "in `" # pass # "`";
}

def PlannedAccumulateOuterFragmentParallelizer
    : Planned<"AccumulateOuterFragmentParallelizer", "pop-parallelize-updates",
              "Order collectives and transfers of weight updates in parallel">;
def PlannedAutoVirtualGraph
    : Planned<"AutoVirtualGraph", "pop-auto-vgraph",
              "Split a program into virtual graphs of equal cost">;
def PlannedBatchSerialize : Planned<"BatchSerialize", "pop-batch-serialize",
                                    "Process a batch in parts, one after the other">;
def PlannedContiguateCollectives
    : Planned<"ContiguateCollectives", "pop-contiguate-collectives",
              "Order collectives that can be merged next to each other">;
def PlannedDecomposeLoops
    : Planned<"DecomposeLoops", "pop-overlap-io",
              "Unroll loops so that I/O overlaps compute">;
def IncludedDynamicOp
    : Included<"DynamicOp", "pop-autodiff",
               "Accumulate gradients of slices in one tensor; overlaps "
               "add up">;
def PlannedExplicitRecompute
    : Planned<"ExplicitRecompute", "pop-recompute",
              "Clone recomputed ops close to their uses">;
def PlannedGroupMatMuls : Planned<"GroupMatMuls", "pop-group-matmuls",
                                  "Merge matrix products of equal shapes">;
def PlannedHostReduce
    : Planned<"HostReduce", "pop-host-reduce",
              "Reduce gradients and update weights on the host">;
def PlannedInferPipelineStages
    : Planned<"InferPipelineStages", "pop-infer-stages",
              "Turn virtual graphs into pipeline stages">;
def PlannedInterIpuCopy : Planned<"InterIpuCopy", "pop-inter-ipu-copy",
                                  "Insert copies of values that another IPU uses">;
def PlannedIoComputeTileCopy
    : Planned<"IoComputeTileCopy", "pop-io-tile-copy",
              "Copy between tiles for I/O and tiles for compute">;
def PlannedMergeCollectives
    : Planned<"MergeCollectives", "pop-merge-collectives",
              "Merge adjacent collectives">;
def PlannedMergeCopies : Planned<"MergeCopies", "pop-merge-copies",
                                 "Merge copies between IPUs for one op">;
def PlannedMergeLoops : Planned<"MergeLoops", "pop-merge-loops",
                                "Merge loops of equal trip counts">;
def PlannedPipeline : Planned<"Pipeline", "pop-pipeline",
                              "Overlap the stages of several batches">;
def PlannedRemoteSetup
    : Planned<"RemoteSetup", "pop-remote-setup",
              "Assign buffers and rows to remote loads and stores">;
def PlannedSerializeMatMuls
    : Planned<"SerializeMatMuls", "pop-serialize-matmuls",
              "Split matrix products into parts that run one after the other">;
def PlannedStreamingMemory
    : Planned<"StreamingMemory", "pop-streaming-memory",
              "Keep tensors outside the chip while nothing uses them">;
def PlannedSubgraphOutline
    : Planned<"SubgraphOutline", "pop-outline",
              "Outline repeated sequences of ops as one graph">;

/// The names of all transforms of PopART's notes, in the order of the table of
/// docs/transforms.md, which has each of them: as a pass or as planned.
class Names<list<string> all> {
  list<string> names = all;
}
def Catalogue : Names<[
  "AccumulateOuterFragmentParallelizer", "AutoVirtualGraph", "Autodiff",
  "AutomaticLossScale", "BatchSerialize", "ClipWeightGradientsByNorm",
  "ContiguateCollectives", "DecomposeGradSum", "DecomposeLoops", "DynamicOp",
  "EnsureFp32LossScale", "ExplicitRecompute", "GroupMatMuls", "HostIoSetup",
  "HostReduce", "InferPipelineStages",
  "InplaceAccumulateGradPartialsIntoOptimizerAccumTensor", "InterIpuCopy",
  "IoComputeTileCopy", "MainLoops", "MergeCollectives", "MergeCopies",
  "MergeDuplicateOps", "MergeExchange", "MergeLoops", "MergeVarUpdates",
  "Pipeline", "Prune", "RandomSetup", "RemoteSetup", "SerializeMatMuls",
  "StochasticRounding", "StreamingMemory", "SubgraphOutline",
]>;

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_CONTRACTS
