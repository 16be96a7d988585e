//===- TileMemory.h - Allocation of tile memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of one replica's tiles. A MemoryProblem states the needs of a
// program as plain data. allocateMemory() gives each variable an address on
// each tile. verifyMemoryPlan() proves the addresses from the problem alone.
// docs/memory.md defines all sizes and their sources.
//
// No algorithm iterates over tiles. Tiles with equal needs form a *class*. With
// V variables, D distinct layouts of R runs of tiles, and C classes:
//   classes     O(R log R + C D)
//   addresses   O(C (V log V + V L)), L variables live at the same time
//   proof       O(C V log V + R D)
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_TILEMEMORY_TILEMEMORY_H
#define IPU_MLIR_ANALYSIS_TILEMEMORY_TILEMEMORY_H

#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"
#include "ipu-mlir/Interfaces/CodeInterfaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <array>
#include <optional>
#include <vector>

namespace mlir::ipu {

struct TargetModel;

//===----------------------------------------------------------------------===//
// What memory is for
//===----------------------------------------------------------------------===//

enum class MemoryCategory {
  // Code: in the region that instructions are fetched from.
  Stack,
  VertexCode,
  ExchangeCode,
  ControlCode,
  // Data that is there all the time.
  VertexState,
  HostExchange,
  AlwaysLive,
  // At the step at which the tile holds most.
  NotAlwaysLive,
  Gaps,
};
constexpr unsigned kNumMemoryCategories = 9;

struct MemoryCategoryInfo {
  StringRef name;
  StringRef what;
  /// Whether the sizes are estimates; those of variables are exact.
  bool isEstimated;
  /// Whether it has to lie in the code region.
  bool isCode;
};
const MemoryCategoryInfo &getMemoryCategoryInfo(MemoryCategory category);

/// Bytes of each category; a total saturates at Count::kMax.
struct MemoryBytes {
  std::array<int64_t, kNumMemoryCategories> bytes = {};

  int64_t &operator[](MemoryCategory category) {
    return bytes[static_cast<unsigned>(category)];
  }
  int64_t operator[](MemoryCategory category) const {
    return bytes[static_cast<unsigned>(category)];
  }
  int64_t getTotal() const;
};

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

/// Steps [begin, end).
using StepRange = std::pair<int64_t, int64_t>;

struct MemoryVariable {
  /// Of MemoryProblem::layouts.
  unsigned layout = 0;
  /// Live in steps [begin, end); a variable that no step sees has no memory.
  int64_t begin = 0, end = 0;
  /// If it is not live in all of these: where it is, ascending and apart, from
  /// `begin` to `end`. It has one address all the same.
  SmallVector<StepRange, 0> ranges;
  bool alwaysLive = false;
  /// Address and size are multiples of it.
  int64_t align = 1;
  /// What it loses to the choice of memory elements, in thousandths of its
  /// bytes, rounded up: an estimate.
  int64_t gapPermille = 0;
  /// The `ipu.var`, the `ipu.storage`, or the function of code in a buffer;
  /// null in a problem that is not of a program.
  Operation *op = nullptr;
  /// Of code that cannot be called from where it lies: data of the tiles.
  std::optional<CodeLocation> buffer;

  /// Where it is live.
  SmallVector<StepRange, 1> getRanges() const;
  bool isLive(int64_t step) const;
  /// Whether both are live in some step.
  bool meets(const MemoryVariable &other) const;

  /// Of a variable that has an op; code has no type.
  std::string getName() const;
  MemRefType getType() const;
};

/// Code that is not on the tiles all the time: that of a function that loads
/// name, or codelets of several of them, which come with each.
struct MemoryCode {
  SmallVector<Operation *, 1> functions;
  /// Of the categories that are code.
  std::array<TileCounts, kNumMemoryCategories> bytes;
  /// Where it is on the tiles: [begin, end), ascending and apart.
  SmallVector<StepRange> steps;

