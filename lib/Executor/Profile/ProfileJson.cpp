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

/// As [from, to, bytes].
static Json toJson(ArrayRef<IPUTransfer> links) {
  Json json = Json::array();
  for (const IPUTransfer &link : links)
    json.push_back({link.from, link.to, link.bytes});
  return json;
}

/// Without the bytes of each tile, which may be as many as there are tiles.
static Json toJson(const ProfileExchange &exchange) {
  return {{"setup_cycles", exchange.setupCycles},
          {"sent", exchange.sent},
          {"local_bytes", exchange.localBytes},
          {"runs", exchange.runs},
          {"in_pairs", exchange.inPairs},
          {"busiest_sender", exchange.busiestSender},
          {"max_sent", exchange.maxSent},
          {"busiest_receiver", exchange.busiestReceiver},
          {"max_received", exchange.maxReceived},
          {"links", toJson(exchange.links)}};
}

static Json toJson(const ProfileTraffic &traffic) {
  Json tiles = Json::array();
  for (const TileTransfer &transfer : traffic.tiles)
    tiles.push_back(
        {transfer.begin, transfer.end, transfer.sent, transfer.received});
  return {{"setup_cycles", traffic.setupCycles},
          {"tiles", tiles},
          {"links", toJson(traffic.links)}};
}

static Json toJson(ArrayRef<NamedBytes> list) {
  Json json = Json::array();
  for (const NamedBytes &entry : list)
    json.push_back({{"name", entry.name}, {"bytes", entry.bytes}});
  return json;
}

static Json toJson(const ProfileCode &code) {
  return {{"tile", code.tile},
          {"codelets", toJson(code.codelets)},
          {"functions", toJson(code.functions)}};
}

static Json toJson(ArrayRef<ProfileShare> shares) {
  Json json = Json::array();
  for (const ProfileShare &share : shares)
    json.push_back({{"op", share.op},
                    {"cycles", share.cycles},
                    {"flops", share.flops},
                    {"bytes", share.bytes}});
  return json;
}

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
  if (step.shares.size() > 1)
    json["shares"] = toJson(step.shares);
  if (step.tiles == StepTiles::IO)
    json["on_io_tiles"] = true;
  if (step.method)
    json["method"] = stringifyContractionMethod(*step.method).str();
  json["codelets"] = step.codelets;
  json["code_bytes"] = step.codeBytes;
  json["reads"] = step.reads;
  json["writes"] = step.writes;
  if (!step.tileCycles.empty())
    json["tile_cycles"] = step.tileCycles;
  if (step.exchange)
    json["exchange"] = toJson(*step.exchange);
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
  Json json = {{"name", op.name},
               {"type", op.type},
               {"place", op.place},
               {"steps", op.steps}};
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

static Json toJson(const StreamingMemoryProfile &memory) {
  Json buffers = Json::array();
  for (const ProfileRemoteBuffer &buffer : memory.buffers)
    buffers.push_back({{"name", buffer.name},
                       {"location", buffer.location},
                       {"rows", buffer.rows},
                       {"row_bytes", buffer.rowBytes},
                       {"bytes", buffer.bytes}});
  return {{"capacity", memory.capacity},
          {"bytes", memory.bytes},
          {"buffers", buffers}};
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
  Json ipus = Json::array();
  for (const IPUMemory &ipu : memory.ipus)
    ipus.push_back({{"fullest_tile", ipu.fullestTile},
                    {"max_tile_bytes", ipu.maxTileBytes},
                    {"total_bytes", ipu.totalBytes},
                    {"tiles_over_memory", ipu.tilesOverMemory}});
  Json largest = Json::array();
  for (auto [variable, bytes] : memory.largest)
    largest.push_back({{"variable", variable}, {"bytes", bytes}});
  Json liveOfFullest = Json::array();
  for (const BytesOverSteps &bytes : memory.liveOfFullest)
    liveOfFullest.push_back(toJson(bytes));
  return {{"fullest_tile", memory.fullestTile},
          {"peak_step", memory.peakStep},
          {"max_tile_bytes", memory.maxTileBytes},
          {"least_tile_bytes", memory.leastTileBytes},
          {"mean_tile_bytes", memory.meanTileBytes},
          {"max_code_bytes", memory.maxCodeBytes},
          {"tiles_over_memory", memory.tilesOverMemory},
          {"classes", memory.classes.size()},
          {"ipus", ipus},
          {"categories", categories},
          {"fullest_tiles", fullest},
          {"histogram",
           {{"bin_bytes", memory.binBytes}, {"tiles", memory.histogram}}},
          {"largest", largest},
          {"live", toJson(memory.live)},
          {"not_always_live", toJson(memory.notAlwaysLive)},
          {"not_always_live_of_fullest", toJson(memory.notAlwaysLiveOfFullest)},
          {"live_of_fullest", liveOfFullest},
          {"tile_classes", classes}};
}

