//===- PopDialect.td - pop dialect, types, base classes ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPDIALECT
#define IPU_MLIR_DIALECT_POP_IR_POPDIALECT

include "ipu-mlir/Dialect/Pop/IR/PopGradientInterface.td"
include "ipu-mlir/Interfaces/TileInterfaces.td"
include "ipu-mlir/Support/DialectAttributes.td"
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
  let summary = "Graph programs on tensors, modelled on the IR of PopART and PopXL";
  let description = [{
    A `pop` program is a `func.func` whose operations compute immutable, statically
    shaped tensors. Refs (`!pop.ref`) give access to mutable tensors. Each op is one
    mathematical operation, with the semantics of ONNX if ONNX has the operation. A
    program defines every bit of its results: the accumulation order of an op is an
    attribute of the op (`#pop.accum`), and every op rounds once, to the element type of
    its result. Rounding is to nearest even, or stochastic if the module has the
    attribute `pop.stochastic_rounding`.
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
    /// Attribute of an argument or a result of a function: the name by which
    /// the host refers to the argument or result.
    static constexpr ::llvm::StringLiteral kNameAttrName = "pop.name";
    /// Attribute of an argument of the entry function: the value that the argument
    /// has if the host gives no value. The attribute is an elements attribute of
    /// the argument's type.
    static constexpr ::llvm::StringLiteral kDefaultAttrName = "pop.default";
    /// Attribute of a module: the number of tensors that each stream moves in one run
    /// of the program; the default is 1.
    static constexpr ::llvm::StringLiteral kHostTransfersAttrName =
        "pop.host_transfers";

    /// The dialect parses and prints its types in full. By default, the assembly
    /// formats of ops would omit the prefix `!pop.ref` of a type.
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type,
                   ::mlir::DialectAsmPrinter &printer) const override;

    void registerTypes();
    /// The following placement attributes belong to ops of graphs and to symbols.
    /// Arguments of functions may have the attributes from `pop.vgraph` to
    /// `pop.tile_set`. An absent attribute means that no choice was made. PopART
    /// has settings of the same names.
    ///
    /// The number of the IPU in its replica: 0, 1, ...
    static constexpr ::llvm::StringLiteral kVgraphAttrName = "pop.vgraph";
    /// The stage of the pipeline: 0, 1, ...
    static constexpr ::llvm::StringLiteral kStageAttrName = "pop.stage";
    /// The execution phase; phase -1 loads the tensors that phase 0 needs.
    static constexpr ::llvm::StringLiteral kPhaseAttrName = "pop.phase";
    /// The part of the batch that the op processes; part -1 initializes the
    /// accumulators of the other parts.
    static constexpr ::llvm::StringLiteral kBatchPhaseAttrName =
        "pop.batch_phase";
    /// The tiles of the IPU that execute the op (`#pop<tile_set io>`); the
    /// compute tiles if the attribute is absent.
    static constexpr ::llvm::StringLiteral kTileSetAttrName = "pop.tile_set";
    /// Whether the op is executed again for the backward pass
    /// (`#pop<recompute recompute>`).
    static constexpr ::llvm::StringLiteral kRecomputeAttrName = "pop.recompute";
    /// The fragment of the program that executes the op
    /// (`#pop<execution_context accumulate_outer>`).
    static constexpr ::llvm::StringLiteral kExecutionContextAttrName =
        "pop.execution_context";
    /// Unit attribute of a `pop.remote_code_load`: the load continues while the
    /// device executes the compute that follows the load.
    static constexpr ::llvm::StringLiteral kOverlapsComputeAttrName =
        "pop.overlaps_compute";

    /// Attributes that `pop-annotate-replica-equal` sets on ops. Each attribute is an
    /// array of replica partitions: `pop.replica_equal` has one for each result,
    /// `pop.replica_equal_operands` has one for each operand, and
    /// `pop.replica_equal_modified` has one for each ref operand that the op may
    /// modify. Arguments of functions have `pop.replica_equal` as well.
    static constexpr ::llvm::StringLiteral kReplicaEqualAttrName =
        "pop.replica_equal";
    static constexpr ::llvm::StringLiteral kReplicaEqualOperandsAttrName =
        "pop.replica_equal_operands";
    static constexpr ::llvm::StringLiteral kReplicaEqualModifiedAttrName =
        "pop.replica_equal_modified";

    /// Attribute of a module: the rounding of results (`#pop.stochastic_rounding`).
    /// If the attribute is absent, results are rounded to nearest even.
    static constexpr ::llvm::StringLiteral kStochasticRoundingAttrName =
        "pop.stochastic_rounding";
    /// Attribute that `pop-stochastic-rounding` sets on ops: the replicas that draw
    /// the same random bits for the op (`#pop.stochastic_rounding_method`).
    static constexpr ::llvm::StringLiteral kStochasticRoundingMethodAttrName =
        "pop.stochastic_rounding_method";
    /// Attribute that `pop-number-draws` sets on ops that may round: the random
    /// bits that the op draws (`#pop.draw`).
    static constexpr ::llvm::StringLiteral kDrawAttrName = "pop.draw";

    /// Attributes of arguments and results of a backward graph (`#pop.graph_value`).
    /// If the argument or result is the gradient of a value of the forward graph,
    /// `pop.gradient_of` refers to that value. If the argument or result is equal to
    /// a value of the forward graph, `pop.forward_value` refers to that value.
    static constexpr ::llvm::StringLiteral kGradientOfAttrName =
        "pop.gradient_of";
    static constexpr ::llvm::StringLiteral kForwardValueAttrName =
        "pop.forward_value";
    /// Attribute of a function: the symbol of the function that is its backward graph.
    /// The backward graph first takes the gradients of the function's float results,
    /// then all arguments of the function, and then all results of the function. The
    /// backward graph returns the gradients of the function's float arguments.
    static constexpr ::llvm::StringLiteral kCustomGradientAttrName =
        "pop.custom_gradient";
    /// Attribute of a loop whose number of iterations is not a constant: the largest
    /// number of iterations that differentiation has to support (an i64).
    static constexpr ::llvm::StringLiteral kMaxTripCountAttrName =
        "pop.max_trip_count";

    /// Attribute of a function: the optimizer of all weights of the function
    /// (`#pop.optimizer<...>`). Attribute of an argument of a function, or of a
    /// variable: the optimizer of this weight.
    static constexpr ::llvm::StringLiteral kOptimizerAttrName = "pop.optimizer";
    /// Attribute of a result of a function: an argument of the function
    /// (`#pop.graph_value`). The result is the next value of this argument. The
    /// argument and the result together are a state of the program.
    static constexpr ::llvm::StringLiteral kUpdatesAttrName = "pop.updates";
    /// Attribute of an argument of the entry function: the replica groups
    /// (`#pop.replica_groups`). All replicas of a group get the same value of the
    /// argument. There is one group of all replicas if the attribute is absent.
    static constexpr ::llvm::StringLiteral kGroupsAttrName = "pop.groups";
    /// Attribute of a result of the entry function: which values of the result the
    /// host gets (`#pop.anchor<...>`). If the attribute is absent, the host gets the
    /// last value.
    static constexpr ::llvm::StringLiteral kAnchorAttrName = "pop.anchor";
    /// Attribute of a function that updates weights: the maximal norms of gradients
    /// (an array of `#pop.clip_norm<...>`).
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
    "float or integer (iN or uiN, N = 8, 16, 32 or 64)">;
def Pop_IntType : Type<And<[
    CPred<"::llvm::isa<::mlir::IntegerType>($_self)">,
    Pop_ElementType.predicate]>, "integer or i1">;
def Pop_WideIntType : Type<And<[
    CPred<"!$_self.isInteger(1)">, Pop_IntType.predicate]>,
    "integer (iN or uiN, N = 8, 16, 32 or 64)">;

/// A ranked tensor of static shape, small enough that sizes, strides and bit
/// counts can be computed in 64 bits without overflow.
class Pop_TensorOf<Type element>
  : RankedTensorOf<[element], [
      HasStaticShapePred,
      CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">,
      CPred<"::mlir::pop::isPopShape("
            "::llvm::cast<::mlir::ShapedType>($_self).getShape())">],
      "statically shaped tensor, without encoding and with at most 2^56 "
      "elements,">;

def Pop_Tensor : Pop_TensorOf<Pop_ElementType>;
def Pop_BoolTensor : Pop_TensorOf<Pop_BoolType>;
def Pop_FloatTensor : Pop_TensorOf<Pop_FloatType>;
def Pop_NumberTensor : Pop_TensorOf<Pop_NumberType>;
def Pop_IntTensor : Pop_TensorOf<Pop_IntType>;
def Pop_WideIntTensor : Pop_TensorOf<Pop_WideIntType>;

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class Pop_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<Pop_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

/// An attribute of this dialect with an enum that several dialects may use.
class Pop_EnumAttr<EnumInfo enum, string mnemonic>
    : EnumAttr<Pop_Dialect, enum, mnemonic> {
  let cppNamespace = "::mlir::pop";
}

class Pop_Op<string mnemonic, list<Trait> traits = []>
  : Op<Pop_Dialect, mnemonic, [OnlyKnownAttributes] # traits>;

/// A pure op whose result type follows from operands and attributes.
class Pop_PureOp<string mnemonic, list<Trait> traits = []>
  : Pop_Op<mnemonic, [Pure] # traits>;

class SameTypeElements<string a, string b>
  : PredOpTrait<"`" # a # "` and `" # b # "` have the same element type",
      CPred<"::mlir::getElementTypeOrSelf($" # a # ") == "
            "::mlir::getElementTypeOrSelf($" # b # ")">>;

/// A trait whose verifier compares the result type with the inferred type and emits
/// one error if they differ. The verifier of the upstream interface, which runs
/// later, would emit two errors.
def Pop_InferredType : NativeOpTrait<"InferredType"> {
  let cppNamespace = "::mlir::pop";
}
/// The op's `inferReturnTypes` infers the result type, and the verifier compares the
/// inferred type with the actual type of the result.
defvar Pop_Infer = TraitList<[InferTypeOpAdaptor, Pop_InferredType]>;
/// Like Pop_Infer, but the result may also be f32 if the operands are narrower
/// floats. An op with such a result does not round its f32 accumulator.
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
