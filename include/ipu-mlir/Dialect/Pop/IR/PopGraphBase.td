//===- PopGraphBase.td - Types and attributes of graphs ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPGRAPHBASE
#define IPU_MLIR_DIALECT_POP_IR_POPGRAPHBASE

include "ipu-mlir/Dialect/Pop/IR/PopDialect.td"
include "ipu-mlir/Dialect/Pop/IR/PopGraphEnums.td"
include "ipu-mlir/Interfaces/DeviceEnums.td"
include "ipu-mlir/Interfaces/ReplicaAttrInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

def Pop_RefType : TypeDef<Pop_Dialect, "Ref", [ShapedTypeInterface]> {
  let typeName = "pop.ref";
  let summary = "Reference to a mutable tensor on the device, or to a view of such a tensor";
  let description = [{
    `pop.get_variable`, `pop.alloc` and `pop.from_tensor` create refs. Views of refs
    are refs as well. Functions can have refs as arguments; see `pop-verify-refs`.
    The tensor that a ref refers to may change while the program runs, but the ref
    itself does not change.

    ```mlir
    !pop.ref<4x4xf32>
    !pop.ref<f16>
    ```

    (C1) The element type is a pop element type.
    (C2) The shape is static and has at most 2^56 elements.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tensor), [{
      return $_get(tensor.getContext(), tensor.getShape(),
                   tensor.getElementType());
    }]>,
  ];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    using ShapedTypeTrait = ::mlir::ShapedType::Trait<RefType>;
    using ShapedTypeTrait::clone;
    using ShapedTypeTrait::getDimSize;
    using ShapedTypeTrait::getNumElements;
    using ShapedTypeTrait::getRank;

    /// Returns the type of the tensor that the ref refers to.
    ::mlir::RankedTensorType getTensorType() const;

    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                                 ::mlir::Type elementType) const;
    bool hasRank() const { return true; }
  }];
}

class Pop_RefOf<Type element>
  : Type<And<[
      CPred<"::llvm::isa<::mlir::pop::RefType>($_self)">,
      SubstLeaves<"$_self",
                  "::llvm::cast<::mlir::pop::RefType>($_self).getElementType()",
                  element.predicate>]>,
      "ref of " # element.summary # " values", "::mlir::pop::RefType">;

def Pop_Ref : Pop_RefOf<Pop_ElementType>;
def Pop_FloatRef : Pop_RefOf<Pop_FloatType>;
def Pop_NumberRef : Pop_RefOf<Pop_NumberType>;
def Pop_IntRef : Pop_RefOf<Pop_IntType>;

/// The type of replica indices and of the row numbers of remote buffers.
def Pop_IndexTensor
  : Type<CPred<"$_self == ::mlir::RankedTensorType::get({}, "
               "::mlir::IntegerType::get($_self.getContext(), 32))">,
         "tensor<i32>", "::mlir::TypedValue<::mlir::RankedTensorType>">,
    BuildableType<"::mlir::RankedTensorType::get({}, "
                  "$_builder.getIntegerType(32))"> {
  let cppType = "::mlir::RankedTensorType";
}
class Pop_ScalarTensorOf<Pop_TensorOf tensor>
  : Type<And<[tensor.predicate,
              CPred<"::llvm::cast<::mlir::ShapedType>($_self).getRank() == 0">]>,
         "0-d " # tensor.summary, "::mlir::RankedTensorType">;
def Pop_FloatScalarTensor : Pop_ScalarTensorOf<Pop_FloatTensor>;
def Pop_NumberScalarTensor : Pop_ScalarTensorOf<Pop_NumberTensor>;
def Pop_IntScalarTensor : Pop_ScalarTensorOf<Pop_IntTensor>;

//===----------------------------------------------------------------------===//
// Replicas
//===----------------------------------------------------------------------===//

