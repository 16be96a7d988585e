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

/// Names of ops in origins: `constraint_0`, `mc_0`, `op_0`.
class OriginNames {
public:
  /// Ops keep the names in their attributes. Each other constraint and manual
  /// computation gets a name, in program order.
  explicit OriginNames(ModuleOp module);

  /// Returns the name is created at the first use.
  StringRef get(Operation *op);
  /// Returns the name of an op that requires a sharding of its operand: a
  /// constraint, or a manual computation (`mc_0_input: 1`).
  std::string getOfDemand(OpOperand &use);
  /// Writes `sdy.sharding_origin_name` of the ops that still exist.
  void write(ModuleOp module) const;

private:
  llvm::MapVector<Operation *, std::string> names;
  llvm::StringMap<unsigned> numNames;
};

/// Origins of ops that are merged.
class OriginRenames {
public:
  /// Records that `kept` replaces `gone`. The two only differ in debug
  /// attributes. `kept` has a name for both.
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
/// Returns all other attributes of `op`.
DictionaryAttr getAttrsWithoutDebugInfo(Operation *op);

/// Returns an axis as the key of a dictionary of origins: `c` or `c:(1)4`.
std::string getOriginKey(const sharding::AxisRef &axis, MeshAttr mesh);

/// `sdy.sharding_origins` of a value. For arguments of regions, it is an
/// attribute of their op. Returns null if there is none.
DictionaryAttr getOriginsAttr(Value value);
void setOriginsAttr(Value value, DictionaryAttr origins);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_ORIGINNAMES_H
