//===- IPUControlOps.td - Branches, loops, calls, code ------*- tablegen -*-===//
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

/// A step that runs the steps of its regions as the value of a variable says.
class IPU_BranchOp<string mnemonic> : IPU_StepOp<mnemonic, "Compute", [
    NoTerminator, SingleBlock, NoRegionArguments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
                              ["getSuccessorRegions",
                               "getRegionInvocationBounds"]>]>;

def IPU_IfOp : IPU_BranchOp<"if"> {
  let summary = "Run one of two bodies";
  let description = [{
    Runs `then_body` if `condition` holds true, else `else_body`, which may be
    missing. Replicas may take different branches if no op in the bodies, or in
    functions that they call, is one that replicas execute together: a
    collective, a copy from or to the host or streaming memory, an `external`
    sync, a load or a copy of code. `cost` is that of sending the condition to
    all tiles.

    (C1) `condition` is a whole variable of one i1.
    (C2) the bodies hold only ops that a program holds.
    (C3) variables with `init` or `storage` are outside.

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
    Runs `before`, reads `condition`, and if it holds true runs `body` and
    starts again. Replicas may execute different numbers of iterations under the
    condition that `ipu.if` has. Variables of both regions behave as those in
    the body of `ipu.repeat`. `cost` is that of sending the condition to all
    tiles, each time that it is read.

    (C1) `condition` is a whole variable of one i1.
    (C2) both regions hold only ops that a program holds.
    (C3) variables with `init` or `storage` are outside.

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
    Runs the body of `callee`, whose code is on the tiles once however often it
    is called. Arguments and results are variables on an `ipu.storage` that both
    sides have handles on. Other variables of the callee are undefined at each
    call. The op declares no effects on single variables, so that nothing moves
    past it.

    (C1) `callee` names a `func.func` without arguments and results that has a
    body.

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
    // There are no arguments or results that could have attributes.
    ::mlir::ArrayAttr getArgAttrsAttr() { return {}; }
    ::mlir::ArrayAttr getResAttrsAttr() { return {}; }
    void setArgAttrsAttr(::mlir::ArrayAttr) {}
    void setResAttrsAttr(::mlir::ArrayAttr) {}
    ::mlir::Attribute removeArgAttrsAttr() { return {}; }
    ::mlir::Attribute removeResAttrsAttr() { return {}; }
  }];
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUCONTROLOPS
