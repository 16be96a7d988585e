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
enum class OutputKind { Unknown, Logits, Softmax, Sigmoid, LogSoftmax };
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

static bool isProduct(Value value) {
  return isa_and_nonnull<pop::MatmulOp, pop::ConvOp>(
      skipMoves(value).getDefiningOp());
}

/// Returns whether `value` is a matrix product or a convolution, perhaps with a
/// bias.
static bool isLinear(Value value) {
  auto add = skipMoves(value).getDefiningOp<pop::AddOp>();
  return isProduct(value) ||
         (add && llvm::any_of(add->getOperands(), isProduct));
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
  if (isLinear(value))
    return OutputKind::Logits;
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
    /// A warning is for an output that might be meant all the same.
    bool isError = true;
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
      {"cross_entropy", OutputKind::Sigmoid, "logits", "a sigmoid",
       "binary_cross_entropy", /*isError=*/false},
      {"nll", OutputKind::Logits, "logarithms of probabilities",
       "a linear function", "cross_entropy", /*isError=*/false},
      {"nll_of_probabilities", OutputKind::Logits, "probabilities",
       "a linear function", "cross_entropy", /*isError=*/false},
      {"binary_cross_entropy", OutputKind::Logits, "probabilities",
       "a linear function", "binary_cross_entropy_of_logits",
       /*isError=*/false},
  };
  if (!main.getBody().hasOneBlock())
    return Status::Success;
  Operation *end = main.getBody().front().getTerminator();
  Value value = end->getOperand(model.outputIndex);
  OutputKind output = findOutputKind(value);
  const Mistake *mistake = llvm::find_if(kMistakes, [&](const Mistake &known) {
    return known.loss == kind && known.output == output;
  });
  if (mistake == std::end(kMistakes))
    return Status::Success;
  std::string message =
      ("--loss " + kind + " expects " + mistake->expected + " but output '" +
       model.output + "' is " + mistake->found + "; --loss " + mistake->right +
       " is the loss of this output")
          .str();
  if (mistake->isError)
    return report(Status::BadUsage, message);
  emitWarning(value.getLoc()) << message;
  return Status::Success;
}
