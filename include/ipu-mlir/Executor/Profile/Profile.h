//===- Profile.h - Profile of a run -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The profile is plain data with integers only. It depends neither on the
// engine nor on the number of host threads. docs/profile.md documents it and
// its JSON format.
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

/// The tiles that take part in a step: the tiles that compute, the I/O tiles
/// (see `io_tiles` of the target), or both.
enum class StepTiles { Compute, IO, Both };

constexpr unsigned kNumStepKinds = getMaxEnumValForStepKind() + 1;

/// The number of floating-point operations of each unit.
using FlopCounts = std::array<int64_t, kNumFlopUnits>;

/// A range of tiles [begin, end), each of which sends `sent` bytes and receives
/// `received` bytes.
struct TileTransfer {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t sent = 0;
  int64_t received = 0;
};

/// The bytes that IPU `from` sends to IPU `to`. If several tiles of `to` hold
/// the same elements, each of these elements counts once.
struct IPUTransfer {
  int64_t from = 0;
  int64_t to = 0;
  int64_t bytes = 0;
};

/// The data that one exchange moves.
struct ProfileExchange {
  int64_t setupCycles = 0;
  /// The bytes on the fabric, for all tiles together. An element is sent once,
  /// even if several tiles receive it.
  int64_t sent = 0;
  /// The bytes that are copied within a tile.
  int64_t localBytes = 0;
  /// The number of runs of contiguous elements that tiles receive.
  int64_t runs = 0;
  /// Whether pairs of tiles use their bus at double width.
  bool inPairs = false;
  /// The tile that sends most bytes and its sent bytes, and the tile that
  /// receives most bytes and its received bytes.
  int64_t busiestSender = 0;
  int64_t maxSent = 0;
  int64_t busiestReceiver = 0;
  int64_t maxReceived = 0;
  std::vector<TileTransfer> tiles;
  std::vector<IPUTransfer> links;
  /// The cycles of tiles by the formula of the device model, with the same
  /// selection of tiles as in ProfileStep::tileCycles.
  std::vector<int64_t> tileCycles;
  int64_t totalCycles = 0;
};

/// The part of the cost of one execution of a step that belongs to one op of
/// the source. `sourceOp` is the kind of op, `sourceName` its name in the
/// source, and `place` its position as `file:line:column`. The latter two are
/// empty if they are not known.
struct ProfileShare {
  std::string sourceOp;
  std::string sourceName;
  std::string place;
  /// The number of the op in Profile::ops.
  int64_t op = 0;
  /// The cycles on each IPU of a replica.
  std::vector<int64_t> cycles;
  int64_t flops = 0;
  int64_t bytes = 0;
};

/// One step of the program. All numbers except `count` are for one execution on
/// one replica.
struct ProfileStep {
  StepKind kind = StepKind::Compute;
  StepTiles tiles = StepTiles::Compute;
  /// The IPUs that wait for each other before a sync, a transfer or a branch,
  /// ascending. A branch has none unless it copies its condition.
  std::vector<int64_t> ipus;
  std::string name;
  std::string location;
  /// The first file position in the location, as `file:line:column`. Empty if
  /// the location has no file position.
  std::string place;
  /// The shares of the ops from which the step comes, at least one. After
  /// profileOps(), there is one share for each op.
  std::vector<ProfileShare> shares;
  /// The codelets of the step's vertices, in the order of their first uses.
  std::vector<std::string> codelets;
  /// The numbers of the variables that the step reads and writes, ascending. If
  /// a step writes only some elements of a variable, the other elements do not
  /// change.
  std::vector<int64_t> reads, writes;
  /// The number of executions.
  int64_t count = 0;
  /// The cycles of the slowest tile, for each IPU of a replica.
  std::vector<int64_t> cycles;
  int64_t maxCycles = 0;
  /// The cycles that all executions of the step saved, because the step's
  /// stream has buffers. These are cycles on the IPU with the slowest clock.
  int64_t hiddenCycles = 0;
  /// The sum of the cycles of all tiles; the number of the slowest tile; and
  /// the mean of the cycles of all tiles (rounded down).
  int64_t totalCycles = 0;
  int64_t busiestTile = 0;
  int64_t meanCycles = 0;
  /// The mean divided by the maximum, in thousandths.
  int64_t balancePermille = 0;
  int64_t flops = 0;
  /// The unit that executed most of `flops`.
  FlopUnit unit = FlopUnit::VectorF32;
  /// The method, if the step is a matmul or convolution of floats.
  std::optional<ContractionMethod> method;
  int64_t bytes = 0;
  /// The data that an exchange moves, in a detailed profile. Equal exchanges
  /// share this object.
  std::shared_ptr<const ProfileExchange> exchange;
  /// In a detailed profile, the distribution of cycles over tiles, if the step
  /// is a compute set or an exchange, and its cost is an estimate. The tiles
  /// are sorted by their cycles. Element i has the cycles of the tile at i
  /// eighths of this order, from the fastest to the slowest tile. Cycles for
  /// which all tiles wait are not included.
  std::vector<int64_t> tileCycles;
  /// The bytes of the step's code on ProfileCode::tile, in a detailed profile.
  int64_t codeBytes = 0;
};

