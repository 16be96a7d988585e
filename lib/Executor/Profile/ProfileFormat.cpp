//===- ProfileFormat.cpp - Checks of profiles that are read ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileFormat.h"

#include "ProfileBuilder.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Executor/Profile/Profile.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <limits>
#include <optional>

using namespace mlir;
using namespace mlir::ipu;

/// Keys in the order in which they are read.
using Json = nlohmann::ordered_json;

//===----------------------------------------------------------------------===//
// The format
//===----------------------------------------------------------------------===//

namespace {
/// The least number that is accepted, where each number is.
constexpr int64_t kAnyNumber = std::numeric_limits<int64_t>::min();

/// A restriction of the values at `path`, where `[]` stands for each element of
/// a list. `size` is one of Sizes. A number is at least `least` and, with a
/// size, at most this size plus `beyond`. A list with a size has so many
/// elements.
struct Rule {
  StringLiteral path;
  int64_t least = 0;
  StringLiteral size = "";
  int64_t beyond = -1;
  bool isOptional = false;
};

/// All numbers without a rule are at least 0.
constexpr Rule kRules[] = {
    {"target.ipus", 1},
    {"target.replicas", 1},
    {"target.tiles", 1},
    {"slowest_clock", 0, "clocks"},
    {"clocks", 0, "clocks"},
    {"clocks[].replica", 0, "replicas"},
    {"clocks[].ipu", 0, "ipus"},
    {"clocks[].host_hidden", kAnyNumber},
    {"ops[].steps[]", 0, "steps"},
    {"advice[].step", -1, "steps"},
    {"advice[].tile", -1, "tiles"},
    {"rules[].value", kAnyNumber},
    {"memory.fullest_tile", 0, "tiles"},
    {"memory.peak_step", 0, "moments"},
    {"memory.fullest_tiles[].tile", 0, "tiles"},
    {"memory.ipus", 0, "ipus"},
    {"memory.ipus[].fullest_tile", 0, "tiles"},
    {"memory.largest[].variable", 0, "variables"},
    {"memory.live[].step", 0, "moments"},
    {"memory.not_always_live[].step", 0, "moments"},
    {"memory.not_always_live_of_fullest[].step", 0, "moments"},
    {"memory.live_of_fullest", 0, "categories"},
    {"memory.live_of_fullest[][].step", 0, "moments"},
    {"memory.tile_classes[].tiles[][0]", 0, "tiles"},
    {"memory.tile_classes[].tiles[][1]", 0, "tiles", 0},
    {"memory.tile_classes[].peak_step", 0, "moments"},
    {"memory.tile_classes[].categories", 0, "categories"},
    {"code.tile", 0, "tiles"},
    {"exchange.tiles[][0]", 0, "tiles"},
    {"exchange.tiles[][1]", 0, "tiles", 0},
    {"exchange.links[][0]", 0, "ipus"},
    {"exchange.links[][1]", 0, "ipus"},
    {"variables[].first_step", 0, "moments", 0},
    {"variables[].last_step", -1, "moments"},
    {"variables[].ranges[][0]", 0, "moments"},
    {"variables[].ranges[][1]", 0, "moments"},
    {"steps[].cycles", 0, "ipus"},
    {"steps[].busiest_tile", 0, "tiles"},
    {"steps[].hidden_cycles", kAnyNumber},
    {"steps[].shares", 0, "", 0, /*isOptional=*/true},
    {"steps[].shares[].op", 0, "ops"},
    {"steps[].shares[].cycles", 0, "ipus"},
    {"steps[].on_io_tiles", 0, "", 0, /*isOptional=*/true},
    {"steps[].method", 0, "", 0, /*isOptional=*/true},
    {"steps[].reads[]", 0, "variables"},
    {"steps[].writes[]", 0, "variables"},
    {"steps[].tile_cycles", 0, "", 0, /*isOptional=*/true},
    {"steps[].exchange", 0, "", 0, /*isOptional=*/true},
    {"steps[].exchange.busiest_sender", 0, "tiles"},
    {"steps[].exchange.busiest_receiver", 0, "tiles"},
    {"steps[].exchange.links[][0]", 0, "ipus"},
    {"steps[].exchange.links[][1]", 0, "ipus"},
    {"timelines[].replicas[]", 0, "replicas"},
    {"timelines[].counts", 0, "steps"},
    {"timelines[].ipus", 0, "ipus"},
    {"timelines[].ipus[].start", 0, "steps"},
    {"timelines[].ipus[].start[]", -1},
    {"timelines[].ipus[].end", 0, "steps"},
    {"timelines[].ipus[].end[]", -1},
    {"timelines[].ipus[].last_end", 0, "steps"},
    {"timelines[].ipus[].last_end[]", -1},
    {"timelines[].calls[][0]", 0, "functions"},
    {"timelines[].calls[][1]", 0, "ipus"},
};

/// The same of nodes of the program, which nest.
constexpr Rule kNodeRules[] = {
    {"step", 0, "steps"},
    {"function", 0, "functions", -1, /*isOptional=*/true},
    {"bodies", 0, "", 0, /*isOptional=*/true},
};

/// The sizes that rules name.
using Sizes = llvm::StringMap<int64_t>;

/// What a value is.
struct Format {
  /// As nlohmann names it: "object", "array", "string", "boolean" or "number".
  std::string kind;
  Rule rule;
  /// Of an object, the formats of its keys.
  std::vector<std::pair<std::string, Format>> members;
  /// Of a list: the format of all elements; several formats are those of the
  /// elements of a tuple; none if the elements may be anything.
  std::vector<Format> elements;
};
} // namespace

