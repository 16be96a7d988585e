//===- Repetition.h - Iterations of ONNX loops ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Repeated ops become an scf.for if only their number ends the iterations, and
// an scf.while if a condition does. The ops of one iteration are first built in
// a block of their own. Only then it is known what a loop needs: the types of
// its scan outputs, and whether its condition is a constant.
//
// Some ops cannot be the body of a loop: their shapes differ between
// iterations, or operands that define shapes depend on the number of the
// iteration. Such ops are built once for each iteration.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_REPETITION_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_REPETITION_H

#include "Importer.h"

namespace mlir::ipu::onnx {

/// The values that an iteration computes.
struct Step {
  /// Whether another iteration follows, as one i1. Null if only the number of
  /// iterations ends the loop.
  Value condition;
  SmallVector<Value> carried;
  /// The parts of the scan outputs.
  SmallVector<Value> parts;
};

/// The dimension of a scan output that has one position for each iteration. If
/// `isReverse` is set, the first iteration has the last position.
struct ScanAxis {
  int64_t axis = 0;
  bool isReverse = false;
};

/// Iterations of the same ops, each with values of the iteration before.
class Repetition {
public:
  virtual ~Repetition() = default;
  /// Builds all iterations. Returns the last carried values, and then the scan
  /// outputs.
  SmallVector<Value> build();

protected:
  explicit Repetition(Node &node) : node(node) {}

  /// Builds iteration `index`, a 0-d i32.
  virtual Step buildStep(Value index, ValueRange carried) = 0;
  /// Reports that the size of the scan outputs is not known.
  [[noreturn]] virtual void failUnknownSize() {
    llvm_unreachable("the number of iterations has a limit");
  }
  /// Called if a step cannot be the body of a loop, and the number of
  /// iterations is not a constant. Throws NodeFailure if it can become one.
  virtual void requestCount() {}

  Node &node;
  SmallVector<Value> initial;
  SmallVector<ScanAxis> axes;
  /// The condition of the first iteration, 0-d. Null if it is true.
  Value firstCondition;
  /// The number of iterations unless a condition ends them earlier, if it is a
  /// constant.
  std::optional<int64_t> count;
  /// The same number, as a 0-d i32, if it is not a constant. If there is no
  /// number at all, only a condition ends the loop.
  Value bound;
  /// The greatest number of iterations, which is the size of scan outputs if
  /// the number is not known.
  std::optional<int64_t> limit;
  /// This flag is set if a run fails whose number of iterations exceeds
  /// `limit`.
  bool isLimitChecked = false;

private:
  /// The ops of an iteration, in a block whose arguments are the index and the
  /// carried values.
  struct Body {
    Region region;
    Step step;
  };

  void buildBody(Body &body);
  std::optional<int64_t> unroll(Body &body);
  SmallVector<Value> buildUnrolled();
  void resolveCondition(Step &step);
  bool isCounted(const Step &step) const {
    return !step.condition && !firstCondition;
  }
  int64_t getScanSize(const Step &step);

  int64_t getScanAxis(size_t i, Value part);
  RankedTensorType getScanType(size_t i, Value part, int64_t size);
  Value joinParts(size_t i, ArrayRef<Value> parts);
  SmallVector<Value> getInitial(const Step &step, int64_t size);
  SmallVector<Value> moveStep(Body &body, Value index, ValueRange carried,
                              int64_t size);

  Value getLeast(Value a, std::optional<int64_t> b);
  void setMaxTripCount(Operation *loop);
  SmallVector<Value> buildFor(Body &body, Value upper, int64_t size);
  SmallVector<Value> buildDynamicFor(Body &body, int64_t size);
  SmallVector<Value> buildWhile(Body &body, int64_t size);
};

/// Returns position `index` of dimension `axis` of `x`, without this dimension.
/// The index is one integer, and may be a constant.
Value takePosition(Node &node, Value x, int64_t axis, Value index);

/// Returns `x` with `part` at position `index` of dimension `axis`, which
/// `part` does not have.
Value putPosition(Node &node, Value x, Value part, int64_t axis, Value index);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_REPETITION_H
