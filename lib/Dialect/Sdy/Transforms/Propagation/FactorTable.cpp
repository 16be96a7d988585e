//===- FactorTable.cpp - Tables of shardings by factor --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FactorTable.h"

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

std::string sdy::toString(const sharding::AxisRef &axis, MeshAttr mesh) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '"' << mesh.getAxes()[axis.axis].getName() << '"';
  if (axis.preSize != 1 || axis.size != mesh.getAxes()[axis.axis].getSize())
    os << ":(" << axis.preSize << ')' << axis.size;
  return text;
}

std::string sdy::toString(ArrayRef<sharding::AxisRef> axes, MeshAttr mesh) {
  return llvm::join(
      llvm::map_range(axes,
                      [&](const auto &axis) { return toString(axis, mesh); }),
      ", ");
}

std::string sdy::getFactorName(unsigned factor) {
  return "F" + std::to_string(factor) + " " + getFactorSymbol(factor);
}

std::string sdy::toString(const sharding::Rule &rule, MLIRContext *context) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Attribute(getRuleAttr(context, rule)).print(os);
  // Without the name of the attribute and the brackets.
  StringRef all(text);
  return all.drop_front(all.find('<') + 1).drop_back().str();
}

SmallVector<std::string> sdy::getTensorNames(const PropagationStep &step,
                                             AsmState &names) {
  SmallVector<std::string> rows;
  for (auto [i, tensor] : llvm::enumerate(step.tensors)) {
    llvm::raw_string_ostream os(rows.emplace_back());
    os << 'T' << i;
    if (!tensor)
      continue;
    os << ' ';
    if (tensor->value)
      tensor->value.printAsOperand(os, names);
    else
      os << "result " << tensor->result;
  }
  return rows;
}

/// What a tensor has of a factor.
static std::string getCell(const sharding::FactorSharding *entry,
                           const sharding::FactorSharding *before,
                           MeshAttr mesh) {
  if (!entry)
    return "N";
  SmallVector<std::string> parts;
  auto isOld = [&](const sharding::AxisRef &axis) {
    return before && llvm::any_of(before->axes, [&](const auto &old) {
             return sharding::contains(old, axis);
           });
  };
  for (const sharding::AxisRef &axis : entry->axes)
    parts.push_back((isOld(axis) ? "" : "+") + toString(axis, mesh));
  if (!entry->overflow.empty())
    parts.push_back("overflow " + toString(entry->overflow, mesh));
  if (entry->isClosed)
    parts.emplace_back("closed");
  return llvm::join(parts, ", ");
}

void sdy::printFactorTable(raw_ostream &os,
                           const sharding::ShardingProjection &projection,
                           const sharding::ShardingProjection &before,
                           const sharding::Rule &rule, MeshAttr mesh,
                           ArrayRef<std::string> tensorNames) {
  unsigned numTensors = projection.getNumTensors();
  SmallVector<SmallVector<std::string>> columns;
  SmallVector<std::string> &names = columns.emplace_back(1, "");
  llvm::append_range(names, tensorNames);
  for (unsigned factor = 0; factor < rule.factors.size(); ++factor) {
    SmallVector<std::string> &column = columns.emplace_back();
    column.push_back(getFactorName(factor));
    for (unsigned i = 0; i < numTensors; ++i)
      column.push_back(getCell(projection.getTensor(i).find(factor),
                               before.getTensor(i).find(factor), mesh));
  }
  auto addAxes = [&](StringRef title, auto getAxes) {
    SmallVector<std::string> &column = columns.emplace_back(1, title.str());
    for (unsigned i = 0; i < numTensors; ++i)
      column.push_back(toString(getAxes(projection.getTensor(i)), mesh));
  };
  using Factors = sharding::TensorFactorShardings;
  addAxes("replicated",
          [](const Factors &tensor) -> ArrayRef<sharding::AxisRef> {
            return tensor.replicated;
          });
  for (unsigned i = 0; i < numTensors; ++i)
    if (!projection.getTensor(i).unreduced.empty()) {
      addAxes("unreduced",
              [](const Factors &tensor) -> ArrayRef<sharding::AxisRef> {
                return tensor.unreduced;
              });
      break;
    }

  for (unsigned row = 0; row <= numTensors; ++row) {
    std::string line = "   ";
    for (const SmallVector<std::string> &column : columns) {
      size_t width = 0;
      for (const std::string &cell : column)
        width = std::max(width, cell.size());
      line += (&column == columns.begin() ? " " : " | ") + column[row] +
              std::string(width - column[row].size(), ' ');
    }
    os << StringRef(line).rtrim() << "\n";
  }
}
