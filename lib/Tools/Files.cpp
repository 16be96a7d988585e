//===- Files.cpp - Files that tools read and write ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/Files.h"

#include "ipu-mlir/Frontend/ONNX/Import.h"
#include "ipu-mlir/Host/Npy.h"
#include "ipu-mlir/Host/Npz.h"
#include "ipu-mlir/Support/InputFile.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <array>
#include <unistd.h>

using namespace mlir;
using namespace mlir::ipu;

static llvm::Error makeError(StringRef path, const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "'" + path + "': " + message);
}

llvm::Error tools::checkReadable(StringRef path) {
  if (llvm::Error error = checkInputFile(path))
    return makeError(path, llvm::toString(std::move(error)));
  // A pipe that is opened twice may lose its writer.
  if (::access(path.str().c_str(), R_OK) != 0)
    return makeError(path,
                     std::error_code(errno, std::generic_category()).message());
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
tools::readFile(StringRef path) {
  if (path == "-") {
    auto text = llvm::MemoryBuffer::getSTDIN();
    if (!text)
      return makeError(path, text.getError().message());
    return std::move(*text);
  }
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text =
      readInputFile(path, /*isText=*/true);
  if (!text)
    return makeError(path, llvm::toString(text.takeError()));
  return text;
}

/// Reads a TensorProto; what the importer reports becomes the error.
static llvm::Expected<HostTensor> readTensorProto(StringRef path,
                                                  MLIRContext *context) {
  std::string message;
  ScopedDiagnosticHandler collect(context, [&](Diagnostic &diagnostic) {
    message += (message.empty() ? "" : "; ") + diagnostic.str();
  });
  FailureOr<onnx::NamedTensor> tensor = onnx::loadONNXTensor(path, context);
  FailureOr<HostTensor> value = failure();
  if (succeeded(tensor))
    value = getHostTensor(tensor->value,
                          [&] { return emitError(UnknownLoc::get(context)); });
  if (succeeded(value))
    return std::move(*value);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<HostTensor> tools::readTensorFile(StringRef path,
                                                 MLIRContext *context) {
  if (llvm::Error error = checkReadable(path))
    return error;
  llvm::Expected<HostTensor> tensor = path.ends_with(".pb")
                                          ? readTensorProto(path, context)
                                          : readNpy(path, context);
  if (!tensor)
    return makeError(path, llvm::toString(tensor.takeError()));
  return tensor;
}

llvm::Expected<std::vector<NamedTensor>>
tools::readTensorsFile(StringRef path, MLIRContext *context) {
  if (llvm::Error error = checkReadable(path))
    return error;
  llvm::Expected<std::vector<NamedTensor>> tensors = readNpz(path, context);
  if (!tensors)
    return makeError(path, llvm::toString(tensors.takeError()));
  return tensors;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

llvm::Error tools::makeDirectory(StringRef path) {
  if (std::error_code code = llvm::sys::fs::create_directories(path))
    return makeError(path, code.message());
  if (!llvm::sys::fs::is_directory(path))
    return makeError(path, "Not a directory");
  return llvm::Error::success();
}

/// What a link refers to; nothing if `path` is no link.
static std::optional<std::string> readLink(const std::string &path) {
  // Linux has no longer paths.
  std::array<char, 4096> target;
  ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size < 0)
    return std::nullopt;
  return std::string(target.data(), size);
}

/// The real path of a file, of which neither it nor its folders need exist:
/// what does not exist may become a file or a folder, but no link. `links` is
/// how many more links are followed, as they may refer to each other.
static std::string resolvePath(StringRef path, unsigned &links) {
  namespace paths = llvm::sys::path;
  SmallString<128> absolute = path;
  // It fails only if the current folder is gone.
  (void)llvm::sys::fs::make_absolute(absolute);
  SmallString<128> resolved = paths::root_path(absolute);
  StringRef rest = paths::relative_path(absolute);
  for (auto it = paths::begin(rest), end = paths::end(rest); it != end; ++it) {
    if (*it == "." || *it == "..") {
      StringRef parent = paths::parent_path(resolved);
      if (*it == ".." && !parent.empty())
        resolved.truncate(parent.size());
      continue;
    }
    SmallString<128> folder = resolved;
    paths::append(resolved, *it);
    std::optional<std::string> target = readLink(resolved.str().str());
    if (!target || links == 0)
      continue;
    --links;
    // append() would keep the folder in front of an absolute path.
    if (paths::is_absolute(*target))
      folder.clear();
    paths::append(folder, *target);
    resolved = resolvePath(folder, links);
  }
  return resolved.str().str();
}

static std::string resolvePath(StringRef path) {
  unsigned links = 40;
  return resolvePath(path, links);
}

llvm::Expected<std::string> tools::getReplaceable(StringRef path) {
  namespace fs = llvm::sys::fs;
  SmallString<128> target = path;
  fs::file_status status;
  if (!fs::status(path, status)) {
    if (status.type() == fs::file_type::directory_file)
      return makeError(path, "Is a directory");
    if (status.type() != fs::file_type::regular_file)
      return makeError(path, "not a regular file");
    if (std::error_code code = fs::access(path, fs::AccessMode::Write))
      return makeError(path, code.message());
    if (std::error_code code = fs::real_path(path, target))
      return makeError(path, code.message());
  } else if (readLink(path.str())) {
    // What the link refers to does not exist yet.
    target = resolvePath(path);
    if (readLink(target.str().str()))
      return makeError(
          path, std::make_error_code(std::errc::too_many_symbolic_link_levels)
                    .message());
  }
  StringRef directory = llvm::sys::path::parent_path(target);
  if (directory.empty())
    directory = ".";
  if (std::error_code code = fs::status(directory, status))
    return makeError(path, code.message());
  if (status.type() != fs::file_type::directory_file)
    return makeError(path, "Not a directory");
  if (std::error_code code = fs::access(directory, fs::AccessMode::Write))
    return makeError(path, code.message());
  return target.str().str();
}

const tools::FileUses::Use *tools::FileUses::find(StringRef path) const {
  if (auto it = useOfPath.find(resolvePath(path)); it != useOfPath.end())
    return &it->second;
  llvm::sys::fs::UniqueID file;
  if (llvm::sys::fs::getUniqueID(path, file))
    return nullptr;
  auto it = useOfFile.find(file);
  return it == useOfFile.end() ? nullptr : &it->second;
}

void tools::FileUses::add(StringRef path, const Use &use) {
  useOfPath.try_emplace(resolvePath(path), use);
  if (llvm::sys::fs::UniqueID file; !llvm::sys::fs::getUniqueID(path, file))
    useOfFile.try_emplace(file, use);
}

void tools::FileUses::addRead(StringRef path) {
  // `-` is standard input and standard output.
  if (path != "-")
    add(path, {});
}

llvm::Error tools::FileUses::addWritten(StringRef option, StringRef path) {
  if (const Use *other = find(path)) {
    if (other->option.empty())
      return llvm::createStringError(option + ": cannot write '" + path +
                                     "', because it is also read");
    return llvm::createStringError(option + " and " + other->option +
                                   " expect different files but got '" + path +
                                   "' twice");
  }
  add(path, {option.str()});
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<tools::OutputFile>>
tools::OutputFile::create(StringRef path) {
  namespace fs = llvm::sys::fs;
  std::unique_ptr<OutputFile> file(new OutputFile(path));
  fs::file_status status;
  bool exists = path == "-" || !fs::status(path, status);
  if (exists && status.type() != fs::file_type::regular_file) {
    std::error_code code;
    file->stream =
        std::make_unique<llvm::raw_fd_ostream>(path, code, fs::OF_Text);
    if (code)
      return makeError(path, code.message());
    return file;
  }
  llvm::Expected<std::string> target = getReplaceable(path);
  if (!target)
    return target.takeError();
  file->target = std::move(*target);
  llvm::Expected<fs::TempFile> temporary = fs::TempFile::create(
      file->target + ".%%%%%%", fs::all_read | fs::all_write);
  if (!temporary)
    return makeError(path, llvm::toString(temporary.takeError()));
  file->temporary = std::move(*temporary);
  file->stream = std::make_unique<llvm::raw_fd_ostream>(file->temporary->FD,
                                                        /*shouldClose=*/false);
  return file;
}

llvm::Error tools::OutputFile::keep() {
  stream->flush();
  if (stream->has_error()) {
    std::error_code code = stream->error();
    // Else the stream ends the process.
    stream->clear_error();
    return makeError(path, code.message());
  }
  if (!temporary)
    return llvm::Error::success();
  stream.reset();
  llvm::Error error = temporary->keep(target);
  temporary.reset();
  if (error)
    return makeError(path, llvm::toString(std::move(error)));
  return llvm::Error::success();
}

tools::OutputFile::~OutputFile() {
  stream.reset();
  if (temporary)
    llvm::consumeError(temporary->discard());
}

void tools::writeGzip(StringRef text, llvm::raw_ostream &os) {
  SmallVector<uint8_t, 0> compressed;
  llvm::compression::zlib::compress(llvm::arrayRefFromStringRef(text),
                                    compressed);
  // Zlib's data are between a header of two bytes and a checksum of four;
  // gzip's have others: deflate, no time, no operating system.
  constexpr uint8_t kHeader[] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF};
  os << llvm::toStringRef(ArrayRef<uint8_t>(kHeader))
     << llvm::toStringRef(
            ArrayRef<uint8_t>(compressed).drop_front(2).drop_back(4));
  llvm::support::endian::Writer writer(os, llvm::endianness::little);
  writer.write<uint32_t>(llvm::crc32(llvm::arrayRefFromStringRef(text)));
  writer.write<uint32_t>(text.size());
}
