//===- PopGraphInterfaces.td - Interfaces of graph ops -----*- tablegen -*-===//
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
    An op without results that replaces a tensor by another tensor of the same type.
    A ref refers to the tensor that is replaced.
  }];
  let methods = [ InterfaceMethod<"Returns the ref to the tensor that is replaced.",
    "::mlir::TypedValue<::mlir::pop::RefType>", "getTarget">,
    InterfaceMethod<[{
      Builds the new tensor and returns it. `current` is the tensor to which the
      target refers before the op.
    }], "::mlir::Value", "buildValue",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$current)>,
  ];
}

def Pop_ReplicatedOpInterface : OpInterface<"ReplicatedOpInterface"> {
  let cppNamespace = "::mlir::pop";
  let description = [{
    An op with properties that can be verified only if the number of replicas is
    known. This number is a constant of the target.
  }];
  let methods = [
    InterfaceMethod<[{
      Verifies the op for `numReplicas` replicas. Emits an error at the op if the op
      is not valid.
    }], "::llvm::LogicalResult", "verifyReplicas",
    (ins "int64_t":$numReplicas)>,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPHINTERFACES
