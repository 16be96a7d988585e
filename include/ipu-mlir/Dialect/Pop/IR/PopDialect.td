//===- PopDialect.td - pop dialect, types, base classes ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPDIALECT
#define IPU_MLIR_DIALECT_POP_IR_POPDIALECT

include "ipu-mlir/Dialect/Pop/IR/PopGradientInterface.td"
include "ipu-mlir/Interfaces/TileInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def Pop_Dialect : Dialect {
  let name = "pop";
  let cppNamespace = "::mlir::pop";
  let summary = "Graph programs on tensors, after the PopART/PopXL IR";
  let description = [{
    A `pop` program is a `func.func` whose operations compute immutable,
    statically shaped tensors; refs (`!pop.ref`) give access to mutable ones.
    Each op is one mathematical operation; where ONNX has the operation, `pop`
    has its semantics. A program defines its results to the bit: the order of
    accumulation is an attribute of the op (`#pop.accum`), and every op rounds
    once to the element type of its result: to nearest even, or as
    `#pop.stochastic_rounding` of the module says.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
  ];
  let extraClassDeclaration = [{
    /// Attribute of a function's argument or result: its name for the host.
    static constexpr ::llvm::StringLiteral kNameAttrName = "pop.name";
    /// Attribute of an argument of the program's function: the value that it has
    /// where the host gives none, elements of the argument's type.
    static constexpr ::llvm::StringLiteral kDefaultAttrName = "pop.default";
    /// Attribute of a module: how many tensors each stream moves in one run of
    /// the program; 1 where it is absent.
    static constexpr ::llvm::StringLiteral kHostTransfersAttrName =
        "pop.host_transfers";

    /// Types are always printed in full, so ops' default of dropping `!pop.ref`
    /// is not theirs.
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type,
                   ::mlir::DialectAsmPrinter &printer) const override;

    void registerTypes();
    /// Placement attributes of ops of graphs, of symbols and, but for the last
    /// two, of arguments of functions. Where one is absent, nothing is chosen.
    /// (PopART's settings of the same names.)
    ///
    /// The IPU of a replica: 0, 1, ...
    static constexpr ::llvm::StringLiteral kVgraphAttrName = "pop.vgraph";
    /// The stage of the pipeline: 0, 1, ...
    static constexpr ::llvm::StringLiteral kStageAttrName = "pop.stage";
    /// The execution phase; -1 loads what phase 0 needs.
    static constexpr ::llvm::StringLiteral kPhaseAttrName = "pop.phase";
    /// The part of the batch; -1 initializes what the parts accumulate into.
    static constexpr ::llvm::StringLiteral kBatchPhaseAttrName =
        "pop.batch_phase";
    /// The tiles of the IPU (`#pop<tile_set io>`); those that compute where it
    /// is absent.
    static constexpr ::llvm::StringLiteral kTileSetAttrName = "pop.tile_set";
    /// Whether the op is executed again for the backward pass
    /// (`#pop<recompute recompute>`).
    static constexpr ::llvm::StringLiteral kRecomputeAttrName = "pop.recompute";
    /// Which fragment of the program executes the op
    /// (`#pop<execution_context accumulate_outer>`).
    static constexpr ::llvm::StringLiteral kExecutionContextAttrName =
        "pop.execution_context";
    /// Unit attribute of a load of code: it goes on while the compute behind it
    /// runs.
    static constexpr ::llvm::StringLiteral kOverlapsComputeAttrName =
        "pop.overlaps_compute";

    /// Attributes of any op, made by `pop-annotate-replica-equal`: a partition of
    /// the replicas for each result, for each operand, and for each ref operand
    /// that the op may modify. The first also of a function's argument.
    static constexpr ::llvm::StringLiteral kReplicaEqualAttrName =
        "pop.replica_equal";
    static constexpr ::llvm::StringLiteral kReplicaEqualOperandsAttrName =
        "pop.replica_equal_operands";
    static constexpr ::llvm::StringLiteral kReplicaEqualModifiedAttrName =
        "pop.replica_equal_modified";

    /// Attribute of a module: how results are rounded
    /// (`#pop.stochastic_rounding`); to nearest even where it is absent.
    static constexpr ::llvm::StringLiteral kStochasticRoundingAttrName =
        "pop.stochastic_rounding";
    /// Attribute of any op, made by `pop-stochastic-rounding`: which replicas
    /// draw the same random bits (`#pop.stochastic_rounding_method`).
    static constexpr ::llvm::StringLiteral kStochasticRoundingMethodAttrName =
        "pop.stochastic_rounding_method";
    /// Attribute of an op that may round, made by `pop-number-draws`: which
    /// random bits it draws (`#pop.draw`).
    static constexpr ::llvm::StringLiteral kDrawAttrName = "pop.draw";

    /// Attributes of arguments and results of a function that is a backward
    /// graph (`#pop.graph_value`): of which value of the forward graph they are
    /// the gradient, or which one they are.
    static constexpr ::llvm::StringLiteral kGradientOfAttrName =
        "pop.gradient_of";
    static constexpr ::llvm::StringLiteral kForwardValueAttrName =
        "pop.forward_value";
    /// Attribute of a function: the function (a symbol) that is its backward
    /// graph. It takes the gradients of its results, its arguments and its
    /// results, and gives the gradients of its arguments; integers have none.
    static constexpr ::llvm::StringLiteral kCustomGradientAttrName =
        "pop.custom_gradient";
    /// Attribute of a loop whose number of iterations is no constant: the
    /// largest number that is allowed where the loop is differentiated (an i64).
    static constexpr ::llvm::StringLiteral kMaxTripCountAttrName =
        "pop.max_trip_count";

    /// Attribute of a function, of one of its arguments or of a variable: how the
    /// weights, or this one, are trained (`#pop.optimizer<...>`).
    static constexpr ::llvm::StringLiteral kOptimizerAttrName = "pop.optimizer";
    /// Attribute of a result of a function: the argument (`#pop.graph_value`)
    /// whose next value it is. The two are a state of the program.
    static constexpr ::llvm::StringLiteral kUpdatesAttrName = "pop.updates";
    /// Attribute of an argument of the entry function: the replicas that have
    /// equal values (`#pop.replica_groups`); all of them where it is absent.
    static constexpr ::llvm::StringLiteral kGroupsAttrName = "pop.groups";
    /// Attribute of a result of the entry function: which of its values the host
    /// gets (`#pop.anchor<...>`); the last one where it is absent.
    static constexpr ::llvm::StringLiteral kAnchorAttrName = "pop.anchor";
    /// Attribute of a function that updates weights: the greatest norms of
    /// gradients (an array of `#pop.clip_norm<...>`).
    static constexpr ::llvm::StringLiteral kClipNormsAttrName =
        "pop.clip_norms";

    void registerGraphOps();
    void registerTransferOps();
    void registerRandomOps();
    void registerInPlaceOps();
    void registerCollectiveOps();
    void registerOptimizerOps();
    void registerPlacementOps();
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Pop_ElementType : Type<
    CPred<"::mlir::pop::isPopElementType($_self)">,
    "pop element type (f16, bf16, f32, f64, f8, iN or uiN)">;
def Pop_BoolType : Type<CPred<"$_self.isInteger(1)">, "i1">;
def Pop_FloatType : Type<And<[
    CPred<"::llvm::isa<::mlir::FloatType>($_self)">,
    Pop_ElementType.predicate]>, "float">;
def Pop_NumberType : Type<And<[
    CPred<"!$_self.isInteger(1)">, Pop_ElementType.predicate]>,
    "float or integer of more than one bit">;
def Pop_IntType : Type<And<[
    CPred<"::llvm::isa<::mlir::IntegerType>($_self)">,
    Pop_ElementType.predicate]>, "integer or i1">;

/// A ranked tensor of static shape, small enough that sizes, strides and bit
/// counts are computed in 64 bits without overflow.
class Pop_TensorOf<Type element>
  : RankedTensorOf<[element], [
      HasStaticShapePred,
      CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">,
      CPred<"::mlir::pop::isPopShape("
            "::llvm::cast<::mlir::ShapedType>($_self).getShape())">],
      "statically shaped tensor without encoding of at most 2^56 elements">;

def Pop_Tensor : Pop_TensorOf<Pop_ElementType>;
def Pop_BoolTensor : Pop_TensorOf<Pop_BoolType>;
def Pop_FloatTensor : Pop_TensorOf<Pop_FloatType>;
def Pop_NumberTensor : Pop_TensorOf<Pop_NumberType>;
def Pop_IntTensor : Pop_TensorOf<Pop_IntType>;

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class Pop_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<Pop_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

/// Enums may be those of several dialects; the attributes are this one's.
class Pop_EnumAttr<EnumInfo enum, string mnemonic>
    : EnumAttr<Pop_Dialect, enum, mnemonic> {
  let cppNamespace = "::mlir::pop";
}

class Pop_Op<string mnemonic, list<Trait> traits = []>
  : Op<Pop_Dialect, mnemonic, traits>;

/// A pure op whose result type follows from operands and attributes.
class Pop_PureOp<string mnemonic, list<Trait> traits = []>
  : Pop_Op<mnemonic, [Pure] # traits>;

class SameTypeElements<string a, string b>
  : PredOpTrait<"`" # a # "` and `" # b # "` have the same element type",
      CPred<"::mlir::getElementTypeOrSelf($" # a # ") == "
            "::mlir::getElementTypeOrSelf($" # b # ")">>;

/// Checks the result's type against the inferred one with one error of its own;
/// the check of the upstream interface, which comes later, gives two.
def Pop_InferredType : NativeOpTrait<"InferredType"> {
  let cppNamespace = "::mlir::pop";
}
/// Result type by `inferReturnTypes` of the op, checked when it is verified.
defvar Pop_Infer = TraitList<[InferTypeOpAdaptor, Pop_InferredType]>;
/// As Pop_Infer, but the result may also be f32 where the operands are floats
/// of fewer bits: the op then does not round its f32 accumulator.
defvar Pop_InferAccum = TraitList<[InferTypeOpAdaptorWithIsCompatible,
                                   Pop_InferredType]>;
/// An elementwise op whose operands broadcast to the shape of its result.
def Pop_Broadcasting : NativeOpTrait<"Broadcasting"> {
  let cppNamespace = "::mlir::pop";
}
defvar Pop_Codelet = DeclareOpInterfaceMethods<CodeletOpInterface>;
defvar Pop_View = DeclareOpInterfaceMethods<TileViewOpInterface>;
defvar Pop_Move = DeclareOpInterfaceMethods<TileMoveOpInterface>;
defvar Pop_Decompose = DeclareOpInterfaceMethods<DecomposableOpInterface>;
defvar Pop_Plan = DeclareOpInterfaceMethods<TilePlanOpInterface>;

#endif // IPU_MLIR_DIALECT_POP_IR_POPDIALECT
