//===- Options.cpp - Options of compilations and sessions -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "ipu-mlir/Dialect/IPU/IR/Target.h"
#include "ipu-mlir/Dialect/Pop/Transforms/SerializeOptions.h"
#include "ipu-mlir/Executor/Engine/Engine.h"
#include "ipu-mlir/Tools/DeviceFlags.h"
#include "ipu-mlir/Tools/MemoryFlags.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::python;
namespace py = pybind11;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

[[noreturn]] static void raiseType(const std::string &name,
                                   const std::string &expected,
                                   py::handle value) {
  throw py::type_error("'" + name + "' expects " + expected + " but got " +
                       py::repr(value).cast<std::string>());
}

[[noreturn]] static void raiseValue(const std::string &name,
                                    const std::string &expected,
                                    py::handle value) {
  throw py::value_error("'" + name + "' expects " + expected + " but got " +
                        py::repr(value).cast<std::string>());
}

std::string python::readText(const std::string &name, py::handle value) {
  if (!PyUnicode_Check(value.ptr()))
    raiseType(name, "a text", value);
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (!text)
    throw py::error_already_set();
  return std::string(text, size);
}

static bool readBool(const std::string &name, py::handle value) {
  if (!PyBool_Check(value.ptr()))
    raiseType(name, "True or False", value);
  return value.is(py::handle(Py_True));
}

/// Returns `value` as an int of Python, also if it is one of numpy.
static py::int_ getInt(const std::string &name, py::handle value) {
  PyObject *index =
      PyBool_Check(value.ptr()) ? nullptr : PyNumber_Index(value.ptr());
  if (!index) {
    PyErr_Clear();
    raiseType(name, "an integer", value);
  }
  return py::reinterpret_steal<py::int_>(index);
}

int64_t python::readInteger(const std::string &name, py::handle value,
                            int64_t least, int64_t most) {
  py::int_ number = getInt(name, value);
  int overflow = 0;
  int64_t result = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || result < least || result > most)
    raiseValue(name,
               "an integer from " + std::to_string(least) + " to " +
                   std::to_string(most),
               value);
  return result;
}

static uint64_t readSeed(const std::string &name, py::handle value) {
  py::int_ number = getInt(name, value);
  uint64_t seed = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    raiseValue(name, "an integer from 0 to 2^64 - 1", value);
  }
  return seed;
}

/// Calls `read` with each key and value of a mapping.
static void readMapping(const std::string &name, py::handle mapping,
                        function_ref<void(std::string, py::handle)> read) {
  if (!PyMapping_Check(mapping.ptr()) || !py::hasattr(mapping, "items"))
    raiseType(name, "a mapping", mapping);
  for (py::handle item : mapping.attr("items")()) {
    auto pair = py::reinterpret_borrow<py::sequence>(item);
    py::object key = pair[0], value = pair[1];
    read(readText(name, key), value);
  }
}

ArrayMap python::readArrays(const std::string &name, py::handle mapping) {
  ArrayMap arrays;
  readMapping(name, mapping, [&](std::string key, py::handle value) {
    arrays[key] = readArray(key, value);
  });
  return arrays;
}

static std::vector<std::string> readTexts(const std::string &name,
                                          py::handle value) {
  if (!PySequence_Check(value.ptr()) || PyUnicode_Check(value.ptr()))
    raiseType(name, "a list of texts", value);
  std::vector<std::string> texts;
  for (py::handle item : value)
    texts.push_back(readText(name, item));
  return texts;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
/// Takes keyword arguments out of a dict.
class OptionReader {
public:
  explicit OptionReader(py::dict arguments)
      : arguments(
            py::reinterpret_steal<py::dict>(PyDict_Copy(arguments.ptr()))) {}

  /// Returns the argument `name`, or a null handle if it is not given or None.
  py::object take(const char *name) {
    if (!arguments.contains(name))
      return {};
    py::object value = arguments[name];
    PyDict_DelItemString(arguments.ptr(), name);
    return value.is_none() ? py::object() : value;
  }

  void read(const char *name, bool &result) {
    if (py::object value = take(name))
      result = readBool(name, value);
  }
  void read(const char *name, std::string &result) {
    if (py::object value = take(name))
      result = readText(name, value);
  }
  void read(const char *name, std::vector<std::string> &result) {
    if (py::object value = take(name))
      result = readTexts(name, value);
  }
  void read(const char *name, int64_t &result, int64_t least,
            int64_t most = std::numeric_limits<int64_t>::max()) {
    if (py::object value = take(name))
      result = readInteger(name, value, least, most);
  }

  /// Reads the name of one of `choices`.
  template <typename T>
  bool read(const char *name, T &result,
            std::initializer_list<std::pair<StringRef, T>> choices) {
    py::object value = take(name);
    if (!value)
      return false;
    std::string text = readText(name, value);
    for (const auto &[choice, meaning] : choices)
      if (choice == text) {
        result = meaning;
        return true;
      }
    auto names = llvm::map_range(choices, [](const auto &choice) {
      return "'" + choice.first.str() + "'";
    });
    raiseValue(name, "one of " + llvm::join(names, ", "), value);
  }

  /// Raises TypeError if arguments are left.
  void finish() {
    for (auto item : arguments)
      throw py::type_error("unknown option '" + readText("option", item.first) +
                           "'");
  }

private:
  py::dict arguments;
};
} // namespace

