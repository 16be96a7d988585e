//===- Opsets.cpp - Operators by opset ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Opsets.h"

#include "onnx/defs/schema.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <set>

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The last opset whose schemas the ONNX library has.
static constexpr int64_t kLastSchemaOpset = 17;

namespace {
/// A change of an operator after kLastSchemaOpset.
struct OpsetChange {
  StringLiteral name;
  int64_t opset;
  /// The new attributes, separated by blanks.
  StringLiteral attributes;
};
} // namespace

static constexpr OpsetChange kChanges[] = {
#define ONNX_CHANGE(NAME, OPSET, ATTRIBUTES) {#NAME, OPSET, ATTRIBUTES},
#include "OpsetChanges.def"
};

namespace {
/// Types that an operator has since an opset after kLastSchemaOpset.
struct TypeChange {
  StringLiteral name;
  int64_t opset;
  /// The new types, separated by blanks.
  StringLiteral types;
};
} // namespace

static constexpr TypeChange kTypeChanges[] = {
#define ONNX_TYPES(NAME, OPSET, TYPES) {#NAME, OPSET, TYPES},
#include "OpsetChanges.def"
};

static const ::onnx::OpSchema *getLastSchema(StringRef name, int64_t opset) {
  return ::onnx::OpSchemaRegistry::Schema(
      name.str(), static_cast<int>(std::min(opset, kLastSchemaOpset)),
      ::onnx::ONNX_DOMAIN);
}

const ::onnx::OpSchema *ipu::onnx::getSchema(StringRef name, int64_t opset) {
  bool isChanged = llvm::any_of(kChanges, [&](const OpsetChange &change) {
    return change.name == name && change.opset <= opset;
  });
  return isChanged ? nullptr : getLastSchema(name, opset);
}

std::vector<int64_t> ipu::onnx::getVersions(StringRef name) {
  std::vector<int64_t> versions;
  for (int64_t opset = 1; opset <= kLastSchemaOpset; ++opset)
    if (const ::onnx::OpSchema *schema = getLastSchema(name, opset);
        schema && schema->SinceVersion() == opset)
      versions.push_back(opset);
  for (const OpsetChange &change : kChanges)
    if (change.name == name)
      versions.push_back(change.opset);
  return versions;
}

bool ipu::onnx::hasAttribute(StringRef name, int64_t opset,
                             StringRef attribute) {
  const ::onnx::OpSchema *schema = getLastSchema(name, opset);
  if (schema && schema->attributes().count(attribute.str()))
    return true;
  return llvm::any_of(kChanges, [&](const OpsetChange &change) {
    SmallVector<StringRef> names;
    change.attributes.split(names, ' ');
    return change.name == name && change.opset <= opset &&
           llvm::is_contained(names, attribute);
  });
}

std::optional<int> ipu::onnx::getMaxInputs(StringRef name, int64_t opset) {
  const ::onnx::OpSchema *schema = getSchema(name, opset);
  return schema ? std::optional(schema->max_input()) : std::nullopt;
}

std::vector<std::string> ipu::onnx::getTypeNames(StringRef name, int64_t opset,
                                                 OperandKind kind, size_t i) {
  const ::onnx::OpSchema *schema = getLastSchema(name, opset);
  if (!schema)
    return {};
  const auto &operands =
      kind == OperandKind::Input ? schema->inputs() : schema->outputs();
  if (operands.empty())
    return {};
  std::set<std::string> types;
  // The last operand stands for all operands of a variadic operator.
  const auto &operand = operands[std::min(i, operands.size() - 1)];
  for (const std::string *type : operand.GetTypes()) {
    StringRef element = *type;
    if (element.consume_front("tensor(") && element.consume_back(")"))
      types.insert(element.str());
  }
  // Exporters write models in all float types. ONNX adds these types to some
  // operators in later opsets, or not at all. Operands that always have the
  // same type, such as the scales of Resize, have no type variable.
  static constexpr StringLiteral floats[] = {"bfloat16", "double", "float",
                                             "float16"};
  bool isVariable = !StringRef(operand.GetTypeStr()).starts_with("tensor(");
  if (isVariable && llvm::any_of(floats, [&](StringRef type) {
        return types.count(type.str()) > 0;
      }))
    types.insert(std::begin(floats), std::end(floats));
  for (const TypeChange &change : kTypeChanges) {
    SmallVector<StringRef> added;
    if (change.name == name && change.opset <= opset)
      change.types.split(added, ' ');
    types.insert(added.begin(), added.end());
  }
  return std::vector<std::string>(types.begin(), types.end());
}
