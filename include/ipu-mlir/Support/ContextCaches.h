//===- ContextCaches.h - Caches of a context --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Caches for results that depend only on attributes and types. Such results are
// valid for all IR in their context, and all passes share them.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_CONTEXTCACHES_H
#define IPU_MLIR_SUPPORT_CONTEXTCACHES_H

#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <mutex>

namespace mlir::ipu {

/// A dialect with this interface owns caches that live as long as its context.
class ContextCaches : public DialectInterface::Base<ContextCaches> {
public:
  explicit ContextCaches(Dialect *dialect) : Base(dialect) {}

  /// Returns the cache of type `T`, which all threads share.
  template <typename T>
  T &get() {
    std::lock_guard<std::mutex> guard(mutex);
    std::shared_ptr<void> &cache = caches[TypeID::get<T>()];
    if (!cache)
      cache = std::make_shared<T>();
    return *static_cast<T *>(cache.get());
  }

private:
  std::mutex mutex;
  llvm::SmallDenseMap<TypeID, std::shared_ptr<void>, 2> caches;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_CONTEXTCACHES_H
