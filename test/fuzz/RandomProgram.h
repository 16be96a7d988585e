//===- RandomProgram.h - Random linalg functions ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TEST_FUZZ_RANDOMPROGRAM_H
#define IPU_MLIR_TEST_FUZZ_RANDOMPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <random>

namespace mlir::fuse::fuzz {

/// The same numbers everywhere, unlike std's distributions.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// 0 to size - 1.
  unsigned pick(unsigned size) { return size ? engine() % size : 0; }
  /// from to to, inclusive.
  int64_t pick(int64_t from, int64_t to) {
    return from + int64_t(engine() % uint64_t(to - from + 1));
  }
  bool chance(unsigned percent) { return pick(100u) < percent; }
  template <typename T>
  void shuffle(T &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[pick(unsigned(i))]);
  }

private:
  std::mt19937_64 engine;
};

/// What the elements are.
///   Int:   i32, anything; sums wrap.
///   Exact: f32 with small whole numbers, so that no order of a sum matters.
///   Real:  f32 with fractions.
enum class Elements { Int, Exact, Real };

struct Program {
  /// Linalg ops on tensors; all results are computed by them.
  func::FuncOp function;
  Elements elements = Elements::Int;
  /// Those of the arguments when it runs.
  SmallVector<SmallVector<int64_t>> argumentShapes;
  /// By how much a result may differ if sums are in another order.
  SmallVector<double> tolerances;
  /// Some reduction gives something else in another order, whatever the
  /// elements.
  bool isOrdered = false;
};

/// A function of a few ops at the end of `module`.
Program makeProgram(ModuleOp module, StringRef name, Random &random);

} // namespace mlir::fuse::fuzz

#endif // IPU_MLIR_TEST_FUZZ_RANDOMPROGRAM_H
