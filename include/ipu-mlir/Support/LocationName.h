//===- LocationName.h - Names in locations ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_LOCATIONNAME_H
#define IPU_MLIR_SUPPORT_LOCATIONNAME_H

#include "mlir/IR/Location.h"
#include "llvm/Support/Path.h"

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

/// Returns `loc` with the name `name`.
inline Location getNamedLoc(StringRef name, Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

/// Returns the first position in a file in `loc`, as `file:line:column`.
/// Returns an empty string if there is no position, or if it has line 0, which
/// stands for the whole file.
inline std::string getLocationPlace(Location loc) {
  std::string place;
  loc->walk([&](Location part) {
    auto position = dyn_cast<FileLineColLoc>(part);
    if (!position || position.getLine() == 0)
      return WalkResult::advance();
    place = (llvm::sys::path::filename(position.getFilename()) + ":" +
             Twine(position.getLine()) + ":" + Twine(position.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_LOCATIONNAME_H
