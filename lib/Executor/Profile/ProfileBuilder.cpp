//===- ProfileBuilder.cpp - Builder of profiles ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

#include "ipu-mlir/Analysis/Cost/ConditionCopies.h"
#include "ipu-mlir/Analysis/Cost/StepCostInterface.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/IPU/IR/Origins.h"
#include "ipu-mlir/Support/LocationName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ipu;

// The least number is -INT64_MAX, so that each has a negative.
static int64_t saturate(bool isNegative) {
  return isNegative ? -INT64_MAX : INT64_MAX;
}

int64_t mlir::ipu::addSaturating(int64_t a, int64_t b) {
  int64_t result;
  return llvm::AddOverflow(a, b, result) ? saturate(a < 0) : result;
}

int64_t mlir::ipu::mulSaturating(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? saturate((a < 0) != (b < 0))
                                         : result;
}

int64_t mlir::ipu::getRatio(int64_t a, int64_t factor, int64_t b) {
  if (b == 0)
    return 0;
  __int128 ratio = static_cast<__int128>(a) * factor / b;
  return ratio > INT64_MAX ? INT64_MAX : static_cast<int64_t>(ratio);
}

bool mlir::ipu::mayBeSaturated(int64_t value) { return value >= Count::kMax; }

std::string mlir::ipu::formatNumber(int64_t value) {
  if (!mayBeSaturated(value))
    return llvm::formatv("{0:N}", value).str();
  int64_t unit = 1000000000000000;
  int exponent = 15;
  while (value / unit >= 10) {
    unit *= 10;
    ++exponent;
  }
  int64_t hundredths = value / (unit / 100);
  return llvm::formatv("at least {0}.{1,0+2}e{2}", hundredths / 100,
                       hundredths % 100, exponent)
      .str();
}

std::string mlir::ipu::formatShare(int64_t part, int64_t whole) {
  if (mayBeSaturated(whole))
    return "unknown";
  int64_t permille = getRatio(part, 1000, whole);
  return llvm::formatv("{0}.{1} %", permille / 10, permille % 10).str();
}

std::string mlir::ipu::toUTF8(StringRef text) {
  if (llvm::json::isUTF8(text))
    return text.str();
  std::string result;
  for (char c : text)
    if (llvm::isASCII(c))
      result += c;
    else
      result += "\\" + llvm::toHex(StringRef(&c, 1));
  return result;
}

/// The name in `loc`, or nothing.
static std::string getName(Location loc) {
  StringAttr name = getLocationName(loc);
  return name ? toUTF8(name) : std::string();
}

/// The first position in a file in `loc`, or nothing.
static std::string getPlace(Location loc) {
  return toUTF8(getLocationPlace(loc));
}

std::string mlir::ipu::describeLocation(Location loc) {
  std::string name = getName(loc);
  return name.empty() ? getPlace(loc) : name;
}

/// Returns whether the tiles of `mapping` include I/O tiles, and whether they
/// include compute tiles.
static std::pair<bool, bool> findTileSets(const TargetModel &target,
                                          TileMappingAttr mapping) {
  bool hasIO = false, hasCompute = false;
  TileCounts elements =
      getElementsPerTile(mapping, target.getTilesPerReplica());
  for (const TileRun &run : elements.getRuns())
    for (int64_t tile = run.begin; run.value > 0 && tile < run.end;) {
      // The rest of the tiles of one set of the IPU is visited at once.
      int64_t first = tile / target.tiles * target.tiles;
      bool isCompute = tile - first < target.getComputeTiles();
      (isCompute ? hasCompute : hasIO) = true;
      tile = first + (isCompute ? target.getComputeTiles() : target.tiles);
    }
  return {hasIO, hasCompute};
}

