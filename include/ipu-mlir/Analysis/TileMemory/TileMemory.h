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
// V variables, of which at most L are live at the same time, D distinct layouts
// of R runs of tiles, and C classes:
//   classes     O(R log R + C D)
//   addresses   O(C (V log V + V L))
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
  // Code, in the region from which instructions are fetched.
  Stack,
  VertexCode,
  ExchangeCode,
  ControlCode,
  // Data that is always on the tile.
  VertexState,
  HostExchange,
  AlwaysLive,
  // At the step at which the tile needs most memory.
  NotAlwaysLive,
  Gaps,
};
constexpr unsigned kNumMemoryCategories = 9;

struct MemoryCategoryInfo {
  StringRef name;
  StringRef what;
  /// Whether the sizes are estimates. The sizes of variables are exact.
  bool isEstimated;
  /// Whether the category must be in the code region.
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
  /// Index in MemoryProblem::layouts.
  unsigned layout = 0;
  /// The variable is live in steps [begin, end). A variable without a live step
  /// has no memory.
  int64_t begin = 0, end = 0;
  /// If the variable is not live in all of these steps: its live ranges,
  /// ascending and disjoint, from `begin` to `end`. It has one address for all
  /// of them.
  SmallVector<StepRange, 0> ranges;
  bool alwaysLive = false;
  /// The alignment of the address and the size.
  int64_t align = 1;
  /// An estimate of the bytes that are lost to the choice of memory elements,
  /// in thousandths of the variable's bytes, rounded up.
  int64_t gapPermille = 0;
  /// The `ipu.var`, the `ipu.storage`, or the function of code in a buffer.
  /// Null in a problem that was not read from a program.
  Operation *op = nullptr;
  /// For code that cannot be called at its location, and is data of the tiles:
  /// this location.
  std::optional<CodeLocation> buffer;

  /// All live ranges.
  SmallVector<StepRange, 1> getRanges() const;
  bool isLive(int64_t step) const;
  /// Whether both variables are live in some step.
  bool meets(const MemoryVariable &other) const;

  /// The name of a variable that has an op. For code, there is no type.
  std::string getName() const;
  MemRefType getType() const;
};

/// Code that is not always on the tiles: the code of a function that loads
/// name, or codelets that several of these functions use and that are loaded
/// with each of them.
struct MemoryCode {
  SmallVector<Operation *, 1> functions;
  /// Indexed by the categories that are code.
  std::array<TileCounts, kNumMemoryCategories> bytes;
  /// When the code is on the tiles: ranges [begin, end), ascending and
  /// disjoint.
  SmallVector<StepRange> steps;

  /// Bytes of all categories on a tile.
  int64_t get(int64_t tile) const;
  bool isResident(int64_t step) const;
  /// Whether both codes are on the tiles in some step.
  bool meets(const MemoryCode &other) const;
};

struct MemoryProblem {
  int64_t numTiles = 0;
  int64_t numSteps = 0;
  /// Bytes of one tile, and the bytes from which instructions can be fetched.
  int64_t tileMemory = 0, codeMemory = 0;
  /// The distinct bytes per tile of variables, without rounding.
  std::vector<TileCounts> layouts;
  std::vector<MemoryVariable> variables;
  /// Bytes of the categories that are neither variables nor gaps.
  std::array<TileCounts, kNumMemoryCategories> fixed;
  std::vector<MemoryCode> code;
  /// The op of each step. Empty in a problem that was not read from a program.
  std::vector<Operation *> steps;
};

/// The memory that a variable of `bytes` takes at its address; 0 for 0 bytes.
int64_t getFootprint(const MemoryVariable &variable, int64_t bytes);

/// The memory needs of `function`, a program, on the target of its module.
///
/// Variables live from their `ipu.var` to their `ipu.write_undef` or the end of
/// their block. Steps are numbered as in the profile: in program order, with
/// the end of a loop or branch after its bodies, and the steps of a function
/// once, before its first call. A variable that is live across a call is live
/// in all steps of the callee. The storage of a state is always live. Other
/// storage is live from the first to the last step that may use it, including
/// all loops around these steps. Code of a function that loads name is on the
/// tiles as CodeLiveness determines; code in buffers is a variable.
///
/// Fails, with a diagnostic, at uses of codelets or functions that do not
/// exist, and at recursion.
FailureOr<MemoryProblem> readMemoryProblem(func::FuncOp function);

/// Code of one category for one source: an op, a step or an `ipu.codelet`.
struct CodePart {
  Operation *op = nullptr;
  MemoryCategory category = MemoryCategory::ControlCode;
  int64_t bytes = 0;
};

/// The parts of the code on a tile of `function`, a program that can be read,
/// without the stack. The parts are in program order, codelets last. They
/// include code that is not always on the tile.
std::vector<CodePart> getCodeParts(func::FuncOp function, int64_t tile);

