//===- MemoryAdvice.h - Memory advice ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a program does not fit the memory of tiles, it is compiled with other
// settings, at most kMaxMemoryTrials times, to report which of them fit. See
// docs/memory.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SESSION_MEMORYADVICE_H
#define IPU_MLIR_SESSION_MEMORYADVICE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"
#include <functional>
#include <optional>
#include <string>

namespace mlir::ipu {

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// A program is compiled with one of these changed, and all else as it was.
enum class MemoryTrialKind {
  /// The share of a tile's memory for operands and results, in thousandths.
  Share,
  IPUs,
  /// The size of a dimension of the model, such as its batch.
  Dimension,
};

struct MemoryTrial {
  MemoryTrialKind kind = MemoryTrialKind::Share;
  int64_t value = 0;
};

/// What a program that does not fit was compiled with.
struct MemoryStart {
  int64_t sharePerMille = 0;
  int64_t ipus = 1;
  /// None if no dimension can be made smaller.
  std::optional<int64_t> dimension;
};

struct MemoryAdvice {
  /// Trials that fit, at most one of each kind: the greatest share, the fewest
  /// IPUs, and the greatest size.
  SmallVector<MemoryTrial> fitting;
  /// The size next to the one that fits, of those that were tried, at which the
  /// program does not fit.
  int64_t dimensionTooLarge = 0;
  /// If none fits: the trial that lacks the fewest bytes on a tile, the first
  /// of several, and how many these are.
  std::optional<MemoryTrial> nearest;
  int64_t missingBytes = 0;
  int64_t numTrials = 0;
};

/// No search makes more trials.
constexpr int64_t kMaxMemoryTrials = 18;

/// Finds what a program fits with. `missing` says how many bytes the fullest
/// tile lacks in a trial; nothing if the program cannot be compiled that way.
MemoryAdvice findMemoryAdvice(
    const MemoryStart &start,
    function_ref<std::optional<int64_t>(const MemoryTrial &)> missing);

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// How many bytes the fullest tile of any program in `module` lacks, as
/// ipu-allocate found; nothing if it has not looked at one.
std::optional<int64_t> getMissingBytes(ModuleOp module);

/// How to compile a program in other ways.
struct MemoryAdvisor {
  /// The program before it was compiled.
  ModuleOp original;
  /// Its name.
  std::string entry;
  /// The share that it was compiled with.
  double share = 0;
  /// Compiles a module, whether it fits or not.
  std::function<LogicalResult(ModuleOp, double share)> compile;
  /// A dimension that can be made smaller, if there is one, its size, and a
  /// module like `original` that has another size.
  std::string dimension;
  int64_t dimensionSize = 0;
  std::function<OwningOpRef<ModuleOp>(int64_t size)> resize;

  /// Compiles the program in other ways, silently, and says in a remark which
  /// of them fit or, if none does, how much is missing at best.
  void advise();

private:
  OwningOpRef<ModuleOp> make(const MemoryTrial &trial);
  std::optional<int64_t> getMissingBytesOf(const MemoryTrial &trial);
  std::string describe(const MemoryTrial &trial) const;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SESSION_MEMORYADVICE_H
