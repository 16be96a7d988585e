//===- Checkpoint.cpp - Checkpoints -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checkpoint is a .npz file. It contains the variables of the program by
// their names, and three arrays with names that no variable has.
//
//===----------------------------------------------------------------------===//

#include "Checkpoint.h"

#include "ipu-mlir/Host/Npz.h"
#include "ipu-mlir/Tools/Files.h"
#include "ipu-mlir/Tools/Report.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

static constexpr StringLiteral kFile = "checkpoint.npz";
static constexpr StringLiteral kLockFile = "lock";
/// The names of the arrays that are not variables.
static constexpr StringLiteral kHistory = "ipu-train/history";
static constexpr StringLiteral kSettings = "ipu-train/settings";
/// The array with the number of updates.
static constexpr StringLiteral kUpdates = "ipu-train/updates";

static llvm::Error makeError(StringRef path, const Twine &message) {
  return tools::makeError("'" + path + "': " + message);
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

static std::string join(StringRef path, StringRef name) {
  SmallString<128> joined = path;
  llvm::sys::path::append(joined, name);
  return joined.str().str();
}

CheckpointFolder::CheckpointFolder(StringRef path)
    : path(path), file(join(path, kFile)) {}

std::vector<std::string> CheckpointFolder::getFiles(StringRef path) {
  return {join(path, kFile), join(path, kLockFile)};
}

llvm::Expected<std::unique_ptr<CheckpointFolder>>
CheckpointFolder::open(StringRef path) {
  if (llvm::Error error = tools::makeDirectory(path))
    return error;
  std::unique_ptr<CheckpointFolder> folder(new CheckpointFolder(path));
  std::string name = join(path, kLockFile);
  folder->lock = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (folder->lock < 0)
    return makeError(name,
                     std::error_code(errno, std::generic_category()).message());
  if (::flock(folder->lock, LOCK_EX | LOCK_NB) != 0)
    return makeError(
        path, errno == EWOULDBLOCK
                  ? "another process trains with this folder"
                  : std::error_code(errno, std::generic_category()).message());
  folder->removeLeftovers();
  return folder;
}

CheckpointFolder::~CheckpointFolder() {
  if (lock >= 0)
    ::close(lock);
}

void CheckpointFolder::removeLeftovers() {
  std::error_code code;
  std::string prefix = kFile.str() + ".";
  for (llvm::sys::fs::directory_iterator it(path, code), end;
       it != end && !code; it.increment(code)) {
    StringRef name = llvm::sys::path::filename(it->path());
    if (name.starts_with(prefix) && name.ends_with(".tmp"))
      (void)llvm::sys::fs::remove(it->path());
  }
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static HostTensor packText(StringRef text, MLIRContext *context) {
  auto type = RankedTensorType::get(
      {int64_t(text.size())},
      IntegerType::get(context, 8, IntegerType::Unsigned));
  return {type, ArrayRef(text.data(), text.size())};
}

static HostTensor packNumber(int64_t number, MLIRContext *context) {
  auto type = RankedTensorType::get({}, IntegerType::get(context, 64));
  return {type,
          ArrayRef(reinterpret_cast<const char *>(&number), sizeof(number))};
}

static std::optional<int64_t> unpackNumber(const HostTensor &tensor) {
  if (tensor.type.getRank() != 0 || !tensor.type.getElementType().isInteger(64))
    return std::nullopt;
  int64_t number;
  std::memcpy(&number, tensor.data.data(), sizeof(number));
  return number;
}

static std::string formatSettings(const Settings &settings) {
  std::string text;
  for (const auto &[name, value] : settings)
    text += name + "=" + value + "\n";
  return text;
}

static Settings parseSettings(const HostTensor &tensor) {
  SmallVector<StringRef> lines;
  StringRef(tensor.data.data(), tensor.data.size())
      .split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  Settings settings;
  for (StringRef line : lines) {
    auto [name, value] = line.split('=');
    settings.emplace_back(name.str(), value.str());
  }
  return settings;
}

llvm::Expected<std::optional<Checkpoint>>
CheckpointFolder::load(MLIRContext *context) const {
  if (!llvm::sys::fs::exists(file))
    return std::nullopt;
  auto tensors = tools::readTensorsFile(file, context);
  if (!tensors)
    return tensors.takeError();
  Checkpoint checkpoint;
  std::optional<int64_t> updates;
  bool hasHistory = false, hasSettings = false;
  for (NamedTensor &tensor : *tensors) {
    if (tensor.name == kHistory) {
      llvm::Expected<History> history = unpackHistory(tensor.tensor);
      if (!history)
        return makeError(file, llvm::toString(history.takeError()));
      checkpoint.history = std::move(*history);
      hasHistory = true;
    } else if (tensor.name == kUpdates) {
      updates = unpackNumber(tensor.tensor);
    } else if (tensor.name == kSettings) {
      checkpoint.settings = parseSettings(tensor.tensor);
      hasSettings = true;
    } else {
      checkpoint.variables[tensor.name] = std::move(tensor.tensor);
    }
  }
  if (!hasHistory || !hasSettings || !updates)
    return makeError(file, "expects a checkpoint of ipu-train");
  if (*updates != int64_t(checkpoint.history.size()))
    return makeError(file, "its history expects a row for each of " +
                               Twine(*updates) + " updates but has " +
                               Twine(checkpoint.history.size()) + " rows");
  return checkpoint;
}

llvm::Error CheckpointFolder::save(const TensorMap &variables,
                                   const History &history,
                                   const Settings &settings,
                                   MLIRContext *context) {
  std::vector<NamedTensor> tensors;
  for (const auto &[name, tensor] : variables)
    tensors.push_back({name, tensor});
  tensors.push_back({kHistory.str(), packHistory(history, context)});
  tensors.push_back(
      {kSettings.str(), packText(formatSettings(settings), context)});
  tensors.push_back(
      {kUpdates.str(), packNumber(int64_t(history.size()), context)});
  llvm::Expected<std::string> target = tools::getReplaceable(file);
  if (!target)
    return target.takeError();
  if (llvm::Error error = writeNpz(*target, tensors))
    return makeError(file, llvm::toString(std::move(error)));
  return llvm::Error::success();
}
