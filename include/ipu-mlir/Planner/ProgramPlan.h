//===- ProgramPlan.h - Tile mappings of a whole program ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses a tile mapping for each tensor of a function and of the functions
// that it calls, such that the whole program takes few cycles; see
// docs/planner.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PROGRAMPLAN_H
#define IPU_MLIR_PLANNER_PROGRAMPLAN_H

#include "ipu-mlir/Planner/Model/ImportPlanModel.h"
#include "ipu-mlir/Planner/PlannerKind.h"

namespace mlir::ipu {

class PlanCaches;

struct ProgramPlanOptions {
  PlanOptions plan;
  PlannerKind kind = PlannerKind::Program;
  /// The constants that may have copies. The planner also tries OfSmall instead
  /// of OfAll and, if the copies might not fit in the memory, None.
  ConstantCopies copies = ConstantCopies::OfAll;
  /// The clones of constants.
  ConstantClones clones = ConstantClones();
  /// The caches of an earlier plan of a module with the same context. If they
  /// are null, each function has caches of its own. They do not affect plans.
  PlanCaches *caches = nullptr;
  /// The search ends early if it finds that a plan is unlikely to take fewer
  /// cycles than this.
  int64_t tooManyCycles = INT64_MAX;
};

/// The tile mapping of a tensor, where it comes from, and what else was
/// possible.
struct MappingReport {
  /// The argument, result or ref with the tensor.
  Value value;
  /// The tile mapping before its first or last tiles are chosen. Tiles are
  /// numbered from the first tile of the tensor's space (TileSpace).
  TileMappingAttr mapping;
  /// The name of the source of the tile mapping (see docs/planner.md), and
  /// whether the tile mapping ends at the last tile instead of starting at the
  /// first one.
  StringRef source;
  bool isOnLastTiles = false;
  /// The bytes on the tile that holds most of the tensor, and the numbers of
  /// the first and the last step in which it is live.
  int64_t bytes = 0;
  size_t firstStep = 0, lastStep = 0;
  struct Alternative {
    TileMappingAttr mapping;
    StringRef source;
    /// The cycles that the program takes more if only the tile mapping of this
    /// tensor changes. They include an additional cost of runs if code does not
    /// fit otherwise.
    int64_t moreCycles;
    int64_t bytes;
  };
  /// The best other candidate, if there is one.
  std::optional<Alternative> alternative = std::nullopt;
};

struct ProgramPlan {
  /// The functions that were planned together: the given function, and the
  /// functions that it calls and that have no arguments and no results.
  SmallVector<func::FuncOp, 1> functions;
  /// The tile mapping of each argument and of each op result that has storage.
  llvm::MapVector<Value, TileMappingAttr> mappings;
  /// For each returned value that is copied, the tile mapping of the copy. The
  /// key is the number of the function's result.
  llvm::MapVector<unsigned, TileMappingAttr> results;
  /// The tile mappings of the variables that the function uses.
  VariableTileMappings variables;
  /// Return or set the tile mapping of a tensor of the model. The returned tile
  /// mapping is null if the plan has none.
  TileMappingAttr getTileMapping(const TensorBinding &binding) const;
  void setTileMapping(const TensorBinding &binding, TileMappingAttr mapping);
  /// A report on each tensor, in program order.
  SmallVector<MappingReport, 0> reports;
  /// An estimate of the cycles of the resulting program, which the planner
  /// minimises: `unmergedCycles` without the sync and the setup of each
  /// exchange that likely can be merged into an earlier exchange.
  int64_t cycles = 0;
  /// The cycles that ipu-estimate-cost will compute for the resulting program,
  /// before steps are merged. The body of a loop counts as often as it is
  /// executed if this number is constant, and otherwise once. A function counts
  /// as often as it is called.
  int64_t unmergedCycles = 0;
  /// Several ops of a block may read the same data on the same tiles. These are
  /// the cycles if such data are moved to these tiles only once, as in the
  /// final program. The planner does not minimise this number.
  int64_t sharedCycles = 0;
  /// `genericCycles` are the cycles if each tensor has its generic tile
  /// mapping. If this number exceeds `cycles`, it is only a lower bound,
  /// because the planner then does not compute the exact number. `greedyCycles`
  /// are the cycles at the start of the search. The search starts with the best
  /// tile mapping of each op, chosen in program order.
  int64_t genericCycles = 0, greedyCycles = 0;
  /// The cycles of the best plan among the plans without nested partitions. A
  /// nested partition divides the iterations of an op first among IPUs, and
  /// then among the tiles of each IPU.
  int64_t flatCycles = 0;
  /// An upper bound of the bytes of exchange code and control code on a tile.
  /// Each exchange counts with the bytes on the tile where its code is largest.
  int64_t codeBytes = 0;
  /// An upper bound of the bytes of tensors on a tile at the fullest step. Each
  /// tensor counts with the bytes on the tile that holds most of the tensor.
  int64_t dataBytes = 0;
  /// An estimate of the bytes of the code and the state of vertices on a tile.
  int64_t vertexBytes = 0;
  /// If the steps of some ops exceed the memory of a tile, smaller shares of
  /// memory with which these steps may fit, in thousandths, for the ops that
  /// compute each tensor. Empty if there are no such ops.
  SmallVector<int64_t> smallerShares;
  /// The constants that may have copies in the model of the plan.
  ConstantCopies copies = ConstantCopies::None;
  /// These numbers ignore an op if no other plan of the op needs fewer bytes.
  /// `shareBytes` is the greatest number of bytes of a tile that an op uses,
  /// among the ops without the attribute `ipu.available_memory_proportion`.
  /// `numOverShare` is the number of ops that exceed their share of memory. It
  /// is 0 unless tile mappings are generic.
  int64_t shareBytes = 0, numOverShare = 0;
  /// Whether several tiles hold the same element of a constant, or clones of a
  /// constant have different tile mappings.
  bool copiesConstants = false;
  /// The number of IPUs that have elements of tensors. These are the first IPUs
  /// of the target.
  int64_t numIPUs = 1;
  /// The planner lists the possible tile mappings of each tensor for a given
  /// share of tile memory. This number is that share, in thousandths.
  int64_t listedPerMille = 0;
  /// Whether it is proven that no other choice from these lists takes fewer
  /// cycles. This holds if the costs of each step were in a single table (see
  /// docs/planner.md), no table was too large to solve, no op has a smaller
  /// share because of the memory of its step, and the planner minimised cycles
  /// without an additional cost for code. Tile mappings that
  /// are in no list are not considered.
  bool isOptimal = false;
  /// The number of requested plans, and the number of these plans that were in
  /// the cache.
  int64_t numPlans = 0, numPlanHits = 0;
  /// The number of requested cost tables of steps, and the number of these
  /// tables that were in the cache.
  int64_t numTables = 0, numTableHits = 0;
  /// The number of different exchanges that were analysed.
  int64_t numExchanges = 0;
};

/// Plans `function`, whose ops must be decomposed. Also plans the functions
/// that `function` calls and that have no arguments and no results. Values are
/// passed to and from these functions only in variables. Existing tile
/// mappings, including the tile mappings `variables`, do not change. If the
/// control and exchange code would take more than four fifths of the code
/// memory, the planner tries plans whose exchanges have fewer contiguous runs
/// of elements. Emits an error and fails if an op cannot be executed on tiles
/// in its present form.
FailureOr<ProgramPlan> planProgram(func::FuncOp function,
                                   const FunctionCalls &calls,
                                   const ProgramPlanOptions &options,
                                   const VariableTileMappings &variables = {});

/// Plans all functions of `module` by planProgram(), callers together with
/// their callees. Adds the tile mappings of variables to `variables`; existing
/// entries do not change. Calls `use` once for each plan, with the function for
/// which planProgram() was called.
LogicalResult
planModule(ModuleOp module, const ProgramPlanOptions &options,
           VariableTileMappings &variables,
           function_ref<void(func::FuncOp, const ProgramPlan &)> use);

/// Returns the number of bytes of code, of the state of vertices and of tensors
/// with gaps that a tile lacks. Returns 0 if the plan is expected to fit.
int64_t getMemoryExcess(const TargetModel &target, const ProgramPlan &plan);

/// The key that the planner minimises.
struct PlanKey {
  /// The bytes of code that do not fit, and getMemoryExcess().
  int64_t codeExcess = 0, memoryExcess = 0;
  int64_t cycles = 0;

  bool fits() const { return codeExcess == 0 && memoryExcess == 0; }
  bool operator<(const PlanKey &other) const {
    return std::tie(codeExcess, memoryExcess, cycles) <
           std::tie(other.codeExcess, other.memoryExcess, other.cycles);
  }
};
PlanKey getPlanKey(const TargetModel &target, const ProgramPlan &plan);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PROGRAMPLAN_H