/// The tiles that `op`, a step, moves data or code to or from.
static StepTiles getStepTiles(const TargetModel &target, StepOpInterface op) {
  if (target.io_tiles == 0)
    return StepTiles::Compute;
  if (op.isOnIOTilesOnly())
    return StepTiles::IO;
  // The I/O tiles know how often a loop of constant count runs.
  auto repeat = dyn_cast<RepeatOp>(*op);
  if (repeat && repeat.getCountAttr())
    return StepTiles::Compute;
  bool usesIO = false, usesOthers = false;
  op->walk([&](Operation *inner) {
    for (Type type : inner->getOperandTypes())
      if (auto variable = dyn_cast<MemRefType>(type)) {
        auto [hasIO, hasCompute] =
            findTileSets(target, getTileMapping(variable));
        usesIO |= hasIO;
        usesOthers |= hasCompute;
      }
  });
  StepKind kind = op.getStepKind();
  bool isTransfer = kind == StepKind::Host || kind == StepKind::Remote;
  if (usesIO)
    return usesOthers || !isTransfer ? StepTiles::Both : StepTiles::IO;
  return StepTiles::Compute;
}

/// Returns the IPUs that wait for each other before `step`, if it is a sync, a
/// transfer or a branch.
static std::vector<int64_t> getWaitingIPUs(const TargetModel &target,
                                           StepOpInterface step) {
  if (auto sync = dyn_cast<SyncOp>(step.getOperation()))
    if (std::optional<ArrayRef<int64_t>> ipus = sync.getIpus())
      return ipus->vec();
  ArrayRef<int64_t> cycles = step.getCostAttr().getCycles();
  std::vector<int64_t> all, busy;
  for (auto [ipu, ofIPU] : llvm::enumerate(cycles)) {
    all.push_back(ipu);
    if (ofIPU > 0)
      busy.push_back(ipu);
  }
  if (isa<IfOp, WhileOp>(*step) &&
      getConditionMoves(target, step, busy).empty())
    return {};
  // Steps that take no time are on all IPUs.
  return busy.empty() ? all : busy;
}

/// The shares in the cost of a step.
static std::vector<ProfileShare> getShares(StepOpInterface step) {
  StepCostAttr cost = step.getCostAttr();
  SmallVector<CostShareAttr> shares = llvm::to_vector(cost.getShares());
  if (shares.empty())
    shares.push_back(
        CostShareAttr::get(cost.getContext(), getOrigins(step).front(),
                           cost.getCycles(), cost.getFlops(), cost.getBytes()));
  std::vector<ProfileShare> result;
  for (CostShareAttr share : shares) {
    OriginAttr origin = share.getOrigin();
    std::string op = toUTF8(origin.getOp());
    if (op.empty())
      op = stringifyStepKind(step.getStepKind()).str();
    result.push_back({std::move(op), toUTF8(origin.getName()),
                      toUTF8(origin.getPlace()), /*op=*/0,
                      std::vector<int64_t>(share.getCycles()), share.getFlops(),
                      share.getBytes()});
  }
  return result;
}

static ProfileStep describeStep(const Program &program, StepOpInterface step) {
  ProfileStep result;
  StepCostAttr cost = step.getCostAttr();
  result.kind = step.getStepKind();
  result.tiles = getStepTiles(program.target, step);
  result.ipus = getWaitingIPUs(program.target, step);
  result.name = toUTF8(step.getStepName());
  if (result.name.empty())
    result.name = stringifyStepKind(result.kind).str();
  result.location = describeLocation(step.getLoc());
  result.place = getPlace(step.getLoc());
  result.shares = getShares(step);
  result.cycles.assign(cost.getCycles().begin(), cost.getCycles().end());
  for (int64_t cycles : result.cycles)
    result.maxCycles = std::max(result.maxCycles, cycles);
  int64_t tiles = program.target.getTilesPerReplica();
  result.totalCycles = cost.getTotal();
  result.busiestTile = cost.getTile();
  result.meanCycles = result.totalCycles / tiles;
  result.balancePermille = getRatio(result.totalCycles, 1000,
                                    mulSaturating(result.maxCycles, tiles));
  result.flops = cost.getFlops();
  if (auto model = dyn_cast<StepCostOpInterface>(step.getOperation())) {
    result.unit = model.getFlopUnit(program.target);
    result.method = model.getContractionMethod(program.target);
  }
  result.bytes = cost.getBytes();
  return result;
}

