//===- TileMemory.h - Allocation of tile memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The allocation of the memory of one replica's tiles. A MemoryProblem states
// the memory needs of a program as plain data. allocateMemory() gives each
// variable an address on each tile. verifyMemoryPlan() checks the addresses,
// using only the problem. docs/memory.md defines all sizes and their sources.
//
// No algorithm iterates over tiles. Tiles with equal needs form a *class*. The
// algorithms take the following times. V is the number of variables, of which
// at most L are live at the same time. D is the number of distinct layouts,
// which have R runs of tiles in total. C is the number of classes.
//   classes     O(R log R + C D)
//   addresses   O(C (V log V + V L))
//   check       O(C V log V + R D)
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
// Categories of memory
//===----------------------------------------------------------------------===//

enum class MemoryCategory {
  // Code. It is in the part of the tile memory from which instructions can be
  // fetched.
  Stack,
  VertexCode,
  ExchangeCode,
  ControlCode,
  // Data that is always on the tile.
  VertexState,
  HostExchange,
  AlwaysLive,
  // Bytes at the step at which the tile needs most memory.
  NotAlwaysLive,
  Gaps,
};
constexpr unsigned kNumMemoryCategories = 9;

struct MemoryCategoryInfo {
  StringRef name;
  StringRef what;
  /// Whether the sizes are estimates. The sizes of variables are exact.
  bool isEstimated;
  /// Whether this category must be in the part of the tile memory from which
  /// instructions can be fetched.
  bool isCode;
};
const MemoryCategoryInfo &getMemoryCategoryInfo(MemoryCategory category);

/// The number of bytes of each category. A total saturates at Count::kMax.
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

/// The range of steps [begin, end).
using StepRange = std::pair<int64_t, int64_t>;

struct MemoryVariable {
  /// The index of the variable's layout in MemoryProblem::layouts.
  unsigned layout = 0;
  /// The variable is live in steps [begin, end). A variable without a live step
  /// has no memory.
  int64_t begin = 0, end = 0;
  /// The live ranges, ascending and disjoint, if the variable is not live in
  /// all steps [begin, end). The variable has the same address in all its live
  /// ranges.
  SmallVector<StepRange, 0> ranges;
  bool alwaysLive = false;
  /// The alignment of both the address and the size.
  int64_t align = 1;
  /// An estimate of lost bytes, in thousandths of the variable's bytes. Bytes
  /// are lost because operands must be in different memory elements (banks of
  /// the tile memory).
  int64_t gapPermille = 0;
  /// The `ipu.var`, the `ipu.storage`, or the function whose code is in a
  /// buffer on the tiles (docs/code-loading.md). It is null in a problem that
  /// was not read from a program.
  Operation *op = nullptr;
  /// The buffer, if the variable is code in a buffer. Code in a buffer cannot
  /// be called, so it is stored as data.
  std::optional<CodeLocation> buffer;

  /// Returns all live ranges.
  SmallVector<StepRange, 1> getRanges() const;
  bool isLive(int64_t step) const;
  /// Returns whether there is a step in which both variables are live.
  bool meets(const MemoryVariable &other) const;

  /// Return the name or the type of the variable; `op` must be set. The type is
  /// null if the variable is code.
  std::string getName() const;
  MemRefType getType() const;
};

/// Code that is not always on the tiles: the code of one function that some
/// load (`ipu.code_load`) names, or codelets that several such functions use.
/// The codelets are loaded with each of these functions.
struct MemoryCode {
  SmallVector<Operation *, 1> functions;
  /// The number of bytes on each tile, by category.
  std::array<TileCounts, kNumMemoryCategories> bytes;
  /// The steps in which the code is on the tiles: ranges [begin, end),
  /// ascending and disjoint.
  SmallVector<StepRange> steps;

  /// Returns the number of bytes of all categories on a tile.
  int64_t get(int64_t tile) const;
  bool isResident(int64_t step) const;
  /// Returns whether there is a step in which both this code and `other` are on
  /// the tiles.
  bool meets(const MemoryCode &other) const;
};