static std::string inBrackets(size_t index) {
  return "[" + std::to_string(index) + "]";
}

/// A profile with one of each part that all profiles may have several of.
static Json makeExample() {
  Profile profile;
  ProfileStep &step = profile.steps.emplace_back();
  step.codelets = {""};
  step.reads = step.writes = step.cycles = {0};
  step.tiles = StepTiles::IO;
  step.shares.assign(2, ProfileShare());
  for (ProfileShare &share : step.shares)
    share.cycles = {0};
  step.method = ContractionMethod();
  step.tileCycles.assign(9, 0);
  auto exchange = std::make_shared<ProfileExchange>();
  exchange->links.emplace_back();
  step.exchange = exchange;
  profile.functions.emplace_back();
  profile.timelines.push_back({{0}, {0}, {{StepTimes()}}, {ProfileCall()}});
  profile.clocks.emplace_back();
  profile.ops.emplace_back().steps = {0};
  profile.memory.classes.push_back({{{0, 0}}, 0, 0, {0}});
  profile.memory.categories.emplace_back();
  profile.memory.fullest.emplace_back();
  profile.memory.ipus.emplace_back();
  profile.memory.histogram = {0};
  profile.memory.largest = profile.memory.live = profile.memory.notAlwaysLive =
      profile.memory.notAlwaysLiveOfFullest = {{0, 0}};
  profile.memory.liveOfFullest = {{{0, 0}}};
  profile.streamingMemory.buffers.emplace_back();
  // There is advice, because no code fits.
  profile.memory.maxCodeBytes = 1;
  profile.variables.emplace_back().ranges = {{0, 0}};
  profile.code.codelets.emplace_back();
  profile.code.functions.emplace_back();
  profile.traffic.tiles.emplace_back();
  profile.traffic.links.emplace_back();
  std::string text;
  llvm::raw_string_ostream os(text);
  writeProfile(profile, os, /*isCompact=*/true);
  return Json::parse(text);
}

/// The format of values such as `example`, the value at `path`. An array of
/// several numbers is a tuple. All other arrays are lists, whose elements are
/// as the first one.
static Format makeFormat(const Json &example, const std::string &path,
                         ArrayRef<Rule> rules) {
  Format format = {example.type_name(), {""}, {}, {}};
  const Rule *rule =
      llvm::find_if(rules, [&](const Rule &rule) { return rule.path == path; });
  if (rule != rules.end())
    format.rule = *rule;
  if (example.is_object())
    for (const auto &[key, value] : example.items())
      format.members.emplace_back(
          key, makeFormat(value, path.empty() ? key : path + "." + key, rules));
  if (!example.is_array() || example.empty())
    return format;
  if (example.size() == 1 || !example.front().is_number()) {
    format.elements.push_back(makeFormat(example.front(), path + "[]", rules));
    return format;
  }
  for (auto [index, value] : llvm::enumerate(example))
    format.elements.push_back(
        makeFormat(value, path + inBrackets(index), rules));
  return format;
}

