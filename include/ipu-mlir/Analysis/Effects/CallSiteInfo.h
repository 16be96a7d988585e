//===- CallSiteInfo.h - Values and effects of a call site -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements PopXL's call-site info. It maps values of the calling graph to
// values of the called graph and back. It also lists the tensors that the call
// modifies.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_EFFECTS_CALLSITEINFO_H
#define IPU_MLIR_ANALYSIS_EFFECTS_CALLSITEINFO_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "llvm/Support/Error.h"

namespace mlir::ipu {

/// The call-site info of one call. It must not outlive the effects and the call
/// from which it was created.
class CallSiteInfo {
public:
  /// Returns the info of `call`. Returns an error unless `call` calls a
  /// function of the module whose body has exactly one block.
  static llvm::Expected<CallSiteInfo> get(CallOpInterface call,
                                          const GraphEffects &effects);

  CallOpInterface getCall() const { return call; }
  FunctionOpInterface getCalledGraph() const { return graph; }

  unsigned getNumInputs() const { return graph.getNumArguments(); }
  unsigned getNumOutputs() const { return graph.getNumResults(); }

  /// Return the input or output with number `index`, as a value of the calling
  /// graph (Parent) or of the called graph (Graph). Return an error if `index`
  /// is too large.
  llvm::Expected<Value> getParentInput(unsigned index) const;
  llvm::Expected<Value> getParentOutput(unsigned index) const;
  llvm::Expected<Value> getGraphInput(unsigned index) const;
  llvm::Expected<Value> getGraphOutput(unsigned index) const;

  /// If `parent` is an operand of the call, returns the argument to which the
  /// call passes this operand. If `parent` is a result of the call, returns the
  /// value that the graph returns as this result. Returns an error for other
  /// values, and for an operand that is passed to several arguments.
  llvm::Expected<Value> parentToGraph(Value parent) const;
  /// If `inGraph` is an argument of the graph, returns the operand that the
  /// call passes to this argument. If the graph returns `inGraph`, returns the
  /// corresponding result of the call. Returns an error for other values, for a
  /// value that is returned several times, and for an argument that is also
  /// returned.
  llvm::Expected<Value> graphToParent(Value inGraph) const;

  /// Returns whether the call may modify operand `index`.
  llvm::Expected<bool> isModified(unsigned index) const;
  /// Returns the elements of operand `index` that the call may modify, numbered
  /// in row-major order of the operand's shape.
  llvm::Expected<ElementRegions> getModifiedRegions(unsigned index) const;
  /// Returns the numbers of all operands that the call may modify, in ascending
  /// order.
  SmallVector<unsigned> getModifiedInputs() const;

private:
  CallSiteInfo(CallOpInterface call, FunctionOpInterface graph,
               const GraphEffects &effects)
      : call(call), graph(graph), effects(&effects) {}

  ValueRange getReturned() const;
  llvm::Error makeError(const Twine &what) const;

  // These are mutable because the accessors of interfaces are not const.
  mutable CallOpInterface call;
  mutable FunctionOpInterface graph;
  const GraphEffects *effects;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_EFFECTS_CALLSITEINFO_H
