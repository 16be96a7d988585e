//===- ReplicaCheck.cpp - Comparison of equal replicas ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaCheck.h"

#include "../Memory/ReplicaClasses.h"
#include "../Profile/ProfileBuilder.h"
#include "../Support/ScalarValues.h"
#include "../Support/StridedCopy.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Executor/Program/TileLayout.h"
#include "ipu-mlir/Host/PrintTensor.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

FailureOr<std::unique_ptr<ReplicaCheck>>
ReplicaCheck::create(const Program &program, DeviceMemory &memory,
                     ThreadPool &pool, bool compares,
                     ReplicaEqualReport *report) {
  std::unique_ptr<ReplicaCheck> check(
      new ReplicaCheck(program, memory, pool, compares, report));
  if (report) {
    report->replicas = program.target.replicas;
    report->isCompared = compares;
    report->annotations.clear();
  }
  LogicalResult result = success();
  walkProgram(program.function, [&](Operation *op) {
    if (succeeded(result))
      result = check->addAnnotation(op);
  });
  if (failed(result))
    return failure();
  return check;
}

/// The first variable that an annotated op writes.
static Value getWritten(Operation *op) {
  if (auto vertices = dyn_cast<VerticesOp>(op))
    return vertices.getOutputs().front();
  if (auto move = dyn_cast<MoveOp>(op))
    return move.getTarget();
  if (auto collective = dyn_cast<CollectiveOp>(op))
    return collective.getTarget();
  if (auto load = dyn_cast<HostLoadOp>(op))
    return load.getVariable();
  if (auto load = dyn_cast<RemoteLoadOp>(op))
    return load.getVariable();
  if (auto index = dyn_cast<ReplicaIndexOp>(op))
    return index.getVariable();
  return {};
}

LogicalResult ReplicaCheck::addAnnotation(Operation *op) {
  auto attr = op->getAttrOfType<ReplicaPartitionAttrInterface>(
      IPUDialect::kReplicaEqualAttrName);
  Value variable = attr ? getWritten(op) : Value();
  if (!variable || annotations.contains(op))
    return success();
  if (attr.getNumReplicas() != program.target.replicas)
    return op->emitOpError()
           << "expects '" << IPUDialect::kReplicaEqualAttrName << "' to be for "
           << program.target.replicas << " replicas but got a partition of "
           << attr.getNumReplicas();
  Annotation annotation;
  annotation.partition = partitions.get(attr.getClasses());
  annotation.found = partitions.getAll();
  for (ArrayRef<int64_t> members : getMembers(annotation.partition))
    for (int64_t member : members.drop_front())
      annotation.pairs.emplace_back(members.front(), member);
  if (report) {
    annotation.number = report->annotations.size();
    ReplicaEqualAnnotationReport &entry = report->annotations.emplace_back();
    entry.op = op->getName().getStringRef().str();
    entry.location = describeLocation(op->getLoc());
    entry.variable = getVariable(variable).getName().str();
    auto vertices = dyn_cast<VerticesOp>(op);
    entry.isConstant = vertices && vertices.getInputs().empty();
    llvm::append_range(entry.annotated, annotation.partition.getClasses());
    llvm::append_range(entry.observed, annotation.found.getClasses());
  }
  annotations.insert({op, std::move(annotation)});
  return success();
}

//===----------------------------------------------------------------------===//
// What a node writes
//===----------------------------------------------------------------------===//

void ReplicaCheck::addWhole(Operation *op, unsigned variable) {
  int64_t size = program.variables[variable].type.getNumElements();
  if (annotations.contains(op) && size > 0)
    written.push_back({op, variable, StridedView::identity({size})});
}

void ReplicaCheck::addWritten(const VertexGroup &group) {
  if (!annotations.contains(group.op))
    return;
  ArrayRef<unsigned> outputs =
      ArrayRef(group.variables).drop_front(group.numInputs);
  if (group.writesAll) {
    for (unsigned output : outputs)
      addWhole(group.op, output);
    return;
  }
  SmallVector<size_t> ranks;
  for (unsigned i = 0; i < group.variables.size(); ++i)
    ranks.push_back(
        VerticesOp(group.op).getAccessTileMapping(i).getDomain().size());
  for (int64_t row = 0; row < group.getNumRows(); ++row) {
    const int64_t *region = group.getRow(row);
    for (auto [i, variable] : llvm::enumerate(group.variables)) {
      ArrayRef<int64_t> sizes(region + 1, ranks[i]);
      ArrayRef<int64_t> strides(region + 1 + ranks[i], ranks[i]);
      if (i >= group.numInputs)
        written.push_back({group.op, variable,
                           StridedView{*region, llvm::to_vector(sizes),
                                       llvm::to_vector(strides)}});
      region += 1 + 2 * ranks[i];
    }
  }
}

