//===- ProfileReport.h - Profiles as pages for browsers ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report is one HTML file that needs no network and no other file. Its
// content security policy forbids the use of both. docs/profile-report.md
// describes the contents of a report.
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

/// A profile as JSON, and its name.
struct NamedProfile {
  std::string name;
  std::string json;
};

/// How a page was made.
struct ReportInfo {
  /// The version of the project, the date (such as 2026-01-31 12:00 UTC), and
  /// the command line.
  std::string version, date, command;
};

/// Returns the command line of a tool, without the folder of the tool.
std::vector<std::string> getCommand(int argc, char **argv);

/// Returns how the tool with the command line `args` makes a page now. If the
/// environment variable SOURCE_DATE_EPOCH is set to a number of seconds since
/// 1970, the date is that time, so that pages can be reproduced.
ReportInfo getReportInfo(ArrayRef<std::string> args);

/// Parses `text`, the content of the file `path`, as the JSON of a profile.
/// Fails, with an error that names the file, if the text is not a profile of
/// the version that this program writes.
llvm::Expected<NamedProfile> readProfile(StringRef path, StringRef text);

/// Writes a page for `profile` with the name `name`.
void writeReport(StringRef name, const Profile &profile, const ReportInfo &info,
                 llvm::raw_ostream &os);

/// Writes a page for the first of `profiles`. If there is a second profile, the
/// page compares the first profile with it. There must be one or two profiles.
void writeReport(ArrayRef<NamedProfile> profiles, const ReportInfo &info,
                 llvm::raw_ostream &os);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROFILE_PROFILEREPORT_H
