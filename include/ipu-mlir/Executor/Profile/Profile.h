//===- Profile.h - Profile of a run -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The profile is plain data with integers only. It is the same for every engine
// and number of host threads. docs/profile.md documents it and its JSON format.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROFILE_PROFILE_H
#define IPU_MLIR_EXECUTOR_PROFILE_PROFILE_H

#include "ipu-mlir/Analysis/Cost/ContractionMethod.h"
#include "ipu-mlir/Analysis/Cost/FlopUnit.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUEnums.h"
#include "ipu-mlir/Dialect/IPU/IR/Target.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::ipu {

/// The tiles that take part in a step: those that compute, I/O tiles (see
/// `io_tiles` of the target), or both.
enum class StepTiles { Compute, IO, Both };

constexpr unsigned kNumStepKinds = getMaxEnumValForStepKind() + 1;

/// Floating-point operations by unit.
using FlopCounts = std::array<int64_t, kNumFlopUnits>;

/// Tiles [begin, end) that send and receive the same number of bytes each.
struct TileTransfer {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t sent = 0;
  int64_t received = 0;
};

/// Bytes that IPU `from` sends to IPU `to`: once for all tiles of `to` that
/// hold the same elements.
struct IPUTransfer {
  int64_t from = 0;
  int64_t to = 0;
  int64_t bytes = 0;
};

/// The data that one exchange moves.
struct ProfileExchange {
  int64_t setupCycles = 0;
  /// Bytes on the fabric, for all tiles. An element is sent once, even if
  /// several tiles receive it.
  int64_t sent = 0;
  /// Bytes that are copied within their tile.
  int64_t localBytes = 0;
  /// Runs of contiguous elements that tiles receive.
  int64_t runs = 0;
  /// Whether pairs of tiles use their bus at double width.
  bool inPairs = false;
  /// The tiles that send and receive most bytes, and these bytes.
  int64_t busiestSender = 0;
  int64_t maxSent = 0;
  int64_t busiestReceiver = 0;
  int64_t maxReceived = 0;
  std::vector<TileTransfer> tiles;
  std::vector<IPUTransfer> links;
  /// By the formula of the device model, with the distribution of
  /// ProfileStep::tileCycles.
  std::vector<int64_t> tileCycles;
  int64_t totalCycles = 0;
};

/// One step of the program. All numbers except `count` are for one execution on
/// one replica.
struct ProfileStep {
  StepKind kind = StepKind::Compute;
  StepTiles tiles = StepTiles::Compute;
  std::string name;
  std::string location;
  /// The outermost name of its location and the first line in a file, as
  /// `file:line:column`. Empty if there is none.
  std::string sourceName;
  std::string place;
  /// The codelets of its vertices, in the order of their first uses.
  std::vector<std::string> codelets;
  /// Numbers of variables, ascending. A variable of which only some elements
  /// are written keeps the other elements.
  std::vector<int64_t> reads, writes;
  /// The number of executions.
  int64_t count = 0;
  /// Cycles of the slowest tile, for each IPU of a replica.
  std::vector<int64_t> cycles;
  int64_t maxCycles = 0;
  /// Cycles of all executions that the buffers of its stream hid, on the IPU
  /// with the slowest clock.
  int64_t hiddenCycles = 0;
  /// The sum over tiles, the slowest tile, and the mean (rounded down).
  int64_t totalCycles = 0;
  int64_t busiestTile = 0;
  int64_t meanCycles = 0;
  /// Mean divided by maximum, in thousandths.
  int64_t balancePermille = 0;
  int64_t flops = 0;
  /// The unit that did most of `flops`.
  FlopUnit unit = FlopUnit::VectorF32;
  /// The method of a matmul or convolution of floats.
  std::optional<ContractionMethod> method;
  int64_t bytes = 0;
  /// For an exchange in a detailed profile. Equal exchanges share it.
  std::shared_ptr<const ProfileExchange> exchange;
  /// For a compute set or an exchange with an estimated cost, in a detailed
  /// profile: the cycles of the tile at each eighth of the order of tiles by
  /// cycles, from the tile with the fewest to the tile with the most cycles.
  /// Cycles for which all tiles wait are not included.
  std::vector<int64_t> tileCycles;
  /// The bytes of its code on ProfileCode::tile, in a detailed profile.
  int64_t codeBytes = 0;
};

