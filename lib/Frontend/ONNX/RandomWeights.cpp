//===- RandomWeights.cpp - Random values of weights -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomWeights.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

RandomWeights::Role RandomWeights::getRole(const proto::NodeProto &node,
                                           int operand) {
  bool isTransposed = llvm::any_of(node.attribute(), [](const auto &attr) {
    return attr.name() == "transB" && attr.i() != 0;
  });
  // The roles of operands, from operand 0 on.
  using Roles = SmallVector<Role, 5>;
  Role none = Role::None, scale = Role::Scale, shift = Role::Shift;
  Roles normalization = {none, scale, shift};
  Roles recurrent = {none, Role::Last, Role::Last, shift};
  Roles roles =
      llvm::StringSwitch<Roles>(node.op_type())
          .Case("BatchNormalization", {none, scale, shift, shift, scale})
          .Case("Conv", {none, Role::Rows, shift})
          .Case("ConvTranspose", {none, Role::Columns, shift})
          .Case("GRU", recurrent)
          .Case("Gather", {Role::Table})
          .Case("Gemm",
                {none, isTransposed ? Role::Last : Role::BeforeLast, shift})
          .Case("GroupNormalization", normalization)
          .Case("InstanceNormalization", normalization)
          .Case("LSTM", recurrent)
          .Case("LayerNormalization", normalization)
          .Case("MatMul", {none, Role::BeforeLast})
          .Case("PRelu", {none, shift})
          .Case("RMSNormalization", {none, scale})
          .Case("RNN", recurrent)
          .Default({});
  auto i = static_cast<size_t>(operand);
  return i < roles.size() ? roles[i] : none;
}

RandomWeights::RandomWeights(uint64_t seed, const proto::GraphProto &graph)
    : seed(seed) {
  for (const proto::NodeProto &node : graph.node()) {
    for (int i = 0; i < node.input_size(); ++i) {
      Role role = getRole(node, i);
      auto [it, isNew] = roles.try_emplace(node.input(i), role);
      if (!isNew && role == Role::None)
        it->second = role;
    }
  }
  for (const proto::ValueInfoProto &output : graph.output())
    roles[output.name()] = Role::None;
}

bool RandomWeights::isWeight(StringRef name) const {
  return roles.lookup(name) != Role::None;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Returns the greatest magnitude of the elements of a weight.
double RandomWeights::getBound(Role role, ArrayRef<int64_t> shape) {
  double total = 1;
  for (int64_t size : shape)
    total *= static_cast<double>(size);
  size_t rank = shape.size();
  if (role == Role::None)
    role = rank > 1 ? Role::Rows : Role::Shift;
  double addends = 1;
  if (role == Role::Table || rank == 0)
    return 1;
  if (role == Role::Scale)
    return 0.5;
  if (role == Role::Shift)
    return 0.1;
  if (role == Role::Rows)
    addends = total / static_cast<double>(shape.front());
  else if (role == Role::Columns && rank > 1)
    addends = total / static_cast<double>(shape[1]);
  else
    addends = static_cast<double>(
        shape[role == Role::BeforeLast && rank > 1 ? rank - 2 : rank - 1]);
  // The variance of numbers between -b and b is b^2 / 3.
  return std::sqrt(3 / std::max(addends, 1.0));
}

/// As in files, a tensor may have less than 2 GiB.
static constexpr int64_t kMaxBytes = std::numeric_limits<int32_t>::max();

/// The output function of SplitMix64.
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

ElementsAttr RandomWeights::make(StringRef name, RankedTensorType type) const {
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element || type.getNumElements() == 0 ||
      type.getNumElements() > kMaxBytes / (element.getWidth() / 8))
    return {};
  Role role = roles.lookup(name);
  double bound = getBound(role, type.getShape());
  double middle = role == Role::Scale ? 1 : 0;
  uint64_t start = mix(seed) ^ llvm::xxh3_64bits(name);
  unsigned bytes = element.getWidth() / 8;
  std::vector<char> data(type.getNumElements() * bytes);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    // A number from -1 to 1 with 24 bits.
    uint64_t bits = mix(start + (i + 1) * 0x9E3779B97F4A7C15) >> 40;
    double value =
        middle + bound * (std::ldexp(static_cast<double>(bits), -23) - 1);
    APFloat rounded(value);
    bool losesInfo;
    rounded.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    uint64_t word = rounded.bitcastToAPInt().getZExtValue();
    for (unsigned byte = 0; byte < bytes; ++byte)
      data[i * bytes + byte] = static_cast<char>(word >> (8 * byte));
  }
  return getElements(type, data, name);
}
