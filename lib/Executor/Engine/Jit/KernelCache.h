//===- KernelCache.h - Compiled kernels in files ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder that processes share without locks. An entry is a file that is
// written under a temporary name and then renamed. It is never changed
// afterwards. A file that is not a complete entry of its key is ignored.
// Failures of the folder are not errors.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_KERNELCACHE_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_KERNELCACHE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace mlir::ipu {

/// Several threads may call all functions at the same time.
class KernelCache {
public:
  /// With an empty path, the cache stays empty.
  explicit KernelCache(StringRef folder) : folder(folder) {}

  /// The content of an entry, or null. Keys consist of letters and digits. With
  /// an empty key, nothing is found or stored.
  std::unique_ptr<llvm::MemoryBuffer> load(StringRef key) const;

  /// Writes an entry, if this is possible.
  void store(StringRef key, StringRef content) const;

  /// Removes the entries that were not used for the longest time until the
  /// remaining entries have at most `maxBytes`, and removes files that killed
  /// processes left. Entries of calls in the last `interval` seconds may be
  /// missed.
  void prune(uint64_t maxBytes, unsigned interval) const;

private:
  std::string getPath(StringRef key) const;

  std::string folder;
};

/// The greatest number of bytes of all entries together. It may be exceeded
/// between two checks.
constexpr uint64_t kMaxCacheBytes = 256 << 20;
/// The seconds between two checks.
constexpr unsigned kPruneInterval = 60;

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_KERNELCACHE_H
