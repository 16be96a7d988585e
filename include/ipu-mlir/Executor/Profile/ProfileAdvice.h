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

/// A rule and what it found.
struct ProfileRule {
  /// A name for programs, such as `host`.
  llvm::StringLiteral name = "";
  /// What `value` is, and of what it is a part or multiple.
  llvm::StringLiteral measure = "";
  /// `bytes` or, in thousandths, `permille`. The rule speaks if `value` is
  /// above `limit`.
  llvm::StringLiteral unit = "";
  int64_t value = 0;
  int64_t limit = 0;
  /// Whether the rule looks at programs such as this one: rules on how memory
  /// is used are silent where the fullest tile is less than half full.
  bool applies = true;

  bool speaks() const { return applies && value > limit; }
};

struct ProfileAdvice {
  ProfileRule rule;
  /// What was found and what to try, without a full stop.
  std::string text;
  /// An op, a variable or a category of memory that it is about, if there is
  /// one, and a step and a tile that show it, or -1.
  std::string subject;
  int64_t step = -1;
  int64_t tile = -1;
  /// What to give or to change, as a user writes it; may be empty.
  llvm::StringLiteral option = "";
  /// Cycles of the slowest IPU, and bytes of the fullest tile, that it saves at
  /// most; 0 if that is not known.
  int64_t saving = 0;
  int64_t savingBytes = 0;
  /// Whether the program does not fit without it.
  bool isError = false;
};

struct ProfileFindings {
  /// Errors first, then by the cycles and by the bytes that are saved, most
  /// first.
  std::vector<ProfileAdvice> advice;
  /// All rules, in the order of docs/profile.md.
  std::vector<ProfileRule> rules;
};

ProfileFindings checkRules(const Profile &profile);

/// What rules found in `profile`.
std::vector<ProfileAdvice> getAdvice(const Profile &profile);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROFILE_PROFILEADVICE_H
