//===- MemoryAdvice.h - Memory advice ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a program does not fit the memory of tiles, it is compiled with other
// settings, at most kMaxMemoryTrials times, to report settings with which it
// fits. See docs/memory.md.
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

/// The settings with which a program that does not fit was compiled.
struct MemoryStart {
  int64_t sharePerMille = 0;
  int64_t ipus = 1;
  /// None if no dimension can be made smaller.
  std::optional<int64_t> dimension;
};

struct MemoryAdvice {
  /// Trials that fit, at most one of each kind: the trial with the greatest
  /// share, with the fewest IPUs, and with the greatest size.
  SmallVector<MemoryTrial> fitting;
  /// The smallest tried size, greater than the fitting size, with which the
  /// program does not fit.
  int64_t dimensionTooLarge = 0;
  /// If no trial fits: the first trial with the fewest missing bytes on a tile,
  /// and the number of these bytes.
  std::optional<MemoryTrial> nearest;
  int64_t missingBytes = 0;
  int64_t numTrials = 0;
};

/// The greatest number of trials of a search.
constexpr int64_t kMaxMemoryTrials = 18;

/// Searches settings with which a program fits. `missing` returns the number of
/// bytes that the fullest tile lacks in a trial, or none if the program cannot
/// be compiled with these settings.
MemoryAdvice findMemoryAdvice(
    const MemoryStart &start,
    function_ref<std::optional<int64_t>(const MemoryTrial &)> missing);

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The number of bytes that the fullest tile of any program in `module` lacks,
/// as ipu-allocate computed it. None if ipu-allocate has not processed any
/// program.
std::optional<int64_t> getMissingBytes(ModuleOp module);

/// Compiles a program with other settings.
struct MemoryAdvisor {
  /// The program before it was compiled.
  ModuleOp original;
  /// Its name.
  std::string entry;
  /// The share with which the program was compiled.
  double share = 0;
  /// Compiles a module, whether it fits or not.
  std::function<LogicalResult(ModuleOp, double share)> compile;
  /// A dimension that can be made smaller, if there is one, its size, and a
  /// function that creates a module like `original` with another size.
  std::string dimension;
  int64_t dimensionSize = 0;
  std::function<OwningOpRef<ModuleOp>(int64_t size)> resize;

  /// Compiles the program with other settings, without diagnostics, and emits a
  /// remark with the settings that fit or, if none fits, with the fewest
  /// missing bytes.
  void advise();

private:
  OwningOpRef<ModuleOp> make(const MemoryTrial &trial);
  std::optional<int64_t> getMissingBytesOf(const MemoryTrial &trial);
  std::string describe(const MemoryTrial &trial) const;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SESSION_MEMORYADVICE_H
