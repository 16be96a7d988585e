//===- Npz.cpp - NumPy's file format for named tensors --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An archive is a list of entries, followed by a central directory and a record
// with the offset of the directory. An entry consists of a local header, a
// name, an extra field and data. The directory repeats the header and the name
// of each entry and gives the offset of the entry. Readers use the directory.
// Archives or entries of 4 GiB or more (zip64) store larger numbers in extra
// fields.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/Npz.h"

#include "ipu-mlir/Host/Npy.h"
#include "ipu-mlir/Support/InputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::ipu;
namespace endian = llvm::support::endian;

static constexpr uint32_t kLocalMagic = 0x04034b50;
static constexpr uint32_t kCentralMagic = 0x02014b50;
static constexpr uint32_t kEndMagic = 0x06054b50;
static constexpr size_t kLocalSize = 30, kEndSize = 22;
/// Comments have 16 bits for their length.
static constexpr size_t kMaxComment = 0xffff;
static constexpr StringLiteral kSuffix = ".npy";

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
struct Entry {
  StringRef name;
  uint16_t flags = 0, method = 0;
  uint32_t checksum = 0;
  uint64_t compressed = 0, size = 0, offset = 0;
};

/// Little-endian numbers, one after the other; zeros after the end.
class Cursor {
public:
  explicit Cursor(StringRef data) : data(data) {}

  template <typename T>
  T get() {
    if (data.size() < sizeof(T)) {
      isValid = false;
      data = StringRef();
      return 0;
    }
    T value = endian::read<T>(data.data(), llvm::endianness::little);
    data = data.drop_front(sizeof(T));
    return value;
  }
  StringRef take(uint64_t size) {
    if (data.size() < size) {
      isValid = false;
      size = data.size();
    }
    StringRef part = data.take_front(size);
    data = data.drop_front(size);
    return part;
  }
  bool isGood() const { return isValid; }
  bool isAtEnd() const { return data.empty(); }

private:
  StringRef data;
  bool isValid = true;
};
} // namespace

/// What did not fit into the directory's 32 bits.
static void readZip64(StringRef extra, Entry &entry) {
  Cursor fields(extra);
  while (fields.isGood() && !fields.isAtEnd()) {
    auto kind = fields.get<uint16_t>();
    Cursor field(fields.take(fields.get<uint16_t>()));
    if (kind != 1)
      continue;
    for (uint64_t *number : {&entry.size, &entry.compressed, &entry.offset})
      if (*number == UINT32_MAX)
        *number = field.get<uint64_t>();
  }
}

static std::optional<Entry> readEntry(Cursor &cursor) {
  Entry entry;
  if (cursor.get<uint32_t>() != kCentralMagic)
    return std::nullopt;
  cursor.take(4); // versions
  entry.flags = cursor.get<uint16_t>();
  entry.method = cursor.get<uint16_t>();
  cursor.take(4); // time
  entry.checksum = cursor.get<uint32_t>();
  entry.compressed = cursor.get<uint32_t>();
  entry.size = cursor.get<uint32_t>();
  auto nameSize = cursor.get<uint16_t>();
  auto extraSize = cursor.get<uint16_t>();
  auto commentSize = cursor.get<uint16_t>();
  cursor.take(8); // disk, attributes
  entry.offset = cursor.get<uint32_t>();
  entry.name = cursor.take(nameSize);
  readZip64(cursor.take(extraSize), entry);
  cursor.take(commentSize);
  if (!cursor.isGood())
    return std::nullopt;
  return entry;
}

