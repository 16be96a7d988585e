//===- ElementDifference.cpp - Difference of two replicas -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementDifference.h"

#include "../Program/Collective.h"
#include "../Support/ScalarValues.h"
#include "ipu-mlir/Executor/Program/TileLayout.h"
#include "ipu-mlir/Host/PrintTensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ipu;

std::optional<ElementDifference>
mlir::ipu::findDifference(Type elementType, int64_t size, const ElementsSeen &a,
                          const ElementsSeen &b) {
  ScalarKind kind = getScalarKind(elementType);
  int64_t bytes = getScalarBytes(kind);
  if (std::memcmp(a.values, b.values, size * bytes) == 0)
    return std::nullopt;
  auto getBits = [&](const ElementsSeen &seen, int64_t at) {
    return canonicalizeNaN(kind, loadScalar(kind, seen.values + at * bytes));
  };
  auto isUndefined = [](const ElementsSeen &seen, int64_t at) {
    return seen.states && seen.states[at] != kDefined;
  };
  for (int64_t i = 0; i < size; ++i) {
    uint64_t left = getBits(a, i), right = getBits(b, i);
    if (left != right && !isUndefined(a, i) && !isUndefined(b, i))
      return ElementDifference{i, {left, right}};
  }
  return std::nullopt;
}

std::string mlir::ipu::formatReplicas(ArrayRef<int64_t> replicas) {
  constexpr size_t kMaxReplicas = 16;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{";
  llvm::interleaveComma(replicas.take_front(kMaxReplicas), os);
  if (replicas.size() > kMaxReplicas)
    os << ", ...";
  os << "}";
  return text;
}

/// Replicas that hold the same of `state` if each group agrees.
static SmallVector<SmallVector<int64_t>>
getReplicasReadOnce(const HostState &state) {
  llvm::MapVector<std::pair<int64_t, int64_t>, SmallVector<int64_t>> members;
  for (int64_t replica = 0; replica < state.groups.getNumReplicas();
       ++replica) {
    int64_t part = state.sharding ? state.sharding->indexIn(replica) : 0;
    members[{state.groups.groupOf(replica), part}].push_back(replica);
  }
  return llvm::map_to_vector(members, [](auto &entry) { return entry.second; });
}

LogicalResult mlir::ipu::checkReadOnce(Operation *op, StringRef name,
                                       Type elementType,
                                       ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> replicas,
                                       LookFn look) {
  int64_t size = ShapedType::getNumElements(shape);
  if (size == 0)
    return success();
  ElementsSeen first;
  look(replicas.front(), first);
  for (int64_t replica : replicas.drop_front()) {
    ElementsSeen seen;
    look(replica, seen);
    auto difference = findDifference(elementType, size, first, seen);
    if (difference)
      return op->emitOpError()
             << "\"" << name << "\" is not equal on replicas "
             << replicas.front() << " and " << replica << " of "
             << formatReplicas(replicas)
             << ", but the host reads the value of only one of these replicas: "
                "element "
             << printIndices(shape, difference->position) << " is "
             << formatElement(elementType, difference->bits[0]) << " and "
             << formatElement(elementType, difference->bits[1]);
  }
  return success();
}

LogicalResult mlir::ipu::checkReadOnce(const HostState &state, LookFn look) {
  if (state.readsReplicas)
    return success();
  SmallVector<int64_t> shape = llvm::to_vector(state.type.getShape());
  if (state.sharding)
    shape = {getPartSize(state.type.getNumElements(),
                         state.sharding->getGroupSize())};
  for (ArrayRef<int64_t> members : getReplicasReadOnce(state))
    if (failed(checkReadOnce(state.op, state.name, state.type.getElementType(),
                             shape, members, look)))
      return failure();
  return success();
}
