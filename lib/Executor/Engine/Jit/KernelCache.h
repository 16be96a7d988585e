//===- KernelCache.h - Compiled kernels in files ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cache is a folder that several processes share without locks. An entry is
// a file that is written under a temporary name and then renamed. The file is
// never changed afterwards. A file that is not a complete entry of its key is
// ignored. Failed accesses to the folder are not errors.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_KERNELCACHE_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_KERNELCACHE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace mlir::ipu {

/// A cache of compiled kernels. Several threads may call all functions at the
/// same time.
class KernelCache {
public:
  /// Creates a cache in `folder`. If the path is empty, the cache stays empty.
  explicit KernelCache(StringRef folder) : folder(folder) {}

  /// Returns the content of an entry, or null if there is no entry. Keys
  /// consist of letters and digits. If the key is empty, load() finds nothing
  /// and store() stores nothing.
  std::unique_ptr<llvm::MemoryBuffer> load(StringRef key) const;

  /// Writes an entry, if this is possible.
  void store(StringRef key, StringRef content) const;

  /// Removes the least recently used entries until the remaining entries have
  /// at most `maxBytes` bytes, and removes files that killed processes left. If
  /// the folder was pruned in the last `interval` seconds, the function may do
  /// nothing.
  void prune(uint64_t maxBytes, unsigned interval) const;

private:
  std::string getPath(StringRef key) const;

  std::string folder;
};

/// The maximum number of bytes of all entries together. Entries may exceed this
/// limit between two calls of prune().
constexpr uint64_t kMaxCacheBytes = 256 << 20;
/// The minimum number of seconds between two checks of this limit.
constexpr unsigned kPruneInterval = 60;

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_KERNELCACHE_H
