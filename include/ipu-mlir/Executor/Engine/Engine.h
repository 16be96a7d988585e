//===- Engine.h - Execution engines of codelets -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_ENGINE_ENGINE_H
#define IPU_MLIR_EXECUTOR_ENGINE_ENGINE_H

#include "ipu-mlir/Executor/Program/Program.h"
#include <optional>

namespace mlir::ipu {

/// The position of an illegal access of a codelet, to elements outside of a
/// buffer.
struct CodeletFault {
  int64_t row = 0;
  Operation *op = nullptr;
};

/// The start of a diagnostic: `op` and its fault.
std::string getFaultMessage(Operation *op);

/// A range of the vertices of a group on one replica, in parts of
/// Engine::getNumParts().
struct VertexRange {
  const VertexGroup *group = nullptr;
  int64_t begin = 0, end = 0;
  /// The storage of the variable of each operand on the replica.
  ArrayRef<char *> buffers;
  /// If not empty, the rows to which the range refers, instead of the rows of
  /// the group.
  ArrayRef<int64_t> table;
};

/// Runs codelets. All engines give the same bits. Scalar ops have the values
/// that CodeletScalarOps.def defines, also where LLVM defines none, and new
/// memory of memref.alloca is zero.
class Engine {
public:
  virtual ~Engine();
  /// The number of parts of a group that can run separately: its rows, unless
  /// the engine joins some of them.
  virtual int64_t getNumParts(const VertexGroup &group) const {
    return group.getNumRows();
  }
  /// Runs vertices in the order of their rows, up to the first fault. Several
  /// threads may call this at the same time.
  virtual std::optional<CodeletFault> run(const VertexRange &range) = 0;
};

/// The reference engine. It decodes the codelets and interprets them element by
/// element.
std::unique_ptr<Engine> createInterpEngine(const Program &program);

/// Creates an engine that runs compiled kernels for the groups of the program
/// and `moreGroups`, on `threads` threads. Kernels are compiled unless the
/// cache in `cacheFolder` contains them; see LoadOptions. Ranges may have
/// tables of their own. Fails with a diagnostic. The program is not copied.
FailureOr<std::unique_ptr<Engine>>
createJitEngine(const Program &program, unsigned threads, StringRef cacheFolder,
                ArrayRef<const VertexGroup *> moreGroups);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_ENGINE_ENGINE_H