void ReplicaCheck::addWritten(const ComputeNode &node) {
  for (const VertexGroup &group : node.groups)
    addWritten(group);
}

void ReplicaCheck::addWritten(const ExchangeNode &node) {
  for (const ProgramMove &move : node.moves)
    if (annotations.contains(move.op))
      written.push_back({move.op, move.target, move.to});
}

void ReplicaCheck::addWritten(const HostCopyNode &node) {
  if (node.isLoad)
    addWhole(program.steps[node.step], node.variable);
}

void ReplicaCheck::addWritten(const CollectiveNode &node) {
  addWhole(node.op, node.target);
}

void ReplicaCheck::addWritten(const ReplicaIndexNode &node) {
  addWhole(program.steps[node.step], node.variable);
}

void ReplicaCheck::addWritten(const RemoteNode &node) {
  for (const ProgramRemoteCopy &copy : node.copies)
    if (copy.isLoad)
      addWhole(copy.op, copy.variable);
}

LogicalResult ReplicaCheck::checkStored(const HostCopyNode &node) {
  const ProgramStream &stream = program.streams[node.stream];
  if (node.isLoad || stream.replicated)
    return success();
  int64_t size = stream.type.getNumElements();
  auto look = [&](int64_t replica, ElementsSeen &seen) {
    memory.look(node.variable, replica, 0, size - 1, seen);
  };
  return checkReadOnce(program.steps[node.step], stream.name,
                       stream.type.getElementType(), stream.type.getShape(),
                       llvm::to_vector(llvm::seq(program.target.replicas)),
                       look);
}

