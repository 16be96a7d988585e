//===- StepCostInterface.td - Cost of steps ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_STEPCOSTINTERFACE
#define IPU_MLIR_ANALYSIS_COST_STEPCOSTINTERFACE

include "mlir/IR/OpBase.td"

def StepCostOpInterface : OpInterface<"StepCostOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An interface of steps whose cost can be estimated. `registerStepCostModels`
    attaches an implementation of this interface to each step of the ipu dialect.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the cost of running the step once, without the cost of the steps in
      its regions. Emits an error if required information is missing.
    }], "::llvm::FailureOr<::mlir::ipu::StepCostAttr>", "estimateCost",
      (ins "const ::mlir::ipu::StepCostContext &":$context)>,
    InterfaceMethod<[{
      Returns the parts of the step that may have different origins (Origins.h), or an
      empty list if the cost of the step does not depend on its parts.
    }], "::llvm::SmallVector<::mlir::ipu::StepPart>", "getParts",
      (ins "const ::mlir::ipu::StepCostContext &":$context), [{}], [{
        return {};
      }]>,
    InterfaceMethod<[{
      Returns the unit that executes most of the step's floating-point operations.
    }], "::mlir::ipu::FlopUnit", "getFlopUnit",
      (ins "const ::mlir::ipu::TargetModel &":$target), [{}], [{
        return ::mlir::ipu::FlopUnit::VectorF32;
      }]>,
    InterfaceMethod<[{
      Returns the method (see docs/glossary.md) of the vertices that execute most
      of the step's floating-point operations, or nothing if these vertices compute
      no matmul or convolution.
    }], "::std::optional<::mlir::ipu::ContractionMethod>",
      "getContractionMethod",
      (ins "const ::mlir::ipu::TargetModel &":$target), [{}], [{
        return ::std::nullopt;
      }]>,
  ];
}

#endif // IPU_MLIR_ANALYSIS_COST_STEPCOSTINTERFACE