def Pop_ReplicaGroupsAttr : Pop_Attr<"ReplicaGroups", "replica_groups", [
    DeclareAttrInterfaceMethods<ReplicaGroupsAttrInterface>]> {
  let summary = "Replica groups of equal size";
  let description = [{
    The attribute divides the replicas 0 to R - 1 into groups of equal size. Groups
    are numbered in the order of their least replicas, and each replica has an index
    in its group. An absent attribute means one group of all replicas in ascending
    order.

    - `stride = s, size = g`: in a group whose least replica is b, the member with
      index i is `b + i * s`.
    - `[(s1, g1), (s2, g2)]`: the member with index `i1 * g2 + i2` is
      `b + i1 * s1 + i2 * s2`. The index of the first pair varies most slowly.
    - `[[0, 1], [2, 3]]`: a list of the groups. Each group lists its members in the
      order of their indices.

    ```mlir
    #pop.replica_groups<stride = 1, size = 2>
    #pop.replica_groups<[(1, 2), (4, 2)]>
    #pop.replica_groups<[[0, 1], [3, 2]]>
    ```

    In the canonical form, pairs of size 1 are dropped, groups of size 1 have the
    stride 1, and listed groups are sorted by their least members. A single pair is
    printed as `stride` and `size`.

    (C1) Strides and sizes are at least 1. The product of a stride and its size is at
    most 2^20.
    (C2) Pairs are independent: if the pairs are sorted by stride, `s * g` of each pair
    divides the stride of the next pair.
    (C3) Listed groups are not empty, have the same size, and together contain each
    of the replicas 0 to R - 1 once.
  }];
  // For the explicit form, `members` holds the concatenated groups, `strides` is
  // empty, and `sizes` holds the size of a group.
  let parameters = (ins ArrayRefParameter<"int64_t">:$strides,
                        ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$members);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// These methods return the canonical attribute: `getStrided` for one stride and
    /// its size, `getNested` for several pairs of a stride and a size, and
    /// `getExplicit` for a list of groups.
    static ReplicaGroupsAttr getStrided(::mlir::MLIRContext *context,
                                        int64_t stride, int64_t size);
    static ReplicaGroupsAttr
    getNested(::mlir::MLIRContext *context,
              ::llvm::ArrayRef<std::pair<int64_t, int64_t>> strideSizes);
    static ReplicaGroupsAttr
    getExplicit(::mlir::MLIRContext *context,
                ::llvm::ArrayRef<::llvm::SmallVector<int64_t>> groups);

    bool isExplicit() const { return !getMembers().empty(); }
  }];
}

def Pop_ReplicaPartitionAttr
    : Pop_Attr<"ReplicaPartition", "replica_partition",
               [ReplicaPartitionAttrInterface]> {
  let summary = "Partition of the replicas into equality classes";
  let description = [{
    The attribute states on which replicas a value is equal: all replicas of a class
    have the same value. The partition is `all` (all replicas are one class), `none`
    (each replica is its own class), or a list of the classes, each with its replicas
    in ascending order.

    ```mlir
    #pop.replica_partition<all of 4>
    #pop.replica_partition<none of 4>
    #pop.replica_partition<{0, 1}{2, 3}>
    ```

    (C1) The number R of replicas is from 1 to 2^20.
    (C2) The classes together contain each of the replicas 0 to R - 1 once.
  }];
  /// For each replica, the number of its class. Classes are numbered in the order of
  /// their least replicas.
  let parameters = (ins ArrayRefParameter<"int64_t">:$classes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Pop_CollectiveOperatorAttr
  : Pop_EnumAttr<CollectiveOperator, "collective_operator">;
def Pop_RetrievalAttr : Pop_EnumAttr<Retrieval, "retrieval">;

//===----------------------------------------------------------------------===//
// Stochastic rounding
//===----------------------------------------------------------------------===//

def Pop_RngGeneratorAttr : Pop_EnumAttr<RngGenerator, "rng_generator">;
def Pop_RoundingOverflowAttr
  : Pop_EnumAttr<RoundingOverflow, "rounding_overflow">;

def Pop_StochasticRoundingAttr
    : Pop_Attr<"StochasticRounding", "stochastic_rounding"> {
  let summary = "Stochastic rounding of a module";
  let description = [{
    The attribute `pop.stochastic_rounding` of a module enables stochastic rounding.
    Results of type f16 are rounded at random to one of the two nearest values of the
    type. The expected value of the rounded result is the exact result. Results of
    the types f8E4M3FNUZ and f8E5M2FNUZ are rounded in the same way if the machine
    has these types. `generator` selects the source of random bits (see
    `ipu.random_bits`). `overflow` says whether numbers that are too large become NaN
    or the largest finite number.

    ```mlir
    module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {}
    module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream, overflow = clip>} {}
    ```
  }];
  let parameters = (ins
    EnumParameter<RngGenerator>:$generator,
    DefaultValuedParameter<"::mlir::ipu::RoundingOverflow",
        "::mlir::ipu::RoundingOverflow::NaN">:$overflow);
  let assemblyFormat = "`<` $generator (`,` `overflow` `=` $overflow^)? `>`";
}

def Pop_StochasticRoundingMethodAttr
    : Pop_Attr<"StochasticRoundingMethod", "stochastic_rounding_method"> {
  let summary = "Rounding method of an op";
  let description = [{
    The attribute states which replicas draw the same random bits for an op: all
    replicas of a class of `partition` draw the same bits. `partition` has one class
    with all replicas (`identical_seeds`), one class for each replica
    (`differing_seeds`), or the listed classes (`group_seeds`). For a single replica,
    the method is `identical_seeds`. `identical_seeds` and `differing_seeds` are
    PopART's `IdenticalSeeds` and `DifferingSeeds`.

    ```mlir
    #pop.stochastic_rounding_method<identical_seeds of 4>
    #pop.stochastic_rounding_method<differing_seeds of 4>
    #pop.stochastic_rounding_method<group_seeds {0, 1}{2, 3}>
    ```
  }];
  let parameters = (ins "::mlir::pop::ReplicaPartitionAttr":$partition);
  let hasCustomAssemblyFormat = 1;
}

def Pop_DrawAttr : Pop_Attr<"Draw", "draw"> {
  let summary = "Selection of the random bits that round an op's results";
  let description = [{
    In a module with stochastic rounding and the generator `counter`, each op that
    may round has the attribute `pop.draw`. The random bits of an element of the op's
    result are a function of the RNG state, of this attribute, and of the element's
    index in the whole result. The bits do not depend on how the op is computed.

    Ops draw different bits if their `number` or their `part` differs. `part`
    distinguishes the ops into which one op was decomposed. `offset` is added to the
    number of executed `pop.advance_draws`: an op with `offset = -1` draws the bits
    that it would have drawn before the last `pop.advance_draws`. Two ops with equal
    attributes draw equal bits if no advance is executed between them.

    ```mlir
    #pop.draw<5>
    #pop.draw<5, part = 1>
    #pop.draw<5, offset = -2>
    ```

    (C1) `number` is from 0 to 2^24 - 1.
    (C2) `part` is from 0 to 15.
    (C3) `offset` is a signed integer of 32 bits.
  }];
  let parameters = (ins "int64_t":$number,
                        DefaultValuedParameter<"int64_t", "0">:$part,
                        DefaultValuedParameter<"int64_t", "0">:$offset);
  let assemblyFormat = "`<` $number (`,` struct($part, $offset)^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kMaxNumber = (1 << 24) - 1;
    static constexpr int64_t kMaxParts = 16;
  }];
}

