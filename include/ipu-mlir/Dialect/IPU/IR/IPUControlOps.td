//===- IPUControlOps.td - Branches, loops and calls --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPUCONTROLOPS
#define IPU_MLIR_DIALECT_IPU_IR_IPUCONTROLOPS

include "ipu-mlir/Dialect/IPU/IR/IPUBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// A step that runs the steps of its regions depending on the value of a variable.
class IPU_BranchOp<string mnemonic> : IPU_StepOp<mnemonic, "Compute", [
    NoTerminator, SingleBlock, NoRegionArguments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
                              ["getSuccessorRegions",
                               "getRegionInvocationBounds"]>]>;

def IPU_IfOp : IPU_BranchOp<"if"> {
  let summary = "Run one of two bodies";
  let description = [{
    Runs `then_body` if `condition` is true, and otherwise `else_body`, which may be
    absent. `cost` is the cost of sending the condition to all tiles.

    All replicas execute some ops together: collectives, host copies, copies to and
    from streaming memory, `external` syncs, `ipu.code_load` and `ipu.code_copy`. If
    the bodies, or functions that the bodies call, contain such an op, all replicas
    must take the same branch. Otherwise replicas may take different branches.

    (C1) `condition` is a whole variable of one i1.
    (C2) The bodies hold only ops that a program may hold.
    (C3) Variables with `init` or `storage` are declared outside of the bodies.

    ```mlir
    ipu.if %p : memref<i1, #m> {
      ipu.call @f
    } else {
      ipu.call @g
    }
    ```
  }];
  let arguments = !con((ins Arg<IPU_Var, "", [MemRead]>:$condition),
                       costArgument);
  let regions = (region SizedRegion<1>:$then_body,
                        MaxSizedRegion<1>:$else_body);
  let assemblyFormat = [{
    $condition `:` type($condition) $then_body (`else` $else_body^)?
    (`cost` $cost^)? attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def IPU_WhileOp : IPU_BranchOp<"while"> {
  let summary = "Run steps while a condition holds";
  let description = [{
    Runs `before` and reads `condition`. If the condition is true, the op runs `body`
    and starts again; otherwise the loop ends. Replicas may execute different numbers
    of iterations, unless a region contains an op that all replicas execute together
    (see `ipu.if`). Variables that the regions declare or use have the same
    properties as in the body of `ipu.repeat`. `cost` is the cost of sending the
    condition to all tiles once.

    (C1) `condition` is a whole variable of one i1.
    (C2) Both regions hold only ops that a program may hold.
    (C3) Variables with `init` or `storage` are declared outside of the regions.

    ```mlir
    ipu.while %p : memref<i1, #m> {
      ipu.call @less
    } do {
      ipu.call @next
    }
    ```
  }];
  let arguments = !con((ins Arg<IPU_Var, "", [MemRead]>:$condition),
                       costArgument);
  let regions = (region SizedRegion<1>:$before, SizedRegion<1>:$body);
  let assemblyFormat = [{
    $condition `:` type($condition) $before `do` $body (`cost` $cost^)? attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def IPU_CallOp : IPU_StepOp<"call", "Compute", [
    CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run the steps of a function";
  let description = [{
    Runs the body of `callee`. The tiles hold the code of the callee once, regardless
    of the number of calls. Caller and callee pass arguments and results in an
    `ipu.storage` to which both have handles. Other variables of the callee are
    undefined at the beginning of each call. The call does not declare which variables
    it reads and writes, so passes move no other op past the call.

    (C1) `callee` names a `func.func` with a body and without arguments and results.

    ```mlir
    ipu.call @f
    ```
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$callee), costArgument);
  let assemblyFormat = "$callee (`cost` $cost^)? attr-dict";
  let stepName = "getCallee()";
  let extraClassDeclaration = stepDeclaration # [{
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return getCalleeAttr();
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(
          ::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
    ::mlir::Operation::operand_range getArgOperands() {
      return getOperation()->getOperands();
    }
    ::mlir::MutableOperandRange getArgOperandsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), 0, 0);
    }
    // The callee has no arguments and no results, so the call has no attributes
    // of arguments and results.
    ::mlir::ArrayAttr getArgAttrsAttr() { return {}; }
    ::mlir::ArrayAttr getResAttrsAttr() { return {}; }
    void setArgAttrsAttr(::mlir::ArrayAttr) {}
    void setResAttrsAttr(::mlir::ArrayAttr) {}
    ::mlir::Attribute removeArgAttrsAttr() { return {}; }
    ::mlir::Attribute removeResAttrsAttr() { return {}; }
  }];
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUCONTROLOPS
