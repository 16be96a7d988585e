//===- KernelCache.cpp - Compiled kernels in files ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry consists of a header, the key, the content, and a hash of the key
// and the content.
//
//===----------------------------------------------------------------------===//

#include "KernelCache.h"

#include "ipu-mlir/Executor/Engine/Engine.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <unistd.h>

using namespace mlir;
using namespace mlir::ipu;

static constexpr StringRef kMagic = "ipu-mlir kernel 1\n";

/// Of all files: pruneCache() touches no other.
static constexpr StringRef kPrefix = "llvmcache-";

llvm::Error mlir::ipu::prepareCacheFolder(StringRef folder) {
  namespace fs = llvm::sys::fs;
  auto fail = [&](const Twine &message) {
    return llvm::createStringError("'" + folder + "': " + message);
  };
  if (std::error_code code = fs::create_directories(
          folder, /*IgnoreExisting=*/true, fs::owner_all))
    return fail(code.message());
  fs::file_status status;
  if (std::error_code code = fs::status(folder, status))
    return fail(code.message());
  if (status.type() != fs::file_type::directory_file)
    return fail("Not a directory");
  if (status.getUser() != ::geteuid())
    return fail("expects a folder of the user who runs this program");
  if (status.permissions() & (fs::group_write | fs::others_write))
    return fail("expects a folder that no other user may write to");
  if (::access(folder.str().c_str(), R_OK | X_OK) != 0)
    return fail(std::error_code(errno, std::generic_category()).message());
  return llvm::Error::success();
}

/// Marks an entry as used, because entries that were not used for long are
/// removed. File systems need not record accesses.
static void touch(StringRef path, const llvm::sys::fs::file_status &status) {
  auto now = std::chrono::system_clock::now();
  if (now - status.getLastAccessedTime() < std::chrono::hours(1))
    return;
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  // Another user's entry cannot be marked.
  (void)llvm::sys::fs::setLastAccessAndModificationTime(
      *file, now, status.getLastModificationTime());
  (void)llvm::sys::fs::closeFile(*file);
}

/// A truncated file has the hash of another content.
static llvm::BLAKE3Result<> getHash(StringRef key, StringRef content) {
  llvm::BLAKE3 hash;
  hash.update(key);
  hash.update(content);
  return hash.final();
}

std::string KernelCache::getPath(StringRef key) const {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, kPrefix + key);
  return std::string(path);
}

std::unique_ptr<llvm::MemoryBuffer> KernelCache::load(StringRef key) const {
  if (folder.empty() || key.empty())
    return nullptr;
  std::string path = getPath(key);
  llvm::sys::fs::file_status status;
  // Others would block, or never end.
  if (llvm::sys::fs::status(path, status) ||
      !llvm::sys::fs::is_regular_file(status) ||
      status.getSize() > kMaxCacheBytes)
    return nullptr;
  // Not mapped: the file may get shorter.
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false,
                                          /*IsVolatile=*/true);
  if (!file)
    return nullptr;
  StringRef rest = (*file)->getBuffer();
  if (!rest.consume_front(kMagic) || !rest.consume_front(key) ||
      rest.size() < LLVM_BLAKE3_OUT_LEN)
    return nullptr;
  StringRef content = rest.drop_front(LLVM_BLAKE3_OUT_LEN);
  llvm::BLAKE3Result<> hash = getHash(key, content);
  if (!rest.starts_with(
          StringRef(reinterpret_cast<const char *>(hash.data()), hash.size())))
    return nullptr;
  touch(path, status);
  return llvm::MemoryBuffer::getMemBufferCopy(content, key);
}

void KernelCache::store(StringRef key, StringRef content) const {
  if (folder.empty() || key.empty() ||
      llvm::sys::fs::create_directories(folder, /*IgnoreExisting=*/true,
                                        llvm::sys::fs::owner_all))
    return;
  llvm::Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(getPath("%%%%%%%%%%%%.tmp"),
                                      llvm::sys::fs::owner_read |
                                          llvm::sys::fs::owner_write);
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  llvm::BLAKE3Result<> hash = getHash(key, content);
  bool isWritten;
  {
    llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    os << kMagic << key;
    os.write(reinterpret_cast<const char *>(hash.data()), hash.size());
    os << content;
    os.flush();
    isWritten = !os.has_error();
    os.clear_error();
  }
  llvm::consumeError(isWritten ? file->keep(getPath(key)) : file->discard());
}

void KernelCache::prune(uint64_t maxBytes, unsigned interval) const {
  if (folder.empty() || !llvm::sys::fs::is_directory(folder))
    return;
  llvm::CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(interval);
  policy.MaxSizeBytes = maxBytes;
  llvm::pruneCache(folder, policy);
}