static Json toJson(const ProfileVariable &variable) {
  return {{"name", variable.name},
          {"location", variable.location},
          {"type", variable.type},
          {"bytes", variable.bytes},
          {"max_tile_bytes", variable.maxTileBytes},
          {"fullest_tile_bytes", variable.fullestTileBytes},
          {"unique_bytes", variable.uniqueBytes},
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
  Json calls = Json::array();
  for (const ProfileCall &call : timeline.calls)
    calls.push_back({call.function, call.ipu, call.start, call.end});
  return {{"replicas", timeline.replicas},
          {"counts", timeline.counts},
          {"ipus", ipus},
          {"calls", calls}};
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
  return {{"rule", advice.rule.name.str()},
          {"text", advice.text},
          {"subject", advice.subject},
          {"step", advice.step},
          {"tile", advice.tile},
          {"option", advice.option.str()},
          {"saving", advice.saving},
          {"saving_bytes", advice.savingBytes}};
}

static Json toJson(const ProfileRule &rule) {
  return {{"rule", rule.name.str()}, {"measure", rule.measure.str()},
          {"unit", rule.unit.str()}, {"value", rule.value},
          {"limit", rule.limit},     {"applies", rule.applies},
          {"speaks", rule.speaks()}};
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

namespace {
/// Writes the keys of an object one by one, and elements of long lists one by
/// one: what is in memory as JSON is never more than one of them.
class JsonWriter {
public:
  JsonWriter(llvm::raw_ostream &os, bool isCompact)
      : os(os), isCompact(isCompact) {
    os << '{';
  }

  void write(StringRef key, const Json &value) {
    writeKey(key);
    writeValue(value, /*depth=*/1);
  }
  /// A list with what `convert` makes of each element of `range`.
  template <typename Range, typename Convert>
  void writeList(StringRef key, const Range &range, Convert convert) {
    writeKey(key);
    os << '[';
    StringRef separator;
    for (const auto &element : range) {
      os << separator;
      separator = ",";
      breakLine(/*depth=*/2);
      writeValue(convert(element), /*depth=*/2);
    }
    if (!separator.empty())
      breakLine(/*depth=*/1);
    os << ']';
  }
  void finish() {
    breakLine(/*depth=*/0);
    os << "}\n";
  }

private:
  static constexpr unsigned kIndent = 2;

  void breakLine(unsigned depth) {
    if (!isCompact)
      os << '\n';
    if (!isCompact)
      os.indent(depth * kIndent);
  }
  void writeKey(StringRef key) {
    os << (isFirst ? "" : ",");
    isFirst = false;
    breakLine(/*depth=*/1);
    os << '"' << key << (isCompact ? "\":" : "\": ");
  }
  void writeValue(const Json &value, unsigned depth) {
    // Names may be no UTF-8; the default is to throw.
    std::string text =
        value.dump(isCompact ? -1 : kIndent, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
    // Line breaks in strings are escaped.
    for (StringRef rest = text; !rest.empty();) {
      auto [line, after] = rest.split('\n');
      os << line;
      if (line.size() < rest.size())
        breakLine(depth);
      rest = after;
    }
  }

  llvm::raw_ostream &os;
  bool isCompact;
  bool isFirst = true;
};
} // namespace

static void writeTotals(const Profile &profile, JsonWriter &json) {
  Json target = {{"preset", profile.preset}};
  for (const TargetModel::Constant &constant : TargetModel::getConstants())
    target[constant.key.str()] = profile.target.*constant.member;
  Json totals = Json::object();
  for (unsigned kind = 0; kind < kNumStepKinds; ++kind)
    totals[stringifyStepKind(static_cast<StepKind>(kind)).str()] =
        toJson(profile.totals[kind]);
  json.write("version", Profile::kVersion);
  json.write("target", target);
  json.write("cycles", profile.cycles);
  json.write("nanoseconds", profile.nanoseconds);
  json.write("peak_flops_per_cycle", profile.getPeakFlopsPerCycle());
  json.write("utilisation_ppm", profile.getUtilisationPpm());
  json.write("peak_flops_per_cycle_of_tile", toJson([&](FlopUnit unit) {
               return getPeakFlops(profile.target, unit);
             }));
  json.write("flops", toJson(profile.flops));
  json.write("unit_utilisation_ppm",
             profile.getUtilisationPpm(profile.flops, profile.cycles));
  json.write("slowest_clock", profile.slowestClock);
  json.write("totals", totals);
}

void mlir::ipu::writeProfile(const Profile &profile, llvm::raw_ostream &os,
                             bool isCompact) {
  JsonWriter json(os, isCompact);
  auto convert = [](const auto &element) { return toJson(element); };
  writeTotals(profile, json);
  json.writeList("clocks", profile.clocks, convert);
  json.writeList("ops", profile.ops, convert);
  ProfileFindings findings = checkRules(profile);
  json.writeList("advice", findings.advice, convert);
  json.writeList("rules", findings.rules, convert);
  json.write("memory", toJson(profile.memory));
  json.write("streaming_memory", toJson(profile.streamingMemory));
  json.write("code", toJson(profile.code));
  json.write("exchange", toJson(profile.traffic));
  json.writeList("variables", profile.variables, convert);
  json.writeList(
      "steps", llvm::enumerate(profile.steps),
      [](const auto &entry) { return toJson(entry.value(), entry.index()); });
  json.write("program", toJson(profile.program));
  json.writeList("functions", profile.functions,
                 [](const ProfileFunction &function) -> Json {
                   return {{"name", function.name},
                           {"body", toJson(function.body)}};
                 });
  json.writeList("timelines", profile.timelines, convert);
  json.finish();
}
