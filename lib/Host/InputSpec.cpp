//===- InputSpec.cpp - Specifications of a program's inputs ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/InputSpec.h"
#include "ipu-mlir/Host/Npy.h"

#include "ipu-mlir/Host/HostElements.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <tuple>

using namespace mlir;
using namespace mlir::ipu;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static llvm::Error parseGenerator(StringRef value, InputSpec &spec) {
  if (value == "zeros")
    spec.generator = InputGenerator::Zeros;
  else if (value == "ones")
    spec.generator = InputGenerator::Ones;
  else if (value == "ramp")
    spec.generator = InputGenerator::Ramp;
  else if (value.consume_front("random:")) {
    spec.generator = InputGenerator::Random;
    if (value.getAsInteger(10, spec.seed))
      return makeError("expects a seed from 0 to 2^64 - 1 but got '" + value +
                       "'");
  } else
    return makeError("expects FILE.npy, FILE.pb, random:SEED, zeros, ones or "
                     "ramp but got '" +
                     value + "'");
  return llvm::Error::success();
}

/// Whether `text` is one that splitNameAndFile() splits.
static bool hasFile(StringRef text) {
  return text.ends_with(".npy") || text.ends_with(".pb");
}

llvm::Expected<std::pair<StringRef, StringRef>>
mlir::ipu::splitNameAndFile(StringRef text) {
  SmallVector<std::pair<StringRef, StringRef>> all, existing;
  for (size_t i = text.find('=', 1); i != StringRef::npos;
       i = text.find('=', i + 1)) {
    all.emplace_back(text.take_front(i), text.drop_front(i + 1));
    if (llvm::sys::fs::exists(all.back().second))
      existing.push_back(all.back());
  }
  if (all.empty() || !hasFile(all.front().second))
    return makeError("expects NAME=FILE.npy or NAME=FILE.pb but got '" + text +
                     "'");
  if (existing.size() < 2)
    return existing.empty() ? all.front() : existing.front();
  std::string files;
  llvm::raw_string_ostream os(files);
  llvm::interleave(
      existing, os,
      [&](auto split) {
        os << "'" << split.second << "' for '" << split.first << "'";
      },
      " and ");
  return makeError("expects '" + text +
                   "' to name one existing file but there are " + files +
                   ": rename one of these files");
}

