//===- Opsets.h - Operators by opset ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts of the ONNX standard about the operators of an opset. The ONNX library
// has the schemas of opsets 1 to kLastSchemaOpset; OpsetChanges.def lists what
// changed afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_OPSETS_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_OPSETS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace onnx {
class OpSchema;
} // namespace onnx

namespace mlir::ipu::onnx {

/// Returns the schema of the operator `name` in `opset`. This is the last
/// schema that the library has if the operator did not change afterwards.
/// Otherwise, or if no such operator exists, returns null.
const ::onnx::OpSchema *getSchema(StringRef name, int64_t opset);

/// Returns the opsets in which the operator `name` is new or changed, in
/// ascending order.
std::vector<int64_t> getVersions(StringRef name);

/// Returns whether the operator `name` has this attribute in `opset`.
bool hasAttribute(StringRef name, int64_t opset, StringRef attribute);

/// Returns the greatest number of operands of the operator `name` in `opset`,
/// or std::nullopt if the library does not have its schema.
std::optional<int> getMaxInputs(StringRef name, int64_t opset);

enum class OperandKind { Input, Output };

/// Returns the names of the types that operand `i` of the operator `name` may
/// have, sorted and in the form of getElementTypeName(). The list is empty if
/// these types are not known.
std::vector<std::string> getTypeNames(StringRef name, int64_t opset,
                                      OperandKind kind, size_t i);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_OPSETS_H
