//===- MemoryAdvice.h - Memory advice ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a program does not fit in the memory of tiles, the advisor compiles it
// with other settings, at most kMaxMemoryTrials times and only for a limited
// time, and reports settings with which it fits. See docs/memory.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_COMPILER_MEMORYADVICE_H
#define IPU_MLIR_COMPILER_MEMORYADVICE_H

#include "ipu-mlir/Compiler/MemoryTransforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"
#include <algorithm>
#include <ctime>
#include <functional>
#include <optional>
#include <string>

namespace mlir::ipu {

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// The setting that a trial changes. All other settings stay the same.
enum class MemoryTrialKind {
  /// Whether constants may have copies on all tiles that read them: 1 if they
  /// may, 0 if not.
  CopyConstants,
  /// 1: `pop-outline` makes functions of repeated sequences of ops.
  Outline,
  /// 1: `pop-schedule` reorders ops.
  Schedule,
  /// The number of parts of large matmuls (`pop-serialize-matmuls`).
  MatmulParts,
  /// The number of parts of batches (`pop-batch-serialize`).
  BatchParts,
  /// The share of a tile's memory, in thousandths, that the operands and
  /// results of one op may take.
  Share,
  IPUs,
  /// 1: weights are in streaming memory (`pop-remote-setup`).
  RemoteWeights,
  /// The number of execution phases, between which tensors are in streaming
  /// memory (`pop-streaming-memory`).
  Phases,
  /// The size of a dimension of the model, such as its batch.
  Dimension,
};

struct MemoryTrial {
  MemoryTrialKind kind = MemoryTrialKind::Share;
  int64_t value = 0;
};

/// The result of a trial.
struct MemoryOutcome {
  MemoryOutcome(int64_t missingBytes, int64_t bytes = 0, int64_t cycles = 0)
      : missingBytes(missingBytes), bytes(bytes), cycles(cycles) {}

  /// The bytes that a tile lacks, or 0 if the program fits.
  int64_t missingBytes;
  /// The bytes of the fullest tile, and the estimated cycles of the program.
  int64_t bytes, cycles;
};

/// A trial with which the program fits.
struct FittingTrial : MemoryTrial {
  FittingTrial(const MemoryTrial &trial, const MemoryOutcome &outcome)
      : MemoryTrial(trial), outcome(outcome) {}

  MemoryOutcome outcome;
};

/// The original settings of a program that does not fit.
struct MemoryStart {
  int64_t sharePerMille = 0;
  int64_t ipus = 1;
  /// The size of the dimension that can be made smaller, or std::nullopt if
  /// there is no such dimension.
  std::optional<int64_t> dimension;
  /// This flag is set if constants have copies on the tiles that read them.
  bool copiesConstants = false;
  /// This flag is set if variables on the chip may move to streaming memory.
  bool hasVariables = false;
  MemoryTransforms transforms;
};

struct MemoryAdvice {
  /// The trials with which the program fits, at most one of each kind: no
  /// copies of constants, functions, another order, the fewest parts, the
  /// greatest share, the fewest IPUs, weights in streaming memory, the fewest
  /// phases and the greatest size.
  SmallVector<FittingTrial> fitting;
  /// If `fitting` contains a trial of kind Dimension: the smallest size of the
  /// dimension with which the program is known not to fit.
  int64_t dimensionTooLarge = 0;
  /// The trial with the fewest missing bytes among the trials with which the
  /// program does not fit, and the result of getMissingBytes() in this trial.
  /// If several trials have the fewest missing bytes, the first of them is
  /// used.
  std::optional<MemoryTrial> nearest;
  int64_t missingBytes = 0;
  /// All trials, in their order.
  SmallVector<MemoryTrial> tried;
  /// This flag is set if the search ended because there was no time for another
  /// trial.
  bool isStopped = false;
};

/// The greatest number of trials of a search.
constexpr int64_t kMaxMemoryTrials = 31;

/// Searches for settings with which a program fits. `execute` executes a trial.
/// It returns std::nullopt if the program cannot be compiled with the settings
/// of the trial. The search stops as soon as `hasTime`, which is called before
/// each trial, returns false.
MemoryAdvice findMemoryAdvice(
    const MemoryStart &start,
    function_ref<std::optional<MemoryOutcome>(const MemoryTrial &)> execute,
    function_ref<bool()> hasTime = [] { return true; });

/// The CPU time that the compilation of a program and all trials may take
/// together, unless a tenth of the compilation is more than the rest of this
/// time.
constexpr int64_t kMemoryTrialSeconds = 10;

/// Decides whether there is time for another trial. The compilation of the
/// program and all trials may take `limit` seconds together. Trials may in any
/// case take a tenth of the time of the compilation. A trial is expected to
/// take as long as the trial before it; the first trial is expected to take as
/// long as the compilation.
class MemoryTrialTime {
public:
  MemoryTrialTime(double compileSeconds, double limit)
      : next(compileSeconds),
        limit(std::max(limit - compileSeconds, compileSeconds / 10)) {}

