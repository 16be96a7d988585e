//===- PopGraphBase.td - types, attributes of graphs --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPGRAPHBASE
#define IPU_MLIR_DIALECT_POP_IR_POPGRAPHBASE

include "ipu-mlir/Dialect/Pop/IR/PopDialect.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

def Pop_RefType : TypeDef<Pop_Dialect, "Ref", [ShapedTypeInterface]> {
  let typeName = "pop.ref";
  let summary = "handle to a mutable tensor on the device, or to a view of one";
  let description = [{
    A ref is made by `pop.get_variable`, `pop.alloc`, `pop.from_tensor` or a view
    of another ref, or is an argument of a function; see `pop-verify-refs`. What
    it refers to changes as the program runs; the ref itself never does.

    ```mlir
    !pop.ref<4x4xf32>
    !pop.ref<f16>
    ```

    (C1) the element type is a pop element type.
    (C2) the shape is static, of at most 2^56 elements.
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

    /// The type of what the ref refers to.
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

/// A replica's index, or a row of a remote buffer.
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

def Pop_ReplicaGroupsAttr : Pop_Attr<"ReplicaGroups", "replica_groups"> {
  let summary = "How replicas are divided into groups of one size";
  let description = [{
    Replicas 0 to R - 1 are divided into groups of equal size. Groups are numbered
    by their least replica; replicas have an index in their group. An attribute
    that is absent stands for one group of all replicas in ascending order.

    - `stride = s, size = g`: the member of index i of a group whose least replica
      is b is `b + i * s`.
    - `[(s1, g1), (s2, g2)]`: the member of index `i1 * g2 + i2` is
      `b + i1 * s1 + i2 * s2`; the first pair is the slowest.
    - `[[0, 1], [2, 3]]`: groups as they are, each with its members in order of
      index.

    ```mlir
    #pop.replica_groups<stride = 1, size = 2>
    #pop.replica_groups<[(1, 2), (4, 2)]>
    #pop.replica_groups<[[0, 1], [3, 2]]>
    ```

    Pairs of size 1 are dropped, and one pair is printed as `stride` and `size`;
    a stride of size 1 is 1; lists are sorted by their least member.

    (C1) strides and sizes are at least 1, with products of at most 2^20.
    (C2) pairs are independent: sorted by stride, `s * g` of each divides the
    stride of the next one.
    (C3) lists are not empty, have one length, and hold each of 0 to R - 1 once.
  }];
  // `members` holds the groups of the explicit form one after the other; then
  // `strides` is empty and `sizes` holds the length of a list.
  let parameters = (ins ArrayRefParameter<"int64_t">:$strides,
                        ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$members);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The canonical attribute of the one or the other form.
    static ReplicaGroupsAttr getStrided(::mlir::MLIRContext *context,
                                        int64_t stride, int64_t size);
    static ReplicaGroupsAttr
    getNested(::mlir::MLIRContext *context,
              ::llvm::ArrayRef<std::pair<int64_t, int64_t>> strideSizes);
    static ReplicaGroupsAttr
    getExplicit(::mlir::MLIRContext *context,
                ::llvm::ArrayRef<::llvm::SmallVector<int64_t>> groups);

    bool isExplicit() const { return !getMembers().empty(); }
    /// How many replicas each group has.
    int64_t getGroupSize() const;
  }];
}

def Pop_ReplicaPartitionAttr
    : Pop_Attr<"ReplicaPartition", "replica_partition"> {
  let summary = "On which replicas a value is the same";
  let description = [{
    A value is the same on all replicas of a class. Either all replicas are one
    class, or each replica is one, or the classes are listed with their replicas in
    ascending order.

    ```mlir
    #pop.replica_partition<all of 4>
    #pop.replica_partition<none of 4>
    #pop.replica_partition<{0, 1}{2, 3}>
    ```

    (C1) there are from 1 to 2^20 replicas.
    (C2) classes hold each of replicas 0 to R - 1 once.
  }];
  /// The class of each replica; classes are numbered by their least replica.
  let parameters = (ins ArrayRefParameter<"int64_t">:$classes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumReplicas() const { return getClasses().size(); }
    int64_t getNumClasses() const;
    bool isAll() const { return getNumClasses() == 1; }
  }];
}