struct MemoryProblem {
  int64_t numTiles = 0;
  int64_t numSteps = 0;
  /// The size of one tile's memory, and the size of the part of this memory
  /// from which instructions can be fetched.
  int64_t tileMemory = 0, codeMemory = 0;
  /// The distinct layouts of variables. A layout is the number of bytes on each
  /// tile, without rounding up to the alignment.
  std::vector<TileCounts> layouts;
  std::vector<MemoryVariable> variables;
  /// The number of bytes that are always on each tile, by category. Variables
  /// and gaps are not included.
  std::array<TileCounts, kNumMemoryCategories> fixed;
  std::vector<MemoryCode> code;
  /// The op of each step. It is empty in a problem that was not read from a
  /// program.
  std::vector<Operation *> steps;
};

/// Returns the number of bytes that a variable of `bytes` takes at its address,
/// including gaps. Returns 0 for 0 bytes.
int64_t getFootprint(const MemoryVariable &variable, int64_t bytes);

/// Returns the memory needs of the program `function` on the target of its
/// module.
///
/// A variable is live from its `ipu.var` to its `ipu.write_undef` or, if it has
/// no `ipu.write_undef`, to the end of its block. Steps are numbered as in the
/// profile: in program order, with the end of a loop or branch after its
/// bodies. The steps of a function are numbered only once: their numbers
/// directly precede the number of the step of the first call. A variable that
/// is live across a call is live in all steps of the callee. The storage of a
/// state is always live. Other storage is live from the first to the last step
/// that may use it, including all loops around these steps. If a function is
/// named by loads, CodeLiveness determines the steps in which the code of the
/// function is on the tiles. Code in a buffer is a variable.
///
/// Emits an error and fails if the program uses a codelet or function that does
/// not exist, or if functions call themselves.
FailureOr<MemoryProblem> readMemoryProblem(func::FuncOp function);

/// A part of the code. It has one category and belongs to one op (for example,
/// to a step or to an `ipu.codelet`).
struct CodePart {
  Operation *op = nullptr;
  MemoryCategory category = MemoryCategory::ControlCode;
  int64_t bytes = 0;
};

/// Returns the parts of the code of `function` on a tile, without the stack.
/// readMemoryProblem() must succeed for `function`. The parts are in program
/// order, and codelets are last. They include code that is not always on the
/// tile.
std::vector<CodePart> getCodeParts(func::FuncOp function, int64_t tile);

/// Returns the number of bytes that code takes on each tile in `buffer`. In
/// executable memory, the same code takes `bytes` on each tile. The sum of
/// `bytes` is distributed evenly over the compute tiles (ComputeBuffer) or the
/// I/O tiles (IOBuffer). If there are no I/O tiles, the sum is distributed over
/// all tiles.
TileCounts getBytesInBuffer(const TargetModel &target, const TileCounts &bytes,
                            CodeLocation buffer);

/// Returns the functions of `module` that contain variables or steps and have
/// no caller.
SmallVector<func::FuncOp> getPrograms(ModuleOp module);

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

struct MemoryPlacement {
  unsigned variable = 0;
  int64_t offset = 0;
};

/// A class of tiles with the same needs. Code that is always on the tile starts
/// at address 0. Fixed data (the categories VertexState and HostExchange)
/// follow, then variables that are always live, and then other variables. The
/// order is different if some code is not always on the tile. Such code shares
/// memory with the variables that are not always live. This shared memory
/// directly follows the code that is always on the tile. Fixed data and
/// variables that are always live follow after the shared memory.
struct TileClass {
  /// The tiles of the class, as ascending ranges [begin, end).
  SmallVector<std::pair<int64_t, int64_t>, 1> tiles;
  /// The addresses of the variables that have bytes on these tiles and a live
  /// step, in the order of variables.
  std::vector<MemoryPlacement> placements;
  /// The addresses of the code that has bytes on these tiles and is on the
  /// tiles in some step, in the order of MemoryProblem::code. Here, `variable`
  /// is an index in MemoryProblem::code.
  std::vector<MemoryPlacement> codePlacements;
  /// The address of the end of the code.
  int64_t codeBytes = 0;
  /// The address at which the fixed data begin.
  int64_t dataOffset = 0;
  /// The end of the memory that is in use in any step. This address is also the
  /// sum of `categories`.
  int64_t highWater = 0;
  /// `peakStep` is the first step at which live variables and code take most
  /// memory. `lowerBound` is a lower bound of `highWater` for all allocations.
  int64_t peakStep = 0;
  int64_t lowerBound = 0;
  /// The number of bytes of each category at `peakStep`. Memory that is
  /// reserved for code of other steps is a gap.
  MemoryBytes categories;

