//===- ProfileJson.cpp - Profiles as JSON ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Profile/Profile.h"

#include "ipu-mlir/Executor/Profile/ProfileAdvice.h"
#include "llvm/ADT/STLExtras.h"

// Debian's header throws unless told not to.
#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::ipu;

/// Keys in the order in which they are added.
using Json = nlohmann::ordered_json;

static Json toJson(const ProfileStep &step, int64_t index) {
  Json json = {{"index", index},
               {"kind", stringifyStepKind(step.kind).str()},
               {"name", step.name},
               {"location", step.location},
               {"place", step.place},
               {"count", step.count},
               {"cycles", step.cycles},
               {"total_cycles", step.totalCycles},
               {"busiest_tile", step.busiestTile},
               {"mean_cycles", step.meanCycles},
               {"balance_permille", step.balancePermille},
               {"flops", step.flops},
               {"unit", stringifyFlopUnit(step.unit).str()},
               {"bytes", step.bytes},
               {"hidden_cycles", step.hiddenCycles}};
  if (step.method)
    json["method"] = stringifyContractionMethod(*step.method).str();
  json["codelets"] = step.codelets;
  json["reads"] = step.reads;
  json["writes"] = step.writes;
  return json;
}

/// A number for each unit that can do floating-point operations.
static Json toJson(function_ref<int64_t(FlopUnit)> getNumber) {
  Json json = Json::object();
  for (unsigned i = 0; i < kNumFlopUnits; ++i) {
    auto unit = static_cast<FlopUnit>(i);
    json[stringifyFlopUnit(unit).str()] = getNumber(unit);
  }
  return json;
}

static Json toJson(const FlopCounts &flops) {
  return toJson(
      [&](FlopUnit unit) { return flops[static_cast<unsigned>(unit)]; });
}

static Json toJson(const ProfileOp &op) {
  Json json = {{"name", op.name}, {"place", op.place}, {"steps", op.steps}};
  for (unsigned kind = 0; kind < kNumStepKinds; ++kind)
    json[stringifyStepKind(static_cast<StepKind>(kind)).str()] =
        op.cyclesOfKind[kind];
  json["cycles"] = op.cycles;
  json["share_permille"] = op.sharePermille;
  json["flops"] = toJson(op.flops);
  json["utilisation_ppm"] = op.utilisationPpm;
  json["bytes"] = op.bytes;
  return json;
}

static Json toJson(const IPUClock &clock) {
  Json json = {{"replica", clock.replica}, {"ipu", clock.ipu}};
  for (unsigned kind = 0; kind < kNumStepKinds; ++kind)
    json[stringifyStepKind(static_cast<StepKind>(kind)).str()] =
        clock.cyclesOfKind[kind];
  json["sync_wait"] = clock.wait;
  json["io"] = clock.ioCycles;
  json["cycles"] = clock.now;
  json["host_hidden"] = clock.hostHidden;
  return json;
}

static Json toJson(const KindTotals &totals) {
  return {{"steps", totals.steps},
          {"total_cycles", totals.totalCycles},
          {"flops", totals.flops},
          {"bytes", totals.bytes}};
}

static Json toJson(const BytesOverSteps &bytes) {
  Json json = Json::array();
  for (auto [step, number] : bytes)
    json.push_back({{"step", step}, {"bytes", number}});
  return json;
}

static Json toJson(const MemoryProfile &memory) {
  Json fullest = Json::array();
  for (const TileBytes &tile : memory.fullest)
    fullest.push_back({{"tile", tile.tile}, {"bytes", tile.bytes}});
  Json categories = Json::array();
  for (const CategoryBytes &category : memory.categories)
    categories.push_back({{"name", category.name},
                          {"estimated", category.isEstimated},
                          {"tile_bytes", category.tileBytes},
                          {"total_bytes", category.totalBytes}});
  Json classes = Json::array();
  for (const ProfileTileClass &tileClass : memory.classes)
    classes.push_back({{"tiles", tileClass.tiles},
                       {"bytes", tileClass.bytes},
                       {"peak_step", tileClass.peakStep},
                       {"categories", tileClass.categories}});
  Json largest = Json::array();
  for (auto [variable, bytes] : memory.largest)
    largest.push_back({{"variable", variable}, {"bytes", bytes}});
  return {{"fullest_tile", memory.fullestTile},
          {"peak_step", memory.peakStep},
          {"max_tile_bytes", memory.maxTileBytes},
          {"least_tile_bytes", memory.leastTileBytes},
          {"mean_tile_bytes", memory.meanTileBytes},
          {"max_code_bytes", memory.maxCodeBytes},
          {"tiles_over_memory", memory.tilesOverMemory},
          {"classes", memory.classes.size()},
          {"categories", categories},
          {"fullest_tiles", fullest},
          {"histogram",
           {{"bin_bytes", memory.binBytes}, {"tiles", memory.histogram}}},
          {"largest", largest},
          {"live", toJson(memory.live)},
          {"not_always_live", toJson(memory.notAlwaysLive)},
          {"not_always_live_of_fullest", toJson(memory.notAlwaysLiveOfFullest)},
          {"tile_classes", classes}};
}

