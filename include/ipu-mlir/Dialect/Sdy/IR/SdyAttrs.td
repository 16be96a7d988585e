//===- SdyAttrs.td - sdy dialect and attributes -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_IR_SDYATTRS
#define IPU_MLIR_DIALECT_SDY_IR_SDYATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::mlir::ipu::sdy";
  let summary = "Shardings of tensors over meshes of devices";
  let description = [{
    Reads and prints programs of the OpenXLA project's Shardy dialect of the
    same name: meshes, shardings as attributes of values, rules that say which
    dimensions of an op go together, and the ops that constrain, group and
    exchange shards. The dialect belongs to this project and has its own C++
    namespace; it is registered only if there is no other dialect of that name.
    See docs/sharding.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class Sdy_Enum<string name, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::mlir::ipu::sdy";
  let genSpecializedAttr = 0;
}

def Sdy_PropagationDirection : Sdy_Enum<"PropagationDirection", [
    I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
    I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]> {
  // An integer in the generic form, as in Shardy.
  let genSpecializedAttr = 1;
}

def Sdy_ReductionKind : Sdy_Enum<"ReductionKind", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]>;

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

class Sdy_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Sdy_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}
class Sdy_ArrayRef<string type> : ArrayRefParameter<"::mlir::ipu::sdy::" # type>;
def Sdy_Ints : ArrayRefParameter<"int64_t">;

def Sdy_MeshAxisAttr : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "a named axis of a mesh and its size, as in `\"x\"=4`";
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
}

def Sdy_MeshAttr : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "axes and the order of devices";
  let description = [{
    `<["x"=2, "y"=4]>`; with `device_ids=[..]` if the devices are not numbered in
    row-major order of the axes; ids in that order are dropped. `<[],
    device_ids=[3]>` is a maximal mesh: all of a tensor is on that one device.

    (C1) Sizes are at least 1. (C2) No negative ids. (C3) Without axes at most one
    id. (C4) No axis name twice. (C5) As many ids as devices, (C6) each once.
  }];
  let parameters = (ins Sdy_ArrayRef<"MeshAxisAttr">:$axes, Sdy_Ints:$device_ids);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same, without ids that say nothing.
    static MeshAttr getNormalized(::mlir::MLIRContext *context,
                                  ::llvm::ArrayRef<MeshAxisAttr> axes,
                                  ::llvm::ArrayRef<int64_t> deviceIds);
    bool empty() const { return getAxes().empty() && getDeviceIds().empty(); }
    bool isMaximal() const {
      return getAxes().empty() && getDeviceIds().size() == 1;
    }
    bool hasAxis(::llvm::StringRef name) const;
    /// The position of an axis; none if there is no such axis.
    ::std::optional<unsigned> getAxisIndex(::llvm::StringRef name) const;
    int64_t getAxisSize(::llvm::StringRef name) const;
    /// Number of devices.
    int64_t getTotalSize() const;
  }];
}

def Sdy_SubAxisInfoAttr : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "part of an axis, as in `(2)4`";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
}

def Sdy_AxisRefAttr : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "an axis or a part of one, as in `\"x\"` or `\"x\":(2)4`";
  let parameters = (ins StringRefParameter<>:$name,
    OptionalParameter<"::mlir::ipu::sdy::SubAxisInfoAttr">:$sub_axis_info);
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$name), [{
    return $_get($_ctxt, name, SubAxisInfoAttr());
  }]>];
  let extraClassDeclaration = [{
    /// `"x":(2)4`
    ::std::string toString() const;
    int64_t getSize(MeshAttr mesh) const;
  }];
}

def Sdy_AxisRefListAttr : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "axes, as in `{\"x\", \"y\":(1)2}`";
  let parameters = (ins Sdy_ArrayRef<"AxisRefAttr">:$value);
}

def Sdy_ListOfAxisRefListsAttr
    : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "axes for each dimension, as in `[{\"x\"}, {}]`";
  let parameters = (ins Sdy_ArrayRef<"AxisRefListAttr">:$value);
}

def Sdy_AllToAllParamAttr : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "axes and the dimensions they move between, as in `{\"x\"}: 0->2`";
  let parameters = (ins Sdy_ArrayRef<"AxisRefAttr">:$axes, "int64_t":$src_dim,
    "int64_t":$tgt_dim);
}

def Sdy_AllToAllParamListAttr
    : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "moves, as in `[{\"x\"}: 0->2, {\"y\"}: 1->3]`";
  let parameters = (ins Sdy_ArrayRef<"AllToAllParamAttr">:$value);
}

def Sdy_ManualAxesAttr : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "manual axes, as in `{\"x\"}`";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$value);
  let extraClassDeclaration = [{
    bool empty() const { return getValue().empty(); }
    bool contains(::llvm::StringRef axis) const {
      return ::llvm::any_of(getValue(), [&](::mlir::StringAttr name) {
        return name.getValue() == axis;
      });
    }
  }];
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

def Sdy_DimensionShardingAttr
    : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "the axes of one dimension, as in `{\"x\", ?}p1`";
  let description = [{
    Axes from major to minor; open (`?`) if propagation may add more; with an
    optional priority, where smaller numbers propagate earlier.
  }];
  let parameters = (ins Sdy_ArrayRef<"AxisRefAttr">:$axes, "bool":$is_closed,
    OptionalParameter<"::std::optional<int64_t>">:$priority);
  let extraClassDeclaration = [{
    bool emptyAxes() const { return getAxes().empty(); }
    int64_t getPriorityOrDefault() const { return getPriority().value_or(0); }
  }];
}

def Sdy_TensorShardingAttr : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "the axes of all dimensions of a tensor";
  let description = [{
    `<@mesh, [{"x"}, {?} ], replicated={"y"}, unreduced={"z"}>`: a mesh, by name or
    as it is (`mesh<["x"=2]>`), a sharding of each dimension, axes along which the
    tensor stays replicated, and axes along which each shard holds a partial value
    (`unreduced=max{..}`: of a maximum, `min`: of a minimum).

    Against a type: (C1) the mesh exists. (C2) With a maximal mesh, or without a
    type, rank is 0 and there are no axes. (C3) A tuple must have one element,
    to which the sharding applies. (C4) For a value that is no tensor, rank is 0
    and there are no axes. (C5) The tensor is ranked, (C6) of that many
    dimensions. (C7) Priorities are not negative, and none is on an empty closed
    dimension. (C8) Replicated and unreduced axes are in the order of the mesh.
    (C9) Axes exist, no axis is used twice, and no two adjacent sub-axes could
    be merged. (C10) Parts of an axis divide it, are smaller than it and do not
    overlap. (C11) No axis is manual in an enclosing computation.
  }];
  let parameters = (ins "::mlir::Attribute":$mesh_or_ref,
    Sdy_ArrayRef<"DimensionShardingAttr">:$dim_shardings,
    Sdy_ArrayRef<"AxisRefAttr">:$replicated_axes,
    Sdy_ArrayRef<"AxisRefAttr">:$unreduced_axes,
    DefaultValuedParameter<"::mlir::ipu::sdy::ReductionKind",
        "::mlir::ipu::sdy::ReductionKind::Sum">:$reduction_kind);
  let extraClassDeclaration = [{
    /// The mesh that is named or given; null if there is none of that name.
    MeshAttr getMesh(::mlir::SymbolTable &symbols) const;
    MeshAttr getMesh(::mlir::Operation *from) const;
    int64_t getRank() const { return getDimShardings().size(); }
    /// No axes anywhere.
    bool isFullyReplicated() const;
    bool isFullyClosed() const;
    /// All dimensions empty and open, nothing replicated or unreduced.
    bool isFullyOpen() const;
    bool isClosedAt(int64_t dim) const {
      return getDimShardings()[dim].getIsClosed();
    }
    static TensorShardingAttr getFullyOpen(::mlir::MLIRContext *context,
                                           int64_t rank,
                                           ::mlir::Attribute meshOrRef);
    static TensorShardingAttr getFullyClosed(::mlir::MLIRContext *context,
                                             int64_t rank,
                                             ::mlir::Attribute meshOrRef);
    /// Visits all axes: of dimensions, replicated, unreduced.
    void forEachAxisRef(::llvm::function_ref<void(AxisRefAttr)> visit) const;
  }];
}

