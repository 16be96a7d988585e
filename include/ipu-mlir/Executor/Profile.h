//===- Profile.h - What a run cost on the simulated device ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data, integers only, the same for every engine and number of host
// threads. docs/profile.md documents it and its form as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROFILE_H
#define IPU_MLIR_EXECUTOR_PROFILE_H

#include "ipu-mlir/Dialect/IPU/IR/Target.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mlir::ipu {

enum class StepKind { Compute, Exchange, Sync, Host };
constexpr unsigned kNumStepKinds = 4;
StringRef stringifyStepKind(StepKind kind);

/// One step of the program. All figures but `count` are of one execution on
/// one replica.
struct ProfileStep {
  StepKind kind = StepKind::Compute;
  std::string name;
  std::string location;
  /// How often it ran.
  int64_t count = 0;
  /// Cycles of the slowest tile of each IPU of a replica, and of all IPUs.
  std::vector<int64_t> cycles;
  int64_t maxCycles = 0;
  /// Sum over tiles, the slowest tile, and the mean (rounded down).
  int64_t totalCycles = 0;
  int64_t busiestTile = 0;
  int64_t meanCycles = 0;
  /// Mean over maximum, in thousandths.
  int64_t balancePermille = 0;
  int64_t flops = 0;
  int64_t bytes = 0;
};

/// Where the time of one IPU went. `wait` is time in syncs before the last IPU
/// came; `sync` is that of the syncs themselves.
struct IPUClock {
  int64_t replica = 0;
  int64_t ipu = 0;
  int64_t cyclesOfKind[kNumStepKinds] = {};
  int64_t wait = 0;
  int64_t now = 0;
};

/// All executions of the steps of one kind, on one replica.
struct KindTotals {
  int64_t steps = 0;
  int64_t totalCycles = 0;
  int64_t flops = 0;
  int64_t bytes = 0;
};

/// Steps are given by their index; a variable that no step sees has the last
/// step before the first.
struct ProfileVariable {
  std::string name;
  std::string map;
  int64_t bytes = 0;
  int64_t maxTileBytes = 0;
  int64_t firstStep = 0;
  int64_t lastStep = 0;
  bool alwaysLive = false;
};

struct TileBytes {
  int64_t tile = 0;
  int64_t bytes = 0;
};

/// Memory of one replica's tiles: of the live variables, each rounded up to 8
/// bytes on each tile.
struct MemoryProfile {
  /// When the fullest tile is fullest: the first step that sees it.
  int64_t peakStep = 0;
  /// Of all tiles, at the peak.
  int64_t maxTileBytes = 0;
  int64_t meanTileBytes = 0;
  /// Tiles with more bytes than they have memory, at the peak.
  int64_t tilesOverMemory = 0;
  /// The fullest tiles at the peak, fullest first.
  std::vector<TileBytes> fullest;
  /// Tiles at the peak by bytes: bin i counts those with at least
  /// i * binBytes, and less than (i + 1) * binBytes.
  int64_t binBytes = 0;
  std::vector<int64_t> histogram;
  /// Of variables with an initial value: all bytes, and on the fullest tile.
  int64_t alwaysLiveBytes = 0;
  int64_t alwaysLiveMaxTileBytes = 0;
};

struct Profile {
  static constexpr int64_t kVersion = 1;

  std::string preset;
  TargetModel target;
  std::vector<ProfileStep> steps;
  KindTotals totals[kNumStepKinds];
  /// One for each IPU of each replica, replicas outermost.
  std::vector<IPUClock> clocks;
  /// Time of the last IPU, and the clock that has it.
  int64_t cycles = 0;
  int64_t slowestClock = 0;
  int64_t nanoseconds = 0;
  MemoryProfile memory;
  std::vector<ProfileVariable> variables;

  const KindTotals &getTotals(StepKind kind) const {
    return totals[static_cast<unsigned>(kind)];
  }
  /// What the matrix units of one replica can do at most, per cycle, in f16.
  int64_t getPeakFlopsPerCycle() const;
  /// Floating-point operations over what the peak allows in the time of the
  /// run, in millionths.
  int64_t getUtilisationPpm() const;
};

/// Writes the profile as JSON, version Profile::kVersion.
void writeProfile(const Profile &profile, llvm::raw_ostream &os);

/// Prints a page for people.
void printSummary(const Profile &profile, llvm::raw_ostream &os);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROFILE_H
