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

/// Names of ops as origins: `constraint_0`, `mc_0`, `op_0`.
class OriginNames {
public:
  /// Ops keep the names that their attributes give them. Of the others,
  /// constraints and manual computations get one each, in program order.
  explicit OriginNames(ModuleOp module);

  /// Made at first use.
  StringRef get(Operation *op);
  /// What demands a sharding of its operand: a constraint, or a manual
  /// computation (`mc_0_input: 1`).
  std::string getOfDemand(OpOperand &use);
  /// `sdy.sharding_origin_name` of those ops that are still there.
  void write(ModuleOp module) const;

private:
  llvm::MapVector<Operation *, std::string> names;
  llvm::StringMap<unsigned> numNames;
};

/// Origins of ops that become one.
class OriginRenames {
public:
  /// `kept` stays for `gone`, which is equal but for what it tells of
  /// propagation, and has a name for both.
  void add(Operation *kept, Operation *gone);
  /// Lets origins that name ops that are gone name those that stay.
  void apply(ModuleOp module) const;

private:
  DictionaryAttr rename(DictionaryAttr origins, const Twine &self) const;
  void renameIn(Operation *op) const;

  llvm::StringMap<std::string> newNames;
};

/// The names of all attributes that tell of propagation.
ArrayRef<StringLiteral> getDebugAttrNames();
/// All other attributes of `op`.
DictionaryAttr getAttrsWithoutDebugInfo(Operation *op);

/// An axis as the key of a dictionary of origins: `c` or `c:(1)4`.
std::string getOriginKey(const sharding::AxisRef &axis, MeshAttr mesh);

/// `sdy.sharding_origins` of a value, for arguments of regions that of their
/// op. Null if there is none.
DictionaryAttr getOriginsAttr(Value value);
void setOriginsAttr(Value value, DictionaryAttr origins);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_ORIGINNAMES_H
