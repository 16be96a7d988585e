//===- VectorLanes.h - Iterations of a loop as lanes ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop, if any, whose iterations are currently lanes of vectors, and its
// effect on expressions whose dimension k is the loop of class k.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VECTORLANES_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VECTORLANES_H

#include "IndexBuilder.h"

namespace mlir::fuse {

/// Returns the number c such that `expr` in iteration i of the loop is c * i
/// more than in iteration 0, if there is one.
std::optional<AffineExpr> getCoefficient(AffineExpr expr, ClassId loop);
/// `expr` in iteration `i` of the loop.
AffineExpr atIteration(AffineExpr expr, ClassId loop, int64_t i);

/// Returns the number of iterations of a loop with a constant extent.
int64_t getNumLanes(const LoopClasses &classes, ClassId loop);
/// Returns whether the loop is one of the tensor's own.
bool isLoopOf(const LoopClasses &classes, ClassId loop, TensorId tensor);
/// Returns whether the loop is one of the tensor's own loops, and the tensor
/// reduces over it.
bool isReductionLoopOf(const Schedule &schedule, const LoopClasses &classes,
                       ClassId loop, TensorId tensor);

class VectorLanes {
public:
  VectorLanes(const Schedule &schedule, const LoopClasses &classes,
              IndexBuilder &index)
      : schedule(schedule), classes(classes), index(index) {}

  /// Runs `body` on vectors, whose lanes are the iterations of `loop`.
  LogicalResult run(ClassId loop, function_ref<LogicalResult()> body);

  /// Whether there are vectors at present. Most of the following functions
  /// require them.
  explicit operator bool() const { return current.has_value(); }
  int64_t getNum() const { return getNumLanes(classes, *current); }
  std::optional<AffineExpr> getCoefficient(AffineExpr expr) const {
    return fuse::getCoefficient(expr, *current);
  }
  /// `expr` at a lane; `expr` itself without vectors.
  AffineExpr at(int64_t lane, AffineExpr expr) const {
    return current ? atIteration(expr, *current, lane) : expr;
  }
  /// Returns whether lanes differ in `expr`; false without vectors.
  bool vary(AffineExpr expr) const {
    return current && expr.isFunctionOfDim(*current);
  }
  /// The same for the loops of a tensor.
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