static void check(llvm::Error error) {
  if (error)
    throw py::value_error(llvm::toString(std::move(error)));
}

static void readTarget(OptionReader &reader, tools::ModelOptions &model) {
  tools::TargetSpec spec;
  spec.source = "target";
  reader.read("target", spec.preset);
  if (!spec.preset.empty() &&
      !llvm::is_contained(TargetModel::getPresets(), spec.preset))
    throw py::value_error("'target' expects one of " +
                          llvm::join(TargetModel::getPresets(), ", ") +
                          " but got '" + spec.preset + "'");
  auto add = [&](const std::string &name, StringRef key, int64_t value) {
    if (llvm::is_contained(llvm::make_first_range(spec.overrides), key))
      throw py::value_error("'" + name + "' is also in 'target_constants'");
    spec.overrides.emplace_back(key.str(), value);
  };
  if (py::object constants = reader.take("target_constants"))
    readMapping("target_constants", constants,
                [&](std::string key, py::handle value) {
                  const TargetModel::Constant *constant =
                      TargetModel::findConstant(key);
                  if (!constant)
                    throw py::value_error(
                        "'target_constants' has no constant '" + key + "'");
                  add(key, key, readInteger(key, value, constant->minimum));
                });
  // More of them are surely a mistake.
  constexpr int64_t kMaxCount = 1024;
  for (const char *name : {"replicas", "ipus"})
    if (py::object value = reader.take(name))
      add(name, name, readInteger(name, value, 1, kMaxCount));
  if (!spec.preset.empty() || !spec.overrides.empty())
    model.target = std::move(spec);
}

static void readPlacement(OptionReader &reader, tools::ModelOptions &model) {
  if (py::object places = reader.take("place"))
    readMapping("place", places, [&](std::string pattern, py::handle ipu) {
      if (auto glob = llvm::GlobPattern::create(pattern); !glob)
        check(glob.takeError());
      model.placements.push_back({pattern, readInteger("place", ipu, 0)});
    });
  model.placement = tools::getDefaultPlacement(model);
  using tools::PlacementKind;
  PlacementKind byDefault = model.placement;
  if (reader.read("placement", model.placement,
                  {{"", byDefault},
                   {"spread", PlacementKind::Spread},
                   {"layers", PlacementKind::Layers},
                   {"auto", PlacementKind::Automatic}}) &&
      !model.placements.empty() && model.placement != byDefault)
    throw py::value_error("'placement' cannot be combined with 'place'");
  std::string schedule;
  reader.read("schedule", schedule);
  if (!schedule.empty()) {
    model.schedule = pop::symbolizePipelineKind(schedule);
    if (!model.schedule)
      throw py::value_error(
          "'schedule' expects popart, gpipe or 1f1b but got '" + schedule +
          "'");
    check(tools::placePipeline(model));
  }
  reader.read("overlap_io", model.overlapsIO);
  // Only placed programs use the I/O tiles of several IPUs.
  if (model.overlapsIO && model.placement == PlacementKind::Automatic)
    model.placement = PlacementKind::Layers;
}

static void readMemory(OptionReader &reader, MemoryTransforms &memory) {
  std::vector<std::string> offChip;
  reader.read("off_chip", offChip);
  for (const std::string &name : offChip) {
    auto parsed = tools::parseVariables("'off_chip'", name);
    if (!parsed)
      check(parsed.takeError());
    if (name == "activations")
      memory.remoteTensors = true;
    else
      llvm::append_range(memory.remoteVariables, *parsed);
  }
  reader.read("phases", memory.phases, 0);
  reader.read("batch_serialize", memory.batchParts, 1);
  reader.read("serialize_matmuls", memory.matmulParts, 0,
              pop::kMaxSerializeFactor);
  reader.read("outline", memory.outlines);
  reader.read("reorder", memory.schedules);
  if (memory.phases == 1)
    throw py::value_error("'phases' expects 0 or at least 2 but got 1");
  if (memory.remoteTensors && memory.phases == 0)
    throw py::value_error("'off_chip' with 'activations' needs 'phases': a "
                          "tensor is in streaming memory while no phase needs "
                          "it");
}

