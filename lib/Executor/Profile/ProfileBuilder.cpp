//===- ProfileBuilder.cpp - Builder of profiles ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

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

/// The tiles that `op`, a step, moves data or code to or from.
static StepTiles getStepTiles(const TargetModel &target, StepOpInterface op) {
  if (target.io_tiles == 0)
    return StepTiles::Compute;
  if (op.isOnIOTilesOnly())
    return StepTiles::IO;
  bool usesIO = false, usesOthers = false;
  op->walk([&](Operation *inner) {
    for (Type type : inner->getOperandTypes())
      if (auto variable = dyn_cast<MemRefType>(type)) {
        TileMappingAttr mapping = getTileMapping(variable);
        int64_t first = target.getComputeTilesPerReplica();
        usesIO |= mapping.getFirst() + mapping.getNumTiles() > first;
        usesOthers |= mapping.getFirst() < first;
      }
  });
  StepKind kind = op.getStepKind();
  bool isTransfer = kind == StepKind::Host || kind == StepKind::Remote;
  if (usesIO)
    return usesOthers || !isTransfer ? StepTiles::Both : StepTiles::IO;
  return StepTiles::Compute;
}

/// The shares in the cost of a step.
static std::vector<ProfileShare> getShares(StepOpInterface step) {
  StepCostAttr cost = step.getCostAttr();
  SmallVector<CostShareAttr> shares = llvm::to_vector(cost.getShares());
  if (shares.empty())
    shares.push_back(CostShareAttr::get(
        cost.getContext(), getOrigins(step).front(), cost.getCycles(),
        cost.getFlops(), cost.getBytes()));
  std::vector<ProfileShare> result;
  for (CostShareAttr share : shares) {
    OriginAttr origin = share.getOrigin();
    result.push_back({toUTF8(origin.getOp()), toUTF8(origin.getName()),
                      toUTF8(origin.getPlace()), /*op=*/0,
                      std::vector<int64_t>(share.getCycles()),
                      share.getFlops(), share.getBytes()});
  }
  return result;
}

