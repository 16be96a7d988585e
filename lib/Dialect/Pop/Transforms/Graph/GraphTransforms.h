//===- GraphTransforms.h - Helpers of graph transforms ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_GRAPHTRANSFORMS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_GRAPHTRANSFORMS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::pop {

/// The category of the remarks of graph transforms.
constexpr StringLiteral kGraphRemarks = "pop-graph";

inline remark::RemarkOpts getGraphRemark(StringRef transform) {
  return remark::RemarkOpts::name(transform).category(kGraphRemarks);
}

/// Returns the location of an op that merges others: their locations, each with
/// the number of elements of the op that is its share (see #ipu.origin).
Location getSharedLoc(MLIRContext *context,
                      ArrayRef<std::pair<Location, int64_t>> shares);

/// Appends an argument to the arguments of `function`, and an operand to each
/// of `calls`, which are the calls of the function. `getOperand` returns the
/// operand for a call. Returns the argument.
BlockArgument addArgument(FunctionOpInterface function, Type type, Location loc,
                          DictionaryAttr attributes,
                          ArrayRef<CallOpInterface> calls,
                          function_ref<Value(CallOpInterface)> getOperand);

/// Returns whether `op` only creates refs to variables or views of refs. Such
/// an op costs nothing, wherever it is.
bool isHandle(Operation *op);

/// Returns the function with which the program starts, if streams can replace
/// its arguments and results. For this, the function must have one block and no
/// callers. Otherwise, emits an error that states what `transform` expects.
FailureOr<FunctionOpInterface> getEntryForHostIO(ModuleOp module,
                                                 StringRef transform);

/// Checks that `type` is the type of a pop tensor, so that the host can
/// exchange a value of this type. `what` names the argument or result of
/// `entry`.
LogicalResult verifyHostType(FunctionOpInterface entry, const Twine &what,
                             Type type);

/// Creates a stream before `function`. Its name is the name by which the host
/// refers to it: the string in `attribute`, or `fallback` if there is none. If
/// this name is already used, gives the stream another name and emits a
/// warning.
StreamOp createHostStream(FunctionOpInterface function, SymbolTable &symbols,
                          Location loc, Attribute attribute,
                          const Twine &fallback, ipu::StreamDirection direction,
                          bool isBroadcast, RankedTensorType type);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_GRAPHTRANSFORMS_H
