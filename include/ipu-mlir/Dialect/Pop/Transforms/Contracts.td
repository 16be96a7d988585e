//===- Contracts.td - Contracts of passes ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file defines conditions on pop programs and the classes of contracts. Each
// pass has a contract as a parent class in addition to `Pass`. ipu-tblgen generates
// tables of the conditions and contracts for C++ and for docs/transforms.md. That
// page explains how contracts are checked.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_CONTRACTS
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_CONTRACTS

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// A condition on a module. The name of the condition is the name of its def.
/// Conditions.cpp checks the condition, and `text` describes it.
class Condition<string text> {
  string summary = text;
}

def NO_INPLACE
    : Condition<"an op writes through a ref only if the ref refers to a variable">;
def NO_IPU_COPY : Condition<"no op copies between IPUs">;
def NO_IMPLICIT_COPY
    : Condition<"only a copy between IPUs reads a result of an op on another "
                "virtual graph">;
def VGRAPH : Condition<"each op that computes or moves values has a virtual "
                       "graph (`pop.vgraph`)">;
def PSTAGE
    : Condition<"each op that computes or moves values has a pipeline stage "
                "(`pop.stage`), and no op reads a result of a later stage">;
def EPHASE : Condition<"each op that computes or moves values has an "
                       "execution phase (`pop.phase`)">;
def BPHASE
    : Condition<"no op with a batch phase (`pop.batch_phase`) reads a result of "
                "a later batch phase; ops without a batch phase are allowed">;
def RANDOM_SEEDED
    : Condition<"each op that draws random numbers has its own seed: there is no "
                "`pop.next_seed`">;
def HOST_IO_EXPLICIT
    : Condition<"the entry function has no arguments and no results: the "
                "host's tensors are in streams and variables">;
def LOOPS_EXPLICIT
    : Condition<"no op has the execution context `accumulate_outer`: the ops after "
                "gradient accumulation are in explicit loops">;
def RECOMPUTE_RESOLVED
    : Condition<"no op remains to be recomputed (`pop.recompute` is not "
                "`recompute`)">;
def NO_DEAD_GRAPHS
    : Condition<"each function is reachable from the entry function by calls and "
                "code loads">;
def SR_COMPLETE
    : Condition<"in a module with stochastic rounding each op of a function, "
                "except terminators, has a rounding method">;

defvar AllConditions = !instances<Condition>();

/// The conditions that may be violated after a pass that creates ops without a
/// placement.
defvar Placement = [VGRAPH, PSTAGE, EPHASE];

//===----------------------------------------------------------------------===//
// Contracts
//===----------------------------------------------------------------------===//

/// The effect of a pass on the bits of a program's results. `text` describes the
/// change; `text` is empty if no bits change.
class BitEffect<string text> {
  string changed = text;
}
def Exact : BitEffect<"">;
/// The accumulation order of `sums` changes.
class Reassociates<string sums> : BitEffect<sums>;

/// The effect of a pass on the random bits that ops draw. `text` describes the change;
/// `text` is empty if no draws change.
class DrawEffect<string text> {
  string changed = text;
}
def KeepsDraws : DrawEffect<"">;
/// The random bits that `draws` describes change.
class ChangesDraws<string draws> : DrawEffect<draws>;

/// The contract of a pass. The pass declares its contract as a further parent class.
/// Fields without a default must be set.
class Contract {
  /// Conditions that must hold before the pass.
  list<Condition> assumes = [];
  /// Conditions that hold after the pass, whether or not they held before.
  list<Condition> guarantees = [];
  /// The name of the pass option that revokes the guarantees, or an empty string.
  string guaranteesUnless = "";
  /// Conditions that hold after the pass if they held before: `AllConditions`, or
  /// `!listremove(AllConditions, [...])`.
  list<Condition> preserves = ?;
  BitEffect bitEffect = ?;
  DrawEffect drawEffect = ?;
  /// The name of the PopART transform that the pass implements; an entry of
  /// `Catalogue`, or an empty string.
  string original = "";
  /// Differences between the pass and the PopART transform `original`.
  string differs = "";
  /// The tests of the pass, as paths below `test`.
  list<string> tests = ?;
}

/// The contract of a pass that preserves all conditions, bits and draws. Such a
/// pass, for example, only checks or prints, or adds only attributes on which
/// no condition depends.
class KeepsAll : Contract {
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
}

//===----------------------------------------------------------------------===//
// The catalogue of graph transforms
//===----------------------------------------------------------------------===//

/// A transform of PopART that is not needed, because the pass `pass` already does its
/// work. `name` is the name of the transform in PopART.
class Included<string name, string pass, string text> {
  string original = name;
  string summary = text;
  /// The text that the table in docs/transforms.md contains instead of a pass.
  string state = "in `" # pass # "`";
}

def IncludedDynamicOp
    : Included<"DynamicOp", "pop-autodiff",
               "Accumulate gradients of slices in one tensor; overlapping "
               "slices are added">;

/// The names of all transforms in PopART's notes, in the order of the table in
/// docs/transforms.md. Each name belongs to a pass or to an `Included`.
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