Profile mlir::ipu::describeProgram(const Program &program, bool inDetail) {
  Profile profile;
  profile.preset = program.preset;
  profile.target = program.target;
  for (StepOpInterface step : program.steps)
    profile.steps.push_back(describeStep(program, step));
  profileMemory(program, profile);
  profileTree(program, profile);
  if (inDetail) {
    profileCompute(program, profile);
    profileExchanges(program, profile);
    profileCode(program, profile);
  }
  return profile;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

ReplicaPath ReplicaPath::getStart(const StepTimer &timer,
                                  const TargetModel &target, size_t numSteps) {
  ReplicaPath path;
  path.replicas = llvm::to_vector(llvm::seq<int64_t>(0, target.replicas));
  path.clocks = timer.getStart();
  path.hiddenOfCopy.assign(timer.getCopies().size(),
                           SmallVector<int64_t>(target.ipus, 0));
  path.counts.resize(numSteps);
  path.stepTimes.assign(target.ipus, std::vector<StepTimes>(numSteps));
  return path;
}

ProfileBuilder::ProfileBuilder(const Program &program,
                               const Profile &description)
    : program(program), description(description),
      timer(program, description.steps) {
  paths.push_back(
      ReplicaPath::getStart(timer, program.target, description.steps.size()));
  active.push_back(0);
}

void ProfileBuilder::meet(SyncKind kind, const ProfileStep &step) {
  SmallVector<IPUClock *> clocks;
  for (unsigned number : active) {
    if (kind == SyncKind::IPUs)
      clocks.clear();
    for (int64_t ipu : step.ipus)
      clocks.push_back(&paths[number].clocks.clocks[ipu]);
    if (kind == SyncKind::IPUs)
      waitForLast(clocks, step.tiles);
  }
  if (kind == SyncKind::External)
    waitForLast(clocks, step.tiles);
}

void ProfileBuilder::runStep(unsigned step) {
  std::optional<unsigned> copy = timer.findCopy(step);
  for (unsigned number : active) {
    ReplicaPath &path = paths[number];
    path.counts[step] = addSaturating(path.counts[step], 1);
    for (int64_t ipu = 0; ipu < program.target.ipus; ++ipu) {
      StepExecution ran = timer.run(path.clocks, step, ipu);
      StepTimes &times = path.stepTimes[ipu][step];
      if (times.start < 0) {
        times.start = ran.start;
        times.end = ran.end;
      }
      times.lastEnd = ran.end;
      if (callDepth > 0 && !timer.isOnIOTiles(step))
        path.inCall.add(ipu, ran.start, ran.end);
      if (copy) {
        int64_t &hidden = path.hiddenOfCopy[*copy][ipu];
        hidden = addSaturating(hidden, ran.hidden);
      }
    }
  }
}

void ProfileBuilder::beginCall() {
  if (callDepth++ == 0)
    for (ReplicaPath &path : paths)
      path.inCall = BusyTimes(program.target.ipus);
}

void ProfileBuilder::endCall(unsigned function) {
  if (--callDepth == 0 && program.target.ipus > 1)
    for (unsigned number : active)
      paths[number].inCall.addCall(function, paths[number].calls);
}

void ProfileBuilder::runSync(unsigned step, SyncKind kind) {
  if (kind != SyncKind::Internal)
    meet(kind, description.steps[step]);
  runStep(step);
}

/// A path of which only some replicas go on becomes two.
void ProfileBuilder::setActive(ArrayRef<int64_t> replicas) {
  active.clear();
  for (size_t number = 0, end = paths.size(); number < end; ++number) {
    SmallVector<int64_t> going, waiting;
    for (int64_t replica : paths[number].replicas)
      (llvm::binary_search(replicas, replica) ? going : waiting)
          .push_back(replica);
    if (going.empty())
      continue;
    active.push_back(number);
    if (waiting.empty())
      continue;
    ReplicaPath other = paths[number];
    other.replicas = std::move(waiting);
    paths[number].replicas = std::move(going);
    paths.push_back(std::move(other));
  }
}

Profile ProfileBuilder::finish() {
  return finishProfile(program, description, timer, paths);
}

//===----------------------------------------------------------------------===//
// The profile of a run
//===----------------------------------------------------------------------===//

/// The first clock with the latest time.
static const IPUClock &getSlowest(ArrayRef<IPUClock> clocks) {
  return *llvm::max_element(clocks, [](const IPUClock &a, const IPUClock &b) {
    return a.now < b.now;
  });
}

/// Sets the number of executions of each step and the sums over them.
static void addCounts(Profile &profile, ArrayRef<int64_t> counts) {
  for (auto [step, count] : llvm::zip_equal(profile.steps, counts)) {
    step.count = count;
    KindTotals &totals = profile.totals[static_cast<unsigned>(step.kind)];
    auto add = [count = count](int64_t &total, int64_t number) {
      total = addSaturating(total, mulSaturating(count, number));
    };
    add(totals.steps, 1);
    add(totals.totalCycles, step.totalCycles);
    add(totals.flops, step.flops);
    add(totals.bytes, step.bytes);
  }
}

/// Where all end at once, the slowest replica is the one that has waited least.
static void addClocks(Profile &profile, ArrayRef<BufferedCopy> copies,
                      MutableArrayRef<ReplicaPath> paths) {
  std::vector<const ReplicaPath *> pathOfReplica(profile.target.replicas);
  for (ReplicaPath &path : paths) {
    for (auto [clock, link] :
         llvm::zip_equal(path.clocks.clocks, path.clocks.links)) {
      waitUntil(clock, clock.io);
      waitUntil(clock, link.getEnd());
    }
    for (int64_t replica : path.replicas)
      pathOfReplica[replica] = &path;
  }
  const ReplicaPath *slowest = nullptr;
  int64_t leastWait = 0;
  for (auto [replica, path] : llvm::enumerate(pathOfReplica)) {
    const IPUClock &last = getSlowest(path->clocks.clocks);
    if (!slowest || last.now > profile.cycles ||
        (last.now == profile.cycles && last.wait < leastWait)) {
      profile.cycles = last.now;
      profile.slowestClock = profile.clocks.size() + last.ipu;
      leastWait = last.wait;
      slowest = path;
    }
    for (IPUClock clock : path->clocks.clocks) {
      clock.replica = replica;
      profile.clocks.push_back(clock);
    }
  }
  addCounts(profile, slowest->counts);
  int64_t ipu = profile.clocks[profile.slowestClock].ipu;
  for (auto [copy, hidden] : llvm::zip_equal(copies, slowest->hiddenOfCopy))
    profile.steps[copy.step].hiddenCycles = hidden[ipu];
}

static void addTimelines(Profile &profile, MutableArrayRef<ReplicaPath> paths) {
  for (ReplicaPath &path : paths)
    profile.timelines.push_back(
        {std::vector<int64_t>(path.replicas.begin(), path.replicas.end()),
         std::move(path.counts), std::move(path.stepTimes),
         std::move(path.calls)});
  llvm::sort(profile.timelines,
             [](const ReplicaTimeline &a, const ReplicaTimeline &b) {
               return a.replicas.front() < b.replicas.front();
             });
}

Profile mlir::ipu::finishProfile(const Program &program,
                                 const Profile &description,
                                 const StepTimer &timer,
                                 MutableArrayRef<ReplicaPath> paths) {
  Profile profile = description;
  addClocks(profile, timer.getCopies(), paths);
  addTimelines(profile, paths);
  profile.nanoseconds =
      getRatio(profile.cycles, 1000000000, program.target.clock_hz);
  profileOps(profile);
  sumTraffic(profile);
  return profile;
}

int64_t Profile::getPeakFlopsPerCycle() const {
  return mulSaturating(getPeakFlops(target, FlopUnit::MatrixF16),
                       target.getTilesPerReplica());
}

int64_t Profile::getUtilisationPpm() const {
  int64_t flops = 0;
  for (const KindTotals &kind : totals)
    flops = addSaturating(flops, kind.flops);
  return getRatio(flops, 1000000,
                  mulSaturating(cycles, getPeakFlopsPerCycle()));
}