//===----------------------------------------------------------------------===//
// Other attributes
//===----------------------------------------------------------------------===//

def Pop_GraphValueAttr : Pop_Attr<"GraphValue", "graph_value"> {
  let summary = "Reference to an argument, a result or a variable of a graph";
  let description = [{
    The attribute refers to an argument, a result or a variable of a function.
    Arguments and results of a backward graph refer to values of the forward graph.
    If an argument or result is the gradient of a forward value, its attribute
    `pop.gradient_of` names the forward value. If an argument or result is equal to a
    forward value, its attribute `pop.forward_value` names the forward value. If a
    result is the next value of an argument, the result's attribute `pop.updates`
    names the argument.

    ```mlir
    #pop.graph_value<argument 0>
    #pop.graph_value<result 1>
    #pop.graph_value<variable @w>
    ```
  }];
  let parameters = (ins "::mlir::pop::GraphValueKind":$kind, "int64_t":$index,
                        "::mlir::FlatSymbolRefAttr":$variable);
  let builders = [
    AttrBuilder<(ins "::mlir::pop::GraphValueKind":$kind, "int64_t":$index), [{
      return $_get($_ctxt, kind, index, ::mlir::FlatSymbolRefAttr());
    }]>,
    AttrBuilderWithInferredContext<(ins
        "::mlir::FlatSymbolRefAttr":$variable), [{
      return $_get(variable.getContext(), GraphValueKind::Variable, 0, variable);
    }]>,
  ];
  let assemblyFormat = "`<` $kind custom<IndexOrVariable>($index, $variable) `>`";
}

def Pop_StreamDirectionAttr : Pop_EnumAttr<StreamDirection, "stream_direction">;
def Pop_AllocInitAttr : Pop_EnumAttr<Pop_AllocInit, "alloc_init">;
def Pop_AccumulateKindAttr
  : Pop_EnumAttr<Pop_AccumulateKind, "accumulate_kind">;
def Pop_CodeLocationAttr : Pop_EnumAttr<CodeLocation, "code_location">;
def Pop_TileSetAttr : Pop_EnumAttr<Pop_TileSet, "tile_set">;
def Pop_RecomputeKindAttr : Pop_EnumAttr<Pop_RecomputeKind, "recompute">;
def Pop_ExecutionContextAttr
  : Pop_EnumAttr<Pop_ExecutionContext, "execution_context">;

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

/// An op whose result is a ref that is not a view of another ref.
def Pop_RefOrigin : NativeOpTrait<"RefOrigin"> {
  let cppNamespace = "::mlir::pop";
}
/// An op that only moves elements and rounds nothing, although it is decomposed into
/// other ops.
def Pop_MovesElements : NativeOpTrait<"MovesElements"> {
  let cppNamespace = "::mlir::pop";
}
/// An op that moves data or code between the device and the host, or between the
/// device and streaming memory. `pop.remote_exchange` can perform several such ops at
/// the same time.
def Pop_Transfer : NativeOpTrait<"Transfer"> {
  let cppNamespace = "::mlir::pop";
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPHBASE
