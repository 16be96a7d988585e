//===- SdyAttrs.td - sdy dialect and attributes ------------*- tablegen -*-===//
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
    Parses and prints programs in the `sdy` dialect of Shardy, a part of the OpenXLA
    project. The attributes of the dialect describe meshes, shardings of values, and rules
    that relate the dimensions of an op's tensors. The ops of the dialect constrain
    shardings, group values that have one sharding, and change shardings by collectives. The
    implementation belongs to this project and has its own C++ namespace. The dialect is
    registered only if no other dialect of this name is registered. See docs/sharding.md.
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
  // The attribute is an integer in the generic form, as in Shardy.
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
  let summary = "Named axis of a mesh and its size, as in `\"x\"=4`";
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
}

def Sdy_MeshAttr : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "Axes of a mesh and the order of its devices";
  let description = [{
    An example of a mesh is `<["x"=2, "y"=4]>`. If the numbers of the devices are not in
    row-major order of the axes, `device_ids=[..]` lists these numbers. The list is dropped
    if it is in row-major order. `<[], device_ids=[3]>` is a maximal mesh, on which one
    device holds the whole tensor.

    (C1) Sizes are at least 1. (C2) Device ids are not negative. (C3) A mesh without axes
    has at most one device id. (C4) No two axes have the same name. (C5) There are as many
    device ids as devices. (C6) No device id occurs twice.
  }];
  let parameters = (ins Sdy_ArrayRef<"MeshAxisAttr">:$axes, Sdy_Ints:$device_ids);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the mesh with `axes` and `deviceIds`. Drops device ids in row-major
    /// order.
    static MeshAttr getNormalized(::mlir::MLIRContext *context,
                                  ::llvm::ArrayRef<MeshAxisAttr> axes,
                                  ::llvm::ArrayRef<int64_t> deviceIds);
    bool empty() const { return getAxes().empty() && getDeviceIds().empty(); }
    bool isMaximal() const {
      return getAxes().empty() && getDeviceIds().size() == 1;
    }
    bool hasAxis(::llvm::StringRef name) const;
    /// Returns the position of the axis `name`, or std::nullopt if the mesh has no
    /// such axis.
    ::std::optional<unsigned> getAxisIndex(::llvm::StringRef name) const;
    int64_t getAxisSize(::llvm::StringRef name) const;
    /// Returns the number of devices.
    int64_t getTotalSize() const;
  }];
}

def Sdy_SubAxisInfoAttr : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "Part of an axis, as in `(2)4`";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
}

def Sdy_AxisRefAttr : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "Axis or sub-axis, as in `\"x\"` or `\"x\":(2)4`";
  let parameters = (ins StringRefParameter<>:$name,
    OptionalParameter<"::mlir::ipu::sdy::SubAxisInfoAttr">:$sub_axis_info);
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$name), [{
    return $_get($_ctxt, name, SubAxisInfoAttr());
  }]>];
  let extraClassDeclaration = [{
    /// Returns the text form, for example `"x":(2)4`.
    ::std::string toString() const;
    int64_t getSize(MeshAttr mesh) const;
  }];
}

def Sdy_AxisRefListAttr : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "List of axes, as in `{\"x\", \"y\":(1)2}`";
  let parameters = (ins Sdy_ArrayRef<"AxisRefAttr">:$value);
}

def Sdy_ListOfAxisRefListsAttr
    : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "List of axes for each dimension, as in `[{\"x\"}, {}]`";
  let parameters = (ins Sdy_ArrayRef<"AxisRefListAttr">:$value);
}

def Sdy_AllToAllParamAttr : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "Axes that move from one dimension to another, as in `{\"x\"}: 0->2`";
  let parameters = (ins Sdy_ArrayRef<"AxisRefAttr">:$axes, "int64_t":$src_dim,
    "int64_t":$tgt_dim);
}

def Sdy_AllToAllParamListAttr
    : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "List of axes that move between dimensions, as in `[{\"x\"}: 0->2, {\"y\"}: 1->3]`";
  let parameters = (ins Sdy_ArrayRef<"AllToAllParamAttr">:$value);
}

def Sdy_ManualAxesAttr : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "Manual axes, as in `{\"x\"}`";
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
  let summary = "Sharding of one dimension, as in `{\"x\", ?}p1`";
  let description = [{
    Lists the axes of a dimension from major to minor. The dimension is open (`?`) if
    propagation may add axes. The priority (`p1`) is optional; axes with smaller priorities
    propagate first.
  }];
  let parameters = (ins Sdy_ArrayRef<"AxisRefAttr">:$axes, "bool":$is_closed,
    OptionalParameter<"::std::optional<int64_t>">:$priority);
  let extraClassDeclaration = [{
    bool emptyAxes() const { return getAxes().empty(); }
    int64_t getPriorityOrDefault() const { return getPriority().value_or(0); }
  }];
}

def Sdy_TensorShardingAttr : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "Sharding of a tensor: the axes of its dimensions";
  let description = [{
    An example of a sharding is `<@mesh, [{"x"}, {?} ], replicated={"y"}, unreduced={"z"}>`.
    It has a mesh (a symbol, or inline as `mesh<["x"=2]>`) and a sharding of each dimension.
    The tensor must stay replicated along the axes in `replicated`. Along the axes in
    `unreduced`, each shard holds a partial value of a sum, of a maximum
    (`unreduced=max{..}`) or of a minimum (`unreduced=min{..}`).

    The verifier checks a sharding against the type of its value: (C1) The mesh exists. (C2)
    If the mesh is maximal, or if the sharding belongs to an op without results, the
    sharding has rank 0 and no axes. (C3) If the value is a tuple, it has one element, and
    the sharding applies to this element. (C4) If the value is not a tensor, the sharding
    has rank 0 and no axes. (C5) The tensor is ranked. (C6) Sharding and tensor have the
    same rank. (C7) Priorities are not negative. A closed dimension without axes has no
    priority. (C8) The list of replicated axes and the list of unreduced axes are in the
    order of the mesh. (C9) Axes exist, no axis is used twice, and no two adjacent sub-axes
    could be merged. (C10) The size of a sub-axis divides the size of its axis and is
    smaller than this size; sub-axes do not overlap. (C11) No axis is manual in an enclosing
    computation.
  }];
  let parameters = (ins "::mlir::Attribute":$mesh_or_ref,
    Sdy_ArrayRef<"DimensionShardingAttr">:$dim_shardings,
    Sdy_ArrayRef<"AxisRefAttr">:$replicated_axes,
    Sdy_ArrayRef<"AxisRefAttr">:$unreduced_axes,
    DefaultValuedParameter<"::mlir::ipu::sdy::ReductionKind",
        "::mlir::ipu::sdy::ReductionKind::Sum">:$reduction_kind);
  let extraClassDeclaration = [{
    /// Returns the mesh of the sharding, or null if no mesh has the name to which
    /// the sharding refers.
    MeshAttr getMesh(::mlir::SymbolTable &symbols) const;
    MeshAttr getMesh(::mlir::Operation *from) const;
    int64_t getRank() const { return getDimShardings().size(); }
    /// Returns true if the sharding has no axes.
    bool isFullyReplicated() const;
    bool isFullyClosed() const;
    /// Returns true if all dimensions are open and the sharding has no axes.
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
    /// Calls `visit` for all axes: first for the axes of dimensions, then for
    /// replicated axes, then for unreduced axes.
    void forEachAxisRef(::llvm::function_ref<void(AxisRefAttr)> visit) const;
  }];
}

def Sdy_TensorShardingPerValueAttr
    : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "Shardings of several values, as in `<[<@m, [{}]>, <@m, []>]>`";
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
  let summary = "Factors of a dimension, from major to minor, as in `ij`";
  let parameters = (ins Sdy_Ints:$factor_indices);
}

def Sdy_TensorMappingAttr : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "Factors of each dimension, as in `[i, jk]`";
  let parameters = (ins Sdy_ArrayRef<"DimMappingAttr">:$dim_mappings);
}

def Sdy_OpShardingRuleAttr : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "Sharding rule: the factors that relate an op's dimensions";
  let description = [{
    A rule such as `<([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}>` maps each
    dimension of the operands and results to factors. Factors are named i to z, then z_1,
    z_2, ... A dimension may have several factors. After the mappings, the rule lists the
    sizes of the factors. Up to four sets of factors follow: reductions, factors that need
    replication, permutations, and factors that block propagation. `custom` marks a rule
    from the user.

    The verifier checks a rule against its op: (C1) There is one mapping for each operand
    and result. (C2) There is at least one operand and one result. (C3) All tensors have
    static shapes. (C4) A mapping has the rank of its tensor. (C5) Each dimension has at
    least one factor. (C6) Each factor number is in range. (C7) No factor occurs twice in
    one tensor. (C8) A dimension with several factors has no factor of size 1. (C9) Every
    factor is used. (C10) The sets of factors are sorted, (C11) in range, and (C12)
    disjoint. (C13) Results have no reduction factors.
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
  let summary = "Operand or result of an op, as in `operand-0`";
  let parameters = (ins "::mlir::ipu::sdy::EdgeValue":$type, "int64_t":$index);
}

def Sdy_AxisToPropagationDetailsAttr
    : Sdy_Attr<"AxisToPropagationDetails", "axis_to_propagation_details"> {
  let summary = "Propagation edge of an axis, as in `\"y\" = operand-1 -> [result-0]`";
  let parameters = (ins "::mlir::ipu::sdy::AxisRefAttr":$axis_name,
    "::mlir::ipu::sdy::EdgeValueRefAttr":$source,
    Sdy_ArrayRef<"EdgeValueRefAttr">:$targets);
}

def Sdy_PropagationOneStepAttr
    : Sdy_Attr<"PropagationOneStep", "propagation_one_step"> {
  let summary = "Edges of one propagation step, as in `step-2 = [..]`";
  let parameters = (ins "int64_t":$step_index,
    Sdy_ArrayRef<"AxisToPropagationDetailsAttr">:$axis_entries);
}

def Sdy_PropagationEdgesAttr : Sdy_Attr<"PropagationEdges", "propagation_edges"> {
  let summary = "Edges of all propagation steps";
  let parameters = (ins Sdy_ArrayRef<"PropagationOneStepAttr">:$value);
}

#endif // IPU_MLIR_DIALECT_SDY_IR_SDYATTRS
