//===- ProgramBuilder.h - Builder of random programs ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TEST_FUZZ_PROGRAMBUILDER_H
#define IPU_MLIR_TEST_FUZZ_PROGRAMBUILDER_H

#include "RandomProgram.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SmallBitVector.h"
#include <deque>

namespace mlir::fuse::fuzz {

/// A size that tensors may have.
struct Extent {
  explicit Extent(int64_t size) : size(size) {}
  int64_t size;
  bool isDynamic = false;
  /// The size at run time, if dynamic.
  Value value;
};

/// A tensor.
struct Made {
  Value value;
  /// Numbers of extents.
  SmallVector<unsigned> dims;
  /// No element is larger.
  double bound = 0;
  /// By how much an element may differ if sums are in another order.
  double error = 0;
  bool isArgument = false;
  bool isUsed = false;
};

enum class Combine { Add, Sub, Mul, Max, Min };

/// What one result of an op is.
struct BodyResult {
  Combine combine = Combine::Add;
  /// The old value is combined with the new one.
  bool usesInit = false;
  bool isAccumulator = false;
  bool accumulatorFirst = false;
  /// The accumulator is doubled for each addend: no order but one.
  bool isHorner = false;
  /// What the accumulator starts with.
  double start = 0;
  /// Without dims.
  Made made;
};

/// What an op computes for each point: operands combined one after another,
/// something done to that, then results.
struct Body {
  /// Between operands.
  SmallVector<Combine> combines;
  enum class Unary { None, Abs, Neg, Offset, Double, Select } unary;
  /// Cuts the value to this.
  std::optional<double> clamp;
  /// Adds the index of this loop.
  std::optional<unsigned> index;
  SmallVector<BodyResult> results;
};

class ProgramBuilder {
public:
  ProgramBuilder(ModuleOp module, StringRef name, Random &random);
  Program run();

private:
  struct Loop {
    unsigned extent = 0;
    bool isReduced = false;
  };
  struct Read {
    Made *made = nullptr;
    SmallVector<AffineExpr> index;
  };

  RankedTensorType getType(ArrayRef<unsigned> dims);
  Made addArgument(ArrayRef<unsigned> dims);
  Value createEmpty(ArrayRef<unsigned> dims);
  Value createFilled(ArrayRef<unsigned> dims, double value);
  Made *findTensor(ArrayRef<unsigned> dims);
  Made &pickTensor();
  void addMade(Made made, Value value);

  bool canAddLoop(unsigned extent) const;
  bool pickLoop(unsigned extent, llvm::SmallBitVector &taken,
                std::optional<unsigned> &loop);
  bool addRead(Made &made);
  bool addWindow();
  void shuffleLoops();
  bool isReducedRead() const;

  bool addGeneric(bool hasReduction);
  bool createGeneric();
  Value createInit(Made &made, BodyResult &result);
  bool addNamed();
  void finish();

  //===--- RandomBodies.cpp -----------------------------------------------===//

  Body pickBody(bool reduces, int64_t numAddends);
  void pickResult(BodyResult &result, const Made &addend, bool reduces,
                  int64_t numAddends);
  void createBody(const Body &body, OpBuilder &builder, Location loc,
                  ValueRange args);
  Value createConstant(double value) {
    return createConstant(b, b.getLoc(), value);
  }
  Value createConstant(OpBuilder &builder, Location loc, double value);
  Value create(Combine combine, OpBuilder &builder, Location loc, Value lhs,
               Value rhs);
  Value create(Body::Unary unary, OpBuilder &builder, Location loc,
               Value value);

  Random &random;
  ImplicitLocOpBuilder b;
  Program program;
  Type element;
  SmallVector<Extent> extents;
  /// Those that tensors are drawn from; windows make more.
  unsigned numExtents = 0;
  std::deque<Made> tensors;
  /// Of the op that is being made.
  SmallVector<Loop> loops;
  SmallVector<Read> reads;
};

} // namespace mlir::fuse::fuzz

#endif // IPU_MLIR_TEST_FUZZ_PROGRAMBUILDER_H