/// The shares of one op of the source in steps, with all executions on one
/// replica. Shares with the same `sourceName` and `place` belong to one op. If
/// both are empty, the shares of each step are an op of their own.
struct ProfileOp {
  /// The name of the op, which is unique.
  std::string name;
  /// The kind of op (`sourceOp`) of the share with the most cycles. This is a
  /// share of a sync only if the op has no other shares.
  std::string type;
  std::string place;
  /// The numbers of the steps in which the op has a share, ascending.
  std::vector<int64_t> steps;
  /// The cycles of each kind of step on the IPU with the slowest clock, and
  /// their sum.
  int64_t cyclesOfKind[kNumStepKinds] = {};
  int64_t cycles = 0;
  FlopCounts flops = {};
  int64_t bytes = 0;
  /// See Profile::getUtilisationPpm.
  int64_t utilisationPpm = 0;
  /// `cycles` divided by the cycles of the run, in thousandths.
  int64_t sharePermille = 0;
};

/// The cycles of one IPU. `wait` is the time for which the IPU waited: for
/// other IPUs in syncs, for its I/O tiles and, at the end of the run, for the
/// host to receive the contents of buffers. The syncs themselves are one of the
/// kinds in `cyclesOfKind`. I/O tiles run independently. `io` is the time at
/// which the steps of the I/O tiles are done. `ioCycles` is the duration of
/// these steps; it is not part of `cyclesOfKind`.
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

/// The times at which an IPU executed a step: the first and the last cycle of
/// the first execution, and the last cycle of the last execution. All are -1 if
/// the step was not executed.
struct StepTimes {
  int64_t start = -1;
  int64_t end = -1;
  int64_t lastEnd = -1;
};

/// A call of a function on one IPU: the first and the last cycle in which the
/// compute tiles of the IPU executed a step of the call.
struct ProfileCall {
  /// The position in Profile::functions.
  unsigned function = 0;
  int64_t ipu = 0;
  int64_t start = 0;
  int64_t end = 0;
};

/// Replicas that executed the same steps, and the times of these steps. The
/// replicas are in ascending order.
struct ReplicaTimeline {
  static constexpr size_t kMaxCalls = 4096;

  std::vector<int64_t> replicas;
  /// The number of executions of each step.
  std::vector<int64_t> counts;
  /// The times of each step on each IPU of a replica, by IPU and then by step.
  std::vector<std::vector<StepTimes>> times;
  /// The first kMaxCalls calls on all IPUs, without calls in called functions.
  /// The list is empty if a replica has one IPU.
  std::vector<ProfileCall> calls;
};

/// An element of a sequence of the program: a step or a call. For a loop or
/// branch, `bodies` has the sequences of its bodies. The steps of the bodies
/// come before the step of the loop or branch in Profile::steps.
struct ProfileNode {
  int64_t step = 0;
  std::vector<std::vector<ProfileNode>> bodies;
  /// For a call, the number of the called function.
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

/// A variable of the program. `firstStep`, `lastStep` and `ranges` contain
/// indices of steps. If the variable has no live step, `lastStep` is less than
/// `firstStep`.
struct ProfileVariable {
  std::string name;
  std::string location;
  /// The type of an element; empty for code.
  std::string type;
  std::string mapping;
  /// The bytes of the variable on all tiles together, on the tile that holds
  /// most of them, and on the fullest tile. Gaps are not included.
  int64_t bytes = 0;
  int64_t maxTileBytes = 0;
  int64_t fullestTileBytes = 0;
  /// The bytes if each element counts once. They are fewer than `bytes` if
  /// several tiles hold copies.
  int64_t uniqueBytes = 0;
  int64_t firstStep = 0;
  int64_t lastStep = 0;
  /// The first and the last step of each live range, ascending. The list is
  /// empty if there is no live step.
  std::vector<std::pair<int64_t, int64_t>> ranges;
  bool alwaysLive = false;
};

struct TileBytes {
  int64_t tile = 0;
  int64_t bytes = 0;
};

/// A class of tiles that need the same memory; see TileMemory.h.
struct ProfileTileClass {
  /// The tiles of the class, as ascending ranges [begin, end).
  std::vector<std::pair<int64_t, int64_t>> tiles;
  int64_t bytes = 0;
  int64_t peakStep = 0;
  /// The bytes of each category, in the order of MemoryProfile::categories.
  std::vector<int64_t> categories;
};

/// A number of bytes that changes from step to step. Each pair consists of a
/// step at which the number changes, and the new number.
using BytesOverSteps = std::vector<std::pair<int64_t, int64_t>>;

/// The bytes of one category of memory; see TileMemory.h.
struct CategoryBytes {
  std::string name;
  /// Whether the sizes are estimates.
  bool isEstimated = false;
  /// The bytes on the fullest tile, and on all tiles.
  int64_t tileBytes = 0;
  int64_t totalBytes = 0;
};

/// The memory of the tiles of one IPU of a replica: the first tile with the
/// greatest need, this need, the sum of the needs of all tiles, and the number
/// of tiles whose need is greater than their memory.
struct IPUMemory {
  int64_t fullestTile = 0;
  int64_t maxTileBytes = 0;
  int64_t totalBytes = 0;
  int64_t tilesOverMemory = 0;
};

/// The bytes of a remote buffer on one replica.
struct ProfileRemoteBuffer {
  std::string name;
  /// The `file:line:column` of the declaration; empty if there is none.
  std::string location;
  int64_t rows = 0;
  int64_t rowBytes = 0;
  int64_t bytes = 0;
};

/// The streaming memory of one replica; see StreamingMemory.h.
struct StreamingMemoryProfile {
  int64_t capacity = 0;
  int64_t bytes = 0;
  /// The buffers in the order of the program.
  std::vector<ProfileRemoteBuffer> buffers;
};

/// The memory of the tiles of one replica. The need of a tile is the number of
/// bytes from address 0 to the end of the highest memory that the tile uses in
/// any step.
struct MemoryProfile {
  /// The first tile with the greatest need, and the step at which its variables
  /// take most memory.
  int64_t fullestTile = 0;
  int64_t peakStep = 0;
  /// The need of the fullest tile, and a lower bound of this need for all
  /// choices of addresses.
  int64_t maxTileBytes = 0;
  int64_t leastTileBytes = 0;
  int64_t meanTileBytes = 0;
  /// The bytes of code on the tile with most code.
  int64_t maxCodeBytes = 0;
  /// The number of tiles whose need is greater than their memory.
  int64_t tilesOverMemory = 0;
  /// The classes in the order of their first tiles.
  std::vector<ProfileTileClass> classes;
  /// The memory of each IPU.
  std::vector<IPUMemory> ipus;
  /// All categories, in a fixed order. Their bytes on the fullest tile add up
  /// to `maxTileBytes`.
  std::vector<CategoryBytes> categories;
  /// The fullest tiles, in descending order of their needs.
  std::vector<TileBytes> fullest;
  /// A histogram of the needs of tiles. Bin 0 counts the tiles that need fewer
  /// than `binBytes` bytes, bin 1 the tiles that need at least `binBytes` and
  /// fewer than 2 * `binBytes` bytes, and so on.
  int64_t binBytes = 0;
  std::vector<int64_t> histogram;
  /// The largest variables on the fullest tile at its peak step, as pairs of a
  /// variable's number and its bytes.
  std::vector<std::pair<int64_t, int64_t>> largest;
  /// The greatest number of live bytes of a tile.
  BytesOverSteps live;
  /// The bytes of live variables that are not always live, on all tiles and on
  /// the fullest tile.
  BytesOverSteps notAlwaysLive;
  BytesOverSteps notAlwaysLiveOfFullest;
  /// The live bytes on the fullest tile for each of `categories`; gaps count as
  /// 0.
  std::vector<BytesOverSteps> liveOfFullest;
};

/// The bytes of code of a codelet, or of the steps of a function.
struct NamedBytes {
  std::string name;
  int64_t bytes = 0;
};

/// The parts of the code on the tile with most code, including code that is not
/// always on the tile.
struct ProfileCode {
  int64_t tile = 0;
  /// The codelets and functions in the order of their first uses. The entry
  /// function comes first.
  std::vector<NamedBytes> codelets, functions;
};

/// The traffic of all exchanges of a run on the replica with the slowest clock.
struct ProfileTraffic {
  /// The cycles of the set-ups of all exchanges that move data.
  int64_t setupCycles = 0;
  std::vector<TileTransfer> tiles;
  std::vector<IPUTransfer> links;
};

struct Profile {
  static constexpr int64_t kVersion = 5;

