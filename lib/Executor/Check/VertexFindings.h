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
  /// A codelet does not write an element of an output.
  Unwritten,
  /// A codelet accesses elements outside of its buffers, or would not
  /// terminate.
  Fault,
  /// A vertex accesses an element that another vertex of the compute set
  /// writes, or writes an element that another vertex of the compute set reads.
  Race,
  /// Tiles hold different values of the same element.
  Divergence,
};

/// An error for one argument at one op of a codelet. The finding stands for the
/// errors of all vertices of an 'ipu.vertices' op. `row` and `at` describe the
/// first error.
struct VertexFinding {
  FindingKind kind = FindingKind::Undefined;
  Operation *op = nullptr;
  int argument = -1;
  /// For a race: the number of the other 'ipu.vertices' op in the compute set.
  unsigned other = 0;
  bool isWrite = false;
  /// For an undefined element: its ElementState.
  uint8_t state = 0;

  /// The row of the vertex, counted over the rows of all replicas, one replica
  /// after the other; and the position of the element in the region of the
  /// tile.
  int64_t row = 0;
  int64_t at = 0;
  /// For a fault: an index, and the size of the dimension. The index is outside
  /// of [0, size).
  int64_t index = 0, size = -1;

  int64_t numElements = 1;
  int64_t numRows = 1;
  int64_t lastRow = 0;

  bool isSameAs(const VertexFinding &b) const {
    return kind == b.kind && op == b.op && argument == b.argument &&
           other == b.other && isWrite == b.isWrite;
  }
};

/// The findings of a run, in the order of their first occurrences. Further
/// occurrences of a finding are only counted.
class VertexFindings {
public:
  void add(const VertexFinding &finding);
  /// Adds the findings of `others`. The rows of `others` come after all rows of
  /// this object.
  void append(const VertexFindings &others);
  const std::vector<VertexFinding> &get() const { return findings; }

private:
  std::vector<VertexFinding> findings;
};

/// Decides which findings are reported. Each finding is reported once, and at
/// most kMaxFindings findings are reported.
class FindingLog {
public:
  /// The maximum number of reported findings. More findings would give no more
  /// information.
  static constexpr unsigned kMaxFindings = 8;

  /// Returns whether the finding `kind` about `argument` at `op`, in a vertex
  /// of `user`, should be reported now.
  bool start(FindingKind kind, Operation *op, Operation *user, int argument) {
    if (isFull() || !seen.insert({{op, user}, {int(kind), argument}}).second)
      return false;
    ++count;
    return true;
  }
  /// Completes a diagnostic that start() allowed.
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
