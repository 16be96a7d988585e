//===- NestInterpreter.h - Interpreter of nests -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tensor computes a hash of its operands, or the sum of such hashes. The
// outputs of the nest must be equal to the outputs that follow from the
// definitions of the tensors. Buffers record which elements are set.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_DIALECT_FUSE_NESTINTERPRETER_H
#define IPU_MLIR_UNITTESTS_DIALECT_FUSE_NESTINTERPRETER_H

#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"
#include <gtest/gtest.h>
#include <map>

namespace mlir::fuse {

class NestInterpreter {
public:
  using Index = std::vector<int64_t>;
  using Elements = std::map<Index, uint64_t>;

  /// `symbols` are the values of the schedule's symbols.
  NestInterpreter(const Schedule &schedule, const LoopClasses &classes,
                  std::vector<int64_t> symbols = {})
      : schedule(schedule), classes(classes), symbols(std::move(symbols)),
        variables(classes.size()), buffers(schedule.getNumTensors()),
        whole(schedule.getNumTensors()) {
    for (TensorId t = 0; t < schedule.getNumTensors(); ++t)
      solvers.emplace_back(schedule, classes, t);
  }

  /// Runs the nest and compares the outputs; reports failures to gtest.
  void run(const LoopNest &nest) {
    evaluateAll();
    run(nest.body);
    for (TensorId t = 0; t < schedule.getNumTensors(); ++t)
      if (schedule.getTensor(t).isOutput) {
        EXPECT_EQ(buffers[t], whole[t]) << schedule.getTensor(t).name;
      }
  }

  unsigned getNumStatements() const { return numStatements; }

private:
  int64_t evaluate(AffineExpr expr) const {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return constant.getValue();
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      EXPECT_TRUE(variables[dim.getPosition()]) << "not in that loop";
      return variables[dim.getPosition()].value_or(0);
    }
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return symbols[symbol.getPosition()];
    auto binary = cast<AffineBinaryOpExpr>(expr);
    int64_t lhs = evaluate(binary.getLHS()), rhs = evaluate(binary.getRHS());
    switch (binary.getKind()) {
    case AffineExprKind::Add:
      return lhs + rhs;
    case AffineExprKind::Mul:
      return lhs * rhs;
    case AffineExprKind::FloorDiv:
      return lhs / rhs;
    case AffineExprKind::CeilDiv:
      return (lhs + rhs - 1) / rhs;
    default:
      return lhs % rhs;
    }
  }
  int64_t evaluateIndex(AffineExpr expr) const {
    EXPECT_TRUE(expr) << "no value";
    return expr ? evaluate(expr) : 0;
  }

