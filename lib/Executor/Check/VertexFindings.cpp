//===- VertexFindings.cpp - Errors of vertices in a checked run -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VertexFindings.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ipu;

void VertexFindings::add(const VertexFinding &finding) {
  auto it = llvm::find_if(findings, [&](const VertexFinding &other) {
    return other.isSameAs(finding);
  });
  if (it == findings.end()) {
    findings.push_back(finding);
    findings.back().lastRow = finding.row;
    return;
  }
  ++it->numElements;
  it->numRows += it->lastRow != finding.row;
  it->lastRow = finding.row;
}

void VertexFindings::append(const VertexFindings &others) {
  for (const VertexFinding &finding : others.findings) {
    auto it = llvm::find_if(findings, [&](const VertexFinding &other) {
      return other.isSameAs(finding);
    });
    if (it == findings.end()) {
      findings.push_back(finding);
      continue;
    }
    it->numElements += finding.numElements;
    it->numRows += finding.numRows;
  }
}

void FindingLog::finish(InFlightDiagnostic &diag) {
  if (isFull())
    diag.attachNote() << "the checked run ends here, with " << kMaxFindings
                      << " errors";
  diag.report();
}
