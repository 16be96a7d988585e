//===- ProfileReport.cpp - Profiles as pages for browsers -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Profile/ProfileReport.h"

#include "ipu-mlir/Executor/Profile/Profile.h"

// Debian's header throws unless told not to.
#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::ipu;

/// The page, made of the files in lib/Executor/Report; the data come at the end
/// of its body.
static constexpr char kTemplate[] = {
#include "ReportTemplate.inc"
};

llvm::Expected<NamedProfile> mlir::ipu::readProfile(StringRef path,
                                                    StringRef text) {
  auto fail = [&](const Twine &what) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "'" + path + "': " + what);
  };
  auto json = nlohmann::ordered_json::parse(text, /*cb=*/nullptr,
                                            /*allow_exceptions=*/false);
  if (json.is_discarded())
    return fail("expects a profile but got no JSON, or only a part of it");
  const auto version = json.is_object() ? json.find("version") : json.end();
  if (!json.is_object() || version == json.end() ||
      !version->is_number_integer())
    return fail("expects a profile, which has a version");
  if (*version != Profile::kVersion)
    return fail("expects a profile of version " + Twine(Profile::kVersion) +
                " but got version " + Twine(version->template get<int64_t>()));
  return NamedProfile{path.str(), json.dump()};
}

/// Writes `json` as what a script element may hold: `<` begins no tag.
static void writeEmbedded(StringRef json, llvm::raw_ostream &os) {
  while (!json.empty()) {
    auto [text, rest] = json.split('<');
    os << text;
    if (text.size() < json.size())
      os << R"(\u003c)";
    json = rest;
  }
}

void mlir::ipu::writeReport(ArrayRef<NamedProfile> profiles,
                            llvm::raw_ostream &os) {
  auto [before, after] =
      StringRef(kTemplate, sizeof(kTemplate)).split("<!-- profiles -->");
  os << before;
  for (const NamedProfile &profile : profiles) {
    os << R"(<script type="application/json" class="profile">{"name":)";
    writeEmbedded(nlohmann::ordered_json(profile.name)
                      .dump(-1, ' ', false,
                            nlohmann::ordered_json::error_handler_t::replace),
                  os);
    os << R"(,"profile":)";
    writeEmbedded(profile.json, os);
    os << "}</script>\n";
  }
  os << after;
}
