//===- MemoryAdvice.h - Memory advice ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a program does not fit in the memory of tiles, the advisor compiles it
// with other settings, at most kMaxMemoryTrials times, and reports settings
// with which it fits. See docs/memory.md.
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

/// The setting that a trial changes. All other settings stay the same.
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

/// The original settings of a program that does not fit.
struct MemoryStart {
  int64_t sharePerMille = 0;
  int64_t ipus = 1;
  /// The size of the dimension; std::nullopt if no dimension can be made
  /// smaller.
  std::optional<int64_t> dimension;
};

struct MemoryAdvice {
  /// The trials with which the program fits, at most one of each kind: the
  /// greatest share, the fewest IPUs and the greatest size.
  SmallVector<MemoryTrial> fitting;
  /// The smallest tried size, greater than the size that fits, with which the
  /// program does not fit.
  int64_t dimensionTooLarge = 0;
  /// If no trial fits, the first trial with the fewest missing bytes on a tile,
  /// and the number of these bytes.
  std::optional<MemoryTrial> nearest;
  int64_t missingBytes = 0;
  int64_t numTrials = 0;
};

/// The greatest number of trials of a search.
constexpr int64_t kMaxMemoryTrials = 18;

/// Searches for settings with which a program fits. `missing` returns the
/// number of bytes that the fullest tile lacks in a trial, or std::nullopt if
/// the program cannot be compiled with these settings.
MemoryAdvice findMemoryAdvice(
    const MemoryStart &start,
    function_ref<std::optional<int64_t>(const MemoryTrial &)> missing);

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Returns the greatest number of bytes that a tile lacks for a program of
/// `module`, as ipu-allocate computed it. Returns std::nullopt if ipu-allocate
/// has not processed any program.
std::optional<int64_t> getMissingBytes(ModuleOp module);

/// Compiles a program with other settings.
struct MemoryAdvisor {
  /// The program before it was compiled.
  ModuleOp original;
  /// The name of the program's function.
  std::string entry;
  /// The share with which the program was compiled.
  double share = 0;
  /// Compiles a module with a share of memory. A program that does not fit is
  /// not an error.
  std::function<LogicalResult(ModuleOp, double share)> compile;
  /// The name and the size of a dimension that can be made smaller, and a
  /// function that creates a module like `original` with another size. The name
  /// is empty if there is no such dimension.
  std::string dimension;
  int64_t dimensionSize = 0;
  std::function<OwningOpRef<ModuleOp>(int64_t size)> resize;

  /// Compiles the program with other settings, without diagnostics. Then emits
  /// a remark with the settings that fit or, if none fit, with the settings
  /// that have the fewest missing bytes.
  void advise();

private:
  OwningOpRef<ModuleOp> make(const MemoryTrial &trial);
  std::optional<int64_t> getMissingBytesOf(const MemoryTrial &trial);
  std::string describe(const MemoryTrial &trial) const;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SESSION_MEMORYADVICE_H
