//===- HostBytes.cpp - Memory of the host ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To get new pages from the system takes longer than to compute the values in
// them. Large blocks are therefore kept when they are freed, because
// alternating steps need blocks of different sizes. Kept blocks and blocks in
// use together take little more memory than was ever in use at the same time.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/HostBytes.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Memory.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace mlir;
using namespace mlir::ipu;
using llvm::sys::MemoryBlock;

namespace {
/// Blocks of whole pages.
class BlockCache {
public:
  /// Smaller ones are left to malloc.
  static constexpr size_t kLeast = size_t(1) << 18;

  static BlockCache &get() {
    // Never destroyed: bytes may outlive it.
    static auto *cache = new BlockCache();
    return *cache;
  }

  /// A block of at least `size` bytes, or an empty one; `isZero` is set if it
  /// has zeros.
  MemoryBlock allocate(size_t size, bool &isZero);
  void release(MemoryBlock block);

private:
  static constexpr size_t kLargePage = size_t(1) << 21;
  static constexpr size_t kSpare = size_t(1) << 24;
  static MemoryBlock map(size_t size);
  size_t getMostKept() const {
    return mostUsedBytes + mostUsedBytes / 4 + kSpare - usedBytes;
  }
  /// Gives kept blocks back to the system until at most `size` bytes are left.
  void shrink(size_t size);

  std::mutex mutex;
  /// By size.
  std::multimap<size_t, MemoryBlock> kept;
  size_t keptBytes = 0, usedBytes = 0, mostUsedBytes = 0;
};
} // namespace

MemoryBlock BlockCache::map(size_t size) {
  std::error_code error;
  MemoryBlock block = llvm::sys::Memory::allocateMappedMemory(
      size, /*NearBlock=*/nullptr,
      llvm::sys::Memory::MF_READ | llvm::sys::Memory::MF_WRITE, error);
  if (error)
    return {};
#ifdef MADV_HUGEPAGE
  // Where it is refused, pages are small.
  if (size >= 2 * kLargePage)
    (void)::madvise(block.base(), block.allocatedSize(), MADV_HUGEPAGE);
#endif
  return block;
}

void BlockCache::shrink(size_t size) {
  while (keptBytes > size) {
    auto last = std::prev(kept.end());
    keptBytes -= last->first;
    (void)llvm::sys::Memory::releaseMappedMemory(last->second);
    kept.erase(last);
  }
}

MemoryBlock BlockCache::allocate(size_t size, bool &isZero) {
  if (size > SIZE_MAX / 2)
    return {};
  size = llvm::alignTo(size, size >= 2 * kLargePage ? kLargePage : kLeast / 4);
  std::lock_guard<std::mutex> lock(mutex);
  MemoryBlock block;
  // Not much of a block may stay unused.
  auto it = kept.lower_bound(size);
  isZero = it == kept.end() || it->first > size + size / 4;
  if (!isZero) {
    block = it->second;
    keptBytes -= it->first;
    kept.erase(it);
  } else {
    block = map(size);
    if (!block.base()) {
      shrink(0);
      block = map(size);
    }
    if (!block.base())
      return {};
  }
  usedBytes += block.allocatedSize();
  mostUsedBytes = std::max(mostUsedBytes, usedBytes);
  shrink(getMostKept());
  return block;
}

void BlockCache::release(MemoryBlock block) {
  std::lock_guard<std::mutex> lock(mutex);
  size_t size = block.allocatedSize();
  usedBytes -= size;
  keptBytes += size;
  kept.emplace(size, block);
  shrink(getMostKept());
}

//===----------------------------------------------------------------------===//
// HostBytes
//===----------------------------------------------------------------------===//

HostBytes HostBytes::allocate(size_t size, bool isZero) {
  constexpr size_t kCacheLine = 64;
  HostBytes bytes;
  if (size < BlockCache::kLeast) {
    auto *memory = static_cast<char *>(std::aligned_alloc(
        kCacheLine, llvm::alignTo(std::max(size, size_t(1)), kCacheLine)));
    if (!memory)
      return bytes;
    if (isZero)
      std::memset(memory, 0, size);
    bytes.memory.reset(memory, [](char *memory) { std::free(memory); });
  } else {
    bool hasZeros = false;
    MemoryBlock block = BlockCache::get().allocate(size, hasZeros);
    auto *memory = static_cast<char *>(block.base());
    if (!memory)
      return bytes;
    if (isZero && !hasZeros)
      std::memset(memory, 0, size);
    bytes.memory.reset(memory,
                       [block](char *) { BlockCache::get().release(block); });
  }
  bytes.numBytes = size;
  return bytes;
}

HostBytes HostBytes::adopt(ArrayRef<char> bytes,
                           std::shared_ptr<const void> owner) {
  HostBytes adopted;
  // Non-const accessors never reach the owner's bytes.
  adopted.memory =
      std::shared_ptr<char>(std::move(owner), const_cast<char *>(bytes.data()));
  adopted.numBytes = bytes.size();
  adopted.isAdopted = true;
  return adopted;
}

HostBytes::HostBytes(size_t size) : HostBytes(allocate(size, /*isZero=*/true)) {
  if (isNull())
    llvm::report_bad_alloc_error("no memory of the host");
}

HostBytes::HostBytes(ArrayRef<char> bytes)
    : HostBytes(allocate(bytes.size(), /*isZero=*/false)) {
  if (isNull())
    llvm::report_bad_alloc_error("no memory of the host");
  if (!bytes.empty())
    std::memcpy(memory.get(), bytes.data(), bytes.size());
}

bool HostBytes::tryUnshare() {
  if (!isShared()) {
    // What other owners read happened before.
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }
  HostBytes own = allocate(numBytes, /*isZero=*/false);
  if (own.isNull())
    return false;
  std::memcpy(own.memory.get(), memory.get(), numBytes);
  *this = std::move(own);
  return true;
}

void HostBytes::unshare() {
  if (!tryUnshare())
    llvm::report_bad_alloc_error("no memory of the host");
}

bool mlir::ipu::operator==(const HostBytes &lhs, const HostBytes &rhs) {
  return lhs.size() == rhs.size() &&
         (lhs.data() == rhs.data() ||
          std::memcmp(lhs.data(), rhs.data(), lhs.size()) == 0);
}
