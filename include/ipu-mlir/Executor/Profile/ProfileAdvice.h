//===- ProfileAdvice.h - Performance advice ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that detect losses of time or memory. A rule gives advice only if its
// value exceeds a threshold. The rule also estimates an upper bound of the
// saving; this bound is not a prediction. docs/profile.md lists the rules.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROFILE_PROFILEADVICE_H
#define IPU_MLIR_EXECUTOR_PROFILE_PROFILEADVICE_H

#include "ipu-mlir/Executor/Profile/Profile.h"

namespace mlir::ipu {

/// A rule and the value that it measured.
struct ProfileRule {
  /// The identifier of the rule, such as `host`.
  llvm::StringLiteral name = "";
  /// The meaning of `value`, and the quantity to which it is relative.
  llvm::StringLiteral measure = "";
  /// The unit of `value`: `bytes`, or `permille` for thousandths. The rule
  /// gives advice if `value` is above `limit`.
  llvm::StringLiteral unit = "";
  int64_t value = 0;
  int64_t limit = 0;
  /// Whether the rule applies to this program. Rules on the use of memory do
  /// not apply if the fullest tile is less than half full.
  bool applies = true;

  bool speaks() const { return applies && value > limit; }
};

struct ProfileAdvice {
  ProfileRule rule;
  /// The problem and a possible change of the program, without a full stop.
  std::string text;
  /// The op, variable or category of memory to which the advice applies, if
  /// there is one. `step` and `tile` are a step and a tile that show the
  /// problem, or -1.
  std::string subject;
  int64_t step = -1;
  int64_t tile = -1;
  /// The option or op to change, in the form in which a user writes it. May be
  /// empty.
  llvm::StringLiteral option = "";
  /// Upper bounds of the saved cycles of the slowest IPU, and of the saved
  /// bytes of the fullest tile. A bound is 0 if it is not known.
  int64_t saving = 0;
  int64_t savingBytes = 0;
  /// Whether the program does not fit without the change.
  bool isError = false;
};

struct ProfileFindings {
  /// The advice: errors first, then in decreasing order of saved cycles and
  /// saved bytes.
  std::vector<ProfileAdvice> advice;
  /// All rules with their values, in the order of docs/profile.md.
  std::vector<ProfileRule> rules;
};

ProfileFindings checkRules(const Profile &profile);

/// Returns the advice of all rules for `profile`.
std::vector<ProfileAdvice> getAdvice(const Profile &profile);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROFILE_PROFILEADVICE_H
