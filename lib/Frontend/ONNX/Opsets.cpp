//===- Opsets.cpp - Operators by opset ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Opsets.h"

#include "onnx/defs/schema.h"

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