  /// Bytes of all categories on a tile.
  int64_t get(int64_t tile) const;
  bool isResident(int64_t step) const;
  /// Whether both are on the tiles in some step.
  bool meets(const MemoryCode &other) const;
};

struct MemoryProblem {
  int64_t numTiles = 0;
  int64_t numSteps = 0;
  /// Bytes of one tile, and those that instructions can be fetched from.
  int64_t tileMemory = 0, codeMemory = 0;
  /// Distinct bytes per tile of variables, not rounded.
  std::vector<TileCounts> layouts;
  std::vector<MemoryVariable> variables;
  /// Of the categories that are not variables or gaps.
  std::array<TileCounts, kNumMemoryCategories> fixed;
  std::vector<MemoryCode> code;
  /// The op of each step; empty in a problem that is not of a program.
  std::vector<Operation *> steps;
};

/// Bytes that a variable of `bytes` takes at its address; 0 of 0.
int64_t getFootprint(const MemoryVariable &variable, int64_t bytes);

/// What `function`, a program, needs on the target of its module. Variables
/// live from their `ipu.var` to their `ipu.write_undef` or the end of their
/// block. Steps are numbered as in the profile: program order, the end of a
/// loop or branch after its bodies, and the steps of a function once, before
/// its first call; a variable that is live across a call is live in all steps
/// of what is called. Storage of a state is always live, other storage from the
/// first to the last step that may use it, whole loops around them included.
/// Code of a function that loads name is on the tiles where CodeLiveness says
/// so, in buffers as variables. Fails, with a diagnostic, at uses of codelets
/// or functions that do not exist, and at recursion.
FailureOr<MemoryProblem> readMemoryProblem(func::FuncOp function);

/// Code of one category that an op, a step or an `ipu.codelet`, makes.
struct CodePart {
  Operation *op = nullptr;
  MemoryCategory category = MemoryCategory::ControlCode;
  int64_t bytes = 0;
};

/// What the code on a tile of `function`, a program that can be read, is made
/// of, the stack excepted, in program order and codelets last; also code that
/// is not there all the time.
std::vector<CodePart> getCodeParts(func::FuncOp function, int64_t tile);

/// Where code with `bytes` on each tile lies in `buffer`: all of it, evenly on
/// compute tiles (ComputeBuffer) or on I/O tiles, or on all if there are none.
TileCounts getBytesInBuffer(const TargetModel &target, const TileCounts &bytes,
                            CodeLocation buffer);

/// Functions of `module` that hold variables or steps and that none calls.
SmallVector<func::FuncOp> getPrograms(ModuleOp module);

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

struct MemoryPlacement {
  unsigned variable = 0;
  int64_t offset = 0;
};

/// Tiles that need the same. Code that is there all the time lies from address
/// 0 on; then vertex state and the like, variables that are always live, and
/// others. Where code comes and goes, it and variables that are not always live
/// share the room after the first, and what is always there lies after that.
struct TileClass {
  /// Ascending [begin, end).
  SmallVector<std::pair<int64_t, int64_t>, 1> tiles;
  /// By variable; those that have bytes and a step here.
  std::vector<MemoryPlacement> placements;
  /// By MemoryProblem::code (`variable` is its number); what has bytes and a
  /// step here.
  std::vector<MemoryPlacement> codePlacements;
  /// The end of code.
  int64_t codeBytes = 0;
  /// Where vertex state and the like begin.
  int64_t dataOffset = 0;
  /// Greatest address in use; what categories add up to.
  int64_t highWater = 0;
  /// The step at which live variables take most, the first of several, and what
  /// no allocation can stay below.
  int64_t peakStep = 0;
  int64_t lowerBound = 0;
  /// At that step; room for code that is not there then is a gap.
  MemoryBytes categories;

  int64_t getFirstTile() const { return tiles.front().first; }
  int64_t getNumTiles() const;
};

struct MemoryPlan {
  /// By first tile.
  std::vector<TileClass> classes;
  /// For each step the bytes live on the tile where most are, the code of that
  /// step and all that is always there included; gaps by rounding, none by
  /// fragmentation.
  std::vector<int64_t> liveBytes;

  /// The class with the greatest high-water mark, and with most code; the first
  /// of several.
  const TileClass &getFullest() const;
  const TileClass &getMostCode() const;
  /// Sums over all tiles.
  MemoryBytes getSum() const;
};

/// Gives each variable an address on each tile. Always succeeds: addresses may
/// lie beyond the end of the memory.
///
/// On each class, code that comes and goes has the lowest addresses that it can
/// have. Variables that are not always live are placed by first fit in order of
/// their begins. Where that exceeds the memory, or what some class needs at
/// least by more than a thousandth, and so may set the peak of the machine,
/// best fit in order of decreasing size is tried as well, and with the room of
/// code left to code. Classes are looked at on the threads of `context`, if
/// there is one.
MemoryPlan allocateMemory(const MemoryProblem &problem,
                          MLIRContext *context = nullptr);

/// Bytes that some tile lacks, for code or in all; 0 if all have enough.
int64_t getMissingBytes(const MemoryProblem &problem, const MemoryPlan &plan);

/// Whether every tile has enough memory, for code and in all.
bool fits(const MemoryProblem &problem, const MemoryPlan &plan);

/// Proves, without use of how the plan was made: each tile is in one class;
/// tiles of a class need the same; each variable and each code with bytes and a
/// step has one address range there, of its whole size, after the code that is
/// always there; variables are aligned and end below the high-water mark, code
/// below the end of code; no two of variables, code, and vertex state and the
/// like that are there in the same step overlap. Emits an error at the first
/// violation. Classes are looked at on the threads of `context`, if there is
/// one.
LogicalResult verifyMemoryPlan(const MemoryProblem &problem,
                               const MemoryPlan &plan,
                               function_ref<InFlightDiagnostic()> emitError,
                               MLIRContext *context = nullptr);

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

/// The `count` largest variables that the class's tiles hold at its peak step,
/// as (variable, bytes), largest first, the first declared of equals.
SmallVector<std::pair<unsigned, int64_t>>
getLargestAtPeak(const MemoryProblem &problem, const TileClass &tileClass,
                 unsigned count);

/// Succeeds if the program fits or `allowOutOfMemory`. Tells, as an error or
/// else a warning, which tile has too little memory, at which step, and for
/// what; `howToAllow`, if it is not empty, is a note of an error.
LogicalResult checkMemory(func::FuncOp function, const MemoryProblem &problem,
                          const MemoryPlan &plan, bool allowOutOfMemory,
                          StringRef howToAllow = "");

/// The plan in one attribute.
MemorySummaryAttr getMemorySummary(MLIRContext *context,
                                   const MemoryPlan &plan);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_TILEMEMORY_TILEMEMORY_H
