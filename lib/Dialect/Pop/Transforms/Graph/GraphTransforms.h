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

/// Category of the remarks of graph transforms.
constexpr StringLiteral kGraphRemarks = "pop-graph";

inline remark::RemarkOpts getGraphRemark(StringRef transform) {
  return remark::RemarkOpts::name(transform).category(kGraphRemarks);
}

/// Adds an argument after those of `function`, and to each of `calls`, which
/// call it, the operand that `getOperand` gives.
BlockArgument addArgument(FunctionOpInterface function, Type type, Location loc,
                          DictionaryAttr attributes,
                          ArrayRef<CallOpInterface> calls,
                          function_ref<Value(CallOpInterface)> getOperand);

/// The function that the program starts with, if it can get or give tensors by
/// streams instead of its arguments or results: it has one block and nothing
/// calls it. Else an error is emitted that says what `transform` expects.
FailureOr<FunctionOpInterface> getEntryForHostIO(ModuleOp module,
                                                 StringRef transform);

/// Checks that the host can give or get `what` of `entry`, which has `type`: a
/// tensor of pop.
LogicalResult verifyHostType(FunctionOpInterface entry, const Twine &what,
                             Type type);

/// Creates a stream, before `function`, that the host knows by the name that
/// `attribute` gives, or by `fallback` if it gives none. Warns if the name is
/// taken and the stream has another one.
StreamOp createHostStream(FunctionOpInterface function, SymbolTable &symbols,
                          Location loc, Attribute attribute,
                          const Twine &fallback, ipu::StreamDirection direction,
                          bool isBroadcast, RankedTensorType type);

/// The location of a value that a transform makes: `name` says what for.
inline Location getNamedLoc(StringRef name, Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_GRAPHTRANSFORMS_H
