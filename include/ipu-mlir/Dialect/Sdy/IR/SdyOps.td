//===- SdyOps.td - Ops of the sdy dialect ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_IR_SDYOPS
#define IPU_MLIR_DIALECT_SDY_IR_SDYOPS

include "ipu-mlir/Dialect/Sdy/IR/SdyAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_StaticTensor : StaticShapeTensorOf<[AnyType]>;

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "Declare a named mesh";
  let description = "For example, `sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>`.";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

/// An op that returns its operand and attaches a sharding to this value.
class Sdy_ShardingOp<string mnemonic, list<Trait> traits = []>
    : Sdy_Op<mnemonic, traits # [SameOperandsAndResultType]> {
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ShardingConstraintOp : Sdy_ShardingOp<"sharding_constraint"> {
  let summary = "Require a sharding of a value";
  let description = [{
    Requires that the operand has the given sharding. Propagation spreads the sharding to
    other values. After propagation, the constraint becomes a reshard. The op is not pure,
    because a constraint has an effect even if its result is unused.

    (C1) The sharding fits the type. (C2) If the constraint adds unreduced axes to those of
    the operand, the reduction kind of the constraint is a sum. An unreduced axis of both
    shardings has the same reduction kind in both.
  }];
}

def Sdy_ReshardOp : Sdy_ShardingOp<"reshard", [Pure]> {
  let summary = "Change the sharding of a tensor";
  let description = [{
    Passes create and remove reshards in three steps:
    1. `sdy-sharding-constraint-to-reshard` turns constraints into reshards when
       propagation ends. Users can also write reshards.
    2. `sdy-insert-explicit-reshards` inserts reshards where the shardings of producer and
       consumer differ.
    3. `sdy-reshard-to-collectives` replaces reshards by collectives.

    (C1), (C2) The same conditions hold as for `sharding_constraint`.
  }];
  let hasCanonicalizeMethod = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "Add a tensor to a group of tensors with one sharding";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = [{
    $input `group_id` `` `=` `` $group_id attr-dict `:` type($input)
  }];
}

def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier", [
    Pure, SameOperandsAndResultType]> {
  let summary = "Block propagation in one or both directions";
  let description = [{
    (C1) `allowed_direction` is not BOTH, because such a barrier would have no effect.
  }];
  let arguments = (ins AnyRankedTensor:$input,
    Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:`
    type($input)
  }];
  let hasVerifier = 1;
}

def Sdy_ConstantOp : Sdy_Op<"constant", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Define a constant that is not merged with equal constants";
  let description = [{
    During propagation, each use of a constant has its own constant op, and therefore its
    own sharding. The op does not have the traits that let the rewrite driver merge equal
    constants.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Sdy_StaticTensor:$output);
  let assemblyFormat = "attr-dict $value";
}

//===----------------------------------------------------------------------===//
// Data flow
//===----------------------------------------------------------------------===//

// The op is not pure, so that the edge of an unused value is not erased.
def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge", [
    SameOperandsAndResultType]> {
  let summary = "Hold the sharding of a data-flow edge of a region op";
  let description = [{
    Before propagation, `sdy-add-data-flow-edges` inserts this op for each data-flow edge of
    a region op. After propagation, `sdy-sink-data-flow-edges` removes the op.

    (C1) The operand has exactly one use. (C2) If an op of this dialect defines the operand,
    the defining op is one of the ops that have data-flow edges: `manual_computation` or
    `named_computation`. (C3) The sharding fits the type.
  }];
  let arguments = (ins Sdy_StaticTensor:$input,
    OptionalAttr<Sdy_TensorShardingAttr>:$sharding);
  let results = (outs Sdy_StaticTensor:$result);
  let assemblyFormat = [{
    $input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sdy_FuncDataFlowEdgeOp : Sdy_Op<"func_data_flow_edge", [
    SameOperandsAndResultType]> {
  let summary = "Hold the sharding of a data-flow edge of a function or call";
  let description = [{
    (C1) The operand has exactly one use. (C2) The operand is an argument of a function or
    a result of a call.
  }];
  let arguments = (ins Sdy_StaticTensor:$input);
  let results = (outs Sdy_StaticTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, ReturnLike, Terminator]> {
  let summary = "Return the values of a body";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let builders = [OpBuilder<(ins), "">];
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [
    IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Compute on local shapes along manual axes";
  let description = [{
    Each argument of the body is a shard of an operand: the operand is divided along the
    manual axes, but not along other axes.

    (C1) Shardings fit the global types. (C2) There is one sharding for each operand and
    result. (C3) In each dimension, manual axes come before other axes. (C4) The sizes of
    manual axes divide the dimension. (C5) The argument and result types of the body have
    the local sizes. (C6) If there are manual axes, all shardings are on one mesh. (C7) This
    mesh has the manual axes. (C8) No manual axis of this op is a manual axis of an
    enclosing manual computation.
  }];
  let arguments = (ins Variadic<AnyType>:$tensors,
    Sdy_TensorShardingPerValueAttr:$in_shardings,
    Sdy_TensorShardingPerValueAttr:$out_shardings,
    Sdy_ManualAxesAttr:$manual_axes);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    `(` operands `)`
    `in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)
    `out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<SingleBlockRegion>($body) attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation", [
    IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Hold the body of an inlined function in a named region";
  let description = [{
    (C1) The body takes the types of the operands and returns the types of the results.
    (C2) Shardings, if present, fit the types.
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
    OptionalAttr<Sdy_TensorShardingPerValueAttr>:$in_shardings,
    OptionalAttr<Sdy_TensorShardingPerValueAttr>:$out_shardings);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = [{
    `` `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)^)?
    custom<SingleBlockRegion>($body) attr-dict
    `:` functional-type($operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// A collective on global shapes. The attribute `out_sharding` is the sharding of the
/// result.
///
/// Constraints of all collectives: (C1) The operand has a sharding. Only the operand of an
/// `all_slice`, `all_reduce` or `reduce_scatter` may have none, because these ops can be
/// the first of several consecutive collectives. (C2) The sharding of the result fits the
/// type. (C3) The shardings of operand and result are on one mesh. (C4) These shardings
/// have the same rank.
class Sdy_CollectiveOp<string mnemonic>
    : Sdy_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

class Sdy_DimCollectiveOp<string mnemonic> : Sdy_CollectiveOp<mnemonic> {
  let arguments = (ins AnyType:$tensor, Sdy_ListOfAxisRefListsAttr:$axes,
    Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    type($result)
  }];
}

