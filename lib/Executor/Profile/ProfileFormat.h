//===- ProfileFormat.h - Checks of profiles that are read -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user may have edited a profile file. Therefore profiles are checked when
// they are read. The format of profiles, with the range of each index and size,
// is described only once: the description is derived from the JSON of an
// example and from a table of rules. The page of a report contains this
// description, and checks the profiles that it reads in the same way
// (Report/format.js).
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROFILE_PROFILEFORMAT_H
#define IPU_MLIR_LIB_EXECUTOR_PROFILE_PROFILEFORMAT_H

// Without this macro, Debian's header throws exceptions.
#define JSON_NOEXCEPTION
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace mlir::ipu {

/// Returns a text that names the first value of `profile`, a JSON object, whose
/// format differs from that of writeProfile(). Returns an empty text if there
/// is no such value.
std::string findMismatch(const nlohmann::ordered_json &profile);

/// The value of a number that is an integer, however it is written: the page
/// cannot tell 4.0 from 4.
std::optional<int64_t> getInteger(const nlohmann::ordered_json &value);

/// Writes the description of the format as a JSON object.
void writeProfileFormat(llvm::raw_ostream &os);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROFILE_PROFILEFORMAT_H
