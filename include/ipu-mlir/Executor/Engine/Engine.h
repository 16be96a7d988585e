//===- Engine.h - Execution engines of codelets -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_ENGINE_ENGINE_H
#define IPU_MLIR_EXECUTOR_ENGINE_ENGINE_H

#include "ipu-mlir/Executor/Program/Program.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace mlir::ipu {

/// The position at which a codelet accesses elements outside of a buffer: the
/// row of the vertex (see VertexGroup), and the op that accesses the elements.
struct CodeletFault {
  int64_t row = 0;
  Operation *op = nullptr;
};

/// Returns the first part of a diagnostic: the name of `op` and its fault.
std::string getFaultMessage(Operation *op);

/// A range of the vertices of a group on one replica. `begin` and `end` are
/// indices of parts of the group; see Engine::getNumParts().
struct VertexRange {
  const VertexGroup *group = nullptr;
  int64_t begin = 0, end = 0;
  /// For each operand, the storage of its variable on the replica.
  ArrayRef<char *> buffers;
  /// Rows in the form of VertexGroup::table. If `table` is not empty, `begin`
  /// and `end` are indices of these rows instead of parts of the group.
  ArrayRef<int64_t> table;
};

/// An engine runs codelets. The results of all engines have the same bits.
/// CodeletScalarOps.def defines the values of scalar ops, including values that
/// LLVM does not define. The memory that memref.alloca creates is zero.
class Engine {
public:
  virtual ~Engine();
  /// Returns the number of parts of a group that can run separately. This is
  /// the number of rows, or a smaller number if the engine joins rows.
  virtual int64_t getNumParts(const VertexGroup &group) const {
    return group.getNumRows();
  }
  /// Runs vertices in the order of their rows, up to the first fault. Returns
  /// this fault, or std::nullopt. Several threads may call this function at the
  /// same time.
  virtual std::optional<CodeletFault> run(const VertexRange &range) = 0;
};

/// Creates the reference engine. It decodes the codelets and interprets them
/// element by element.
std::unique_ptr<Engine> createInterpEngine(const Program &program);

/// Creates the folder of a cache of kernels, if it does not exist. Fails, with
/// an error that names the folder, if the folder cannot be read, or if another
/// user owns it or may write to it: a reader executes the kernels in the
/// folder.
llvm::Error prepareCacheFolder(StringRef folder);

/// Creates an engine that runs compiled kernels. It has kernels for the groups
/// of the program and for `moreGroups`. It joins rows of a group, but keeps
/// enough parts for `threads` threads. Kernels are compiled unless the cache in
/// `cacheFolder` contains them; see LoadOptions. If prepareCacheFolder() fails,
/// the function emits a warning and uses no cache. The engine can also run
/// ranges of other rows than those of the group (VertexRange::table). Emits an
/// error and fails if a kernel cannot be compiled. The program must outlive
/// the engine.
FailureOr<std::unique_ptr<Engine>>
createJitEngine(const Program &program, unsigned threads, StringRef cacheFolder,
                ArrayRef<const VertexGroup *> moreGroups);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_ENGINE_ENGINE_H
