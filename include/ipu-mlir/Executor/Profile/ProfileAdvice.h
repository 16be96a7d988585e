//===- ProfileAdvice.h - Performance advice ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that detect losses of time or memory. Each rule has a threshold below
// which it gives no advice, and an upper bound of its saving, which is not a
// prediction. docs/profile.md lists the rules.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROFILE_PROFILEADVICE_H
#define IPU_MLIR_EXECUTOR_PROFILE_PROFILEADVICE_H

#include "ipu-mlir/Executor/Profile/Profile.h"

namespace mlir::ipu {

struct ProfileAdvice {
  /// A name for programs, such as `host`.
  llvm::StringLiteral rule;
  /// What was found and what to try, without a full stop.
  std::string text;
  /// Cycles of the slowest IPU that it saves at most; 0 of rules on memory.
  int64_t saving = 0;
};

/// What is found in `profile`: memory first, then by what it saves, most first.
std::vector<ProfileAdvice> getAdvice(const Profile &profile);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROFILE_PROFILEADVICE_H