  bool hasTime() const { return spent + next <= limit; }
  void addTrial(double seconds) {
    spent += seconds;
    next = seconds;
  }
  double getNext() const { return next; }
  double getLimit() const { return limit; }

private:
  double spent = 0;
  double next;
  double limit;
};

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Returns the number of bytes by which a program of `module` exceeds the
/// memory of a tile, or 0 if the program fits. If there are several programs,
/// returns the greatest of their numbers. ipu-allocate must have processed the
/// programs; if it has processed no program, returns std::nullopt.
std::optional<int64_t> getMissingBytes(ModuleOp module);

/// Returns the missing bytes, the bytes of the fullest tile and the estimated
/// cycles of the program `entry` of `module`. Returns std::nullopt if
/// ipu-allocate has not processed it.
std::optional<MemoryOutcome> getMemoryOutcome(ModuleOp module, StringRef entry);

/// Returns whether constants of `module` have copies on several tiles.
bool hasCopiedConstants(ModuleOp module);

/// The settings with which MemoryAdvisor compiles a program.
struct MemorySettings {
  double share = 0;
  bool copyConstants = true;
  MemoryTransforms transforms;
};

/// Measures the CPU time of the process from its construction, because real
/// time, and therefore the advice, would depend on the load of the machine.
class Stopwatch {
public:
  double getSeconds() const {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }

private:
  std::clock_t start = std::clock();
};

/// A dimension of a model that can be made smaller, such as its batch.
struct ModelDimension {
  std::string name;
  int64_t size = 0;
  /// Creates a module like the original one with another size of the dimension.
  /// Returns null if there is no such module.
  std::function<OwningOpRef<ModuleOp>(int64_t size)> resize;
};

/// Searches for settings with which a program fits, by compiling the program
/// with other settings.
struct MemoryAdvisor {
  /// The program before it was compiled.
  ModuleOp original;
  /// The name of the program's function.
  std::string entry;
  /// The settings with which the program was compiled.
  MemorySettings settings;
  /// This flag is set if hasCopiedConstants() holds for the compiled program.
  bool copiesConstants = false;
  /// Compiles a module with other settings. Returns std::nullopt if the module
  /// cannot be compiled.
  std::function<std::optional<MemoryOutcome>(OwningOpRef<ModuleOp>,
                                             const MemorySettings &)>
      compile;
  /// The seconds that the compilation of the program took, and those that the
  /// compilation and the trials may take; see MemoryTrialTime.
  double compileSeconds = 0;
  double trialSeconds = static_cast<double>(kMemoryTrialSeconds);
  /// A dimension that can be made smaller, if there is one.
  std::optional<ModelDimension> dimension;

  /// Compiles the program with other settings, without diagnostics. Then emits
  /// a remark with the settings with which the program fits. If there are none,
  /// the remark has the settings with the fewest missing bytes. A note lists
  /// all settings that were tried.
  MemoryAdvice advise();

private:
  OwningOpRef<ModuleOp> make(const MemoryTrial &trial);
  std::optional<MemoryOutcome> execute(const MemoryTrial &trial);
  std::string describe(const MemoryTrial &trial) const;
  std::string describeAll(ArrayRef<MemoryTrial> trials) const;
  std::string describe(const MemoryAdvice &advice) const;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_COMPILER_MEMORYADVICE_H