static Json toJson(const ProfileVariable &variable) {
  return {{"name", variable.name},
          {"location", variable.location},
          {"type", variable.type},
          {"bytes", variable.bytes},
          {"max_tile_bytes", variable.maxTileBytes},
          {"fullest_tile_bytes", variable.fullestTileBytes},
          {"map", variable.mapping},
          {"first_step", variable.firstStep},
          {"last_step", variable.lastStep},
          {"ranges", variable.ranges},
          {"always_live", variable.alwaysLive}};
}

/// Of one of StepTimes, -1 of what did not run.
static Json toJson(ArrayRef<StepTimes> times, int64_t StepTimes::*member) {
  Json json = Json::array();
  for (const StepTimes &time : times)
    json.push_back(time.*member);
  return json;
}

static Json toJson(const ReplicaTimeline &timeline) {
  Json ipus = Json::array();
  for (ArrayRef<StepTimes> times : timeline.times)
    ipus.push_back({{"start", toJson(times, &StepTimes::start)},
                    {"end", toJson(times, &StepTimes::end)},
                    {"last_end", toJson(times, &StepTimes::lastEnd)}});
  return {{"replicas", timeline.replicas},
          {"counts", timeline.counts},
          {"ipus", ipus}};
}

/// A step without bodies is its number.
static Json toJson(ArrayRef<ProfileNode> nodes) {
  Json json = Json::array();
  for (const ProfileNode &node : nodes) {
    if (node.bodies.empty() && !node.function) {
      json.push_back(node.step);
      continue;
    }
    Json inner = {{"step", node.step}};
    if (node.function)
      inner["function"] = *node.function;
    for (ArrayRef<ProfileNode> body : node.bodies)
      inner["bodies"].push_back(toJson(body));
    json.push_back(std::move(inner));
  }
  return json;
}

static Json toJson(const ProfileAdvice &advice) {
  return {{"rule", advice.rule.str()},
          {"text", advice.text},
          {"saving", advice.saving}};
}

static Json toJson(const Profile &profile) {
  Json target = {{"preset", profile.preset}};
  for (const TargetModel::Constant &constant : TargetModel::getConstants())
    target[constant.key.str()] = profile.target.*constant.member;
  Json totals = Json::object();
  for (unsigned kind = 0; kind < kNumStepKinds; ++kind)
    totals[stringifyStepKind(static_cast<StepKind>(kind)).str()] =
        toJson(profile.totals[kind]);
  Json json = {{"version", Profile::kVersion},
               {"target", target},
               {"cycles", profile.cycles},
               {"nanoseconds", profile.nanoseconds},
               {"peak_flops_per_cycle", profile.getPeakFlopsPerCycle()},
               {"utilisation_ppm", profile.getUtilisationPpm()},
               {"peak_flops_per_cycle_of_tile", toJson([&](FlopUnit unit) {
                  return getPeakFlops(profile.target, unit);
                })},
               {"flops", toJson(profile.flops)},
               {"unit_utilisation_ppm",
                profile.getUtilisationPpm(profile.flops, profile.cycles)},
               {"slowest_clock", profile.slowestClock},
               {"totals", totals}};
  json["clocks"] = Json::array();
  for (const IPUClock &clock : profile.clocks)
    json["clocks"].push_back(toJson(clock));
  json["ops"] = Json::array();
  for (const ProfileOp &op : profile.ops)
    json["ops"].push_back(toJson(op));
  json["advice"] = Json::array();
  for (const ProfileAdvice &advice : getAdvice(profile))
    json["advice"].push_back(toJson(advice));
  json["memory"] = toJson(profile.memory);
  json["variables"] = Json::array();
  for (const ProfileVariable &variable : profile.variables)
    json["variables"].push_back(toJson(variable));
  json["steps"] = Json::array();
  for (auto [index, step] : llvm::enumerate(profile.steps))
    json["steps"].push_back(toJson(step, index));
  json["program"] = toJson(profile.program);
  json["functions"] = Json::array();
  for (const ProfileFunction &function : profile.functions)
    json["functions"].push_back(
        {{"name", function.name}, {"body", toJson(function.body)}});
  json["timelines"] = Json::array();
  for (const ReplicaTimeline &timeline : profile.timelines)
    json["timelines"].push_back(toJson(timeline));
  return json;
}

void mlir::ipu::writeProfile(const Profile &profile, llvm::raw_ostream &os,
                             bool isCompact) {
  // Names may be no UTF-8; the default is to throw.
  os << toJson(profile).dump(isCompact ? -1 : 2, ' ', false,
                             Json::error_handler_t::replace)
     << "\n";
}
