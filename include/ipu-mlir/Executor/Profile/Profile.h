//===- Profile.h - Profile of a run -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data, integers only, the same for every engine and number of host
// threads. docs/profile.md documents it and its form as JSON.
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

/// Floating-point operations by the unit that does them.
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

/// What one exchange moves.
struct ProfileExchange {
  int64_t setupCycles = 0;
  /// On the fabric, of all tiles: an element is sent once, however many receive
  /// it.
  int64_t sent = 0;
  /// What stays on its tile.
  int64_t localBytes = 0;
  /// Runs of contiguous elements that tiles receive.
  int64_t runs = 0;
  /// Whether pairs of tiles use their bus at double width.
  bool inPairs = false;
  /// The tiles that send and receive most, and what.
  int64_t busiestSender = 0;
  int64_t maxSent = 0;
  int64_t busiestReceiver = 0;
  int64_t maxReceived = 0;
  std::vector<TileTransfer> tiles;
  std::vector<IPUTransfer> links;
  /// As those of ProfileStep, by the formula.
  std::vector<int64_t> tileCycles;
  int64_t totalCycles = 0;
};

/// One step of the program. All figures but `count` are of one execution on
/// one replica.
struct ProfileStep {
  StepKind kind = StepKind::Compute;
  StepTiles tiles = StepTiles::Compute;
  std::string name;
  std::string location;
  /// The outermost name of its location and the first line in a file, as
  /// `file:line:column`; empty if there is none.
  std::string sourceName;
  std::string place;
  /// Those of its vertices, in the order of their first uses.
  std::vector<std::string> codelets;
  /// Numbers of variables, ascending. What only some elements are written of
  /// keeps the others.
  std::vector<int64_t> reads, writes;
  /// How often it ran.
  int64_t count = 0;
  /// Cycles of the slowest tile of each IPU of a replica, and of all IPUs.
  std::vector<int64_t> cycles;
  int64_t maxCycles = 0;
  /// What buffers of its stream hid of all executions, on the IPU whose clock
  /// is the slowest.
  int64_t hiddenCycles = 0;
  /// Sum over tiles, the slowest tile, and the mean (rounded down).
  int64_t totalCycles = 0;
  int64_t busiestTile = 0;
  int64_t meanCycles = 0;
  /// Mean over maximum, in thousandths.
  int64_t balancePermille = 0;
  int64_t flops = 0;
  /// What did most of `flops`.
  FlopUnit unit = FlopUnit::VectorF32;
  /// How it did them, of a matmul or convolution of floats.
  std::optional<ContractionMethod> method;
  int64_t bytes = 0;
  /// Of an exchange in a detailed profile. Those that move the same share it.
  std::shared_ptr<const ProfileExchange> exchange;
  /// Of a compute set or an exchange in a detailed profile whose cost is an
  /// estimate: cycles of the tiles that are idler than none, an eighth, a
  /// quarter... and all of the others; without what all tiles wait for.
  std::vector<int64_t> tileCycles;
  /// Its code on ProfileCode::tile, in a detailed profile.
  int64_t codeBytes = 0;
};

/// All executions of the steps of one op of the source, on one replica: steps
/// of the same `sourceName` and `place`. A step that several ops share is the
/// first's. Steps without a name are of one op if they have one location.
struct ProfileOp {
  /// No two ops have the same.
  std::string name;
  /// That of its step with most cycles, which says what it computes.
  std::string type;
  std::string place;
  /// Numbers of the steps.
  std::vector<int64_t> steps;
  /// On the IPU whose clock is the slowest; `cycles` is their sum.
  int64_t cyclesOfKind[kNumStepKinds] = {};
  int64_t cycles = 0;
  FlopCounts flops = {};
  int64_t bytes = 0;
  /// See Profile::getUtilisationPpm.
  int64_t utilisationPpm = 0;
  /// Of the cycles of the run, in thousandths.
  int64_t sharePermille = 0;
};

/// Where the time of one IPU went. `wait` is time in syncs before the last IPU
/// came, before what I/O tiles do was done, and at the end until the host had
/// what was in buffers; `sync` is that of the syncs themselves. I/O tiles go on
/// by themselves: `io` is the time when they are done, `ioCycles` what their
/// steps took, which `cyclesOfKind` has not.
struct IPUClock {
  int64_t replica = 0;
  int64_t ipu = 0;
  int64_t cyclesOfKind[kNumStepKinds] = {};
  int64_t wait = 0;
  int64_t now = 0;
  int64_t io = 0;
  int64_t ioCycles = 0;
  /// What copies of streams with buffers would have taken more without these.
  int64_t hostHidden = 0;
};

/// When a step ran on an IPU: from and to which cycle the first time, and to
/// which cycle the last time. All are -1 if it did not run.
struct StepTimes {
  int64_t start = -1;
  int64_t end = -1;
  int64_t lastEnd = -1;
};

/// Replicas that have run the same steps, ascending, and when they did.
struct ReplicaTimeline {
  std::vector<int64_t> replicas;
  /// For each step, how often it ran.
  std::vector<int64_t> counts;
  /// For each IPU of a replica and each step.
  std::vector<std::vector<StepTimes>> times;
};

/// An element of a sequence of the program: a step; or, if that is a loop or a
/// branch, with its bodies, which come before the step; or a call.
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

