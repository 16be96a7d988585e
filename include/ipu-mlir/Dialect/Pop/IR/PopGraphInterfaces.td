//===- PopGraphInterfaces.td - interfaces of graph ops ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPGRAPHINTERFACES
#define IPU_MLIR_DIALECT_POP_IR_POPGRAPHINTERFACES

include "mlir/IR/OpBase.td"

def Pop_InPlaceOpInterface : OpInterface<"InPlaceOpInterface"> {
  let cppNamespace = "::mlir::pop";
  let description = [{
    An op without results that replaces the tensor that a ref refers to by
    another one of its type.
  }];
  let methods = [ InterfaceMethod<"The ref whose tensor is replaced.",
    "::mlir::TypedValue<::mlir::pop::RefType>", "getTarget">,
    InterfaceMethod<[{
      Builds the tensor that takes the place of `current`, which is the tensor
      behind the target.
    }], "::mlir::Value", "buildValue",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$current)>,
  ];
}

def Pop_ReplicatedOpInterface : OpInterface<"ReplicatedOpInterface"> {
  let cppNamespace = "::mlir::pop";
  let description = [{
    An op with properties that can only be verified if the number of replicas is
    known, which is a constant of the target.
  }];
  let methods = [
    InterfaceMethod<[{
      Verifies the op for a number of replicas, with located errors.
    }], "::llvm::LogicalResult", "verifyReplicas",
    (ins "int64_t":$numReplicas)>,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPHINTERFACES
