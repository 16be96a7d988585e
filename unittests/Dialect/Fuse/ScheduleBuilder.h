//===- ScheduleBuilder.h - Schedules for tests ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a schedule from one line for each tensor, as in
//
//   ScheduleBuilder b;                 // sizes of the letters: 8 unless set
//   b.input("T0", "ab");
//   b.add("T1", "ab", {{"T0", "ab"}});             // pointwise
//   b.add("T2", "a r:b", {{"T1", "ab"}});          // reduces b
//   b.add("T3", "ab", {{"T2", "a"}});              // broadcasts b
//   b.output("T4", "ab", {{"T1", "ab"}, {"T3", "ab"}});
//   Schedule s = b.build();
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_DIALECT_FUSE_SCHEDULEBUILDER_H
#define IPU_MLIR_UNITTESTS_DIALECT_FUSE_SCHEDULEBUILDER_H

#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace mlir::fuse {

class ScheduleBuilder {
public:
  /// Sets the extent of a letter. 0 means that the extent is a separate symbol.
  ScheduleBuilder &size(char letter, int64_t extent) {
    sizes[letter] = extent;
    return *this;
  }
  using Reads = std::vector<std::pair<std::string, std::string>>;

  TensorId input(StringRef name, StringRef axes) {
    return add(name, axes, {}, /*isInput=*/true, /*isOutput=*/false);
  }
  TensorId output(StringRef name, StringRef axes, const Reads &reads) {
    return add(name, axes, reads, /*isInput=*/false, /*isOutput=*/true);
  }

  /// Adds a tensor. `axes` are the letters of the iteration space in loop
  /// order; blanks are ignored, and each reduction has "r:" before it. `reads`
  /// are the producers, each with the letters that index its logical axes; '0'
  /// is a squeeze, and '?' is a window.
  TensorId add(StringRef name, StringRef axes, const Reads &reads,
               bool isInput = false, bool isOutput = false) {
    Tensor tensor;
    tensor.name = name.str();
    tensor.isInput = isInput;
    tensor.isOutput = isOutput;
    tensor.logical.emplace_back();
    std::map<char, AxisId> byLetter;
    AxisKind kind = AxisKind::Iteration;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (axes[i] == ' ')
        continue;
      if (axes.substr(i, 2) == "r:") {
        kind = AxisKind::Reduction;
        ++i;
        continue;
      }
      AxisId axis =
          schedule.addAxis(axes.substr(i, 1), getExtent(axes[i]), kind);
      byLetter[axes[i]] = axis;
      tensor.root.push_back(axis);
      if (kind != AxisKind::Reduction)
        tensor.logical[0].push_back(axis);
      kind = AxisKind::Iteration;
    }
    tensor.loop = tensor.root;
    for (const auto &[producer, letters] : reads) {
      Operand operand;
      operand.producer = ids.at(producer);
      for (char letter : letters) {
        if (letter == '?')
          operand.opaque = true;
        if (byLetter.count(letter))
          operand.axes.push_back(byLetter[letter]);
        else
          operand.axes.push_back(std::nullopt);
      }
      tensor.operands.push_back(operand);
    }
    TensorId id = schedule.addTensor(std::move(tensor));
    ids[name.str()] = id;
    return id;
  }

  Schedule build() {
    schedule.inferBroadcasts();
    return schedule;
  }

  MLIRContext *getContext() { return &context; }

  /// Starts another schedule with the same extents of letters.
  void reset() {
    schedule = Schedule(&context);
    symbols.clear();
    ids.clear();
  }

private:
  AffineExpr getExtent(char letter) {
    auto [it, isNew] = sizes.insert({letter, 8});
    if (it->second)
      return getAffineConstantExpr(it->second, &context);
    unsigned symbol = symbols.insert({letter, symbols.size()}).first->second;
    return getAffineSymbolExpr(symbol, &context);
  }

  MLIRContext context;
  Schedule schedule{&context};
  std::map<char, int64_t> sizes;
  std::map<char, unsigned> symbols;
  std::map<std::string, TensorId> ids;
};

/// Returns the text of a violation and of its notes, or "" if there is no
/// violation.
inline std::string describe(const MaybeViolation &violation) {
  if (!violation)
    return "";
  std::string text = violation->text;
  for (const Violation::Note &note : violation->notes)
    text += "; " + note.text;
  return text;
}

} // namespace mlir::fuse

#endif // IPU_MLIR_UNITTESTS_DIALECT_FUSE_SCHEDULEBUILDER_H