/// All executions of the steps of one op of the source on one replica: steps
/// with the same `sourceName` and `place`. A step that several ops share
/// belongs to the first op. Steps without a name belong to one op if they have
/// the same location.
struct ProfileOp {
  /// Unique among the ops.
  std::string name;
  /// The type of the step with most cycles.
  std::string type;
  std::string place;
  /// Numbers of the steps.
  std::vector<int64_t> steps;
  /// Cycles on the IPU with the slowest clock. `cycles` is their sum.
  int64_t cyclesOfKind[kNumStepKinds] = {};
  int64_t cycles = 0;
  FlopCounts flops = {};
  int64_t bytes = 0;
  /// See Profile::getUtilisationPpm.
  int64_t utilisationPpm = 0;
  /// The share of the cycles of the run, in thousandths.
  int64_t sharePermille = 0;
};

/// The time of one IPU, by use. `wait` is the time in syncs until the last IPU
/// arrived, until I/O tiles were done and, at the end, until the host had
/// received the contents of buffers. `sync` is the time of the syncs
/// themselves. I/O tiles run independently: `io` is the time when they are
/// done, and `ioCycles` is the time of their steps, which is not part of
/// `cyclesOfKind`.
struct IPUClock {
  int64_t replica = 0;
  int64_t ipu = 0;
  int64_t cyclesOfKind[kNumStepKinds] = {};
  int64_t wait = 0;
  int64_t now = 0;
  int64_t io = 0;
  int64_t ioCycles = 0;
  /// The additional cycles that copies of streams with buffers would have taken
  /// without buffers.
  int64_t hostHidden = 0;
};

/// When an IPU executed a step: the first and the last cycle of the first
/// execution, and the last cycle of the last execution. All are -1 if the step
/// was not executed.
struct StepTimes {
  int64_t start = -1;
  int64_t end = -1;
  int64_t lastEnd = -1;
};

/// Replicas that executed the same steps, ascending, and the times of the
/// steps.
struct ReplicaTimeline {
  std::vector<int64_t> replicas;
  /// The number of executions of each step.
  std::vector<int64_t> counts;
  /// For each IPU of a replica and each step.
  std::vector<std::vector<StepTimes>> times;
};

/// An element of a sequence of the program: a step or a call. The step of a
/// loop or a branch has bodies, which come before the step.
struct ProfileNode {
  int64_t step = 0;
  std::vector<std::vector<ProfileNode>> bodies;
  /// The number of the function that is called.
  std::optional<int64_t> function;
};

struct ProfileFunction {
  std::string name;
  std::vector<ProfileNode> body;
};

/// All executions of the steps of one kind, on one replica.
struct KindTotals {
  int64_t steps = 0;
  int64_t totalCycles = 0;
  int64_t flops = 0;
  int64_t bytes = 0;
};

/// Steps are given by their index. For a variable without a live step, the last
/// step is before the first step.
struct ProfileVariable {
  std::string name;
  std::string location;
  /// The type of an element; empty for code.
  std::string type;
  std::string mapping;
  /// Bytes on all tiles, on the tile with most bytes of the variable, and on
  /// the fullest tile; without gaps.
  int64_t bytes = 0;
  int64_t maxTileBytes = 0;
  int64_t fullestTileBytes = 0;
  /// Bytes that count each element once. This is less than `bytes` if tiles
  /// hold copies.
  int64_t uniqueBytes = 0;
  int64_t firstStep = 0;
  int64_t lastStep = 0;
  /// The first and the last step of each live range, ascending. Empty if there
  /// is no live step.
  std::vector<std::pair<int64_t, int64_t>> ranges;
  bool alwaysLive = false;
};

struct TileBytes {
  int64_t tile = 0;
  int64_t bytes = 0;
};

/// Tiles with the same needs.
struct ProfileTileClass {
  /// Ascending [begin, end).
  std::vector<std::pair<int64_t, int64_t>> tiles;
  int64_t bytes = 0;
  int64_t peakStep = 0;
  /// As MemoryProfile::categories.
  std::vector<int64_t> categories;
};

/// The steps at which a number of bytes changes, and the new number of bytes.
using BytesOverSteps = std::vector<std::pair<int64_t, int64_t>>;

/// A use of memory: see TileMemory.h.
struct CategoryBytes {
  std::string name;
  /// Whether the sizes are estimates.
  bool isEstimated = false;
  /// Bytes on the fullest tile, and on all tiles.
  int64_t tileBytes = 0;
  int64_t totalBytes = 0;
};

/// The memory of the tiles of one replica. The need of a tile is its greatest
/// address that is ever in use.
struct MemoryProfile {
  /// The first of the tiles with the greatest need, and the step at which its
  /// variables take most memory.
  int64_t fullestTile = 0;
  int64_t peakStep = 0;
  /// The need of this tile, and the lower bound for all choices of addresses.
  int64_t maxTileBytes = 0;
  int64_t leastTileBytes = 0;
  int64_t meanTileBytes = 0;
  /// Bytes of code on the tile with most code.
  int64_t maxCodeBytes = 0;
  /// The number of tiles whose need is greater than their memory.
  int64_t tilesOverMemory = 0;
  /// In the order of their first tiles.
  std::vector<ProfileTileClass> classes;
  /// All categories, in a fixed order. Those of the fullest tile add up to
  /// `maxTileBytes`.
  std::vector<CategoryBytes> categories;
  /// The fullest tiles, fullest first.
  std::vector<TileBytes> fullest;
  /// A histogram of tiles by bytes: bin i counts the tiles with at least i *
  /// binBytes and less than (i + 1) * binBytes.
  int64_t binBytes = 0;
  std::vector<int64_t> histogram;
  /// The largest variables on the fullest tile at the peak: numbers and bytes.
  std::vector<std::pair<int64_t, int64_t>> largest;
  /// Live bytes on the tile with most live bytes.
  BytesOverSteps live;
  /// Bytes of variables that are not always live, on all tiles and on the
  /// fullest tile.
  BytesOverSteps notAlwaysLive;
  BytesOverSteps notAlwaysLiveOfFullest;
  /// Live bytes on the fullest tile, for each of `categories`; gaps are 0.
  std::vector<BytesOverSteps> liveOfFullest;
};

/// Code of one source: a codelet, or the steps of a function.
struct NamedBytes {
  std::string name;
  int64_t bytes = 0;
};

/// The parts of the code on the tile with most code, including code that is not
/// always on the tile.
struct ProfileCode {
  int64_t tile = 0;
  /// In the order of their first uses; the entry function comes first.
  std::vector<NamedBytes> codelets, functions;
};

/// All exchanges of a run on the replica with the slowest clock.
struct ProfileTraffic {
  /// Cycles of the set-up of all exchanges that move data.
  int64_t setupCycles = 0;
  std::vector<TileTransfer> tiles;
  std::vector<IPUTransfer> links;
};

struct Profile {
  static constexpr int64_t kVersion = 4;

  std::string preset;
  TargetModel target;
  std::vector<ProfileStep> steps;
  /// The steps of the program and of its functions, in their nesting.
  std::vector<ProfileNode> program;
  std::vector<ProfileFunction> functions;
  /// In the order of their first replicas.
  std::vector<ReplicaTimeline> timelines;
  KindTotals totals[kNumStepKinds];
  /// One for each IPU of each replica, replicas outermost.
  std::vector<IPUClock> clocks;
  /// The time of the last IPU, and the index of its clock.
  int64_t cycles = 0;
  int64_t slowestClock = 0;
  int64_t nanoseconds = 0;
  /// In the order of their first steps.
  std::vector<ProfileOp> ops;
  /// Sum over all steps.
  FlopCounts flops = {};
  MemoryProfile memory;
  std::vector<ProfileVariable> variables;
  /// In a detailed profile.
  ProfileCode code;
  ProfileTraffic traffic;

  const KindTotals &getTotals(StepKind kind) const {
    return totals[static_cast<unsigned>(kind)];
  }
  /// The greatest number of operations per cycle of all matrix units of one
  /// replica, in f16.
  int64_t getPeakFlopsPerCycle() const;
  /// Floating-point operations divided by the peak number of operations in the
  /// time of the run, in millionths.
  int64_t getUtilisationPpm() const;
  /// The least time in which each unit of all tiles can do its part of `flops`,
  /// summed over units and divided by `cycles`, in millionths.
  int64_t getUtilisationPpm(const FlopCounts &flops, int64_t cycles) const;
};

/// Writes the profile as JSON, version Profile::kVersion. With `isCompact`, all
/// of it is on one line.
void writeProfile(const Profile &profile, llvm::raw_ostream &os,
                  bool isCompact = false);

/// Writes the times of all steps in the Chrome trace event format.
void writeTrace(const Profile &profile, llvm::raw_ostream &os);

/// Prints a summary for readers.
void printSummary(const Profile &profile, llvm::raw_ostream &os);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROFILE_PROFILE_H
