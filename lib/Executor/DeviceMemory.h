//===- DeviceMemory.h - What variables hold during a run --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_DEVICEMEMORY_H
#define IPU_MLIR_LIB_EXECUTOR_DEVICEMEMORY_H

#include "ThreadPool.h"
#include "ipu-mlir/Executor/Engine.h"

namespace mlir::ipu {

/// The variables of all replicas, and what the nodes of a program do to them.
/// Elements go in and out in row-major order of the whole variable.
class DeviceMemory {
public:
  virtual ~DeviceMemory();
  /// The life of a variable begins; one with an initial value has it.
  virtual LogicalResult begin(unsigned variable) = 0;
  virtual void end(unsigned variable) = 0;
  virtual LogicalResult compute(const ComputeNode &node) = 0;
  virtual LogicalResult exchange(const ExchangeNode &node) = 0;
  virtual void write(unsigned variable, int64_t replica, const char *from) = 0;
  /// `user` is the op that lets the host see the variable.
  virtual LogicalResult read(Operation *user, unsigned variable,
                             int64_t replica, char *to) = 0;
  /// After the last node: fails if what happened before must not happen.
  virtual LogicalResult finish() { return success(); }
};

/// One row-major buffer for each variable and replica, whatever its map. The
/// arguments outlive the result.
std::unique_ptr<DeviceMemory>
createFlatMemory(const Program &program, Engine &engine, ThreadPool &pool);

/// Gives a variable of `memory` its initial value, if it has one, on all
/// replicas.
LogicalResult writeInitialValue(const Program &program, unsigned variable,
                                DeviceMemory &memory);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_DEVICEMEMORY_H
