//===- HostCaches.cpp - Sizes of the host's caches ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCaches.h"

#include <unistd.h>

using namespace mlir::ipu;

HostCaches HostCaches::get() {
  HostCaches caches;
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  if (int64_t bytes = ::sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0)
    caches.firstBytes = bytes;
  if (int64_t bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
    caches.secondBytes = bytes;
#endif
  return caches;
}