static void readCompilation(OptionReader &reader, Options &options) {
  CompileOptions &compilation = options.compilation;
  reader.read("entry", compilation.entry);
  reader.read("pipeline", compilation.pipeline);
  reader.read("graph_passes", compilation.graphPasses);
  reader.read("gradients_of", compilation.gradientsOf);
  reader.read("gradients", compilation.gradients);
  if (compilation.gradients.empty() != compilation.gradientsOf.empty())
    throw py::value_error("'gradients_of' and 'gradients' need each other");
  reader.read("precision", compilation.precision,
              {{"f32", Precision::F32},
               {"f16", Precision::F16},
               {"mixed", Precision::Mixed}});
  options.model.computesInF16 = compilation.precision == Precision::F16;
  reader.read(
      "partials", compilation.partials,
      {{"f32", pop::PartialsKind::F32}, {"f16", pop::PartialsKind::F16}});
  reader.read("accumulation", compilation.accumulation,
              {{"blocked", pop::AccumulationKind::Blocked},
               {"chain", pop::AccumulationKind::Chain}});
  reader.read(
      "planner", compilation.planner,
      {{"program", PlannerKind::Program}, {"generic", PlannerKind::Generic}});
  bool hasCost = reader.read(
      "cost", compilation.costLevel,
      {{"fast", CostLevel::Fast}, {"detailed", CostLevel::Detailed}});
  compilation.estimatesAgain = options.model.target || hasCost;
  reader.read("copy_constants", compilation.copyConstants);
  if (py::object value = reader.take("available_memory_proportion")) {
    compilation.availableMemoryProportion = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred())
      throw py::error_already_set();
    // NaN does not satisfy these comparisons.
    if (!(compilation.availableMemoryProportion >= 0 &&
          compilation.availableMemoryProportion <= 1))
      raiseValue("available_memory_proportion", "a number from 0 to 1", value);
  }
  reader.read("stochastic_rounding", compilation.stochasticRounding,
              {{"", std::string()},
               {"counter", std::string("counter")},
               {"stream", std::string("stream")}});
  if (py::object value = reader.take("micro_batches"))
    compilation.microBatches = readInteger("micro_batches", value, 1,
                                           std::numeric_limits<int32_t>::max());
  reader.read("memory_advice", compilation.advisesOnMemory);
  readMemory(reader, compilation.memory);
  compilation.schedule = options.model.schedule;
  compilation.overlapsIO = options.model.overlapsIO;
  if (compilation.schedule && !compilation.microBatches)
    throw py::value_error("'schedule' needs 'micro_batches'");
  if (compilation.overlapsIO && compilation.microBatches.value_or(1) < 2)
    throw py::value_error("'overlap_io' needs 'micro_batches' of at least 2");
  if (compilation.microBatches && !compilation.gradients.empty())
    throw py::value_error(
        "'micro_batches' cannot be combined with 'gradients'");
}

static void readSession(OptionReader &reader, Options &options) {
  SessionOptions &session = options.session;
  reader.read("check", session.check);
  session.engine = session.check ? EngineKind::Interp : EngineKind::Jit;
  reader.read("engine", session.engine,
              {{"jit", EngineKind::Jit},
               {"interp", EngineKind::Interp},
               {"none", EngineKind::None}});
  if (session.check && session.engine != EngineKind::Interp)
    throw py::value_error("'check' needs the engine 'interp'");
  reader.read("check_replica_equal", session.checkReplicaEqual);
  if (py::object value = reader.take("seed"))
    session.seed = readSeed("seed", value);
  int64_t threads = 0;
  reader.read("threads", threads, 0, kMaxThreads);
  session.threads =
      threads ? threads : llvm::hardware_concurrency().compute_thread_count();
  reader.read("allow_out_of_memory", session.allowOutOfMemory);
  options.compilation.allowOutOfMemory = session.allowOutOfMemory;
  session.detailsProfile = true;
  reader.read("details_profile", session.detailsProfile);
  if (py::object value = reader.take("cache_folder")) {
    session.cacheFolder = readText("cache_folder", value);
    if (!session.cacheFolder.empty())
      check(prepareCacheFolder(session.cacheFolder));
  } else {
    session.cacheFolder = tools::getDefaultCacheFolder();
  }
}

Options python::readOptions(py::dict arguments) {
  OptionReader reader(arguments);
  Options options;
  readTarget(reader, options.model);
  readPlacement(reader, options.model);
  readCompilation(reader, options);
  readSession(reader, options);
  if (py::object resources = reader.take("resources"))
    options.resources = readArrays("resources", resources);
  reader.read("remarks", options.remarks);
  if (std::string problem; !options.remarks.empty() &&
                           !llvm::Regex(options.remarks).isValid(problem))
    throw py::value_error("'remarks' expects a regular expression: " + problem);
  reader.finish();
  return options;
}