  static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t h = a * 0x9E3779B97F4A7C15ull + b;
    h ^= h >> 29;
    return h * 0xBF58476D1CE4E5B9ull;
  }

  template <typename Fn>
  static void forEachPoint(ArrayRef<int64_t> sizes, Fn fn) {
    Index point(sizes.size());
    if (llvm::is_contained(sizes, 0))
      return;
    while (true) {
      fn(point);
      size_t i = sizes.size();
      while (i > 0 && ++point[i - 1] == sizes[i - 1])
        point[--i] = 0;
      if (i == 0)
        return;
    }
  }

  //===--- From the definition --------------------------------------------===//

  /// Returns the values of all axes that the values `point` of the root axes
  /// determine.
  std::map<AxisId, int64_t> getAxes(TensorId t, const Index &point) const {
    const Tensor &tensor = schedule.getTensor(t);
    std::map<AxisId, int64_t> values;
    for (auto [axis, value] : llvm::zip_equal(tensor.root, point))
      values[axis] = value;
    for (const auto &logical : tensor.logical)
      for (ExprId id : schedule.getHistory(logical)) {
        const AxisExpr &expr = schedule.getExpr(id);
        if (expr.kind == AxisExpr::Kind::Merge) {
          values[expr.outputs[0]] =
              values.at(expr.inputs[0]) *
                  evaluate(schedule.getAxis(expr.inputs[1]).extent) +
              values.at(expr.inputs[1]);
          continue;
        }
        int64_t inner = evaluate(schedule.getAxis(expr.outputs[1]).extent);
        values[expr.outputs[0]] = values.at(expr.inputs[0]) / inner;
        values[expr.outputs[1]] = values.at(expr.inputs[0]) % inner;
      }
    return values;
  }

  std::vector<int64_t> getSizes(ArrayRef<AxisId> axes) const {
    std::vector<int64_t> sizes;
    for (AxisId axis : axes)
      sizes.push_back(evaluate(schedule.getAxis(axis).extent));
    return sizes;
  }

  void evaluateAll() {
    for (TensorId t : schedule.getProgramOrder()) {
      const Tensor &tensor = schedule.getTensor(t);
      // Some elements of a partial reduction may combine no points.
      if (tensor.hasReduction(schedule))
        forEachPoint(getSizes(tensor.logical[0]),
                     [&](const Index &point) { whole[t][point] = 0; });
      forEachPoint(getSizes(tensor.root), [&](const Index &point) {
        std::map<AxisId, int64_t> axes = getAxes(t, point);
        uint64_t value = t + 1;
        for (const Operand &operand : tensor.operands) {
          Index read;
          for (std::optional<AxisId> axis : operand.axes)
            read.push_back(axis ? axes.at(*axis) : 0);
          value = mix(value, whole[operand.producer].at(read));
        }
        Index written;
        for (AxisId axis : tensor.logical[0])
          written.push_back(axes.at(axis));
        if (tensor.isInput)
          for (int64_t i : point)
            value = mix(value, i);
        uint64_t &element = whole[t][written];
        element = tensor.hasReduction(schedule) ? element + value : value;
      });
      if (tensor.isInput)
        buffers[t] = whole[t];
    }
  }

  //===--- By the nest ----------------------------------------------------===//

  bool isWhole(TensorId t) const {
    return schedule.getTensor(t).isInput || schedule.getTensor(t).isOutput;
  }
  /// Returns the axes that index the memory of a tensor.
  SmallVector<AxisId> getDimensions(TensorId t) const {
    const Tensor &tensor = schedule.getTensor(t);
    if (isWhole(t))
      return tensor.logical[0];
    SmallVector<AxisId> axes;
    for (AxisId axis : ArrayRef(tensor.loop).drop_front(tensor.computeAt))
      if (schedule.getAxis(axis).kind == AxisKind::Iteration)
        axes.push_back(axis);
    return axes;
  }
  void checkBounds(TensorId t, const Index &index) const {
    for (auto [axis, value] : llvm::zip_equal(getDimensions(t), index)) {
      AffineExpr extent = isWhole(t) ? schedule.getAxis(axis).extent
                                     : classes.getGroups().getExtent(axis);
      EXPECT_LT(value, evaluate(extent)) << schedule.format(t);
    }
  }
  uint64_t &write(TensorId t, const IndexSolver &solver) {
    Index index;
    for (AxisId axis : getDimensions(t))
      index.push_back(evaluateIndex(solver.solve(axis)));
    checkBounds(t, index);
    return buffers[t][index];
  }
  bool isInBounds(const IndexSolver &solver) const {
    return llvm::all_of(solver.getBounds(), [&](const IndexBound &bound) {
      return evaluate(bound.index) < evaluate(bound.bound);
    });
  }

  void compute(TensorId t) {
    const Tensor &tensor = schedule.getTensor(t);
    const IndexSolver &solver = solvers[t];
    if (!isInBounds(solver))
      return;
    ++numStatements;
    for (AxisId axis : tensor.root)
      if (!schedule.getAxis(axis).isBroadcast()) {
        EXPECT_LT(evaluateIndex(solver.solve(axis)),
                  evaluate(schedule.getAxis(axis).extent));
      }
    uint64_t value = t + 1;
    for (auto [i, operand] : llvm::enumerate(tensor.operands)) {
      Index index;
      for (AxisId axis : getDimensions(operand.producer))
        index.push_back(evaluateIndex(solver.solveRead(i, axis)));
      auto it = buffers[operand.producer].find(index);
      if (it == buffers[operand.producer].end()) {
        ADD_FAILURE() << tensor.name << " reads an element of "
                      << schedule.getTensor(operand.producer).name
                      << " that is not set: " << testing::PrintToString(index);
        continue;
      }
      value = mix(value, it->second);
    }
    uint64_t &element = write(t, solver);
    element = tensor.hasReduction(schedule) ? element + value : value;
  }

  void init(const LoopNode &node) {
    const Tensor &tensor = schedule.getTensor(node.tensor);
    IndexSolver solver(schedule, classes, node.tensor, node.axes);
    std::vector<int64_t> sizes;
    for (unsigned i : node.axes)
      sizes.push_back(evaluate(classes.getGroups().getExtent(tensor.loop[i])));
    forEachPoint(sizes, [&](const Index &point) {
      for (auto [i, value] : llvm::zip_equal(node.axes, point))
        variables[classes.getClass(node.tensor, i)] = value;
      if (isInBounds(solver))
        write(node.tensor, solver) = 0;
    });
    for (unsigned i : node.axes)
      variables[classes.getClass(node.tensor, i)].reset();
  }

  void run(const std::vector<LoopNode> &body) {
    for (const LoopNode &node : body) {
      if (testing::Test::HasFailure())
        return;
      switch (node.kind) {
      case LoopNode::Kind::Alloc:
        buffers[node.tensor].clear();
        break;
      case LoopNode::Kind::Init:
        init(node);
        break;
      case LoopNode::Kind::Compute:
        compute(node.tensor);
        break;
      case LoopNode::Kind::Loop:
        int64_t extent = evaluate(classes[node.loopClass].extent);
        EXPECT_FALSE(variables[node.loopClass]) << "one loop twice";
        for (int64_t i = 0; i < extent; ++i) {
          variables[node.loopClass] = i;
          run(node.body);
        }
        variables[node.loopClass].reset();
        break;
      }
    }
  }

  const Schedule &schedule;
  const LoopClasses &classes;
  std::vector<int64_t> symbols;
  std::vector<std::optional<int64_t>> variables;
  std::vector<IndexSolver> solvers;
  std::vector<Elements> buffers, whole;
  unsigned numStatements = 0;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_UNITTESTS_DIALECT_FUSE_NESTINTERPRETER_H
