//===- DeviceFlags.cpp - Flags of a model and its device ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/DeviceFlags.h"

#include "ipu-mlir/Dialect/IPU/IR/Target.h"
#include "ipu-mlir/Executor/Engine/Engine.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include "ipu-mlir/Host/InputSpec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::tools;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

llvm::Error tools::checkNotEmpty(const cl::opt<std::string> &option) {
  if (!option.getNumOccurrences() || !option.empty())
    return llvm::Error::success();
  return makeError("--" + option.ArgStr + " expects " + option.ValueStr +
                   " but got ''");
}

llvm::Error tools::checkFileName(const cl::opt<std::string> &option) {
  if (llvm::Error error = checkNotEmpty(option))
    return error;
  static constexpr StringLiteral kFormats[] = {
      ".bmp", ".csv",  ".eps", ".gif", ".htm", ".html", ".jpeg",
      ".jpg", ".json", ".pdf", ".png", ".ps",  ".svg",  ".webp"};
  StringRef name = option.getValue();
  StringRef expected = llvm::sys::path::extension(option.ValueStr);
  if (name.ends_with_insensitive(expected) ||
      llvm::none_of(kFormats, [&](StringRef format) {
        return name.ends_with_insensitive(format);
      }))
    return llvm::Error::success();
  return makeError("--" + option.ArgStr + " expects " + option.ValueStr +
                   " but got '" + name + "', the name of another format");
}

llvm::Expected<int64_t> tools::parseNumber(StringRef option, StringRef text,
                                           int64_t least,
                                           std::optional<int64_t> most) {
  int64_t number = 0;
  if (!text.getAsInteger(10, number) && number >= least &&
      (!most || number <= *most))
    return number;
  if (!most)
    return makeError(option + " expects a number of at least " + Twine(least) +
                     " but got '" + text + "'");
  return makeError(option + " expects a number from " + Twine(least) + " to " +
                   Twine(*most) + " but got '" + text + "'");
}

llvm::Expected<std::string> tools::parseNpzFile(StringRef option,
                                                StringRef text) {
  if (!text.ends_with(".npz"))
    return makeError(option + " expects FILE.npz but got '" + text + "'");
  return text.str();
}

