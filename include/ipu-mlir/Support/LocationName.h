//===- LocationName.h - Names in locations ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_LOCATIONNAME_H
#define IPU_MLIR_SUPPORT_LOCATIONNAME_H

#include "mlir/IR/Location.h"

namespace mlir::ipu {

/// Returns the outermost name in `loc`, which names an op or a value in the
/// source. Returns null if there is no name in `loc`.
inline StringAttr getLocationName(Location loc) {
  StringAttr name;
  loc->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (!named)
      return WalkResult::advance();
    name = named.getName();
    return WalkResult::interrupt();
  });
  return name;
}

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_LOCATIONNAME_H
