//===- ProfileReport.h - Profiles as pages for browsers ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report is one HTML file that needs no network and no other file, and cannot
// use them: its content security policy forbids it. docs/profile-report.md says
// what it shows.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROFILE_PROFILEREPORT_H
#define IPU_MLIR_EXECUTOR_PROFILE_PROFILEREPORT_H

#include "ipu-mlir/Executor/Profile/Profile.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mlir::ipu {

/// A profile as JSON, and what to call it.
struct NamedProfile {
  std::string name;
  std::string json;
};

/// Reads the profile that is the text of `path`. Fails, naming the file, at
/// what is no profile of the version that this writes.
llvm::Expected<NamedProfile> readProfile(StringRef path, StringRef text);

/// Writes a page of `profile`, which is called `name`.
void writeReport(StringRef name, const Profile &profile, llvm::raw_ostream &os);

/// Writes a page of the first of `profiles`, which the others, of which there
/// may be one, are compared with.
void writeReport(ArrayRef<NamedProfile> profiles, llvm::raw_ostream &os);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROFILE_PROFILEREPORT_H
