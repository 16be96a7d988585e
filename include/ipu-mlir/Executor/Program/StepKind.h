//===- StepKind.h - Kinds of steps ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROGRAM_STEPKIND_H
#define IPU_MLIR_EXECUTOR_PROGRAM_STEPKIND_H

#include "llvm/ADT/StringRef.h"

namespace mlir::ipu {

/// What a step of a program does, as the profile counts it.
enum class StepKind { Compute, Exchange, Sync, Host, Collective, Remote, Code };
constexpr unsigned kNumStepKinds = 7;
llvm::StringRef stringifyStepKind(StepKind kind);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROGRAM_STEPKIND_H
