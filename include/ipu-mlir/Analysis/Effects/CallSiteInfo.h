//===- CallSiteInfo.h - Values and effects of a call site -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements PopXL's call-site info, which maps values of the calling graph to
// values of the called graph and back, and lists the tensors that the call
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
  /// Returns the info of `call`, or an error if `call` does not call a function
  /// whose body has one block.
  static llvm::Expected<CallSiteInfo> get(CallOpInterface call,
                                          const GraphEffects &effects);

  CallOpInterface getCall() const { return call; }
  FunctionOpInterface getCalledGraph() const { return graph; }

  unsigned getNumInputs() const { return graph.getNumArguments(); }
  unsigned getNumOutputs() const { return graph.getNumResults(); }

  /// Return the input or output with number `index` in the calling graph
  /// (Parent) or in the called graph (Graph), or an error if there is no such
  /// number.
  llvm::Expected<Value> getParentInput(unsigned index) const;
  llvm::Expected<Value> getParentOutput(unsigned index) const;
  llvm::Expected<Value> getGraphInput(unsigned index) const;
  llvm::Expected<Value> getGraphOutput(unsigned index) const;

  /// Returns the argument to which the call passes the operand `parent`, or the
  /// value that the graph returns as the result `parent`. Returns an error for
  /// other values, and for an operand that is passed to several arguments.
  llvm::Expected<Value> parentToGraph(Value parent) const;
  /// Returns the operand that is passed to the argument `inGraph`, or the
  /// result of the call for the returned value `inGraph`. Returns an error for
  /// other values, for a value that is returned several times, and for an
  /// argument that is also returned.
  llvm::Expected<Value> graphToParent(Value inGraph) const;

  /// Return whether the call may modify operand `index`, and the elements that
  /// it may modify, in row-major order of the operand's shape.
  llvm::Expected<bool> isModified(unsigned index) const;
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
