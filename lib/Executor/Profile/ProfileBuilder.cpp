//===- ProfileBuilder.cpp - Accounts for a run ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

#include "ipu-mlir/Analysis/Cost/StepCostInterface.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ipu;

int64_t mlir::ipu::addSaturating(int64_t a, int64_t b) {
  int64_t result;
  return llvm::AddOverflow(a, b, result) ? INT64_MAX : result;
}

int64_t mlir::ipu::mulSaturating(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? INT64_MAX : result;
}

int64_t mlir::ipu::getRatio(int64_t a, int64_t factor, int64_t b) {
  if (b == 0)
    return 0;
  __int128 ratio = static_cast<__int128>(a) * factor / b;
  return ratio > INT64_MAX ? INT64_MAX : static_cast<int64_t>(ratio);
}

/// The outermost name of `loc`, or nothing.
static std::string getLocationName(Location loc) {
  std::string name;
  loc->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (!named)
      return WalkResult::advance();
    name = named.getName().str();
    return WalkResult::interrupt();
  });
  return name;
}

std::string mlir::ipu::describeLocation(Location loc) {
  std::string file, name = getLocationName(loc);
  loc->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (place && file.empty())
      file = (llvm::sys::path::filename(place.getFilename()) + ":" +
              Twine(place.getLine()) + ":" + Twine(place.getColumn()))
                 .str();
    return WalkResult::advance();
  });
  return name.empty() ? file : name;
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

static ProfileStep describeStep(const Program &program, StepOpInterface step) {
  ProfileStep result;
  StepCostAttr cost = step.getCostAttr();
  result.kind = step.getStepKind();
  result.tiles = getStepTiles(program.target, step);
  result.name = step.getStepName();
  result.location = describeLocation(step.getLoc());
  result.sourceName = getLocationName(step.getLoc());
  if (result.sourceName.empty())
    result.sourceName = result.name;
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
  if (auto model = dyn_cast<StepCostOpInterface>(step.getOperation()))
    result.unit = model.getFlopUnit(program.target);
  result.bytes = cost.getBytes();
  return result;
}