class Pop_Enum<string name, string what, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, what, cases> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}

def Pop_CollectiveOperator : Pop_Enum<"CollectiveOperator",
    "how a collective combines the values of replicas", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Max", 4, "max">,
    I32EnumAttrCase<"LogicalAnd", 5, "logical_and">,
    I32EnumAttrCase<"LogicalOr", 6, "logical_or">,
    I32EnumAttrCase<"SquareAdd", 7, "square_add">,
    I32EnumAttrCase<"Local", 8, "local">]>;
def Pop_CollectiveOperatorAttr
  : EnumAttr<Pop_Dialect, Pop_CollectiveOperator, "collective_operator">;

def Pop_Retrieval : Pop_Enum<"Retrieval",
    "of which replicas the host reads a variable", [
    I32EnumAttrCase<"OnePerGroup", 0, "one_per_group">,
    I32EnumAttrCase<"AllReplicas", 1, "all_replicas">]>;
def Pop_RetrievalAttr : EnumAttr<Pop_Dialect, Pop_Retrieval, "retrieval">;

//===----------------------------------------------------------------------===//
// Stochastic rounding
//===----------------------------------------------------------------------===//

/// `counter`: a hash of a state and of the number of the element that the bits
/// are for; no bit depends on how tensors lie on tiles. `stream`: each worker of
/// each tile has a generator of its own, as the machine does.
def Pop_RngGenerator : Pop_Enum<"RngGenerator", "where random bits come from", [
    I32EnumAttrCase<"Counter", 0, "counter">,
    I32EnumAttrCase<"Stream", 1, "stream">]>;
def Pop_RngGeneratorAttr
  : EnumAttr<Pop_Dialect, Pop_RngGenerator, "rng_generator">;

def Pop_RoundingOverflow : Pop_Enum<"RoundingOverflow",
    "what becomes of numbers that are too large", [
    I32EnumAttrCase<"NaN", 0, "nan">, I32EnumAttrCase<"Clip", 1, "clip">]>;
def Pop_RoundingOverflowAttr
  : EnumAttr<Pop_Dialect, Pop_RoundingOverflow, "rounding_overflow">;

def Pop_StochasticRoundingAttr
    : Pop_Attr<"StochasticRounding", "stochastic_rounding"> {
  let summary = "How a module rounds its results";
  let description = [{
    Attribute `pop.stochastic_rounding` of a module: results of f16, and of
    f8E4M3FNUZ and f8E5M2FNUZ where the machine has them, are rounded to one of their
    two neighbours by chance, so that they are exact on average. `generator` says
    where random bits come from (see `ipu.random_bits`), `overflow` whether numbers
    that are too large become NaN or the largest finite number.

    ```mlir
    module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {}
    module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream, overflow = clip>} {}
    ```
  }];
  let parameters = (ins
    EnumParameter<Pop_RngGenerator>:$generator,
    DefaultValuedParameter<"::mlir::pop::RoundingOverflow",
        "::mlir::pop::RoundingOverflow::NaN">:$overflow);
  let assemblyFormat = "`<` $generator (`,` `overflow` `=` $overflow^)? `>`";
}