/// Steps are given by their index; a variable that no step sees has the last
/// step before the first.
struct ProfileVariable {
  std::string name;
  std::string location;
  /// Of an element; empty of code.
  std::string type;
  std::string mapping;
  /// Over all tiles, on the tile that has most of it, and on the fullest tile;
  /// without gaps.
  int64_t bytes = 0;
  int64_t maxTileBytes = 0;
  int64_t fullestTileBytes = 0;
  /// Each element once; less than `bytes` if tiles hold copies.
  int64_t uniqueBytes = 0;
  int64_t firstStep = 0;
  int64_t lastStep = 0;
  /// First and last steps in which it is live, ascending; none if no step sees
  /// it.
  std::vector<std::pair<int64_t, int64_t>> ranges;
  bool alwaysLive = false;
};

struct TileBytes {
  int64_t tile = 0;
  int64_t bytes = 0;
};

/// Tiles that need the same.
struct ProfileTileClass {
  /// Ascending [begin, end).
  std::vector<std::pair<int64_t, int64_t>> tiles;
  int64_t bytes = 0;
  int64_t peakStep = 0;
  /// As MemoryProfile::categories.
  std::vector<int64_t> categories;
};

/// Steps from which on a number of bytes is another, and those bytes.
using BytesOverSteps = std::vector<std::pair<int64_t, int64_t>>;

/// A use of memory: see TileMemory.h.
struct CategoryBytes {
  std::string name;
  /// Whether the sizes are estimates.
  bool isEstimated = false;
  /// On the fullest tile, and on all tiles.
  int64_t tileBytes = 0;
  int64_t totalBytes = 0;
};

/// Memory of one replica's tiles. What a tile needs is the greatest address in
/// use, whenever that is.
struct MemoryProfile {
  /// The first of the tiles that need most, and the step at which its variables
  /// take most.
  int64_t fullestTile = 0;
  int64_t peakStep = 0;
  /// What it needs, and what no choice of addresses can stay below.
  int64_t maxTileBytes = 0;
  int64_t leastTileBytes = 0;
  int64_t meanTileBytes = 0;
  /// Code of the tile that has most.
  int64_t maxCodeBytes = 0;
  /// Tiles that need more than they have.
  int64_t tilesOverMemory = 0;
  /// By first tile.
  std::vector<ProfileTileClass> classes;
  /// All there are, in a fixed order; those of the fullest tile add up to
  /// `maxTileBytes`.
  std::vector<CategoryBytes> categories;
  /// The fullest tiles, fullest first.
  std::vector<TileBytes> fullest;
  /// Tiles by bytes: bin i counts those with at least i * binBytes, and less
  /// than (i + 1) * binBytes.
  int64_t binBytes = 0;
  std::vector<int64_t> histogram;
  /// The largest variables of the fullest tile at the peak: number and bytes.
  std::vector<std::pair<int64_t, int64_t>> largest;
  /// On the tile where most are live.
  BytesOverSteps live;
  /// Variables that are not always live: of all tiles and of the fullest one.
  BytesOverSteps notAlwaysLive;
  BytesOverSteps notAlwaysLiveOfFullest;
};

/// What takes code: a codelet, or the steps of a function.
struct NamedBytes {
  std::string name;
  int64_t bytes = 0;
};

/// What the code is made of on the tile that has most, code included that is
/// not there all the time.
struct ProfileCode {
  int64_t tile = 0;
  /// In the order of their first uses, and the entry first.
  std::vector<NamedBytes> codelets, functions;
};

/// All exchanges of a run, on the replica whose clock is the slowest.
struct ProfileTraffic {
  /// Those that are not set up in vain, and cycles of that.
  int64_t setupCycles = 0;
  std::vector<TileTransfer> tiles;
  std::vector<IPUTransfer> links;
};

struct Profile {
  static constexpr int64_t kVersion = 4;

  std::string preset;
  TargetModel target;
  std::vector<ProfileStep> steps;
  /// The steps of the program and of its functions, as they are nested.
  std::vector<ProfileNode> program;
  std::vector<ProfileFunction> functions;
  /// By first replica.
  std::vector<ReplicaTimeline> timelines;
  KindTotals totals[kNumStepKinds];
  /// One for each IPU of each replica, replicas outermost.
  std::vector<IPUClock> clocks;
  /// Time of the last IPU, and the clock that has it.
  int64_t cycles = 0;
  int64_t slowestClock = 0;
  int64_t nanoseconds = 0;
  /// In the order of their first steps.
  std::vector<ProfileOp> ops;
  /// Of all steps.
  FlopCounts flops = {};
  MemoryProfile memory;
  std::vector<ProfileVariable> variables;
  /// In a detailed profile.
  ProfileCode code;
  ProfileTraffic traffic;

  const KindTotals &getTotals(StepKind kind) const {
    return totals[static_cast<unsigned>(kind)];
  }
  /// What the matrix units of one replica can do at most, per cycle, in f16.
  int64_t getPeakFlopsPerCycle() const;
  /// Floating-point operations over what the peak allows in the time of the
  /// run, in millionths.
  int64_t getUtilisationPpm() const;
  /// The time that each unit of all tiles would need at least for its part of
  /// `flops`, summed over units, over `cycles`, in millionths.
  int64_t getUtilisationPpm(const FlopCounts &flops, int64_t cycles) const;
};

/// Writes the profile as JSON, version Profile::kVersion; all of it on one line
/// if `isCompact`.
void writeProfile(const Profile &profile, llvm::raw_ostream &os,
                  bool isCompact = false);

/// Writes what ran when, in the Chrome trace event format.
void writeTrace(const Profile &profile, llvm::raw_ostream &os);

/// Prints a page for people.
void printSummary(const Profile &profile, llvm::raw_ostream &os);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROFILE_PROFILE_H