static const Format &getProfileFormat() {
  static const Format format = makeFormat(makeExample(), "", kRules);
  return format;
}

static const Format &getNodeFormat() {
  static const Format format = makeFormat(
      {{"step", 0}, {"function", 0}, {"bodies", Json::array({Json::array()})}},
      "", kNodeRules);
  return format;
}

static const Format &getMember(const Format &object, StringRef key) {
  return llvm::find_if(object.members,
                       [&](const auto &member) { return member.first == key; })
      ->second;
}

static Json toJson(const Format &format) {
  Json json = {{"kind", format.kind}};
  const Rule &rule = format.rule;
  if (format.kind == "number" && rule.least != kAnyNumber)
    json["least"] = rule.least;
  if (!rule.size.empty())
    json["size"] = rule.size.str();
  if (!rule.size.empty() && format.kind == "number")
    json["beyond"] = rule.beyond;
  if (rule.isOptional)
    json["optional"] = true;
  for (const auto &[key, member] : format.members)
    json["members"][key] = toJson(member);
  for (const Format &element : format.elements)
    if (format.elements.size() == 1)
      json["each"] = toJson(element);
    else
      json["elements"].push_back(toJson(element));
  return json;
}

void mlir::ipu::writeProfileFormat(llvm::raw_ostream &os) {
  Json json = {{"version", Profile::kVersion},
               {"max_tiles", kMaxTiles},
               {"profile", toJson(getProfileFormat())},
               {"node", toJson(getNodeFormat())}};
  os << json.dump();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
/// What is wrong with the value at `path`.
struct Mismatch {
  std::string path, text;

  std::string str() const {
    return "'" + StringRef(path).ltrim('.').str() + "': " + text;
  }
};

/// Checks the values of a profile, in their order.
class FormatChecker {
public:
  explicit FormatChecker(const Json &profile) : profile(profile) {}

  std::string run();

private:
  using Result = std::optional<Mismatch>;

  Result checkKind(const Json *value, const Format &format) const;
  Result checkNumber(const Json &value, const Rule &rule) const;
  Result check(const Json &value, const Format &format) const;
  Result checkElements(const Json &value, const Format &format) const;
  Result checkNodes(const Json &nodes) const;
  Result setSizes();
  Result checkSteps() const;
  Result checkTiles() const;
  Result checkTimelines() const;
  Result checkPrograms() const;

  const Json &profile;
  Sizes sizes;
};
} // namespace

/// `mismatch`, if there is one, of a value that is at `prefix` of another one.
static std::optional<Mismatch> addPrefix(const std::string &prefix,
                                         std::optional<Mismatch> mismatch) {
  if (mismatch)
    mismatch->path = prefix + mismatch->path;
  return mismatch;
}

FormatChecker::Result FormatChecker::checkKind(const Json *value,
                                               const Format &format) const {
  if (value && value->type_name() == format.kind)
    return std::nullopt;
  return Mismatch{"", "expects " + format.kind + " but got " +
                          (value ? value->type_name() : "nothing")};
}

std::optional<int64_t> mlir::ipu::getInteger(const Json &value) {
  if (!value.is_number())
    return std::nullopt;
  if (value.is_number_float()) {
    auto number = value.get<double>();
    if (std::trunc(number) != number || std::abs(number) >= 0x1p63)
      return std::nullopt;
    return static_cast<int64_t>(number);
  }
  // What is greater than each signed number is read as an unsigned one.
  if (value.is_number_unsigned() &&
      value.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()))
    return std::nullopt;
  return value.get<int64_t>();
}

