//===- VertexChecks.cpp - Checks of a vertex's accesses -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VertexChecks.h"

using namespace mlir;
using namespace mlir::ipu;

void VertexChecks::find(FindingKind kind, Operation *op, int argument,
                        int64_t at) {
  VertexFinding finding;
  finding.kind = kind;
  finding.op = op;
  finding.argument = argument;
  finding.row = row;
  finding.at = at;
  finding.state = operands[argument].states[at];
  findings->add(finding);
}

void VertexChecks::findFault(Operation *op) {
  fault.kind = FindingKind::Fault;
  fault.op = op;
  fault.row = row;
  findings->add(fault);
  fault = VertexFinding();
}

void VertexChecks::findRace(Operation *op, int argument, int64_t at,
                            unsigned other, bool isWrite) {
  VertexFinding finding;
  finding.kind = FindingKind::Race;
  finding.op = op;
  finding.argument = argument;
  finding.row = row;
  finding.at = at;
  finding.other = other - 1;
  finding.isWrite = isWrite;
  findings->add(finding);
}

void VertexChecks::markRead(Operation *op, int argument, int64_t at) {
  AccessMark &mark = operands[argument].marks[at];
  if (mark.writer != 0 && mark.writer != vertex)
    findRace(op, argument, at, mark.writer, /*isWrite=*/false);
  for (unsigned &reader : mark.readers) {
    if (reader == vertex)
      return;
    if (reader == 0) {
      reader = vertex;
      return;
    }
  }
}

void VertexChecks::markWrite(Operation *op, int argument, int64_t at) {
  AccessMark &mark = operands[argument].marks[at];
  for (unsigned other : {mark.writer, mark.readers[0], mark.readers[1]}) {
    if (other == 0 || other == vertex)
      continue;
    findRace(op, argument, at, other, /*isWrite=*/true);
    break;
  }
  mark.writer = vertex;
}