/// The entries of the directory.
static llvm::Expected<std::vector<Entry>> readDirectory(StringRef file) {
  if (file.size() < kEndSize)
    return makeError("not a .npz file");
  size_t at = file.size() - kEndSize, last = at - std::min(at, kMaxComment);
  while (endian::read32le(file.data() + at) != kEndMagic) {
    if (at == last)
      return makeError("not a .npz file, or truncated");
    --at;
  }
  Cursor end(file.drop_front(at + 8));
  end.take(2); // entries on this disk
  uint64_t count = end.get<uint16_t>();
  uint64_t size = end.get<uint32_t>();
  uint64_t offset = end.get<uint32_t>();
  if (count == UINT16_MAX || size == UINT32_MAX || offset == UINT32_MAX)
    return makeError("archives with a zip64 directory are not supported");
  if (offset > at || size > at - offset)
    return makeError("the directory is outside of the file");
  Cursor cursor(file.substr(offset, size));
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < count; ++i) {
    std::optional<Entry> entry = readEntry(cursor);
    if (!entry)
      return makeError("malformed directory");
    entries.push_back(*entry);
  }
  return entries;
}

/// The bytes of an entry; its checksum is right.
static llvm::Expected<StringRef> getData(StringRef file, const Entry &entry) {
  if (entry.flags & 1)
    return makeError("encrypted entries are not supported");
  if (entry.method != 0)
    return makeError("compressed entries are not supported; write the file "
                     "with numpy.savez");
  if (entry.size != entry.compressed)
    return makeError("malformed directory");
  if (entry.offset > file.size() || file.size() - entry.offset < kLocalSize)
    return makeError("lies outside of the file");
  file = file.drop_front(entry.offset);
  if (endian::read32le(file.data()) != kLocalMagic)
    return makeError("has no header");
  uint64_t skip = kLocalSize + endian::read16le(file.data() + 26) +
                  endian::read16le(file.data() + 28);
  if (file.size() < skip || file.size() - skip < entry.size)
    return makeError("lies outside of the file");
  StringRef data = file.substr(skip, entry.size);
  if (llvm::crc32(llvm::arrayRefFromStringRef(data)) != entry.checksum)
    return makeError("has a wrong checksum");
  return data;
}

llvm::Expected<std::vector<NamedTensor>>
mlir::ipu::parseNpz(StringRef file, MLIRContext *context) {
  llvm::Expected<std::vector<Entry>> entries = readDirectory(file);
  if (!entries)
    return entries.takeError();
  std::vector<NamedTensor> tensors;
  llvm::StringSet<> names;
  for (const Entry &entry : *entries) {
    auto fail = [&](llvm::Error error) {
      return makeError("entry '" + entry.name +
                       "': " + llvm::toString(std::move(error)));
    };
    StringRef name = entry.name;
    if (!name.consume_back(kSuffix))
      return fail(makeError("is no .npy file"));
    if (!names.insert(name).second)
      return fail(makeError("occurs twice"));
    llvm::Expected<StringRef> data = getData(file, entry);
    if (!data)
      return fail(data.takeError());
    llvm::Expected<HostTensor> tensor = parseNpy(*data, context);
    if (!tensor)
      return fail(tensor.takeError());
    tensors.push_back({name.str(), std::move(*tensor)});
  }
  return tensors;
}

llvm::Expected<std::vector<NamedTensor>>
mlir::ipu::readNpz(StringRef path, MLIRContext *context) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  return parseNpz((*buffer)->getBuffer(), context);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// Little-endian numbers at the end of a string.
class Appender {
public:
  explicit Appender(std::string &text) : text(text) {}

  Appender &u16(uint16_t value) { return add(value, 2); }
  Appender &u32(uint32_t value) { return add(value, 4); }

private:
  Appender &add(uint32_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      text += static_cast<char>(value >> (8 * i));
    return *this;
  }

  std::string &text;
};
} // namespace

/// What both headers of an entry have in common. The time is the earliest there
/// is, so that equal tensors make equal files.
static void appendCommon(Appender out, uint32_t checksum, uint32_t size,
                         StringRef name) {
  // Without the flag, readers decode the name as code page 437.
  constexpr uint16_t kIsUTF8 = 0x800;
  bool isUTF8 = !llvm::isASCII(name) && llvm::json::isUTF8(name);
  out.u16(20).u16(isUTF8 ? kIsUTF8 : 0).u16(0).u16(0).u16((1 << 5) | 1);
  out.u32(checksum).u32(size).u32(size).u16(name.size()).u16(0);
}

llvm::Expected<std::string>
mlir::ipu::formatNpz(ArrayRef<NamedTensor> tensors) {
  std::string file, directory;
  llvm::StringSet<> names;
  auto tooBig = [] {
    return makeError("expects tensors of less than 4 GiB in all but got more");
  };
  if (tensors.size() >= UINT16_MAX)
    return makeError("expects at most 65534 tensors but got " +
                     Twine(tensors.size()));
  for (const NamedTensor &tensor : tensors) {
    std::string name = tensor.name + kSuffix.str(), data;
    if (!names.insert(name).second)
      return makeError("tensor '" + tensor.name + "' occurs twice");
    if (name.size() > UINT16_MAX)
      return makeError("expects names of at most " + Twine(UINT16_MAX) +
                       " bytes but got " + Twine(name.size()));
    llvm::raw_string_ostream os(data);
    writeNpy(os, tensor.tensor);
    if (file.size() + data.size() >= UINT32_MAX - kMaxComment)
      return tooBig();
    uint32_t checksum = llvm::crc32(llvm::arrayRefFromStringRef(data));
    uint32_t offset = file.size();
    Appender local(file), central(directory);
    appendCommon(local.u32(kLocalMagic), checksum, data.size(), name);
    file += name;
    file += data;
    appendCommon(central.u32(kCentralMagic).u16(20), checksum, data.size(),
                 name);
    central.u16(0).u16(0).u16(0).u32(0).u32(offset);
    directory += name;
  }
  if (file.size() + directory.size() >= UINT32_MAX)
    return tooBig();
  uint32_t offset = file.size();
  file += directory;
  Appender(file)
      .u32(kEndMagic)
      .u16(0)
      .u16(0)
      .u16(tensors.size())
      .u16(tensors.size());
  Appender(file).u32(directory.size()).u32(offset).u16(0);
  return file;
}

static llvm::Error getSystemError() {
  return makeError(std::error_code(errno, std::generic_category()).message());
}

/// A new file in the directory of `path`; less than 0 if there cannot be one.
static int openBeside(StringRef path, std::string &name) {
  for (unsigned attempt = 0;; ++attempt) {
    name =
        (path + "." + Twine(::getpid()) + "." + Twine(attempt) + ".tmp").str();
    int file =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST || attempt == 100)
      return file;
  }
}

/// Writes all of `data` and waits until it is on the disk.
static llvm::Error writeThrough(int file, StringRef data) {
  while (!data.empty()) {
    ssize_t written = ::write(file, data.data(), data.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return getSystemError();
    data = data.drop_front(written);
  }
  return ::fsync(file) == 0 ? llvm::Error::success() : getSystemError();
}

llvm::Error mlir::ipu::writeNpz(StringRef path, ArrayRef<NamedTensor> tensors) {
  llvm::Expected<std::string> data = formatNpz(tensors);
  if (!data)
    return data.takeError();
  std::string temporary;
  int file = openBeside(path, temporary);
  if (file < 0)
    return getSystemError();
  llvm::Error error = writeThrough(file, *data);
  if (::close(file) != 0 && !error)
    error = getSystemError();
  if (!error)
    if (std::error_code code = llvm::sys::fs::rename(temporary, path))
      error = makeError(code.message());
  if (error) {
    ::unlink(temporary.c_str());
    return error;
  }
  // The name is on the disk when the directory is.
  StringRef parent = llvm::sys::path::parent_path(path);
  int directory = ::open(parent.empty() ? "." : parent.str().c_str(), O_RDONLY);
  if (directory >= 0) {
    (void)::fsync(directory);
    ::close(directory);
  }
  return llvm::Error::success();
}