FormatChecker::Result FormatChecker::checkNumber(const Json &value,
                                                 const Rule &rule) const {
  int64_t most = std::numeric_limits<int64_t>::max();
  if (!rule.size.empty())
    most = sizes.lookup(rule.size) + rule.beyond;
  std::optional<int64_t> number = getInteger(value);
  if (number && *number >= rule.least && *number <= most)
    return std::nullopt;
  if (most < rule.least)
    return Mismatch{"", "expects no index, as there are no " + rule.size.str() +
                            ", but got " + value.dump()};
  std::string range;
  if (!rule.size.empty())
    range =
        " from " + std::to_string(rule.least) + " to " + std::to_string(most);
  else if (rule.least != kAnyNumber)
    range = " of at least " + std::to_string(rule.least);
  return Mismatch{"",
                  "expects an integer" + range + " but got " + value.dump()};
}

FormatChecker::Result FormatChecker::check(const Json &value,
                                           const Format &format) const {
  if (Result mismatch = checkKind(&value, format))
    return mismatch;
  if (value.is_number())
    return checkNumber(value, format.rule);
  if (value.is_array())
    return checkElements(value, format);
  for (const auto &[key, member] : format.members) {
    auto it = value.find(key);
    if (it == value.end() && member.rule.isOptional)
      continue;
    Result mismatch =
        it == value.end() ? checkKind(nullptr, member) : check(*it, member);
    if (mismatch)
      return addPrefix("." + key, mismatch);
  }
  return std::nullopt;
}

FormatChecker::Result FormatChecker::checkElements(const Json &value,
                                                   const Format &format) const {
  bool isTuple = format.elements.size() > 1;
  size_t length = isTuple ? format.elements.size() : value.size();
  if (!format.rule.size.empty())
    length = sizes.lookup(format.rule.size);
  if (value.size() != length)
    return Mismatch{"", "expects " + std::to_string(length) +
                            " elements but got " +
                            std::to_string(value.size())};
  if (format.elements.empty())
    return std::nullopt;
  for (auto [index, element] : llvm::enumerate(value))
    if (Result mismatch = check(element, format.elements[isTuple ? index : 0]))
      return addPrefix(inBrackets(index), mismatch);
  return std::nullopt;
}

/// Checks a sequence of steps, calls, loops and branches.
FormatChecker::Result FormatChecker::checkNodes(const Json &nodes) const {
  const Format &format = getNodeFormat();
  if (Result mismatch = checkKind(&nodes, getMember(format, "bodies")))
    return mismatch;
  for (auto [index, node] : llvm::enumerate(nodes)) {
    Result mismatch =
        check(node, node.is_object() ? format : getMember(format, "step"));
    if (!mismatch && node.is_object() && node.contains("bodies"))
      for (auto [number, body] : llvm::enumerate(node["bodies"]))
        if (!mismatch)
          mismatch =
              addPrefix(".bodies" + inBrackets(number), checkNodes(body));
    if (mismatch)
      return addPrefix(inBrackets(index), mismatch);
  }
  return std::nullopt;
}

/// Checks what all ranges depend on, and sets the sizes that rules name.
FormatChecker::Result FormatChecker::setSizes() {
  const Format &format = getProfileFormat();
  for (const auto &[key, member] : format.members) {
    auto it = profile.find(key);
    if (Result mismatch =
            checkKind(it == profile.end() ? nullptr : &*it, member))
      return addPrefix(key, mismatch);
  }
  const Json &target = profile["target"];
  if (Result mismatch = check(target, getMember(format, "target")))
    return addPrefix("target", mismatch);
  auto ipus = target["ipus"].get<int64_t>();
  auto replicas = target["replicas"].get<int64_t>();
  auto tiles = target["tiles"].get<int64_t>();
  if (tiles > kMaxTiles / ipus)
    return Mismatch{"target", "expects at most " + std::to_string(kMaxTiles) +
                                  " tiles of a replica but got " +
                                  std::to_string(ipus) + " IPUs of " +
                                  std::to_string(tiles) + " tiles"};
  auto getLength = [](const Json &object, const char *key) -> int64_t {
    auto it = object.find(key);
    return it == object.end() || !it->is_array() ? 0 : it->size();
  };
  int64_t steps = getLength(profile, "steps");
  sizes["ipus"] = ipus;
  sizes["replicas"] = replicas;
  sizes["tiles"] = ipus * tiles;
  sizes["clocks"] = mulSaturating(ipus, replicas);
  sizes["steps"] = steps;
  sizes["ops"] = getLength(profile, "ops");
  // A program without steps has memory all the same, at one moment.
  sizes["moments"] = std::max<int64_t>(1, steps);
  sizes["variables"] = getLength(profile, "variables");
  sizes["functions"] = getLength(profile, "functions");
  sizes["categories"] = getLength(profile["memory"], "categories");
  return std::nullopt;
}