def Pop_StochasticRoundingMethodAttr
    : Pop_Attr<"StochasticRoundingMethod", "stochastic_rounding_method"> {
  let summary = "Which replicas round an op's results alike";
  let description = [{
    Replicas of a class of `partition` draw the same random bits: all of them
    (`identical_seeds`), no two (`differing_seeds`), or those of each group
    (`group_seeds`). One replica has identical seeds. The first two are PopART's
    `IdenticalSeeds` and `DifferingSeeds`.

    ```mlir
    #pop.stochastic_rounding_method<identical_seeds of 4>
    #pop.stochastic_rounding_method<differing_seeds of 4>
    #pop.stochastic_rounding_method<group_seeds {0, 1}{2, 3}>
    ```
  }];
  let parameters = (ins "::mlir::pop::ReplicaPartitionAttr":$partition);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Other attributes
//===----------------------------------------------------------------------===//

def Pop_StreamDirection : Pop_Enum<"StreamDirection",
    "which way a stream goes", [
    I32EnumAttrCase<"HostToDevice", 0, "host_to_device">,
    I32EnumAttrCase<"DeviceToHost", 1, "device_to_host">]>;
def Pop_StreamDirectionAttr
  : EnumAttr<Pop_Dialect, Pop_StreamDirection, "stream_direction">;

def Pop_AllocInit : Pop_Enum<"AllocInit", "what a new tensor holds", [
    I32EnumAttrCase<"Undef", 0, "undef">, I32EnumAttrCase<"Zero", 1, "zero">]>;
def Pop_AllocInitAttr : EnumAttr<Pop_Dialect, Pop_AllocInit, "alloc_init">;

def Pop_AccumulateKind : Pop_Enum<"AccumulateKind",
    "how a value is accumulated", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Square", 1, "square">,
    I32EnumAttrCase<"Mean", 2, "mean">,
    I32EnumAttrCase<"MovingAverage", 3, "moving_average">,
    I32EnumAttrCase<"MovingAverageSquare", 4, "moving_average_square">,
    I32EnumAttrCase<"Infinity", 5, "infinity">]>;
def Pop_AccumulateKindAttr
  : EnumAttr<Pop_Dialect, Pop_AccumulateKind, "accumulate_kind">;

def Pop_CodeLocation : Pop_Enum<"CodeLocation", "where code lies on a tile", [
    I32EnumAttrCase<"Executable", 0, "executable">,
    I32EnumAttrCase<"ComputeBuffer", 1, "compute_buffer">,
    I32EnumAttrCase<"IOBuffer", 2, "io_buffer">]>;
def Pop_CodeLocationAttr
  : EnumAttr<Pop_Dialect, Pop_CodeLocation, "code_location">;

def Pop_TileSet : Pop_Enum<"TileSet", "which tiles of a chip an op is on", [
    I32EnumAttrCase<"Compute", 0, "compute">, I32EnumAttrCase<"IO", 1, "io">]>;
def Pop_TileSetAttr : EnumAttr<Pop_Dialect, Pop_TileSet, "tile_set">;

/// Pairs of numbers: `[[0, 1], [1, 0]]`.
def Pop_PairsAttr : TypedArrayAttrBase<
    ConfinedAttr<I64ArrayAttr, [ArrayCount<2>]>, "array of pairs of integers">;

def Pop_SymbolsAttr : ConfinedAttr<FlatSymbolRefArrayAttr, [ArrayMinCount<1>]>;

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

def Pop_HostStreamResource : Resource<"::mlir::pop::HostStreamResource">;
def Pop_RemoteMemoryResource : Resource<"::mlir::pop::RemoteMemoryResource">;
def Pop_CodeResource : Resource<"::mlir::pop::CodeResource">;

/// Every use of a stream moves it on, so that none can be dropped or merged; the
/// same holds for remote memory and code, which other replicas and calls see.
class Pop_Uses<Resource resource>
  : MemoryEffects<[MemRead<resource>, MemWrite<resource>]>;

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

/// An op whose result is a ref to what is no view of another ref.
def Pop_RefOrigin : NativeOpTrait<"RefOrigin"> {
  let cppNamespace = "::mlir::pop";
}
/// An op that moves data or code between the device and what is outside of it:
/// several can be done at once by `pop.remote_exchange`.
def Pop_Transfer : NativeOpTrait<"Transfer"> {
  let cppNamespace = "::mlir::pop";
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPHBASE
