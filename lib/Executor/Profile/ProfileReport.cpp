//===- ProfileReport.cpp - Profiles as pages for browsers -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Profile/ProfileReport.h"

#include "ProfileFormat.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <ctime>

using namespace mlir;
using namespace mlir::ipu;

/// Keys in the order in which they are read.
using Json = nlohmann::ordered_json;

/// Values in values of a profile that is read: loops and branches nest.
static constexpr int kMaxDepth = 1000;

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
  bool isTooDeep = false;
  auto checkDepth = [&](int depth, Json::parse_event_t, Json &) {
    isTooDeep |= depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  auto json = Json::parse(text, checkDepth, /*allow_exceptions=*/false);
  if (isTooDeep)
    return fail("expects a profile but got values that nest more than " +
                Twine(kMaxDepth) + " deep");
  if (json.is_discarded())
    return fail("expects a profile but got invalid or truncated JSON");
  std::optional<int64_t> version;
  if (json.is_object() && json.contains("version"))
    version = getInteger(json["version"]);
  if (!version)
    return fail("expects a profile with an integer version but got none");
  if (*version != Profile::kVersion)
    return fail("expects a profile of version " + Twine(Profile::kVersion) +
                " but got version " + Twine(*version));
  if (std::string mismatch = findMismatch(json); !mismatch.empty())
    return fail(mismatch);
  return NamedProfile{path.str(), json.dump()};
}

/// `text` as a word of a shell.
static std::string quote(StringRef text) {
  constexpr StringLiteral kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-+=./,:@%^";
  if (!text.empty() && text.find_first_not_of(kPlain) == StringRef::npos)
    return text.str();
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> mlir::ipu::getCommand(int argc, char **argv) {
  std::vector<std::string> args(argv, argv + argc);
  if (!args.empty())
    args.front() = llvm::sys::path::filename(args.front()).str();
  return args;
}

ReportInfo mlir::ipu::getReportInfo(ArrayRef<std::string> args) {
  std::time_t now = std::time(nullptr);
  int64_t given;
  if (std::optional<std::string> epoch =
          llvm::sys::Process::GetEnv("SOURCE_DATE_EPOCH"))
    if (!StringRef(*epoch).getAsInteger(10, given) && given >= 0)
      now = given;
  // A time that no calendar has is left out.
  std::tm parts;
  char date[32] = "";
  if (gmtime_r(&now, &parts))
    std::strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &parts);
  std::string command;
  for (const std::string &arg : args)
    command += (command.empty() ? "" : " ") + quote(arg);
  return {IPUMLIR_VERSION, date, command};
}

namespace {
/// Writes JSON on as what a script element may hold: `<` begins no tag.
class EmbeddingStream : public llvm::raw_ostream {
public:
  explicit EmbeddingStream(llvm::raw_ostream &os) : os(os) {}
  ~EmbeddingStream() override { flush(); }

private:
  void write_impl(const char *data, size_t size) override {
    StringRef json(data, size);
    written += size;
    while (!json.empty()) {
      auto [text, rest] = json.split('<');
      os << text;
      if (text.size() < json.size())
        os << R"(\u003c)";
      json = rest;
    }
  }
  uint64_t current_pos() const override { return written; }

  llvm::raw_ostream &os;
  uint64_t written = 0;
};
} // namespace

/// The page is written as it comes: profiles may be large.
static void
writePage(ArrayRef<std::string> names, const ReportInfo &info,
          llvm::raw_ostream &os,
          function_ref<void(size_t, llvm::raw_ostream &)> writeJson) {
  auto [before, after] =
      StringRef(kTemplate, sizeof(kTemplate)).split("<!-- profiles -->");
  os << before << R"(<script type="application/json" id="format">)";
  {
    EmbeddingStream embedded(os);
    writeProfileFormat(embedded);
  }
  os << "</script>\n" << R"(<script type="application/json" id="info">)";
  {
    EmbeddingStream embedded(os);
    embedded << Json({{"version", info.version},
                      {"date", info.date},
                      {"command", info.command}})
                    .dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  os << "</script>\n";
  for (auto [number, name] : llvm::enumerate(names)) {
    os << R"(<script type="application/json" class="profile">)";
    {
      EmbeddingStream embedded(os);
      embedded << R"({"name":)"
               << Json(name).dump(-1, ' ', false,
                                  Json::error_handler_t::replace)
               << R"(,"profile":)";
      writeJson(number, embedded);
      embedded << "}";
    }
    os << "</script>\n";
  }
  os << after;
}

void mlir::ipu::writeReport(StringRef name, const Profile &profile,
                            const ReportInfo &info, llvm::raw_ostream &os) {
  writePage(name.str(), info, os, [&](size_t, llvm::raw_ostream &json) {
    writeProfile(profile, json, /*isCompact=*/true);
  });
}

void mlir::ipu::writeReport(ArrayRef<NamedProfile> profiles,
                            const ReportInfo &info, llvm::raw_ostream &os) {
  auto names = llvm::map_to_vector(
      profiles, [](const NamedProfile &profile) { return profile.name; });
  writePage(names, info, os, [&](size_t number, llvm::raw_ostream &json) {
    json << profiles[number].json;
  });
}