def Sdy_TensorShardingPerValueAttr
    : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "shardings of several values, as in `<[<@m, [{}]>, <@m, []>]>`";
  let parameters = (ins Sdy_ArrayRef<"TensorShardingAttr">:$shardings);
  let extraClassDeclaration = [{
    bool empty() const { return getShardings().empty(); }
    int64_t size() const { return getShardings().size(); }
  }];
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

def Sdy_DimMappingAttr : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "the factors of a dimension, major to minor, as in `ij`";
  let parameters = (ins Sdy_Ints:$factor_indices);
}

def Sdy_TensorMappingAttr : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "the factors of each dimension, as in `[i, jk]`";
  let parameters = (ins Sdy_ArrayRef<"DimMappingAttr">:$dim_mappings);
}

def Sdy_OpShardingRuleAttr : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "correspondence of an op's dimensions by factors";
  let description = [{
    `<([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}>`: factors are
    i to z, then z_1, z_2, ...; a dimension may have several. The sizes of
    factors follow, and the sets of factors that are reductions, need
    replication, are permutations, or block propagation; `custom` marks a rule
    that the user gave.

    Against an op: (C1) as many mappings as operands and as results, (C2) at least
    one on each side. (C3) Static tensors, (C4) of that many dimensions. (C5) At
    least one factor for a dimension, (C6) each in range, (C7) none twice in a
    tensor, (C8) none of size 1 beside others. (C9) Every factor is used. (C10)
    Special sets are sorted, (C11) in range and (C12) disjoint. (C13) Reductions
    are not in results.
  }];
  let parameters = (ins Sdy_Ints:$factor_sizes,
    Sdy_ArrayRef<"TensorMappingAttr">:$operand_mappings,
    Sdy_ArrayRef<"TensorMappingAttr">:$result_mappings,
    Sdy_Ints:$reduction_factors, Sdy_Ints:$need_replication_factors,
    Sdy_Ints:$permutation_factors, Sdy_Ints:$blocked_propagation_factors,
    "bool":$is_custom_rule);
  let extraClassDeclaration = [{
    int64_t getNumFactors() const { return getFactorSizes().size(); }
  }];
}

//===----------------------------------------------------------------------===//
// Provenance
//===----------------------------------------------------------------------===//

def Sdy_EdgeValue : Sdy_Enum<"EdgeValue", [
    I32EnumAttrCase<"OPERAND", 0, "operand">,
    I32EnumAttrCase<"RESULT", 1, "result">]>;

def Sdy_EdgeValueRefAttr : Sdy_Attr<"EdgeValueRef", "edge_value_ref"> {
  let summary = "an operand or a result, as in `operand-0`";
  let parameters = (ins "::mlir::ipu::sdy::EdgeValue":$type, "int64_t":$index);
}

def Sdy_AxisToPropagationDetailsAttr
    : Sdy_Attr<"AxisToPropagationDetails", "axis_to_propagation_details"> {
  let summary = "propagation edge of an axis, as in `\"y\" = operand-1 -> [result-0]`";
  let parameters = (ins "::mlir::ipu::sdy::AxisRefAttr":$axis_name,
    "::mlir::ipu::sdy::EdgeValueRefAttr":$source,
    Sdy_ArrayRef<"EdgeValueRefAttr">:$targets);
}

def Sdy_PropagationOneStepAttr
    : Sdy_Attr<"PropagationOneStep", "propagation_one_step"> {
  let summary = "edges of one propagation step, as in `step-2 = [..]`";
  let parameters = (ins "int64_t":$step_index,
    Sdy_ArrayRef<"AxisToPropagationDetailsAttr">:$axis_entries);
}

def Sdy_PropagationEdgesAttr : Sdy_Attr<"PropagationEdges", "propagation_edges"> {
  let summary = "edges of all propagation steps";
  let parameters = (ins Sdy_ArrayRef<"PropagationOneStepAttr">:$value);
}

#endif // IPU_MLIR_DIALECT_SDY_IR_SDYATTRS
