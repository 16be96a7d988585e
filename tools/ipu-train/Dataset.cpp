//===- Dataset.cpp - Samples for training and tests -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataset.h"

#include "ipu-mlir/Host/HostElements.h"
#include "ipu-mlir/Host/Npz.h"
#include "ipu-mlir/Host/PrintTensor.h"
#include "ipu-mlir/Tools/Files.h"
#include "ipu-mlir/Tools/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

llvm::Error Dataset::makeError(const Twine &message) const {
  return tools::makeError("'" + path + "': " + message);
}

llvm::Expected<Dataset> Dataset::read(StringRef path, MLIRContext *context) {
  auto buffer = tools::readFile(path);
  if (!buffer)
    return buffer.takeError();
  Dataset data;
  data.path = path.str();
  data.hash = llvm::xxh3_64bits((*buffer)->getBuffer());
  auto arrays = parseNpz((*buffer)->getBuffer(), context);
  if (!arrays)
    return data.makeError(llvm::toString(arrays.takeError()));
  data.arrays = std::move(*arrays);
  return data;
}

std::vector<std::string> Dataset::getNames() const {
  std::vector<std::string> names;
  names.reserve(arrays.size());
  for (const NamedTensor &array : arrays)
    names.push_back(array.name);
  return names;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Converts `array` to the element type `element`. Floats are rounded, and
/// integers must fit. Returns the number of the first element that cannot be
/// converted, or std::nullopt.
static std::optional<int64_t> convert(HostTensor &array, Type element) {
  Type from = array.type.getElementType();
  int64_t size = getElementBytes(from), newSize = getElementBytes(element);
  HostTensor result{array.type.clone(element),
                    HostBytes(array.type.getNumElements() * newSize)};
  const char *source = std::as_const(array.data).data();
  char *target = result.data.data();
  for (int64_t i = 0, e = array.type.getNumElements(); i < e; ++i) {
    uint64_t bits = loadBits(from, source + i * size);
    if (auto type = dyn_cast<FloatType>(element)) {
      double value = decodeFloat(cast<FloatType>(from), bits);
      uint64_t rounded = encodeFloat(type, value);
      if (!std::isfinite(value) || !std::isfinite(decodeFloat(type, rounded)))
        return i;
      storeBits(type, rounded, target + i * newSize);
      continue;
    }
    auto type = cast<IntegerType>(element);
    __int128 value = decodeInteger(cast<IntegerType>(from), bits);
    storeBits(type, static_cast<uint64_t>(value), target + i * newSize);
    if (decodeInteger(type, loadBits(type, target + i * newSize)) != value)
      return i;
  }
  array = std::move(result);
  return std::nullopt;
}

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

const NamedTensor &Dataset::getArray(StringRef name) const {
  return *llvm::find_if(
      arrays, [&](const NamedTensor &array) { return array.name == name; });
}

llvm::Error Dataset::checkIntegers(const NamedTensor &array, StringRef what,
                                   int64_t least, int64_t most,
                                   std::optional<int64_t> other) const {
  const HostTensor &tensor = array.tensor;
  auto type = cast<IntegerType>(tensor.type.getElementType());
  int64_t size = getElementBytes(type);
  for (int64_t i = 0; i < tensor.type.getNumElements(); ++i) {
    uint64_t bits = loadBits(type, tensor.data.data() + i * size);
    __int128 number = decodeInteger(type, bits);
    if ((number < least || number > most) && number != other)
      return makeError("array '" + array.name + "' expects " + what + " from " +
                       Twine(least) + " to " + Twine(most) +
                       (other ? " or " + std::to_string(*other) : "") +
                       " but has " + formatElement(type, bits) + " at " +
                       formatPosition(tensor.type.getShape(), i));
  }
  return llvm::Error::success();
}

llvm::Error Dataset::bindArray(const SampleInput &input, HostTensor &array) {
  std::string name = "array '" + input.name + "'";
  ArrayRef<int64_t> shape = array.type.getShape();
  Type element = input.type.getElementType();
  if (shape.empty() ||
      shape.drop_front() != input.type.getShape().drop_front()) {
    std::string sample =
        llvm::join(llvm::map_range(
                       input.type.getShape().drop_front(),
                       [](int64_t size) { return "x" + std::to_string(size); }),
                   "");
    return makeError(name + " expects samples of shape N" + sample +
                     ", which the model takes, but has type " +
                     toString(array.type));
  }
  if (isa<FloatType>(array.type.getElementType()) != isa<FloatType>(element))
    return makeError(
        name + " expects " + (isa<FloatType>(element) ? "floats" : "integers") +
        ", which the model takes, but has type " + toString(array.type));
  if (std::optional<int64_t> bad = convert(array, element)) {
    Type from = array.type.getElementType();
    uint64_t bits = loadBits(from, std::as_const(array.data).data() +
                                       *bad * getElementBytes(from));
    return makeError(name + " expects " +
                     (isa<FloatType>(element) ? "finite numbers of type "
                                              : "numbers of type ") +
                     toString(element) + " but has " +
                     formatElement(from, bits) + " at " +
                     formatPosition(shape, *bad));
  }
  return llvm::Error::success();
}

llvm::Error Dataset::bind(ArrayRef<SampleInput> inputs) {
  std::vector<NamedTensor> bound;
  for (const SampleInput &input : inputs) {
    auto it = llvm::find_if(arrays, [&](const NamedTensor &array) {
      return array.name == input.name;
    });
    if (it == arrays.end())
      return makeError("expects an array '" + input.name +
                       "', which the model takes, but has " +
                       (arrays.empty()
                            ? "none"
                            : "'" + llvm::join(getNames(), "', '") + "'"));
    if (llvm::Error error = bindArray(input, it->tensor))
      return error;
    int64_t size = it->tensor.type.getDimSize(0);
    if (!bound.empty() && size != numSamples)
      return makeError("expects equal numbers of samples in all arrays but '" +
                       bound.front().name + "' has " + Twine(numSamples) +
                       " and '" + input.name + "' has " + Twine(size));
    numSamples = size;
    bound.push_back(*it);
    if (input.rows)
      if (llvm::Error error =
              checkIntegers(*it, "indices", -*input.rows, *input.rows - 1))
        return error;
  }
  arrays = std::move(bound);
  return llvm::Error::success();
}

llvm::Error Dataset::checkLabels(StringRef name, int64_t classes,
                                 const LabelWeights &weights) const {
  std::optional<int64_t> other;
  if (weights.ignoreIndex < 0 || weights.ignoreIndex >= classes)
    other = weights.ignoreIndex;
  return checkIntegers(getArray(name), "labels", 0, classes - 1, other);
}

void Dataset::weighLabels(StringRef name, const LabelWeights &weights) {
  const HostTensor &array = getArray(name).tensor;
  auto type = cast<IntegerType>(array.type.getElementType());
  int64_t size = getElementBytes(type);
  sampleWeights.assign(numSamples, 0);
  int64_t labels = numSamples ? array.type.getNumElements() / numSamples : 0;
  for (int64_t i = 0, end = labels * numSamples; i < end; ++i) {
    uint64_t bits = loadBits(type, array.data.data() + i * size);
    auto label = static_cast<int64_t>(decodeInteger(type, bits));
    sampleWeights[i / labels] += weights.get(label);
  }
}

double Dataset::getWeight(ArrayRef<int64_t> rows) const {
  double sum = 0;
  for (int64_t row : rows)
    sum += sampleWeights[row];
  return sum;
}

llvm::Error Dataset::checkBits(StringRef name) const {
  const HostTensor &array = getArray(name).tensor;
  auto type = cast<FloatType>(array.type.getElementType());
  int64_t size = getElementBytes(type);
  for (int64_t i = 0; i < array.type.getNumElements(); ++i) {
    uint64_t bits = loadBits(type, array.data.data() + i * size);
    double target = decodeFloat(type, bits);
    bool isProbability = target >= 0 && target <= 1; // no NaN
    if (!isProbability)
      return makeError("array '" + name + "' expects targets from 0 to 1 but " +
                       "has " + formatElement(type, bits) + " at " +
                       formatPosition(array.type.getShape(), i));
  }
  return llvm::Error::success();
}

bool Dataset::hasArray(StringRef name) const {
  return llvm::any_of(
      arrays, [&](const NamedTensor &array) { return array.name == name; });
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

HostTensor Dataset::gather(StringRef name, ArrayRef<int64_t> rows,
                           RankedTensorType type) const {
  const HostTensor &array = getArray(name).tensor;
  int64_t size = *getTensorBytes(array.type) / array.type.getDimSize(0);
  HostTensor result{type, HostBytes::allocate(rows.size() * size, false)};
  char *to = result.data.data();
  for (int64_t row : rows) {
    std::memcpy(to, array.data.data() + row * size, size);
    to += size;
  }
  return result;
}

/// Returns the next number of SplitMix64.
static uint64_t next(uint64_t &state) {
  state += 0x9E3779B97F4A7C15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

uint64_t train::hashNumbers(ArrayRef<uint64_t> numbers) {
  uint64_t hash = 0;
  for (uint64_t number : numbers) {
    uint64_t state = hash ^ number;
    hash = next(state);
  }
  return hash;
}

std::vector<int64_t> train::shuffle(int64_t numSamples, uint64_t seed,
                                    int64_t epoch) {
  std::vector<int64_t> order(numSamples);
  std::iota(order.begin(), order.end(), 0);
  uint64_t state = hashNumbers({seed, static_cast<uint64_t>(epoch)});
  for (int64_t i = numSamples - 1; i > 0; --i)
    std::swap(order[i], order[next(state) % (i + 1)]);
  return order;
}
