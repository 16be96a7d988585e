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

/// Adds an argument to `function`, after its arguments, and the operand from
/// `getOperand` to each of `calls`, the calls of the function.
BlockArgument addArgument(FunctionOpInterface function, Type type, Location loc,
                          DictionaryAttr attributes,
                          ArrayRef<CallOpInterface> calls,
                          function_ref<Value(CallOpInterface)> getOperand);

/// Returns the function with which the program starts, if streams can replace
/// its arguments or results: it has one block and no callers. Otherwise, emits
/// an error that says what `transform` expects.
FailureOr<FunctionOpInterface> getEntryForHostIO(ModuleOp module,
                                                 StringRef transform);

/// Checks that the host can exchange `what` of `entry` with type `type`, which
/// must be a pop tensor.
LogicalResult verifyHostType(FunctionOpInterface entry, const Twine &what,
                             Type type);

/// Creates a stream before `function`. Its name for the host comes from
/// `attribute`, or is `fallback` if there is none. Warns if the name is already
/// used and the stream has another name.
StreamOp createHostStream(FunctionOpInterface function, SymbolTable &symbols,
                          Location loc, Attribute attribute,
                          const Twine &fallback, ipu::StreamDirection direction,
                          bool isBroadcast, RankedTensorType type);

/// Returns the location of a value that a transform creates. `name` describes
/// its purpose.
inline Location getNamedLoc(StringRef name, Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_GRAPHTRANSFORMS_H