void tools::removeForeignOptions() {
  SmallVector<cl::Option *> foreign;
  for (auto &entry : cl::getRegisteredOptions())
    // --help and its like stay.
    if (entry.second->Categories.front()->getName() != "Generic Options")
      foreign.push_back(entry.second);
  for (cl::Option *option : foreign)
    option->removeArgument();
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

static llvm::Error parseTargetOverride(StringRef text, TargetSpec &spec) {
  auto [key, value] = text.split('=');
  const TargetModel::Constant *constant = TargetModel::findConstant(key);
  if (!constant) {
    auto keys =
        llvm::map_range(TargetModel::getConstants(),
                        [](const TargetModel::Constant &c) { return c.key; });
    return makeError("--target: unknown constant '" + key +
                     "'; the constants are " + llvm::join(keys, ", "));
  }
  int64_t number = 0;
  if (value.getAsInteger(10, number) || number < constant->minimum)
    return makeError("--target: '" + key + "' expects an integer from " +
                     Twine(constant->minimum) + " to 2^63 - 1 but got '" +
                     value + "'");
  if (llvm::is_contained(llvm::make_first_range(spec.overrides), key))
    return makeError("--target: '" + key + "' is given twice");
  spec.overrides.emplace_back(key.str(), number);
  return llvm::Error::success();
}

static llvm::Expected<TargetSpec> parseTargetSpec(StringRef text) {
  TargetSpec spec;
  spec.source = "--target";
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (auto [index, part] : llvm::enumerate(parts)) {
    if (part.contains('=')) {
      if (llvm::Error error = parseTargetOverride(part, spec))
        return error;
      continue;
    }
    if (index > 0)
      return makeError("--target: expects KEY=VALUE but got '" + part + "'");
    if (!llvm::is_contained(TargetModel::getPresets(), part))
      return makeError("--target: unknown target '" + part +
                       "'; the targets are " +
                       llvm::join(TargetModel::getPresets(), ", "));
    spec.preset = part.str();
  }
  return spec;
}

/// More replicas, or IPUs of a replica, are surely a mistake.
static constexpr int64_t kMaxCount = 1024;

/// Adds the value of `option`, a number of replicas or IPUs, to what other
/// options say of the target, if any was given.
static llvm::Expected<TargetSpec>
parseCount(const cl::opt<std::string> &option,
           const std::optional<TargetSpec> &spec) {
  StringRef key = option.ArgStr;
  std::string flag = ("--" + key).str();
  llvm::Expected<int64_t> count = parseNumber(flag, option, 1, kMaxCount);
  if (!count)
    return count.takeError();
  TargetSpec result = spec.value_or(TargetSpec());
  if (llvm::is_contained(llvm::make_first_range(result.overrides), key))
    return makeError(flag + " cannot be combined with '" + key +
                     "' in --target");
  result.source += (spec ? " and " : "") + flag;
  result.overrides.emplace_back(key.str(), *count);
  return result;
}

//===----------------------------------------------------------------------===//
// Other flags
//===----------------------------------------------------------------------===//

/// Parses the values NAME=N of `option`, with numbers of at least `least`.
static llvm::Expected<std::vector<std::pair<std::string, int64_t>>>
parseNumbers(const cl::list<std::string> &option, int64_t least) {
  std::vector<std::pair<std::string, int64_t>> numbers;
  StringRef flag = option.ArgStr;
  for (StringRef text : option) {
    auto [name, value] = text.rsplit('=');
    int64_t number = 0;
    if (name.empty() || value.getAsInteger(10, number) || number < least)
      return makeError("--" + flag + " expects NAME=N with N of at least " +
                       Twine(least) + " but got '" + text + "'");
    if (llvm::is_contained(llvm::make_first_range(numbers), name))
      return makeError("--" + flag + " is given twice for '" + name + "'");
    numbers.emplace_back(name.str(), number);
  }
  return numbers;
}

static llvm::Expected<std::vector<ConstantSpec>>
parseConstants(ArrayRef<std::string> texts) {
  std::vector<ConstantSpec> constants;
  for (StringRef text : texts) {
    auto [name, value] = text.rsplit('=');
    ConstantSpec spec;
    if (value.ends_with(".npy") || value.ends_with(".pb")) {
      auto split = splitNameAndFile(text);
      if (!split)
        return makeError("--constant " + llvm::toString(split.takeError()));
      std::tie(spec.name, spec.file) = *split;
    } else {
      spec.name = name.str();
      spec.literal = value.str();
    }
    if (spec.name.empty() || name.size() == text.size())
      return makeError("--constant expects NAME=VALUE but got '" + text + "'");
    auto isSame = [&](const ConstantSpec &other) {
      return other.name == spec.name;
    };
    if (llvm::any_of(constants, isSame))
      return makeError("--constant is given twice for '" + spec.name + "'");
    constants.push_back(std::move(spec));
  }
  return constants;
}

static llvm::Expected<std::vector<PlaceSpec>>
parsePlacements(ArrayRef<std::string> texts) {
  std::vector<PlaceSpec> placements;
  for (StringRef text : texts) {
    auto [pattern, ipu] = text.rsplit('=');
    PlaceSpec spec;
    spec.pattern = pattern.str();
    if (pattern.empty() || ipu.getAsInteger(10, spec.ipu) || spec.ipu < 0)
      return makeError("--place expects PATTERN=IPU with an IPU of at least 0 "
                       "but got '" +
                       text + "'");
    if (auto glob = llvm::GlobPattern::create(pattern); !glob)
      return makeError("--place '" + pattern +
                       "': " + llvm::toString(glob.takeError()));
    auto isSame = [&](const PlaceSpec &other) {
      return other.pattern == spec.pattern;
    };
    if (llvm::any_of(placements, isSame))
      return makeError("--place is given twice for '" + pattern + "'");
    placements.push_back(std::move(spec));
  }
  return placements;
}

static llvm::Expected<PlacementKind> parsePlacement(StringRef text) {
  std::optional<PlacementKind> kind =
      llvm::StringSwitch<std::optional<PlacementKind>>(text)
          .Case("spread", PlacementKind::Spread)
          .Case("layers", PlacementKind::Layers)
          .Case("auto", PlacementKind::Automatic)
          .Default(std::nullopt);
  if (!kind)
    return makeError("--placement expects spread, layers or auto but got '" +
                     text + "'");
  return *kind;
}

static llvm::Expected<pop::PipelineKind> parseSchedule(StringRef text) {
  std::optional<pop::PipelineKind> kind = pop::symbolizePipelineKind(text);
  if (!kind)
    return makeError("--pipeline expects popart, gpipe or 1f1b but got '" +
                     text + "'");
  return *kind;
}

static llvm::Expected<uint64_t> parseSeed(const cl::opt<std::string> &option) {
  uint64_t seed = 0;
  if (StringRef(option).getAsInteger(10, seed))
    return makeError("--" + option.ArgStr +
                     " expects a number from 0 to 2^64 - 1 but got '" + option +
                     "'");
  return seed;
}

std::string tools::getDefaultCacheFolder() {
  // As the XDG Base Directory Specification requires, a path that is empty or
  // relative is ignored: code is never loaded from the current folder.
  SmallString<128> folder;
  if (!llvm::sys::path::cache_directory(folder) ||
      !llvm::sys::path::is_absolute(folder)) {
    folder.clear();
    if (!llvm::sys::path::home_directory(folder) ||
        !llvm::sys::path::is_absolute(folder))
      return "";
    llvm::sys::path::append(folder, ".cache");
  }
  llvm::sys::path::append(folder, "ipu-mlir", "kernels");
  return std::string(folder);
}

llvm::Error DeviceFlags::parse(ModelOptions &modelOptions,
                               DeviceOptions &device) const {
  if (llvm::Error error = checkNotEmpty(cacheDir))
    return error;
  if (noCache && cacheDir.getNumOccurrences())
    return makeError("--no-cache cannot be combined with --cache-dir");
  if (cacheDir.getNumOccurrences())
    if (llvm::Error error = prepareCacheFolder(cacheDir))
      return makeError("--cache-dir: " + llvm::toString(std::move(error)));
  modelOptions.model = model;
  device.cacheFolder = noCache || cacheDir.getNumOccurrences()
                           ? cacheDir.getValue()
                           : getDefaultCacheFolder();
  device.allowOutOfMemory = allowOOM;
  device.threads = llvm::hardware_concurrency().compute_thread_count();
  llvm::Error error = llvm::Error::success();
  if (!take(parseNumbers(dims, 0), modelOptions.dims, error) ||
      !take(parseNumbers(maxTrips, 1), modelOptions.maxTrips, error) ||
      !take(parseNumbers(maxSizes, 0), modelOptions.maxSizes, error) ||
      !take(parseConstants(constants), modelOptions.constants, error) ||
      !take(parsePlacements(placements), modelOptions.placements, error))
    return error;
  if (randomizeWeights.getNumOccurrences() &&
      !take(parseSeed(randomizeWeights), modelOptions.randomWeights, error))
    return error;
  if (target.getNumOccurrences() &&
      !take(parseTargetSpec(target), modelOptions.target, error))
    return error;
  for (const cl::opt<std::string> *count : {&replicas, &ipus})
    if (count->getNumOccurrences() &&
        !take(parseCount(*count, modelOptions.target), modelOptions.target,
              error))
      return error;
  modelOptions.placement = getDefaultPlacement(modelOptions);
  if (placement.getNumOccurrences()) {
    if (!placements.empty())
      return makeError("--placement cannot be combined with --place");
    if (!take(parsePlacement(placement), modelOptions.placement, error))
      return error;
  }
  if (pipeline.getNumOccurrences()) {
    if (!take(parseSchedule(pipeline), modelOptions.schedule, error))
      return error;
    if (llvm::Error problem = placePipeline(modelOptions))
      return problem;
  }
  modelOptions.overlapsIO = overlapIO;
  // Only placed programs use the I/O tiles of several IPUs.
  if (overlapIO && modelOptions.placement == PlacementKind::Automatic)
    modelOptions.placement = PlacementKind::Layers;
  if (seed.getNumOccurrences() && !take(parseSeed(seed), device.seed, error))
    return error;
  if (threads.getNumOccurrences() &&
      !take(parseNumber("--threads", threads, 1, kMaxThreads), device.threads,
            error))
    return error;
  return error;
}