def Sdy_AllGatherOp : Sdy_DimCollectiveOp<"all_gather"> {
  let summary = "Gather shards along trailing axes of dimensions";
}
def Sdy_AllSliceOp : Sdy_DimCollectiveOp<"all_slice"> {
  let summary = "Slice a tensor along axes that are added to dimensions";
}
def Sdy_ShardedToUnreducedOp : Sdy_DimCollectiveOp<"sharded_to_unreduced"> {
  let summary = "Turn axes of dimensions into unreduced axes";
  let hasCanonicalizeMethod = 0;
}

def Sdy_ReplicatedToUnreducedOp : Sdy_CollectiveOp<"replicated_to_unreduced"> {
  let summary = "Turn replicated axes into unreduced axes";
  let arguments = (ins AnyType:$tensor, Sdy_AxisRefListAttr:$axes,
    Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    type($result)
  }];
  let hasCanonicalizeMethod = 0;
}

def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all"> {
  let summary = "Move trailing axes of dimensions to other dimensions";
  let arguments = (ins AnyType:$tensor, Sdy_AllToAllParamListAttr:$params,
    Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $params $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    type($result)
  }];
}

def Sdy_CollectivePermuteOp : Sdy_CollectiveOp<"collective_permute"> {
  let summary = "Permute shards among devices";
  let arguments = (ins AnyType:$tensor, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

def Sdy_ReductionKindAttr
    : EnumAttr<Sdy_Dialect, Sdy_ReductionKind, "reduction_kind">;

def Sdy_AllReduceOp : Sdy_CollectiveOp<"all_reduce"> {
  let summary = "Reduce partial values along axes";
  let arguments = (ins AnyType:$tensor, Sdy_AxisRefListAttr:$reduction_axes,
    Sdy_TensorShardingAttr:$out_sharding,
    DefaultValuedAttr<Sdy_ReductionKindAttr,
        "::mlir::ipu::sdy::ReductionKind::Sum">:$reduction_kind);
  let assemblyFormat = [{
    `` custom<ReductionKind>($reduction_kind) $reduction_axes $tensor
    `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

def Sdy_ReduceScatterOp : Sdy_CollectiveOp<"reduce_scatter"> {
  let summary = "Reduce partial values along axes and scatter them over dimensions";
  let arguments = (ins AnyType:$tensor,
    Sdy_ListOfAxisRefListsAttr:$reduce_scatter_axes,
    Sdy_TensorShardingAttr:$out_sharding,
    DefaultValuedAttr<Sdy_ReductionKindAttr,
        "::mlir::ipu::sdy::ReductionKind::Sum">:$reduction_kind);
  let assemblyFormat = [{
    `` custom<ReductionKind>($reduction_kind) $reduce_scatter_axes $tensor
    `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

#endif // IPU_MLIR_DIALECT_SDY_IR_SDYOPS