ProfileBuilder::ProfileBuilder(const Program &program) : program(program) {
  profile.preset = program.preset;
  profile.target = program.target;
  for (StepOpInterface step : program.steps)
    profile.steps.push_back(describeStep(program, step));
  for (int64_t ipu = 0; ipu < program.target.ipus; ++ipu) {
    IPUClock clock;
    clock.ipu = ipu;
    profile.clocks.push_back(clock);
  }
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

/// Lets the tiles that compute wait for the I/O tiles.
static void waitForIO(IPUClock &clock) {
  if (clock.io <= clock.now)
    return;
  clock.wait = addSaturating(clock.wait, clock.io - clock.now);
  clock.now = clock.io;
}

void ProfileBuilder::advance(IPUClock &clock, unsigned step) {
  const ProfileStep &profiled = profile.steps[step];
  int64_t cycles = profiled.cycles[clock.ipu];
  if (profiled.tiles == StepTiles::IO) {
    clock.io = addSaturating(clock.io, cycles);
    clock.ioCycles = addSaturating(clock.ioCycles, cycles);
    return;
  }
  if (profiled.tiles == StepTiles::Both)
    waitForIO(clock);
  int64_t &booked = clock.cyclesOfKind[static_cast<unsigned>(profiled.kind)];
  booked = addSaturating(booked, cycles);
  clock.now = addSaturating(clock.now, cycles);
  if (profiled.tiles == StepTiles::Both)
    clock.io = clock.now;
}

void ProfileBuilder::waitFor(MutableArrayRef<IPUClock> clocks,
                             StepTiles tiles) {
  int64_t last = 0;
  if (tiles == StepTiles::IO) {
    for (const IPUClock &clock : clocks)
      last = std::max(last, clock.io);
    for (IPUClock &clock : clocks)
      clock.io = last;
    return;
  }
  for (const IPUClock &clock : clocks)
    last = std::max(last, clock.now);
  for (IPUClock &clock : clocks) {
    clock.wait = addSaturating(clock.wait, last - clock.now);
    clock.now = last;
  }
}

void ProfileBuilder::count(unsigned step) {
  ProfileStep &profiled = profile.steps[step];
  profiled.count = addSaturating(profiled.count, 1);
  KindTotals &totals = profile.totals[static_cast<unsigned>(profiled.kind)];
  totals.steps = addSaturating(totals.steps, 1);
  totals.totalCycles = addSaturating(totals.totalCycles, profiled.totalCycles);
  totals.flops = addSaturating(totals.flops, profiled.flops);
  totals.bytes = addSaturating(totals.bytes, profiled.bytes);
}

void ProfileBuilder::runStep(unsigned step) {
  count(step);
  for (IPUClock &clock : profile.clocks)
    advance(clock, step);
}

void ProfileBuilder::runSync(unsigned step, SyncKind kind) {
  numMeetings += kind != SyncKind::Internal;
  if (kind != SyncKind::Internal)
    waitFor(profile.clocks, profile.steps[step].tiles);
  runStep(step);
}

/// How far each clock is ahead of the first: all that time to come depends on.
static SmallVector<int64_t> getLeads(const Profile &profile) {
  SmallVector<int64_t> leads;
  int64_t first = profile.clocks.front().now;
  for (const IPUClock &clock : profile.clocks)
    leads.append({clock.now - first, clock.io - first});
  return leads;
}

/// Adds what has changed since `before` another `times` times.
void ProfileBuilder::addDifference(const Profile &before, int64_t times) {
  auto extend = [times](int64_t &now, int64_t then) {
    now = addSaturating(now, mulSaturating(now - then, times));
  };
  for (auto [now, then] : llvm::zip_equal(profile.steps, before.steps))
    extend(now.count, then.count);
  for (auto [now, then] : llvm::zip_equal(profile.totals, before.totals)) {
    extend(now.steps, then.steps);
    extend(now.totalCycles, then.totalCycles);
    extend(now.flops, then.flops);
    extend(now.bytes, then.bytes);
  }
  for (auto [now, then] : llvm::zip_equal(profile.clocks, before.clocks)) {
    for (unsigned kind = 0; kind < kNumStepKinds; ++kind)
      extend(now.cyclesOfKind[kind], then.cyclesOfKind[kind]);
    extend(now.wait, then.wait);
    extend(now.now, then.now);
    extend(now.io, then.io);
    extend(now.ioCycles, then.ioCycles);
  }
}

void ProfileBuilder::runRepeatedly(int64_t count,
                                   function_ref<void()> runBody) {
  while (count > 0) {
    Profile before = profile;
    int64_t meetings = numMeetings;
    runBody();
    --count;
    bool mayMeet = numMeetings != meetings || program.target.io_tiles > 0;
    if (mayMeet && getLeads(profile) != getLeads(before))
      continue;
    return addDifference(before, count);
  }
}

/// All replicas take the same way in the same time.
void ProfileBuilder::addReplicas() {
  std::vector<IPUClock> first = profile.clocks;
  for (int64_t replica = 1; replica < program.target.replicas; ++replica)
    for (IPUClock clock : first) {
      clock.replica = replica;
      profile.clocks.push_back(clock);
    }
}

Profile ProfileBuilder::finish() {
  for (IPUClock &clock : profile.clocks)
    waitForIO(clock);
  addReplicas();
  for (auto [index, clock] : llvm::enumerate(profile.clocks))
    if (clock.now > profile.cycles) {
      profile.cycles = clock.now;
      profile.slowestClock = index;
    }
  profile.nanoseconds =
      getRatio(profile.cycles, 1000000000, program.target.clock_hz);
  profileOps(profile);
  profileMemory(program, profile);
  return std::move(profile);
}

namespace {
/// Tells a builder what a run would.
class Accountant {
public:
  Accountant(const Program &program, ProfileBuilder &builder)
      : program(program), builder(builder) {}

  LogicalResult run(const ProgramSequence &sequence) {
    for (const ProgramNode &node : sequence.nodes)
      if (failed(std::visit([&](const auto &n) { return visit(n); }, node)))
        return failure();
    return success();
  }

private:
  LogicalResult visit(const SyncNode &node) {
    builder.runSync(node.step, node.kind);
    return success();
  }
  LogicalResult visit(const CodeNode &node) {
    builder.runSync(node.step, getSyncKind(node));
    return success();
  }
  LogicalResult visit(const CallNode &node) {
    if (failed(run(program.functions[node.function].body)))
      return failure();
    builder.runStep(node.step);
    return success();
  }
  LogicalResult visit(const std::unique_ptr<RepeatNode> &node) {
    if (node->countVariable)
      return refuse(node->op);
    LogicalResult result = success();
    builder.runRepeatedly(node->count, [&] {
      if (failed(run(node->body)))
        result = failure();
      builder.runStep(node->step);
    });
    return result;
  }
  LogicalResult visit(const std::unique_ptr<IfNode> &node) {
    return refuse(node->op);
  }
  LogicalResult visit(const std::unique_ptr<WhileNode> &node) {
    return refuse(node->op);
  }
  LogicalResult visit(const ExpectNode &) { return success(); }
  LogicalResult visit(const LiveRangeBeginNode &) { return success(); }
  LogicalResult visit(const LiveRangeEndNode &) { return success(); }
  /// Whatever the host or other replicas take part in.
  template <typename NodeTy>
  LogicalResult visit(const NodeTy &node) {
    constexpr bool isLocal = std::is_same_v<NodeTy, ComputeNode> ||
                             std::is_same_v<NodeTy, ExchangeNode> ||
                             std::is_same_v<NodeTy, ReplicaIndexNode>;
    if (isLocal)
      builder.runStep(node.step);
    else
      builder.runSync(node.step, SyncKind::External);
    return success();
  }

  LogicalResult refuse(Operation *op) {
    return op->emitOpError("depends on values, which engine 'none' does not "
                           "compute: use another engine for the profile");
  }

  const Program &program;
  ProfileBuilder &builder;
};
} // namespace

SyncKind mlir::ipu::getSyncKind(const CodeNode &node) {
  return node.isLoad ? SyncKind::External : SyncKind::Internal;
}

FailureOr<Profile> mlir::ipu::profileProgram(const Program &program) {
  ProfileBuilder builder(program);
  if (failed(Accountant(program, builder).run(program.body)))
    return failure();
  return builder.finish();
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