LogicalResult ReplicaCheck::check(const ProgramNode &node) {
  if (program.target.replicas == 1)
    return success();
  auto *copy = std::get_if<HostCopyNode>(&node);
  if (compares && copy && failed(checkStored(*copy)))
    return failure();
  written.clear();
  std::visit([&](const auto &inner) { addWritten(inner); }, node);
  for (const Written &part : written)
    if (compares && failed(compare(part)))
      return failure();
  if (report)
    extendReport();
  return success();
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

void ReplicaCheck::forEach(int64_t size, ThreadPool::Work work) {
  // A memory with states uses the threads itself.
  if (memory.hasStates())
    work(0, 0, size);
  else
    pool.run(size, work);
}

/// The written elements one after the other.
void ReplicaCheck::see(const Written &part, int64_t replica,
                       ElementsSeen &seen) {
  // The verifier saw that views show elements of their variables.
  auto [low, high] = *getRange(part.view);
  memory.look(part.variable, replica, low, high, seen);
  if (part.view.isContiguous())
    return;
  StridedView view = part.view;
  view.offset -= low;
  CopyLoops loops = getCopyLoops(view, StridedView::identity(view.sizes));
  int64_t outer = loops.sizes.empty() ? 1 : loops.sizes.front();
  int64_t elementBytes = program.variables[part.variable].elementBytes;
  int64_t size = view.getNumElements();
  std::vector<char> values(size * elementBytes);
  copyElements(loops, elementBytes, seen.values, values.data(), 0, outer);
  if (seen.states) {
    std::vector<uint8_t> states(size);
    copyElements(loops, /*elementBytes=*/1,
                 reinterpret_cast<const char *>(seen.states),
                 reinterpret_cast<char *>(states.data()), 0, outer);
    seen.stateBuffer = std::move(states);
    seen.states = seen.stateBuffer.data();
  }
  seen.valueBuffer = std::move(values);
  seen.values = seen.valueBuffer.data();
}

std::optional<ReplicaCheck::Difference>
ReplicaCheck::findDifference(const Written &part, size_t pair,
                             ElementsSeen &first, ElementsSeen &second) {
  auto [a, b] = annotations[part.op].pairs[pair];
  if (!memory.getActive().contains(a))
    return std::nullopt;
  see(part, a, first);
  see(part, b, second);
  auto difference = mlir::ipu::findDifference(
      program.variables[part.variable].type.getElementType(),
      part.view.getNumElements(), first, second);
  if (!difference)
    return std::nullopt;
  return Difference{pair, *difference};
}

/// An op writes the same on replicas only if all of them execute it.
LogicalResult ReplicaCheck::checkActive(Operation *op) {
  const ActiveReplicas &active = memory.getActive();
  if (active.areAll())
    return success();
  const Annotation &annotation = annotations[op];
  for (auto [a, b] : annotation.pairs) {
    if (active.contains(a) == active.contains(b))
      continue;
    InFlightDiagnostic diag = op->emitOpError();
    diag << "is executed on replica " << (active.contains(a) ? a : b)
         << " but not on replica " << (active.contains(a) ? b : a)
         << " of class "
         << formatReplicas(getMembers(
                annotation.partition)[annotation.partition.classOf(a)]);
    return diag;
  }
  return success();
}

LogicalResult ReplicaCheck::compare(const Written &part) {
  if (failed(checkActive(part.op)))
    return failure();
  size_t numPairs = annotations[part.op].pairs.size();
  std::vector<std::optional<Difference>> found(pool.getNumThreads());
  forEach(numPairs, [&](unsigned thread, int64_t begin, int64_t end) {
    ElementsSeen first, second;
    for (int64_t pair = begin; pair < end && !found[thread]; ++pair)
      found[thread] = findDifference(part, pair, first, second);
  });
  // The first in order is the same for any number of threads.
  for (const std::optional<Difference> &difference : found)
    if (difference)
      return emit(part, *difference);
  return success();
}

LogicalResult ReplicaCheck::emit(const Written &part,
                                 const Difference &difference) {
  const ProgramVariable &variable = program.variables[part.variable];
  const Annotation &annotation = annotations[part.op];
  auto [a, b] = annotation.pairs[difference.pair];
  int64_t element = part.view.offset, position = difference.element.position;
  for (auto [size, stride] : llvm::zip_equal(
           llvm::reverse(part.view.sizes), llvm::reverse(part.view.strides))) {
    element += position % size * stride;
    position /= size;
  }
  Type type = variable.type.getElementType();
  InFlightDiagnostic diag = part.op->emitOpError();
  diag << "writes different elements on replicas " << a << " and " << b
       << " of class "
       << formatReplicas(
              getMembers(annotation.partition)[annotation.partition.classOf(a)])
       << ": element " << printIndices(variable.type.getShape(), element)
       << " of variable \"" << variable.name << "\" is "
       << formatElement(type, difference.element.bits[0]) << " and "
       << formatElement(type, difference.element.bits[1]);
  return diag;
}

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

/// The annotation has been found to hold: compares one replica of each class.
std::vector<int64_t> ReplicaCheck::findEqual(const Written &part) {
  const Annotation &annotation = annotations[part.op];
  const ProgramVariable &variable = program.variables[part.variable];
  ScalarKind kind = getScalarKind(variable.type.getElementType());
  int64_t size = part.view.getNumElements(), bytes = variable.elementBytes;
  std::vector<int64_t> replicas = getLeastReplicas(annotation.partition);
  std::vector<std::vector<char>> values(replicas.size());
  forEach(values.size(), [&](unsigned, int64_t begin, int64_t end) {
    ElementsSeen seen;
    for (int64_t number = begin; number < end; ++number) {
      see(part, replicas[number], seen);
      std::vector<char> &own = values[number];
      own.assign(seen.values, seen.values + size * bytes);
      for (int64_t i = 0; i < size; ++i) {
        char *at = own.data() + i * bytes;
        bool isDefined = !seen.states || seen.states[i] == kDefined;
        storeScalar(kind,
                    isDefined ? canonicalizeNaN(kind, loadScalar(kind, at)) : 0,
                    at);
      }
    }
  });
  auto getBytes = [&](int64_t replica, bool, std::vector<char> &) {
    return ArrayRef<char>(values[annotation.partition.classOf(replica)]);
  };
  // It may be another one each time, and none of them is needed again.
  ReplicaPartitions own(annotation.partition.getNumReplicas());
  ReplicaPartition known = own.get(annotation.partition.getClasses());
  return findEqualReplicas(own, known, getBytes, pool).getClasses().vec();
}

void ReplicaCheck::extendReport() {
  Operation *last = nullptr;
  for (const Written &part : written) {
    Annotation &annotation = annotations[part.op];
    ReplicaEqualAnnotationReport &entry =
        report->annotations[annotation.number];
    // Parts of an op are one after the other.
    if (std::exchange(last, part.op) != part.op)
      ++entry.executions;
    int64_t all = program.variables[part.variable].type.getNumElements();
    std::vector<int64_t> keys;
    if (!compares && part.view.getNumElements() != all) {
      entry.isUnknown = true;
      continue;
    }
    if (compares && annotation.found == annotation.partition)
      continue;
    keys = compares ? findEqual(part)
                    : memory.getPartition(part.variable).getClasses().vec();
    // Replicas that do not execute the op are one class of their own.
    int64_t replicas = program.target.replicas;
    for (int64_t replica = 0; replica < replicas; ++replica)
      if (!memory.getActive().contains(replica))
        keys[replica] = replicas;
    for (auto [key, found] :
         llvm::zip_equal(keys, annotation.found.getClasses()))
      key += found * (replicas + 1);
    annotation.found = partitions.get(keys);
    entry.observed = annotation.found.getClasses().vec();
  }
}
