//===- VectorLanes.h - Iterations of a loop as lanes ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of vectorization. While a loop of type `vectorize` is emitted, its
// iterations are lanes of vectors. Dimension k of the expressions is the
// variable of the loop of class k.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VECTORLANES_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VECTORLANES_H

#include "IndexBuilder.h"

namespace mlir::fuse {

/// Returns the number c such that the value of `expr` in iteration i of `loop`
/// is its value in iteration 0 plus c * i, or std::nullopt if there is no such
/// number.
std::optional<AffineExpr> getCoefficient(AffineExpr expr, ClassId loop);
/// Returns `expr` with the variable of `loop` replaced by `i`.
AffineExpr atIteration(AffineExpr expr, ClassId loop, int64_t i);

/// Returns the number of iterations of `loop`, whose extent must be constant.
int64_t getNumLanes(const LoopClasses &classes, ClassId loop);
/// Returns whether `loop` is one of the loops of `tensor`.
bool isLoopOf(const LoopClasses &classes, ClassId loop, TensorId tensor);
/// Returns whether `loop` is one of the loops of `tensor` and a reduction.
bool isReductionLoopOf(const Schedule &schedule, const LoopClasses &classes,
                       ClassId loop, TensorId tensor);

class VectorLanes {
public:
  VectorLanes(const Schedule &schedule, const LoopClasses &classes,
              IndexBuilder &index)
      : schedule(schedule), classes(classes), index(index) {}

  /// Calls `body`. During this call, vectors have one lane for each iteration
  /// of `loop`.
  LogicalResult run(ClassId loop, function_ref<LogicalResult()> body);

  /// Returns whether vectors are currently emitted. If not, only run() and
  /// those member functions may be called whose comments say what they return
  /// in this case.
  explicit operator bool() const { return current.has_value(); }
  int64_t getNum() const { return getNumLanes(classes, *current); }
  std::optional<AffineExpr> getCoefficient(AffineExpr expr) const {
    return fuse::getCoefficient(expr, *current);
  }
  /// Returns `expr` in the given lane, or `expr` itself if no vectors are
  /// currently emitted.
  AffineExpr at(int64_t lane, AffineExpr expr) const {
    return current ? atIteration(expr, *current, lane) : expr;
  }
  /// Returns whether `expr` differs between lanes. Returns false if no vectors
  /// are currently emitted.
  bool vary(AffineExpr expr) const {
    return current && expr.isFunctionOfDim(*current);
  }
  /// Return whether the loop whose iterations are lanes is a loop of `tensor`,
  /// or a reduction loop of `tensor`. Return false if no vectors are currently
  /// emitted.
  bool areLoopOf(TensorId tensor) const {
    return current && isLoopOf(classes, *current, tensor);
  }
  bool areReductionLoopOf(TensorId tensor) const {
    return current && isReductionLoopOf(schedule, classes, *current, tensor);
  }

private:
  const Schedule &schedule;
  const LoopClasses &classes;
  IndexBuilder &index;
  std::optional<ClassId> current;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VECTORLANES_H
