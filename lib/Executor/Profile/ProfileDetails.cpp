//===- ProfileDetails.cpp - Parts of steps, exchanges and code ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

#include "ipu-mlir/Analysis/Cost/ConditionCopies.h"
#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"

using namespace mlir;
using namespace mlir::ipu;

/// Parts of the tiles that ProfileStep::tileCycles tells apart.
static constexpr int64_t kTileParts = 8;

//===----------------------------------------------------------------------===//
// Cycles of tiles
//===----------------------------------------------------------------------===//

/// The least of `counts`, the greatest, and those at even distances between.
static std::vector<int64_t> getQuantiles(const TileCounts &counts) {
  std::vector<std::pair<int64_t, int64_t>> tilesOfValue;
  for (const TileRun &run : counts.getRuns())
    tilesOfValue.emplace_back(run.value, run.end - run.begin);
  llvm::sort(tilesOfValue);
  std::vector<int64_t> quantiles;
  int64_t seen = 0, part = 0;
  for (auto [value, tiles] : tilesOfValue) {
    seen += tiles;
    for (; part <= kTileParts &&
           part * (counts.getNumTiles() - 1) / kTileParts < seen;
         ++part)
      quantiles.push_back(value);
  }
  return quantiles;
}

void mlir::ipu::profileCompute(const Program &program, Profile &profile) {
  for (auto [number, step] : llvm::enumerate(program.steps)) {
    auto op = dyn_cast<ComputeSetOp>(*step);
    if (!op)
      continue;
    // Costs do not say how closely they were estimated, and may be no
    // estimates.
    for (CostLevel level : {CostLevel::Fast, CostLevel::Detailed}) {
      TileCounts cycles = getComputeTileCycles(program.target, op, level);
      if (cycles.getSum() != profile.steps[number].totalCycles)
        continue;
      profile.steps[number].tileCycles = getQuantiles(cycles);
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// Runs of tiles on which both counts are constant, those without any left out.
static std::vector<TileTransfer> getTransfers(const TileCounts &sent,
                                              const TileCounts &received) {
  std::vector<TileTransfer> transfers;
  int64_t begin = 0;
  ArrayRef<TileRun> out = sent.getRuns(), in = received.getRuns();
  while (!out.empty() && !in.empty()) {
    int64_t end = std::min(out.front().end, in.front().end);
    if (out.front().value > 0 || in.front().value > 0)
      transfers.push_back({begin, end, out.front().value, in.front().value});
    begin = end;
    for (ArrayRef<TileRun> *runs : {&out, &in})
      if (runs->front().end == end)
        *runs = runs->drop_front();
  }
  return transfers;
}

static ProfileExchange describeExchange(const TargetModel &target,
                                        ArrayRef<ExchangeMove> moves) {
  ExchangeTraffic traffic = getExchangeTraffic(target, moves);
  ProfileExchange exchange;
  exchange.setupCycles = traffic.bytes > 0 ? target.exchange_setup_cycles : 0;
  exchange.sent = traffic.sent.getSum();
  exchange.localBytes = traffic.local.getSum();
  exchange.runs = traffic.receiveRuns.getSum();
  exchange.inPairs = traffic.bytes > 0 && traffic.inPairs;
  std::tie(exchange.busiestSender, exchange.maxSent) = traffic.sent.getMax();
  std::tie(exchange.busiestReceiver, exchange.maxReceived) =
      traffic.received.getMax();
  exchange.tiles = getTransfers(traffic.sent, traffic.received);
  for (auto [ipus, bytes] : traffic.links)
    exchange.links.push_back({ipus.first, ipus.second, bytes});
  TileCounts cycles = getExchangeTileCycles(target, traffic);
  exchange.totalCycles = cycles.getSum();
  exchange.tileCycles = getQuantiles(cycles);
  return exchange;
}

void mlir::ipu::profileExchanges(const Program &program, Profile &profile) {
  // What moves follows from the types and from which sources are the same.
  using Key = std::vector<std::pair<const void *, size_t>>;
  std::map<Key, std::shared_ptr<const ProfileExchange>> known;
  for (auto [number, step] : llvm::enumerate(program.steps)) {
    ProfileStep &profiled = profile.steps[number];
    SmallVector<ExchangeMove, 0> copies =
        getConditionMoves(program.target, step, profiled.ipus);
    if (!copies.empty())
      profiled.exchange = std::make_shared<ProfileExchange>(
          describeExchange(program.target, copies));
    auto op = dyn_cast<ExchangeOp>(*step);
    if (!op)
      continue;
    Key key;
    llvm::SmallDenseMap<Operation *, size_t, 4> sources;
    for (auto move : op.getBody().getOps<MoveOp>()) {
      Operation *source = getVariable(move.getSource());
      size_t first = sources.try_emplace(source, sources.size()).first->second;
      key.emplace_back(move.getSource().getType().getAsOpaquePointer(), first);
      key.emplace_back(move.getTarget().getType().getAsOpaquePointer(), 0);
    }
    std::shared_ptr<const ProfileExchange> &exchange = known[key];
    if (!exchange)
      exchange = std::make_shared<ProfileExchange>(
          describeExchange(program.target, getExchangeMoves(op)));
    profiled.exchange = exchange;
    if (exchange->totalCycles == profiled.totalCycles)
      profiled.tileCycles = exchange->tileCycles;
  }
}

void mlir::ipu::sumTraffic(Profile &profile) {
  ProfileTraffic &traffic = profile.traffic;
  int64_t numTiles = profile.target.getTilesPerReplica();
  TileCounts sent(numTiles), received(numTiles);
  std::map<std::pair<int64_t, int64_t>, int64_t> links;
  for (const ProfileStep &step : profile.steps) {
    if (!step.exchange || step.count == 0)
      continue;
    const ProfileExchange &exchange = *step.exchange;
    // The set-up for a condition is not part of the time of exchanges.
    if (step.kind == StepKind::Exchange)
      traffic.setupCycles = addSaturating(
          traffic.setupCycles, mulSaturating(step.count, exchange.setupCycles));
    for (const TileTransfer &tiles : exchange.tiles) {
      int64_t count = tiles.end - tiles.begin;
      sent.add(tiles.begin, count, mulSaturating(step.count, tiles.sent));
      received.add(tiles.begin, count,
                   mulSaturating(step.count, tiles.received));
    }
    for (const IPUTransfer &link : exchange.links) {
      int64_t &bytes = links[{link.from, link.to}];
      bytes = addSaturating(bytes, mulSaturating(step.count, link.bytes));
    }
  }
  traffic.tiles = getTransfers(sent, received);
  for (auto [ipus, bytes] : links)
    traffic.links.push_back({ipus.first, ipus.second, bytes});
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Adds `bytes` to those of `name`, which may be new.
static void addBytes(std::vector<NamedBytes> &list, StringRef name,
                     int64_t bytes) {
  auto it = llvm::find_if(
      list, [&](const NamedBytes &entry) { return entry.name == name; });
  if (it == list.end())
    it = list.insert(list.end(), {name.str(), 0});
  it->bytes = addSaturating(it->bytes, bytes);
}

void mlir::ipu::profileCode(const Program &program, Profile &profile) {
  DenseMap<Operation *, size_t> numberOfStep;
  for (auto [number, step] : llvm::enumerate(program.steps))
    numberOfStep[step] = number;
  ProfileCode &code = profile.code;
  code.tile = program.memoryPlan.getMostCode().getFirstTile();
  // Also those that have no code there.
  auto getName = [](Operation *function) {
    return toUTF8(SymbolTable::getSymbolName(function).getValue());
  };
  addBytes(code.functions, getName(program.function), 0);
  for (const ProgramFunction &function : program.functions)
    addBytes(code.functions, toUTF8(function.name), 0);
  for (const CodePart &part : getCodeParts(program.function, code.tile)) {
    if (auto codelet = dyn_cast<CodeletOp>(part.op)) {
      addBytes(code.codelets, getName(codelet), part.bytes);
      continue;
    }
    auto step = numberOfStep.find(part.op);
    if (step != numberOfStep.end()) {
      int64_t &bytes = profile.steps[step->second].codeBytes;
      bytes = addSaturating(bytes, part.bytes);
    }
    addBytes(code.functions, getName(part.op->getParentOfType<func::FuncOp>()),
             part.bytes);
  }
}