  int64_t getFirstTile() const { return tiles.front().first; }
  int64_t getNumTiles() const;
};

struct MemoryPlan {
  /// The classes in the order of their first tiles.
  std::vector<TileClass> classes;
  /// For each step, the greatest number of live bytes of a tile. These bytes
  /// include the code of the step and everything that is always live. Gaps from
  /// alignment are included, but gaps from the choice of addresses are not.
  std::vector<int64_t> liveBytes;

  /// Returns the first class with the greatest `highWater`.
  const TileClass &getFullest() const;
  /// Returns the first class with the most code.
  const TileClass &getMostCode() const;
  /// Returns the sums of all categories over all tiles.
  MemoryBytes getSum() const;
};

/// Gives each variable an address on each tile. The allocation always succeeds,
/// but addresses may exceed the memory. On the tiles of each class, code that
/// is not always on the tile is placed first, at the lowest possible addresses.
/// Variables that are not always live are placed by first fit, in the order in
/// which their live ranges start.
///
/// Some classes are then processed again, in the order of decreasing
/// `highWater`, to reduce the peak: the greatest `highWater` of all classes.
/// The peak cannot become less than the lower bound of any class, or than
/// `highWater` of a class that was already processed again. The greatest of
/// these numbers is the *limit*. The search ends at the first class whose
/// `highWater` does not exceed the limit, because this class cannot determine
/// the peak. For a class that fits in the tile memory, the limit is greater by
/// a thousandth. Each class that is processed again gets two more allocations
/// by best fit: one in the order of decreasing size, and one in the order of
/// decreasing product of the size and the length of the live range. If the
/// class has code that is not always on the tile, and still exceeds the limit,
/// two further allocations keep variables out of the memory of this code. The
/// allocation with the least memory is kept. For very large problems, the
/// search ends early.
///
/// Classes are processed on the threads of `context`, if there is one.
MemoryPlan allocateMemory(const MemoryProblem &problem,
                          MLIRContext *context = nullptr);

/// Returns the greater of two numbers of bytes: the number by which the fullest
/// tile exceeds the tile memory, and the number by which the tile with the most
/// code exceeds the memory for code. Returns 0 if all tiles have enough memory.
int64_t getMissingBytes(const MemoryProblem &problem, const MemoryPlan &plan);

/// Returns whether each tile has enough memory for its code and in total.
bool fits(const MemoryProblem &problem, const MemoryPlan &plan);

/// Verifies a plan without assumptions about its construction. Each tile is in
/// one class, and the tiles of a class have the same needs. If a variable or
/// code has a live step, and has bytes on the tiles of a class, it has one
/// address range on these tiles. The range has the full size of the variable or
/// code, and is after the code that is always on the tile. Variables are
/// aligned and end at or below `highWater`. Code ends at or below `codeBytes`.
/// Variables, code and fixed data do not overlap if they are live in the same
/// step. Emits an error at the first violation. Classes are processed on the
/// threads of `context`, if there is one.
LogicalResult verifyMemoryPlan(const MemoryProblem &problem,
                               const MemoryPlan &plan,
                               function_ref<InFlightDiagnostic()> emitError,
                               MLIRContext *context = nullptr);

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

/// Returns the `count` largest variables on the tiles of the class at its peak
/// step, as pairs (variable, bytes), largest first. Variables of equal size are
/// in the order of their declarations.
SmallVector<std::pair<unsigned, int64_t>>
getLargestAtPeak(const MemoryProblem &problem, const TileClass &tileClass,
                 unsigned count);

/// Succeeds if the program fits or if `allowOutOfMemory` is set. If the program
/// does not fit, emits an error or, with `allowOutOfMemory`, a warning. The
/// diagnostic states the tile with too little memory, the step, and the uses of
/// the memory. If `howToAllow` is not empty, it becomes a note of the error.
LogicalResult checkMemory(func::FuncOp function, const MemoryProblem &problem,
                          const MemoryPlan &plan, bool allowOutOfMemory,
                          StringRef howToAllow = "");

/// Returns a summary of the plan as an attribute.
MemorySummaryAttr getMemorySummary(MLIRContext *context,
                                   const MemoryPlan &plan);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_TILEMEMORY_TILEMEMORY_H
