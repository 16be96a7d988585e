//===- ShardingTestUtils.h - Shardings as text for tests --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meshes have axes a, b, c, ... The text of an axis list is, for example, `a
// b:(2)3`. The text of a tensor has the dimensions in braces, open ones with
// `?`, followed by the lists `r=` and `u=`, as in `{a} {b:(1)2 ?} {} r={c}`.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_SHARDING_SHARDINGTESTUTILS_H
#define IPU_MLIR_UNITTESTS_SHARDING_SHARDINGTESTUTILS_H

#include "ipu-mlir/Sharding/ShardingProjection.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mlir::ipu::sharding {

inline AxisRef parseAxis(StringRef text, MeshSizes mesh) {
  unsigned axis = text[0] - 'a';
  AxisRef ref = getFullAxis(axis, mesh);
  if (text.consume_front(text.take_front(1).str() + ":(")) {
    text.consumeInteger(10, ref.preSize);
    text.consume_front(")");
    text.consumeInteger(10, ref.size);
  }
  return ref;
}

inline AxisList parseAxes(StringRef text, MeshSizes mesh) {
  AxisList list;
  SmallVector<StringRef> parts;
  text.split(parts, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    list.push_back(parseAxis(part, mesh));
  return list;
}

inline TensorSharding parseTensor(StringRef text, MeshSizes mesh) {
  TensorSharding sharding;
  while (!text.empty()) {
    auto [head, rest] = text.split('}');
    auto [prefix, list] = head.split('{');
    prefix = prefix.trim();
    if (prefix == "r=") {
      sharding.replicated = parseAxes(list, mesh);
    } else if (prefix == "u=") {
      sharding.unreduced = parseAxes(list, mesh);
    } else {
      DimSharding &dim = sharding.dims.emplace_back();
      dim.isClosed = !list.consume_back("?");
      dim.axes = parseAxes(list, mesh);
    }
    text = rest.trim();
  }
  return sharding;
}

inline std::string format(ArrayRef<AxisRef> list, MeshSizes mesh) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      list, os,
      [&](const AxisRef &ref) {
        os << char('a' + ref.axis);
        if (!isFull(ref, mesh))
          os << ":(" << ref.preSize << ")" << ref.size;
      },
      " ");
  return text;
}

inline std::string format(const TensorSharding &sharding, MeshSizes mesh) {
  std::string text;
  for (const DimSharding &dim : sharding.dims) {
    std::string axes = format(dim.axes, mesh);
    text += (text.empty() ? "{" : " {") + axes;
    if (!dim.isClosed)
      text += axes.empty() ? "?" : " ?";
    text += "}";
  }
  if (!sharding.replicated.empty())
    text += " r={" + format(sharding.replicated, mesh) + "}";
  if (!sharding.unreduced.empty())
    text += " u={" + format(sharding.unreduced, mesh) + "}";
  return text;
}

/// Parses a rule such as `([ij, k])->([i, jk]) {2, 3, 4}`. Factors are i, j, k,
/// ...
inline Rule parseRule(StringRef text) {
  Rule rule;
  auto [mappings, sizes] = text.split('{');
  auto [operands, results] = mappings.split("->");
  auto parseSide = [](StringRef side, auto &tensors) {
    SmallVector<StringRef> parts;
    side.split(parts, ']');
    for (StringRef part : llvm::ArrayRef(parts).drop_back()) {
      TensorMapping &mapping = tensors.emplace_back();
      SmallVector<StringRef> dims;
      part.split('[').second.split(dims, ',', -1, /*KeepEmpty=*/false);
      for (StringRef dim : dims) {
        mapping.emplace_back();
        for (char symbol : dim.trim())
          mapping.back().push_back(symbol - 'i');
      }
    }
  };
  parseSide(operands, rule.operands);
  parseSide(results, rule.results);
  while (!sizes.empty()) {
    sizes = sizes.ltrim(", ");
    int64_t size;
    if (sizes.consumeInteger(10, size))
      break;
    rule.factors.push_back(Factor{size});
  }
  return rule;
}

inline std::string formatMapping(ArrayRef<TensorMapping> tensors) {
  std::string text = "(";
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      tensors, os,
      [&](const TensorMapping &mapping) {
        os << "[";
        llvm::interleave(
            mapping, os,
            [&](const DimMapping &dim) {
              for (unsigned factor : dim)
                os << char('i' + factor);
            },
            ", ");
        os << "]";
      },
      ", ");
  os << ")";
  return text;
}

inline std::string format(const Rule &rule) {
  std::string text =
      formatMapping(rule.operands) + "->" + formatMapping(rule.results) + " {";
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      rule.factors, os, [&](const Factor &factor) { os << factor.size; }, ", ");
  os << "}";
  return text;
}

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_UNITTESTS_SHARDING_SHARDINGTESTUTILS_H
