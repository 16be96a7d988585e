//===- OutputKind.cpp - Kinds of outputs of a model -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputKind.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

namespace {
/// What the elements of an output are, as far as the op that computes them
/// shows it.
enum class OutputKind { Unknown, Softmax, Sigmoid, LogSoftmax };
} // namespace

/// Returns the value that the function of a call returns as `result`, or null
/// if `result` is not that of a call.
static Value getReturned(OpResult result, SymbolTableCollection &symbols) {
  auto call = dyn_cast<CallOpInterface>(result.getOwner());
  auto callee = call ? dyn_cast_or_null<FunctionOpInterface>(
                           call.resolveCallableInTable(&symbols))
                     : FunctionOpInterface();
  if (!callee || callee.isExternal())
    return nullptr;
  Operation *end = callee.getFunctionBody().back().getTerminator();
  return end->getNumOperands() == call->getNumResults()
             ? end->getOperand(result.getResultNumber())
             : nullptr;
}

/// Returns the value whose elements `value` has, in another type, shape or
/// order.
static Value skipMoves(Value value) {
  SymbolTableCollection symbols;
  while (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    bool isMove = op->getNumOperands() == 1 &&
                  (isa<pop::CastOp, TileViewOpInterface>(op) ||
                   op->hasTrait<pop::MovesElements>());
    Value next = isMove ? op->getOperand(0) : getReturned(result, symbols);
    if (!next)
      break;
    value = next;
  }
  return value;
}

/// Returns whether `value` is ln(sum(e^x)) for `shifted` x, which the importer
/// of ONNX subtracts from x.
static bool isLogOfSum(Value value, Value shifted) {
  auto log = skipMoves(value).getDefiningOp<pop::LogOp>();
  auto sum = log ? skipMoves(log.getOperand()).getDefiningOp<pop::ReduceOp>()
                 : pop::ReduceOp();
  auto exp = sum ? skipMoves(sum->getOperand(0)).getDefiningOp<pop::ExpOp>()
                 : pop::ExpOp();
  return exp && skipMoves(exp.getOperand()) == skipMoves(shifted);
}

static OutputKind findOutputKind(Value value) {
  Operation *op = skipMoves(value).getDefiningOp();
  if (isa_and_nonnull<pop::SoftmaxOp>(op))
    return OutputKind::Softmax;
  if (isa_and_nonnull<pop::SigmoidOp>(op))
    return OutputKind::Sigmoid;
  if (auto log = dyn_cast_or_null<pop::LogOp>(op))
    return findOutputKind(log.getOperand()) == OutputKind::Softmax
               ? OutputKind::LogSoftmax
               : OutputKind::Unknown;
  auto sub = dyn_cast_or_null<pop::SubOp>(op);
  return sub && isLogOfSum(sub->getOperand(1), sub->getOperand(0))
             ? OutputKind::LogSoftmax
             : OutputKind::Unknown;
}

Status train::checkLoss(StringRef kind, func::FuncOp main,
                        const TrainedModel &model) {
  struct Mistake {
    StringLiteral loss;
    OutputKind output;
    StringLiteral expected, found, right;
  };
  static constexpr Mistake kMistakes[] = {
      {"cross_entropy", OutputKind::Softmax, "logits", "a softmax",
       "nll_of_probabilities"},
      {"nll", OutputKind::Softmax, "logarithms of probabilities", "a softmax",
       "nll_of_probabilities"},
      {"nll", OutputKind::Sigmoid, "logarithms of probabilities", "a sigmoid",
       "nll_of_probabilities"},
      {"nll_of_probabilities", OutputKind::LogSoftmax, "probabilities",
       "the logarithm of a softmax", "nll"},
      {"binary_cross_entropy_of_logits", OutputKind::Sigmoid, "logits",
       "a sigmoid", "binary_cross_entropy"},
      {"binary_cross_entropy_of_logits", OutputKind::Softmax, "logits",
       "a softmax", "binary_cross_entropy"},
  };
  if (!main.getBody().hasOneBlock())
    return Status::Success;
  Operation *end = main.getBody().front().getTerminator();
  OutputKind output = findOutputKind(end->getOperand(model.outputIndex));
  for (const Mistake &mistake : kMistakes)
    if (mistake.loss == kind && mistake.output == output)
      return report(Status::BadUsage,
                    "--loss " + kind + " expects " + mistake.expected +
                        " but output '" + model.output + "' is " +
                        mistake.found + "; --loss " + mistake.right +
                        " is the loss of this output");
  return Status::Success;
}
