//===- VertexChecks.h - Checks of a vertex's accesses -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_CHECK_VERTEXCHECKS_H
#define IPU_MLIR_LIB_EXECUTOR_CHECK_VERTEXCHECKS_H

#include "../Memory/DeviceMemory.h"
#include "VertexFindings.h"

namespace mlir::ipu {

/// The vertices of the current compute set that accessed an element. A vertex
/// is represented by its number, counted from 1; 0 stands for no vertex. Marks
/// exist only for variables on which a race is possible.
struct AccessMark {
  unsigned writer = 0;
  unsigned readers[2] = {0, 0};
};

/// The state of one argument of a vertex. `states` and `marks` have one entry
/// for each element of the region of the argument.
struct CheckedOperand {
  uint8_t *states = nullptr;
  AccessMark *marks = nullptr;
  bool isInput = false;
};

/// The checks of an interpreter frame (InterpFrame.h). The frame calls read()
/// or write() before each access to element `at` of a region on its tile.
/// `argument` is the number of the vertex's argument, or -1 for local memory,
/// which is always defined. After an error about an undefined element, the
/// element counts as defined, so that values that depend on it cause no further
/// errors.
class VertexChecks {
public:
  static constexpr bool kEnabled = true;

  void read(Operation *op, int argument, int64_t at) {
    if (argument < 0)
      return;
    CheckedOperand &operand = operands[argument];
    if (LLVM_UNLIKELY(operand.states[at] != kDefined)) {
      find(FindingKind::Undefined, op, argument, at);
      operand.states[at] = kDefined;
    }
    if (LLVM_UNLIKELY(operand.marks != nullptr))
      markRead(op, argument, at);
  }

  void write(Operation *op, int argument, int64_t at) {
    if (argument < 0)
      return;
    CheckedOperand &operand = operands[argument];
    operand.states[at] = kDefined;
    if (LLVM_UNLIKELY(operand.isInput))
      find(FindingKind::InputWritten, op, argument, at);
    if (LLVM_UNLIKELY(operand.marks != nullptr))
      markWrite(op, argument, at);
  }

  /// Returns whether accesses to elements [at, at + size) would cause no
  /// findings and would not change any state.
  bool isSettled(int argument, bool isWrite, int64_t at, int64_t size) const {
    if (argument < 0)
      return true;
    const CheckedOperand &operand = operands[argument];
    return !operand.marks && !(isWrite && operand.isInput) &&
           areDefined(operand.states + at, size);
  }

  /// Records that the codelet used an `index` that is outside of [0, size).
  void leave(int argument, int64_t index, int64_t size) {
    fault.argument = argument;
    fault.index = index;
    fault.size = size;
  }

  /// Adds a finding for the current row.
  void find(FindingKind kind, Operation *op, int argument, int64_t at);
  /// Adds the finding that the codelet failed at `op`.
  void findFault(Operation *op);

  /// The operands of the current row.
  SmallVector<CheckedOperand> operands;
  int64_t row = 0;
  /// The number of the current vertex, counted from 1.
  unsigned vertex = 1;
  VertexFindings *findings = nullptr;

private:
  void markRead(Operation *op, int argument, int64_t at);
  void markWrite(Operation *op, int argument, int64_t at);
  void findRace(Operation *op, int argument, int64_t at, unsigned other,
                bool isWrite);

  VertexFinding fault;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_CHECK_VERTEXCHECKS_H
