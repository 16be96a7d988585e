//===- OriginNames.h - Names of axis origins --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_ORIGINNAMES_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_ORIGINNAMES_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu::sdy {

/// The names by which origins of axes refer to ops, for example `constraint_0`,
/// `mc_0` or `op_0`.
class OriginNames {
public:
  /// Reads the names from the attributes of ops. Constraints and manual
  /// computations without such an attribute get new names, in program order.
  explicit OriginNames(ModuleOp module);

  /// Returns the name of `op`. If the op has no name, gives it a new name.
  StringRef get(Operation *op);
  /// Returns the origin of axes that the owner of `use` requires. The owner is
  /// a constraint (`constraint_0`) or a manual computation (`mc_0_input: 1`).
  std::string getOfDemand(OpOperand &use);
  /// Sets `sdy.sharding_origin_name` of the named ops that still exist in
  /// `module`.
  void write(ModuleOp module) const;

private:
  llvm::MapVector<Operation *, std::string> names;
  llvm::StringMap<unsigned> numNames;
};

/// The new names of origins that belong to ops which were merged into other
/// ops.
class OriginRenames {
public:
  /// Records that `kept` replaces `gone`. The two ops only differ in debug
  /// attributes. Origins then use the name of `kept` for both.
  void add(Operation *kept, Operation *gone);
  /// Replaces names of erased ops in origins by names of the remaining ops.
  void apply(ModuleOp module) const;

private:
  DictionaryAttr rename(DictionaryAttr origins, const Twine &self) const;
  void renameIn(Operation *op) const;

  llvm::StringMap<std::string> newNames;
};

/// Returns the names of all attributes with debug information about
/// propagation.
ArrayRef<StringLiteral> getDebugAttrNames();
/// Returns the attributes of `op` without debug information about propagation.
DictionaryAttr getAttrsWithoutDebugInfo(Operation *op);

/// Returns the key of an axis in a dictionary of origins: `c` or, for a
/// sub-axis, `c:(1)4`.
std::string getOriginKey(const sharding::AxisRef &axis, MeshAttr mesh);

/// Returns the origins of the axes of `value`, or null if there are none. The
/// origins of an argument of a region are in an attribute of the op of the
/// region.
DictionaryAttr getOriginsAttr(Value value);
void setOriginsAttr(Value value, DictionaryAttr origins);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_ORIGINNAMES_H
