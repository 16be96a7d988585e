//===- VertexFindings.h - Errors of vertices in a checked run ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_CHECK_VERTEXFINDINGS_H
#define IPU_MLIR_LIB_EXECUTOR_CHECK_VERTEXFINDINGS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace mlir::ipu {

enum class FindingKind : uint8_t {
  /// A codelet, or the host, uses an element that has no value.
  Undefined,
  /// A codelet writes an argument that is one of its inputs.
  InputWritten,
  /// A codelet leaves an element of an output as it was.
  Unwritten,
  /// A codelet leaves its buffers, or would not end.
  Fault,
  /// An access to what another vertex of the compute set writes, or a write of
  /// what another reads.
  Race,
  /// Tiles that hold the same element hold other values.
  Divergence,
};

/// What is wrong with one argument at one op, for all vertices of an
/// 'ipu.vertices' op. `row` and `at` are those of the first.
struct VertexFinding {
  FindingKind kind = FindingKind::Undefined;
  Operation *op = nullptr;
  int argument = -1;
  /// Of a race: the number, in the compute set, of the vertices on the other
  /// side.
  unsigned other = 0;
  bool isWrite = false;
  /// Of an undefined element: its ElementState.
  uint8_t state = 0;

  /// Rows of all replicas one after the other; places in the tile's region.
  int64_t row = 0;
  int64_t at = 0;
  /// Of a fault: the index that is outside of [0, size).
  int64_t index = 0, size = -1;

  int64_t numElements = 1;
  int64_t numRows = 1;
  int64_t lastRow = 0;

  bool isSameAs(const VertexFinding &b) const {
    return kind == b.kind && op == b.op && argument == b.argument &&
           other == b.other && isWrite == b.isWrite;
  }
};

/// Findings in order of their first; what has been found again is counted.
class VertexFindings {
public:
  void add(const VertexFinding &finding);
  /// Adds those of rows after all rows here.
  void append(const VertexFindings &others);
  const std::vector<VertexFinding> &get() const { return findings; }

private:
  std::vector<VertexFinding> findings;
};

/// Decides what is reported: each finding once, and not too many.
class FindingLog {
public:
  /// More would not tell more.
  static constexpr unsigned kMaxFindings = 8;

  /// Whether to report `kind` at `op`, run by `user`, now.
  bool start(FindingKind kind, Operation *op, Operation *user, int argument) {
    if (isFull() || !seen.insert({{op, user}, {int(kind), argument}}).second)
      return false;
    ++count;
    return true;
  }
  /// Ends a diagnostic that start() allowed.
  void finish(InFlightDiagnostic &diag);
  bool isFull() const { return count >= kMaxFindings; }
  unsigned size() const { return count; }

private:
  llvm::DenseSet<
      std::pair<std::pair<Operation *, Operation *>, std::pair<int, int>>>
      seen;
  unsigned count = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_CHECK_VERTEXFINDINGS_H