FormatChecker::Result FormatChecker::checkSteps() const {
  llvm::BitVector isInOp(sizes.lookup("steps"));
  for (auto [number, op] : llvm::enumerate(profile["ops"]))
    for (const Json &step : op["steps"]) {
      const Json &own = profile["steps"][step.get<size_t>()];
      auto shares = own.find("shares");
      if (shares != own.end() &&
          llvm::none_of(*shares, [number = number](const Json &share) {
            return share["op"] == number;
          }))
        return Mismatch{"steps" + inBrackets(step.get<size_t>()) + ".shares",
                        "expects a share of op " + std::to_string(number) +
                            " but got none"};
      isInOp.set(step.get<int64_t>());
    }
  for (auto [number, step] : llvm::enumerate(profile["steps"])) {
    std::string path = "steps" + inBrackets(number);
    if (step["index"] != number)
      return Mismatch{path + ".index", "expects " + std::to_string(number) +
                                           " but got " + step["index"].dump()};
    auto kind = step["kind"].get<std::string>();
    if (!profile["totals"].contains(kind))
      return Mismatch{path + ".kind",
                      "expects a key of 'totals' but got '" + kind + "'"};
    if (!isInOp[number])
      return Mismatch{"ops", "expects each step to be in an op but got step " +
                                 std::to_string(number) + " in none"};
  }
  return std::nullopt;
}

FormatChecker::Result FormatChecker::checkTiles() const {
  llvm::BitVector hasClass(sizes.lookup("tiles"));
  for (const Json &tileClass : profile["memory"]["tile_classes"])
    for (const Json &range : tileClass["tiles"])
      if (range[0] < range[1])
        hasClass.set(range[0].get<unsigned>(), range[1].get<unsigned>());
  if (int tile = hasClass.find_first_unset(); tile >= 0)
    return Mismatch{"memory.tile_classes",
                    "expects each tile to be in a class but got tile " +
                        std::to_string(tile) + " in none"};
  return std::nullopt;
}

FormatChecker::Result FormatChecker::checkTimelines() const {
  const Json &replica =
      profile["clocks"][profile["slowest_clock"].get<size_t>()]["replica"];
  if (llvm::any_of(profile["timelines"], [&](const Json &timeline) {
        return llvm::any_of(timeline["replicas"], [&](const Json &other) {
          return other == replica;
        });
      }))
    return std::nullopt;
  return Mismatch{"timelines", "expects a timeline of replica " +
                                   replica.dump() + " but got none"};
}

FormatChecker::Result FormatChecker::checkPrograms() const {
  if (Result mismatch = checkNodes(profile["program"]))
    return addPrefix("program", mismatch);
  for (auto [number, function] : llvm::enumerate(profile["functions"]))
    if (Result mismatch = checkNodes(function["body"]))
      return addPrefix("functions" + inBrackets(number) + ".body", mismatch);
  return std::nullopt;
}

std::string FormatChecker::run() {
  Result mismatch = setSizes();
  if (!mismatch)
    mismatch = check(profile, getProfileFormat());
  // What follows relies on values in their ranges.
  if (!mismatch)
    mismatch = checkSteps();
  if (!mismatch)
    mismatch = checkTiles();
  if (!mismatch)
    mismatch = checkTimelines();
  if (!mismatch)
    mismatch = checkPrograms();
  return mismatch ? mismatch->str() : "";
}

std::string mlir::ipu::findMismatch(const Json &profile) {
  return FormatChecker(profile).run();
}
