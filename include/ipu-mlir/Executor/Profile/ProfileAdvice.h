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

/// A rule and the value that it measured.
struct ProfileRule {
  /// A name for programs, such as `host`.
  llvm::StringLiteral name = "";
  /// The meaning of `value`, and the quantity of which it is a part or
  /// multiple.
  llvm::StringLiteral measure = "";
  /// `bytes` or, for thousandths, `permille`. The rule gives advice if `value`
  /// is above `limit`.
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
  /// The problem and a possible change, without a full stop.
  std::string text;
  /// The op, variable or category of memory that the advice is about, if there
  /// is one, and a step and a tile that show the problem, or -1.
  std::string subject;
  int64_t step = -1;
  int64_t tile = -1;
  /// The option or op to change, as a user writes it; may be empty.
  llvm::StringLiteral option = "";
  /// Upper bounds of the saved cycles of the slowest IPU, and of the saved
  /// bytes of the fullest tile; 0 if they are not known.
  int64_t saving = 0;
  int64_t savingBytes = 0;
  /// Whether the program does not fit without the change.
  bool isError = false;
};

struct ProfileFindings {
  /// Errors first, then in decreasing order of saved cycles and saved bytes.
  std::vector<ProfileAdvice> advice;
  /// All rules, in the order of docs/profile.md.
  std::vector<ProfileRule> rules;
};

ProfileFindings checkRules(const Profile &profile);

/// Applies the rules to `profile`.
std::vector<ProfileAdvice> getAdvice(const Profile &profile);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROFILE_PROFILEADVICE_H
