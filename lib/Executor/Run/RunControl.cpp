//===- RunControl.cpp - Branches, loops and calls of a run ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All replicas take the same way through a program: what decides it has to be
// equal on all of them.
//
//===----------------------------------------------------------------------===//

#include "../Memory/ReplicaClasses.h"
#include "Run.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Values that decide
//===----------------------------------------------------------------------===//

/// Numbers in ascending order as "0, 2 to 5, 7"; not all of many.
static std::string formatReplicas(ArrayRef<int64_t> replicas) {
  constexpr unsigned kMaxRanges = 8;
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned numRanges = 0;
  for (size_t i = 0; i < replicas.size(); ++i) {
    size_t first = i;
    while (i + 1 < replicas.size() && replicas[i + 1] == replicas[i] + 1)
      ++i;
    if (numRanges++)
      os << ", ";
    if (numRanges > kMaxRanges) {
      os << "...";
      break;
    }
    os << replicas[first];
    if (i > first)
      os << (i > first + 1 ? " to " : ", ") << replicas[i];
  }
  return text;
}

FailureOr<int64_t> Run::readScalar(Operation *user, unsigned variable,
                                   int64_t replica) {
  const ProgramVariable &info = program.variables[variable];
  uint64_t bits = 0;
  if (failed(memory.read(user, variable, replica,
                         reinterpret_cast<char *>(&bits))))
    return failure();
  unsigned width = info.type.getElementTypeBitWidth();
  return width == 1 ? static_cast<int64_t>(bits & 1)
                    : llvm::SignExtend64(bits, width);
}

FailureOr<int64_t> Run::readUniformScalar(Operation *user, unsigned variable) {
  ReplicaPartition partition = memory.getPartition(variable);
  SmallVector<int64_t> values;
  for (int64_t replica : getLeastReplicas(partition)) {
    FailureOr<int64_t> value = readScalar(user, variable, replica);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  if (llvm::all_equal(values))
    return values.front();
  llvm::MapVector<int64_t, SmallVector<int64_t>> replicasOfValue;
  for (int64_t replica = 0; replica < replicas; ++replica)
    replicasOfValue[values[partition.classOf(replica)]].push_back(replica);
  const ProgramVariable &info = program.variables[variable];
  InFlightDiagnostic diag = user->emitOpError();
  diag << "expects variable \"" << info.name
       << "\", which decides what runs, to be equal on all replicas";
  constexpr unsigned kMaxValues = 8;
  unsigned count = 0;
  for (auto &[value, which] : replicasOfValue) {
    if (count++ == kMaxValues) {
      diag.attachNote(info.op->getLoc())
          << replicasOfValue.size() - kMaxValues << " other values";
      break;
    }
    Diagnostic &note = diag.attachNote(info.op->getLoc());
    if (info.type.getElementType().isInteger(1))
      note << (value ? "true" : "false");
    else
      note << value;
    note << (which.size() == 1 ? " on replica " : " on replicas ")
         << formatReplicas(which);
  }
  return diag;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

LogicalResult Run::visit(const std::unique_ptr<RepeatNode> &node) {
  int64_t count = node->count;
  if (node->countVariable) {
    FailureOr<int64_t> read = readUniformScalar(node->op, *node->countVariable);
    if (failed(read))
      return failure();
    count = *read;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (failed(runSequence(node->body)))
      return failure();
    profile.runStep(node->step);
  }
  return success();
}

LogicalResult Run::visit(const std::unique_ptr<IfNode> &node) {
  FailureOr<int64_t> condition = readUniformScalar(node->op, node->condition);
  if (failed(condition))
    return failure();
  profile.runStep(node->step);
  return runSequence(*condition ? node->thenBody : node->elseBody);
}

LogicalResult Run::visit(const std::unique_ptr<WhileNode> &node) {
  while (true) {
    if (failed(runSequence(node->before)))
      return failure();
    FailureOr<int64_t> condition = readUniformScalar(node->op, node->condition);
    if (failed(condition))
      return failure();
    profile.runStep(node->step);
    if (!*condition)
      return success();
    if (failed(runSequence(node->body)))
      return failure();
  }
}

LogicalResult Run::visit(const CallNode &node) {
  const ProgramFunction &function = program.functions[node.function];
  if (function.isLoaded && !code.isResident(node.function)) {
    InFlightDiagnostic diag = node.op->emitOpError();
    diag << "internal error: the code of '" << function.name
         << "' is not on the tiles";
    return diag;
  }
  if (function.isLoaded && failed(memory.callCode(node.op, node.function)))
    return failure();
  if (failed(runSequence(function.body)))
    return failure();
  profile.runStep(node.step);
  if (node.isLastUse)
    code.remove(node.function);
  return success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

LogicalResult Run::visit(const CodeNode &node) {
  profile.runSync(node.step, getSyncKind(node));
  for (unsigned function : node.functions) {
    if (!node.isLoad && !code.isIn(node.source, function)) {
      InFlightDiagnostic diag = node.op->emitOpError();
      diag << "expects the code of '" << program.functions[function].name
           << "' to be in '" << stringifyCodeLocation(node.source) << "'";
      return diag;
    }
    code.add(node.destination, function);
    if (node.destination == CodeLocation::Executable)
      memory.loadCode(function);
  }
  return success();
}
