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
    An op that says which dimensions of its operands and results go together. Its
    tensors are ranked and static when it is asked.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the rule, or none if nothing can propagate. `conservative`: leave
      out factors whose sharding needs communication within the op (halos).
    }], "::std::optional<::mlir::ipu::sharding::Rule>", "getShardingRule",
    (ins "bool":$conservative)>,
    InterfaceMethod<[{
      What the op is to the priorities of propagation.
    }], "::mlir::ipu::sharding::OpClass", "getShardingClass", (ins),
    /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::mlir::ipu::sharding::OpClass::Other;
    }]>,
    InterfaceMethod<[{
      How the results of shards along reduction factors are combined; none if no
      collective does it.
    }], "::std::optional<::mlir::ipu::sharding::Combiner>",
    "getCombiner", (ins), /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::mlir::ipu::sharding::Combiner::Sum;
    }]>,
    InterfaceMethod<[{
      The numbers of the operands that the reduction starts from: an accumulator, a
      bias, an initial value. One shard of a sum may add them, not each.
    }], "::llvm::SmallVector<unsigned>", "getStartOperands", (ins),
    /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
      Whether the op, where it is pure, of nothing but constants counts as a
      constant, of which each use has a copy while shardings propagate: elementwise
      ops, broadcasts, and those reshapes and slices that say so.
    }], "bool", "preservesConstants", (ins),
    /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::mlir::ipu::isElementwiseOrBroadcast($_op.getOperation());
    }]>,
  ];
}

def PartialValuesOpInterface : OpInterface<"PartialValuesOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op that states its effect on partial values: values that devices along
    unreduced axes hold, and that a reduction combines. An op may always lack
    the interface; its partial operands are then reduced first.
  }];
  let methods = [
    InterfaceMethod<[{
      The reduction that combines two values by this op; none if no collective
      computes it.
    }], "::std::optional<::mlir::ipu::sharding::Combiner>", "getCombinerKind",
    (ins), /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::std::nullopt;
    }]>,
    InterfaceMethod<[{
      Which operands may be partial, of a reduction of this kind, so that what the
      op computes of them are partial values of its results.
    }], "::mlir::ipu::PartialValueFlow", "getPartialValueFlow",
    (ins "::mlir::ipu::sharding::Combiner":$kind)>,
  ];
}

def ShardableDataFlowOpInterface : OpInterface<"ShardableDataFlowOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    A region op whose operands, block arguments, yielded values and results are
    joined by edges: what leaves the sources of an edge arrives, as it is, at its
    targets. One target of each edge, its owner, stands for it: a block argument or
    a result of the op.
  }];
  let methods = [
    InterfaceMethod<"The owners of all edges: block arguments, then results.",
    "::llvm::SmallVector<::mlir::Value>", "getEdgeOwners">,
    InterfaceMethod<"The sources of the edge of `owner`, in order.",
    "::llvm::SmallVector<::mlir::OpOperand *>", "getEdgeSources",
    (ins "::mlir::Value":$owner)>,
    InterfaceMethod<"The targets of the edge of `owner` other than that.",
    "::llvm::SmallVector<::mlir::Value>", "getOtherTargets",
    (ins "::mlir::Value":$owner), /*methodBody=*/"",
    /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
      The owner of the edge that `target`, an argument of a block of the op, is a
      target of; null if there is none.
    }], "::mlir::Value", "getEdgeOwner", (ins "::mlir::BlockArgument":$target),
    /*methodBody=*/"", /*defaultImplementation=*/[{
      return ::mlir::ipu::findEdgeOwner($_op.getOperation(), target);
    }]>,
  ];
}

#endif // IPU_MLIR_INTERFACES_SHARDINGINTERFACES
