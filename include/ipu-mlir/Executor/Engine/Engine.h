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

/// Where a codelet did something that it must not: touch elements outside of
/// a buffer.
struct CodeletFault {
  int64_t row = 0;
  Operation *op = nullptr;
};

/// `op` and what it did, as the start of a diagnostic.
std::string getFaultMessage(Operation *op);

/// A range of a group's vertices on one replica, in parts of
/// Engine::getNumParts().
struct VertexRange {
  const VertexGroup *group = nullptr;
  int64_t begin = 0, end = 0;
  /// Storage of each operand's variable on the replica.
  ArrayRef<char *> buffers;
  /// If there are any, rows that the range is one of, in place of the group's.
  ArrayRef<int64_t> table;
};

/// A way to run codelets. All engines give the same bits: scalar ops have the
/// values that CodeletScalarOps.def says, also where LLVM has none, and fresh
/// memory of memref.alloca is zero.
class Engine {
public:
  virtual ~Engine();
  /// How many parts of a group may run one by one: its rows, unless the engine
  /// joins some.
  virtual int64_t getNumParts(const VertexGroup &group) const {
    return group.getNumRows();
  }
  /// Runs vertices in the order of rows, up to the first fault. May be called
  /// from several threads at once.
  virtual std::optional<CodeletFault> run(const VertexRange &range) = 0;
};

/// The reference: decodes the codelets and interprets them element by element.
std::unique_ptr<Engine> createInterpEngine(const Program &program);

/// Compiles what the groups of the program and `moreGroups` run, for so many
/// threads, unless the cache in `cacheFolder` has it; see LoadOptions. Ranges
/// may have tables of their own. Fails with a diagnostic. The program is not
/// copied.
FailureOr<std::unique_ptr<Engine>>
createJitEngine(const Program &program, unsigned threads, StringRef cacheFolder,
                ArrayRef<const VertexGroup *> moreGroups);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_ENGINE_ENGINE_H