  std::string preset;
  TargetModel target;
  std::vector<ProfileStep> steps;
  /// The steps of the program and of its functions, in their nesting.
  std::vector<ProfileNode> program;
  std::vector<ProfileFunction> functions;
  /// The timelines in the order of their first replicas.
  std::vector<ReplicaTimeline> timelines;
  KindTotals totals[kNumStepKinds];
  /// The clock of each IPU of each replica, by replica and then by IPU.
  std::vector<IPUClock> clocks;
  /// The time at which the last IPU ends, and the index of its clock.
  int64_t cycles = 0;
  int64_t slowestClock = 0;
  int64_t nanoseconds = 0;
  /// The ops in the order of their first steps.
  std::vector<ProfileOp> ops;
  /// The floating-point operations of all steps.
  FlopCounts flops = {};
  MemoryProfile memory;
  StreamingMemoryProfile streamingMemory;
  std::vector<ProfileVariable> variables;
  /// The code and the traffic, in a detailed profile.
  ProfileCode code;
  ProfileTraffic traffic;

  const KindTotals &getTotals(StepKind kind) const {
    return totals[static_cast<unsigned>(kind)];
  }
  /// Returns the greatest number of f16 operations per cycle of all matrix
  /// units of one replica together.
  int64_t getPeakFlopsPerCycle() const;
  /// Returns the utilisation of the run, in millionths: the number of its
  /// floating-point operations, divided by the number of f16 operations that
  /// the matrix units can execute in the time of the run.
  int64_t getUtilisationPpm() const;
  /// Returns the utilisation for `flops` operations in `cycles` cycles, in
  /// millionths. For each unit, there is a least number of cycles in which all
  /// tiles together can execute the unit's operations in `flops`. The
  /// utilisation is the sum of these numbers over all units, divided by
  /// `cycles`.
  int64_t getUtilisationPpm(const FlopCounts &flops, int64_t cycles) const;
};

/// Writes the profile as JSON, version Profile::kVersion. With `isCompact`, the
/// text is one line.
void writeProfile(const Profile &profile, llvm::raw_ostream &os,
                  bool isCompact = false);

/// Writes the times of all steps in the Chrome trace event format.
void writeTrace(const Profile &profile, llvm::raw_ostream &os);

/// Prints a summary of the profile as readable text.
void printSummary(const Profile &profile, llvm::raw_ostream &os);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROFILE_PROFILE_H