llvm::Expected<InputSpec> mlir::ipu::parseInputSpec(StringRef text) {
  auto [name, value] = text.rsplit('=');
  if (name.empty() || name.size() == text.size())
    return makeError("expects NAME=VALUE but got '" + text + "'");
  InputSpec spec;
  if (hasFile(value)) {
    auto split = splitNameAndFile(text);
    if (!split)
      return split.takeError();
    std::tie(spec.name, spec.file) = *split;
    return spec;
  }
  spec.name = name.str();
  if (llvm::Error error = parseGenerator(value, spec))
    return error;
  return spec;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::string listInputs(ArrayRef<ProgramInput> inputs) {
  if (inputs.empty())
    return "the program has no inputs";
  std::string text = "the program's inputs are ";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(inputs, os, [&](const ProgramInput &input) {
    os << '\'' << input.name << "' : " << input.type;
  });
  return text;
}

llvm::Error mlir::ipu::checkInputSpecs(ArrayRef<InputSpec> specs,
                                       ArrayRef<ProgramInput> inputs) {
  // Whether a spec names it.
  llvm::StringMap<bool> isNamed;
  for (const ProgramInput &input : inputs)
    isNamed[input.name] = false;
  bool hasDefault = false;
  for (const InputSpec &spec : specs) {
    auto it = isNamed.find(spec.name);
    bool isDefault = it == isNamed.end() && spec.name == "*";
    if (!isDefault && it == isNamed.end())
      return makeError("unknown input '" + spec.name + "'; " +
                       listInputs(inputs));
    if (std::exchange(isDefault ? hasDefault : it->second, true))
      return makeError("input '" + spec.name + "' is given twice");
  }
  if (hasDefault)
    return llvm::Error::success();

  SmallVector<ProgramInput> missing;
  llvm::copy_if(inputs, std::back_inserter(missing),
                [&](const ProgramInput &input) {
                  return !isNamed[input.name] && !input.hasDefault;
                });
  if (missing.empty())
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "no value for input" << (missing.size() > 1 ? "s " : " ");
  llvm::interleaveComma(missing, os, [&](const ProgramInput &input) {
    os << '\'' << input.name << "' : " << input.type;
  });
  return makeError(text);
}

llvm::Error mlir::ipu::checkTensorType(StringRef what, const HostTensor &tensor,
                                       RankedTensorType type) {
  if (tensor.type == type)
    return llvm::Error::success();
  return makeError(what + " expects " + toString(type) + " but got " +
                   toString(tensor.type));
}

llvm::Error mlir::ipu::checkStreamTensor(StringRef what,
                                         const HostTensor &tensor,
                                         RankedTensorType type,
                                         int64_t hostTransfers,
                                         int64_t numHostDims) {
  // A longer array has tensors to spare.
  if (hostTransfers > 1 && tensor.type.getRank() == type.getRank() &&
      tensor.type.getDimSize(0) >= hostTransfers) {
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = tensor.type.getDimSize(0);
    type = type.clone(shape);
  }
  if (tensor.type == type || numHostDims == 0)
    return checkTensorType(what, tensor, type);
  StringRef order = numHostDims > 1     ? "host transfers, replicas"
                    : hostTransfers > 1 ? "host transfers"
                                        : "replicas";
  return makeError(what + " expects " + toString(type) + " (" + order +
                   ", then the shape) but got " + toString(tensor.type));
}

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

/// SplitMix64's output function.
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

static uint64_t hashFNV1a(StringRef text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

/// Random bits for element `i`.
static uint64_t getRandom(uint64_t start, int64_t i) {
  return mix(start + (i + 1) * 0x9E3779B97F4A7C15);
}

/// Stores `getBits(i)` as element `i`, for all elements.
template <typename Storage, typename GetBits>
static void fillAs(HostTensor &tensor, GetBits getBits) {
  char *data = tensor.data.data();
  int64_t size = tensor.data.size() / sizeof(Storage);
  for (int64_t i = 0; i < size; ++i)
    llvm::support::endian::write<Storage>(data + i * sizeof(Storage),
                                          static_cast<Storage>(getBits(i)),
                                          llvm::endianness::little);
}

template <typename GetBits>
static void fill(HostTensor &tensor, GetBits getBits) {
  switch (getElementBytes(tensor.type.getElementType())) {
  case 1:
    return fillAs<uint8_t>(tensor, getBits);
  case 2:
    return fillAs<uint16_t>(tensor, getBits);
  case 4:
    return fillAs<uint32_t>(tensor, getBits);
  default:
    return fillAs<uint64_t>(tensor, getBits);
  }
}

/// Stores `getValue(i)`, a double, as float element `i`, for all elements.
template <typename GetValue>
static void fillFloats(HostTensor &tensor, FloatType type, GetValue getValue) {
  // Weights are mostly of this type, and there are millions of them.
  if (type.isF32())
    return fillAs<uint32_t>(tensor, [&](int64_t i) {
      return llvm::bit_cast<uint32_t>(static_cast<float>(getValue(i)));
    });
  fill(tensor, [&](int64_t i) { return encodeFloat(type, getValue(i)); });
}

static void fillRandom(HostTensor &tensor, uint64_t start) {
  Type type = tensor.type.getElementType();
  if (auto floatType = dyn_cast<FloatType>(type)) {
    int precision =
        llvm::APFloat::semanticsPrecision(floatType.getFloatSemantics());
    double scale = std::ldexp(1.0, 1 - precision);
    return fillFloats(tensor, floatType, [=](int64_t i) {
      uint64_t significand = getRandom(start, i) >> (64 - precision);
      return static_cast<double>(significand) * scale - 1;
    });
  }
  if (type.isInteger(1))
    return fill(tensor, [=](int64_t i) { return getRandom(start, i) >> 63; });
  int64_t least = type.isUnsignedInteger() ? 0 : -8;
  fill(tensor, [=](int64_t i) {
    return static_cast<int64_t>(getRandom(start, i) >> 60) + least;
  });
}

static void fillRamp(HostTensor &tensor) {
  Type type = tensor.type.getElementType();
  if (auto floatType = dyn_cast<FloatType>(type)) {
    auto size = static_cast<double>(tensor.type.getNumElements());
    return fillFloats(tensor, floatType,
                      [=](int64_t i) { return static_cast<double>(i) / size; });
  }
  int64_t mask = type.isInteger(1) ? 1 : -1;
  fill(tensor, [=](int64_t i) { return i & mask; });
}

static void fillOnes(HostTensor &tensor) {
  auto floatType = dyn_cast<FloatType>(tensor.type.getElementType());
  uint64_t one = floatType ? encodeFloat(floatType, 1) : 1;
  fill(tensor, [=](int64_t) { return one; });
}

llvm::Expected<HostTensor> mlir::ipu::generateInput(const InputSpec &spec,
                                                    StringRef name,
                                                    RankedTensorType type) {
  if (!getTensorBytes(type))
    return makeError(
        "input '" + name + "': cannot create values for a " + toString(type) +
        ": it has too many elements or an unsupported element type");
  FailureOr<HostTensor> tensor = allocateHostTensor(type);
  if (failed(tensor))
    return makeError("input '" + name + "': not enough memory for a " +
                     toString(type));
  switch (spec.generator) {
  case InputGenerator::Zeros:
    break;
  case InputGenerator::Ones:
    fillOnes(*tensor);
    break;
  case InputGenerator::Ramp:
    fillRamp(*tensor);
    break;
  case InputGenerator::Random:
    fillRandom(*tensor, mix(spec.seed) ^ hashFNV1a(name));
    break;
  }
  return std::move(*tensor);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static llvm::Expected<HostTensor> resolveInput(
    const InputSpec &spec, const ProgramInput &input,
    function_ref<llvm::Expected<HostTensor>(StringRef file)> readFile) {
  if (spec.file.empty())
    return generateInput(spec, input.name, input.type);
  llvm::Expected<HostTensor> tensor = readFile(spec.file);
  if (!tensor)
    return tensor;
  viewAs(input.type.getElementType(), *tensor);
  if (llvm::Error error = checkStreamTensor(
          "input '" + input.name + "' (" + spec.file + ")", *tensor, input.type,
          input.hostTransfers, input.numHostDims))
    return error;
  return tensor;
}

llvm::Expected<std::vector<std::optional<HostTensor>>> mlir::ipu::resolveInputs(
    ArrayRef<InputSpec> specs, ArrayRef<ProgramInput> inputs,
    function_ref<llvm::Expected<HostTensor>(StringRef file)> readFile) {
  if (llvm::Error error = checkInputSpecs(specs, inputs))
    return error;
  llvm::StringMap<const InputSpec *> byName;
  for (const InputSpec &spec : specs)
    byName[spec.name] = &spec;
  std::vector<std::optional<HostTensor>> values;
  for (const ProgramInput &input : inputs) {
    auto it = byName.find(input.name);
    if (it == byName.end() && input.hasDefault) {
      values.emplace_back();
      continue;
    }
    const InputSpec *spec = it != byName.end() ? it->second : byName.at("*");
    llvm::Expected<HostTensor> value = resolveInput(*spec, input, readFile);
    if (!value)
      return value.takeError();
    values.emplace_back(std::move(*value));
  }
  return values;
}
