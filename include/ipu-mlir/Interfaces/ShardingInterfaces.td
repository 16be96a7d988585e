//===- ShardingInterfaces.td - Sharding interfaces ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_SHARDINGINTERFACES
#define IPU_MLIR_INTERFACES_SHARDINGINTERFACES

include "mlir/IR/OpBase.td"

def ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op with a sharding rule. The rule relates the dimensions of the op's operands and
    results by factors. The methods are called only if all tensors of the op are ranked and
    static.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the sharding rule, or nothing if no sharding can propagate through the op. If
      `conservative` is true, the rule omits factors whose sharding needs communication
      within the op (halos).
    }], "::std::optional<::mlir::ipu::sharding::Rule>", "getShardingRule",
    (ins "bool":$conservative)>,
    InterfaceMethod<[{
      Returns the class of the op, which determines its op priority in propagation.
    }], "::mlir::ipu::sharding::OpClass", "getShardingClass", (ins),
    /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::mlir::ipu::sharding::OpClass::Other;
    }]>,
    InterfaceMethod<[{
      Returns the reduction that combines the results of shards along reduction factors, or
      nothing if no collective computes this reduction.
    }], "::std::optional<::mlir::ipu::sharding::Combiner>",
    "getCombiner", (ins), /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::mlir::ipu::sharding::Combiner::Sum;
    }]>,
    InterfaceMethod<[{
      Returns the numbers of the operands from which the reduction starts, such as an
      accumulator, a bias or an initial value. If shards compute partial sums, only one
      shard may add these operands.
    }], "::llvm::SmallVector<unsigned>", "getStartOperands", (ins),
    /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
      Returns whether the op counts as a constant if it is pure and all its operands are
      constants. During propagation each use of a constant has its own copy of the constant.
      By default the method returns true for elementwise ops and broadcasts. Reshapes and
      slices can implement the method to return true.
    }], "bool", "preservesConstants", (ins),
    /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::mlir::ipu::isElementwiseOrBroadcast($_op.getOperation());
    }]>,
  ];
}

def PartialValuesOpInterface : OpInterface<"PartialValuesOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op that declares its effect on partial values. Each device along an unreduced axis
    holds a partial value, and a reduction combines these partial values. If an operand of
    an op without this interface holds partial values, these values are reduced before the
    op.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the reduction that combines two values in the same way as this op, or nothing
      if no collective computes this reduction.
    }], "::std::optional<::mlir::ipu::sharding::Combiner>", "getCombinerKind",
    (ins), /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::std::nullopt;
    }]>,
    InterfaceMethod<[{
      Returns the operands that may hold partial values of a reduction of this `kind`. If
      these operands hold partial values, the op computes partial values of its results.
    }], "::mlir::ipu::PartialValueFlow", "getPartialValueFlow",
    (ins "::mlir::ipu::sharding::Combiner":$kind)>,
  ];
}

def ShardableDataFlowOpInterface : OpInterface<"ShardableDataFlowOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    A region op whose operands, block arguments, yielded values and results are connected by
    data-flow edges. Each edge passes a value unchanged from its sources to its targets. One
    target of each edge, a block argument or a result of the op, is the owner of the edge
    and represents the edge.
  }];
  let methods = [
    InterfaceMethod<"Returns the owners of all edges, first block arguments, then results.",
    "::llvm::SmallVector<::mlir::Value>", "getEdgeOwners">,
    InterfaceMethod<"Returns the sources of the edge of `owner`, in order.",
    "::llvm::SmallVector<::mlir::OpOperand *>", "getEdgeSources",
    (ins "::mlir::Value":$owner)>,
    InterfaceMethod<"Returns the targets of the edge of `owner`, except `owner`.",
    "::llvm::SmallVector<::mlir::Value>", "getOtherTargets",
    (ins "::mlir::Value":$owner), /*methodBody=*/"",
    /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
      Returns the owner of the edge that has the block argument `target` as a target, or
      null if there is no such edge.
    }], "::mlir::Value", "getEdgeOwner", (ins "::mlir::BlockArgument":$target),
    /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::mlir::ipu::findEdgeOwner($_op.getOperation(), target);
    }]>,
  ];
}

#endif // IPU_MLIR_INTERFACES_SHARDINGINTERFACES
