//===- KernelCache.h - Compiled kernels in files ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder that processes share without locks. An entry is a file that is
// written under another name and renamed, and never changed. A file that is
// not a complete entry of its key is ignored. No failure of the folder is an
// error.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_KERNELCACHE_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_KERNELCACHE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace mlir::ipu {

/// All functions may be called from several threads at once.
class KernelCache {
public:
  /// An empty path is a cache that stays empty.
  explicit KernelCache(StringRef folder) : folder(folder) {}

  /// The content of an entry, or null. Keys are letters and digits; with an
  /// empty one nothing is found or kept.
  std::unique_ptr<llvm::MemoryBuffer> load(StringRef key) const;

  /// Writes an entry, if that is possible.
  void store(StringRef key, StringRef content) const;

  /// Removes what was not used longest, until entries take `maxBytes` at most,
  /// and what killed processes left there. Entries of the last `interval`
  /// seconds' calls may be left out.
  void prune(uint64_t maxBytes, unsigned interval) const;

private:
  std::string getPath(StringRef key) const;

  std::string folder;
};

/// What all entries take together at most, as far as it is looked at.
constexpr uint64_t kMaxCacheBytes = 256 << 20;
/// Seconds from one look to the next.
constexpr unsigned kPruneInterval = 60;

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_KERNELCACHE_H