static ProfileStep describeStep(const Program &program, StepOpInterface step) {
  ProfileStep result;
  StepCostAttr cost = step.getCostAttr();
  result.kind = step.getStepKind();
  result.tiles = getStepTiles(program.target, step);
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

ProfileBuilder::ProfileBuilder(const Program &program,
                               const Profile &description)
    : program(program), description(description) {
  copies = getBufferedCopies(program, description.steps);
  for (auto [number, copy] : llvm::enumerate(copies)) {
    copyOfStep[copy.step] = number;
    int64_t link = *llvm::max_element(copy.linkCycles);
    horizon = addSaturating(
        horizon, addSaturating(copy.latency, mulSaturating(link, copy.depth)));
  }
  Path path;
  for (int64_t replica = 0; replica < program.target.replicas; ++replica)
    path.replicas.push_back(replica);
  for (int64_t ipu = 0; ipu < program.target.ipus; ++ipu) {
    IPUClock clock;
    clock.ipu = ipu;
    path.clocks.push_back(clock);
  }
  path.links.resize(path.clocks.size());
  path.hiddenOfCopy.assign(copies.size(),
                           SmallVector<int64_t>(path.clocks.size(), 0));
  path.counts.resize(description.steps.size());
  path.stepTimes.assign(path.clocks.size(),
                        std::vector<StepTimes>(description.steps.size()));
  paths.push_back(std::move(path));
  active.push_back(0);
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

static void waitUntil(IPUClock &clock, int64_t time) {
  if (time <= clock.now)
    return;
  clock.wait = addSaturating(clock.wait, time - clock.now);
  clock.now = time;
}

/// Lets the tiles that compute wait for the I/O tiles.
static void waitForIO(IPUClock &clock) { waitUntil(clock, clock.io); }

int64_t ProfileBuilder::getVisibleCycles(Path &path, unsigned step,
                                         int64_t ipu) {
  const ProfileStep &profiled = description.steps[step];
  int64_t cycles = profiled.cycles[ipu];
  if (profiled.kind != StepKind::Host)
    return cycles;
  IPUClock &clock = path.clocks[ipu];
  auto found = copyOfStep.find(step);
  if (found == copyOfStep.end()) {
    path.links[ipu].pause(cycles);
    return cycles;
  }
  int64_t visible = path.links[ipu].copy(copies[found->second], ipu, clock.now);
  int64_t &hidden = path.hiddenOfCopy[found->second][ipu];
  hidden = addSaturating(hidden, cycles - visible);
  clock.hostHidden = addSaturating(clock.hostHidden, cycles - visible);
  return visible;
}

/// Notes that a step ran from `start` to `end`.
static void book(StepTimes &times, int64_t start, int64_t end) {
  if (times.start < 0) {
    times.start = start;
    times.end = end;
  }
  times.lastEnd = end;
}

void ProfileBuilder::advance(Path &path, unsigned step, int64_t ipu) {
  const ProfileStep &profiled = description.steps[step];
  IPUClock &clock = path.clocks[ipu];
  StepTimes &times = path.stepTimes[ipu][step];
  if (profiled.tiles == StepTiles::IO) {
    int64_t start = clock.io;
    clock.io = addSaturating(clock.io, profiled.cycles[ipu]);
    clock.ioCycles = addSaturating(clock.ioCycles, profiled.cycles[ipu]);
    book(times, start, clock.io);
    return;
  }
  if (profiled.tiles == StepTiles::Both) {
    waitForIO(clock);
    ++numIOMeetings;
  }
  int64_t cycles = getVisibleCycles(path, step, ipu);
  int64_t &booked = clock.cyclesOfKind[static_cast<unsigned>(profiled.kind)];
  booked = addSaturating(booked, cycles);
  int64_t start = clock.now;
  clock.now = addSaturating(clock.now, cycles);
  book(times, start, clock.now);
  if (profiled.tiles == StepTiles::Both)
    clock.io = clock.now;
}

static void waitForLast(ArrayRef<IPUClock *> clocks, StepTiles tiles) {
  int64_t last = 0;
  if (tiles == StepTiles::IO) {
    for (const IPUClock *clock : clocks)
      last = std::max(last, clock->io);
    for (IPUClock *clock : clocks)
      clock->io = last;
    return;
  }
  for (const IPUClock *clock : clocks)
    last = std::max(last, clock->now);
  for (IPUClock *clock : clocks) {
    clock->wait = addSaturating(clock->wait, last - clock->now);
    clock->now = last;
  }
}

void ProfileBuilder::meet(SyncKind kind, StepTiles tiles) {
  SmallVector<IPUClock *> clocks;
  for (unsigned number : active) {
    if (kind == SyncKind::IPUs)
      clocks.clear();
    for (IPUClock &clock : paths[number].clocks)
      clocks.push_back(&clock);
    if (kind == SyncKind::IPUs)
      waitForLast(clocks, tiles);
  }
  if (kind == SyncKind::External)
    waitForLast(clocks, tiles);
}

void ProfileBuilder::count(Path &path, unsigned step) {
  const ProfileStep &profiled = description.steps[step];
  path.counts[step] = addSaturating(path.counts[step], 1);
  KindTotals &totals = path.totals[static_cast<unsigned>(profiled.kind)];
  totals.steps = addSaturating(totals.steps, 1);
  totals.totalCycles = addSaturating(totals.totalCycles, profiled.totalCycles);
  totals.flops = addSaturating(totals.flops, profiled.flops);
  totals.bytes = addSaturating(totals.bytes, profiled.bytes);
}

void ProfileBuilder::runStep(unsigned step) {
  for (unsigned number : active) {
    Path &path = paths[number];
    count(path, step);
    for (int64_t ipu = 0; ipu < program.target.ipus; ++ipu)
      advance(path, step, ipu);
  }
}

void ProfileBuilder::runSync(unsigned step, SyncKind kind) {
  numMeetings += kind != SyncKind::Internal;
  if (kind != SyncKind::Internal)
    meet(kind, description.steps[step].tiles);
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
    Path other = paths[number];
    other.replicas = std::move(waiting);
    paths[number].replicas = std::move(going);
    paths.push_back(std::move(other));
  }
}

SmallVector<int64_t> ProfileBuilder::getLeads(const Path &path,
                                              bool meetsIO) const {
  SmallVector<int64_t> leads;
  int64_t first = path.clocks.front().now;
  int64_t firstIO = meetsIO ? first : path.clocks.front().io;
  for (auto [clock, link] : llvm::zip_equal(path.clocks, path.links)) {
    leads.append({clock.now - first, clock.io - firstIO});
    link.appendLeads(clock.now, horizon, leads);
  }
  return leads;
}

/// Adds what has changed since `before` another `times` times.
void ProfileBuilder::Path::addDifference(const Path &before, int64_t times,
                                         ArrayRef<ProfileStep> steps) {
  auto extend = [times](int64_t &now, int64_t then) {
    now = addSaturating(now, mulSaturating(now - then, times));
  };
  for (size_t ipu = 0; ipu < clocks.size(); ++ipu) {
    const IPUClock &now = clocks[ipu], &then = before.clocks[ipu];
    for (auto [step, profiled] : llvm::enumerate(steps)) {
      if (counts[step] == before.counts[step])
        continue;
      int64_t period = profiled.tiles == StepTiles::IO ? now.io - then.io
                                                       : now.now - then.now;
      int64_t &end = stepTimes[ipu][step].lastEnd;
      end = addSaturating(end, mulSaturating(period, times));
    }
  }
  for (auto [now, then] : llvm::zip_equal(counts, before.counts))
    extend(now, then);
  for (auto [now, then] : llvm::zip_equal(totals, before.totals)) {
    extend(now.steps, then.steps);
    extend(now.totalCycles, then.totalCycles);
    extend(now.flops, then.flops);
    extend(now.bytes, then.bytes);
  }
  for (auto [now, then] : llvm::zip_equal(clocks, before.clocks)) {
    for (unsigned kind = 0; kind < kNumStepKinds; ++kind)
      extend(now.cyclesOfKind[kind], then.cyclesOfKind[kind]);
    extend(now.wait, then.wait);
    extend(now.now, then.now);
    extend(now.io, then.io);
    extend(now.ioCycles, then.ioCycles);
    extend(now.hostHidden, then.hostHidden);
  }
  for (auto [now, then] : llvm::zip_equal(links, before.links))
    now.extend(then, extend);
  for (auto [now, then] : llvm::zip_equal(hiddenOfCopy, before.hiddenOfCopy))
    for (auto [nowOfIPU, thenOfIPU] : llvm::zip_equal(now, then))
      extend(nowOfIPU, thenOfIPU);
}

void ProfileBuilder::runRepeatedly(int64_t count,
                                   function_ref<void()> runBody) {
  Path before = paths.front();
  int64_t meetings = numMeetings, meetingsWithIO = numIOMeetings;
  // Copies of a buffered stream may take turns of several rounds to be the same
  // again: looks that many rounds back, twice as many each time.
  int64_t rounds = 0, maxRounds = 1;
  while (count > 0) {
    runBody();
    --count;
    ++rounds;
    bool meetsIO = numIOMeetings != meetingsWithIO;
    bool mayMeet = numMeetings != meetings || meetsIO;
    if (!mayMeet ||
        getLeads(paths.front(), meetsIO) == getLeads(before, meetsIO)) {
      paths.front().addDifference(before, count / rounds, description.steps);
      for (int64_t left = count % rounds; left > 0; --left)
        runBody();
      return;
    }
    if (rounds == maxRounds) {
      before = paths.front();
      rounds = 0;
      maxRounds *= 2;
    }
  }
}

/// The first clock with the latest time.
static const IPUClock &getSlowest(ArrayRef<IPUClock> clocks) {
  return *llvm::max_element(clocks, [](const IPUClock &a, const IPUClock &b) {
    return a.now < b.now;
  });
}

/// Where all end at once, the slowest replica is the one that has waited least.
void ProfileBuilder::addClocks(Profile &profile) {
  std::vector<const Path *> pathOfReplica(program.target.replicas);
  for (Path &path : paths) {
    for (auto [clock, link] : llvm::zip_equal(path.clocks, path.links)) {
      waitForIO(clock);
      waitUntil(clock, link.getEnd());
    }
    for (int64_t replica : path.replicas)
      pathOfReplica[replica] = &path;
  }
  const Path *slowest = nullptr;
  int64_t leastWait = 0;
  for (auto [replica, path] : llvm::enumerate(pathOfReplica)) {
    const IPUClock &last = getSlowest(path->clocks);
    if (!slowest || last.now > profile.cycles ||
        (last.now == profile.cycles && last.wait < leastWait)) {
      profile.cycles = last.now;
      profile.slowestClock = profile.clocks.size() + last.ipu;
      leastWait = last.wait;
      slowest = path;
    }
    for (IPUClock clock : path->clocks) {
      clock.replica = replica;
      profile.clocks.push_back(clock);
    }
  }
  for (auto [step, count] : llvm::zip_equal(profile.steps, slowest->counts))
    step.count = count;
  int64_t ipu = profile.clocks[profile.slowestClock].ipu;
  for (auto [copy, hidden] : llvm::zip_equal(copies, slowest->hiddenOfCopy))
    profile.steps[copy.step].hiddenCycles = hidden[ipu];
  llvm::copy(slowest->totals, profile.totals);
}

void ProfileBuilder::addTimelines(Profile &profile) {
  for (Path &path : paths)
    profile.timelines.push_back(
        {std::vector<int64_t>(path.replicas.begin(), path.replicas.end()),
         std::move(path.counts), std::move(path.stepTimes)});
  llvm::sort(profile.timelines,
             [](const ReplicaTimeline &a, const ReplicaTimeline &b) {
               return a.replicas.front() < b.replicas.front();
             });
}

Profile ProfileBuilder::finish() {
  Profile profile = description;
  addClocks(profile);
  addTimelines(profile);
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