/// The location in `buffer` of code with `bytes` on each tile: all of the code,
/// distributed evenly over the compute tiles (ComputeBuffer) or the I/O tiles,
/// or over all tiles if there are no I/O tiles.
TileCounts getBytesInBuffer(const TargetModel &target, const TileCounts &bytes,
                            CodeLocation buffer);

/// Functions of `module` that contain variables or steps and have no caller.
SmallVector<func::FuncOp> getPrograms(ModuleOp module);

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

struct MemoryPlacement {
  unsigned variable = 0;
  int64_t offset = 0;
};

/// Tiles with the same needs. Code that is always on the tile starts at address
/// 0. Vertex state and similar data follow, then variables that are always
/// live, then other variables. If some code is not always on the tile, this
/// code and the variables that are not always live share the memory after the
/// first part, and data that are always live follow after this memory.
struct TileClass {
  /// Ranges [begin, end), ascending.
  SmallVector<std::pair<int64_t, int64_t>, 1> tiles;
  /// In the order of variables; only those with bytes and a step on these
  /// tiles.
  std::vector<MemoryPlacement> placements;
  /// In the order of MemoryProblem::code, whose index is `variable`; only those
  /// with bytes and a step on these tiles.
  std::vector<MemoryPlacement> codePlacements;
  /// The end of code.
  int64_t codeBytes = 0;
  /// The address at which vertex state and similar data begin.
  int64_t dataOffset = 0;
  /// The greatest address in use, which is the sum of the categories.
  int64_t highWater = 0;
  /// The step at which live variables take most memory (the first of several),
  /// and the lower bound of all allocations.
  int64_t peakStep = 0;
  int64_t lowerBound = 0;
  /// Bytes at this step. Memory that is reserved for code of other steps is a
  /// gap.
  MemoryBytes categories;

  int64_t getFirstTile() const { return tiles.front().first; }
  int64_t getNumTiles() const;
};

struct MemoryPlan {
  /// In the order of their first tiles.
  std::vector<TileClass> classes;
  /// For each step, the live bytes on the tile with most live bytes, including
  /// the code of the step and everything that is always live. Gaps of rounding
  /// are included, gaps of fragmentation are not.
  std::vector<int64_t> liveBytes;

  /// The class with the greatest high-water mark, and the class with most code;
  /// the first of several.
  const TileClass &getFullest() const;
  const TileClass &getMostCode() const;
  /// Sums over all tiles.
  MemoryBytes getSum() const;
};

/// Gives each variable an address on each tile. This always succeeds: addresses
/// may exceed the memory. On each class, code that is not always on the tile
/// has the lowest possible addresses. Variables that are not always live are
/// placed by first fit in the order of the starts of their live ranges.
///
/// A second allocation is tried if the first one exceeds the memory, or if it
/// exceeds the lower bound of some class by more than a thousandth, so that the
/// class may determine the peak of the machine. The second allocation uses best
/// fit in order of decreasing size, with and without variables in the memory of
/// code.
///
/// Classes are processed on the threads of `context`, if there is one.
MemoryPlan allocateMemory(const MemoryProblem &problem,
                          MLIRContext *context = nullptr);

/// The greatest number of bytes that a tile lacks, for code or in total; 0 if
/// all tiles have enough.
int64_t getMissingBytes(const MemoryProblem &problem, const MemoryPlan &plan);

/// Whether every tile has enough memory, for code and in total.
bool fits(const MemoryProblem &problem, const MemoryPlan &plan);

/// Proves a plan without knowledge of the way in which it was made. Each tile
/// is in one class, and the tiles of a class have the same needs. Each variable
/// and each code with bytes and a step on a class has one address range there,
/// of its whole size, after the code that is always on the tile. Variables are
/// aligned and end below the high-water mark; code ends below the end of code.
/// Variables, code, and vertex state and similar data do not overlap if they
/// are live in the same step. Emits an error at the first violation. Classes
/// are processed on the threads of `context`, if there is one.
LogicalResult verifyMemoryPlan(const MemoryProblem &problem,
                               const MemoryPlan &plan,
                               function_ref<InFlightDiagnostic()> emitError,
                               MLIRContext *context = nullptr);

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

/// The `count` largest variables on the tiles of the class at its peak step, as
/// pairs (variable, bytes), largest first. Variables of equal size are in the
/// order of their declarations.
SmallVector<std::pair<unsigned, int64_t>>
getLargestAtPeak(const MemoryProblem &problem, const TileClass &tileClass,
                 unsigned count);

/// Succeeds if the program fits or if `allowOutOfMemory` is set. If the program
/// does not fit, reports the tile with too little memory, the step and the uses
/// of the memory, as an error or, with `allowOutOfMemory`, as a warning. If
/// `howToAllow` is not empty, it is a note of the error.
LogicalResult checkMemory(func::FuncOp function, const MemoryProblem &problem,
                          const MemoryPlan &plan, bool allowOutOfMemory,
                          StringRef howToAllow = "");

/// The plan as one attribute.
MemorySummaryAttr getMemorySummary(MLIRContext *context,
                                   const MemoryPlan &plan);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_TILEMEMORY_TILEMEMORY_H
