//===- SdyOps.td - Ops of the sdy dialect -------------------*- tablegen -*-===//
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
  let description = "`sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>`";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

/// The result is the operand, with a sharding.
class Sdy_ShardingOp<string mnemonic, list<Trait> traits = []>
    : Sdy_Op<mnemonic, traits # [SameOperandsAndResultType]> {
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ShardingConstraintOp : Sdy_ShardingOp<"sharding_constraint"> {
  let summary = "Constrain a value to a sharding";
  let description = [{
    Requires a sharding of the operand, which propagates to other values, and
    becomes a reshard where they disagree. The op is not pure, because a
    constraint with an unused result still takes effect.

    (C1) The sharding fits the type. (C2) New unreduced axes are those of a sum,
    and axes that are no longer unreduced have the kind that the operand has.
  }];
}

def Sdy_ReshardOp : Sdy_ShardingOp<"reshard", [Pure]> {
  let summary = "Reshard a tensor";
  let description = [{
    Reshards (1) are created from constraints when propagation ends, or by a
    user, (2) are inserted where the shardings of producer and consumer differ,
    and (3) are replaced by collectives. Constraints as for
    `sharding_constraint`.
  }];
  let hasCanonicalizeMethod = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "Constrain all tensors of a group to one sharding";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = [{
    $input `group_id` `` `=` `` $group_id attr-dict `:` type($input)
  }];
}

def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier", [
    Pure, SameOperandsAndResultType]> {
  let summary = "Block propagation in one or both directions";
  let description = "(C1) The direction is not BOTH, which would block nothing.";
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
  let summary = "Define a constant that is not merged with equal ones";
  let description = [{
    During propagation each use of a constant has its own constant, and thus its
    own sharding. The op therefore lacks the traits that would let the rewrite
    driver merge equal constants.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Sdy_StaticTensor:$output);
  let assemblyFormat = "attr-dict $value";
}

//===----------------------------------------------------------------------===//
// Data flow
//===----------------------------------------------------------------------===//

// Not pure: the edge of an unused value is an edge too.
def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge", [
    SameOperandsAndResultType]> {
  let summary = "Hold the sharding of a data-flow edge of a region op";
  let description = [{
    Inserted before propagation for each owner of an edge of a region op, and
    removed afterwards. (C1) The operand has one use only. (C2) It is no result
    of an op of this dialect, unless that has edges itself. (C3) The sharding
    fits.
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
    (C1) The operand has one use only. (C2) It is an argument of a function or a
    result of a call.
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
    The body takes shards of the operands along the manual axes, and whole
    operands along the others. (C1) Shardings fit the global types, (C2) and
    there are as many as values. (C3) Manual axes come before others in each
    dimension. (C4) Their sizes divide the dimension, (C5) and the body's types
    have the sizes that remain. (C6) With manual axes, all shardings are on one
    mesh, (C7) which has these axes. (C8) No axis is manual in an enclosing
    computation.
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
  let summary = "Contain the body of an inlined function";
  let description = [{
    (C1) The body takes the operands and returns the results. (C2) Shardings, if
    given, fit.
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

/// On global shapes; the sharding of the result is the attribute, that of the
/// operand is its own.
///
/// All: (C1) the operand has a sharding, unless the op may be its first. (C2) The
/// result's fits the type. (C3) Both are on one mesh, (C4) of one rank.
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
  let summary = "Slice a tensor along added trailing axes";
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
  let summary = "Move trailing axes from dimensions to others";
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
