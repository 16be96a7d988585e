//===- TakePasses.h - Passes of a pass manager ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_TAKEPASSES_H
#define IPU_MLIR_SUPPORT_TAKEPASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>
#include <vector>

namespace mlir::ipu {

namespace detail {
/// A pass manager only gives references to its passes. This iterator gives the
/// passes themselves.
struct OwningPassIterator : OpPassManager::pass_iterator {
  OwningPassIterator(OpPassManager::pass_iterator it)
      : OpPassManager::pass_iterator(it) {}
  std::unique_ptr<Pass> take() { return std::move(*I); }
};
} // namespace detail

/// Moves all passes out of `manager`, which is empty afterwards. Consecutive
/// passes on nested ops are one pass, which runs them.
inline std::vector<std::unique_ptr<Pass>> takePasses(OpPassManager &manager) {
  std::vector<std::unique_ptr<Pass>> passes;
  for (auto it = manager.begin(), end = manager.end(); it != end; ++it)
    passes.push_back(detail::OwningPassIterator(it).take());
  manager.clear();
  return passes;
}

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_TAKEPASSES_H
