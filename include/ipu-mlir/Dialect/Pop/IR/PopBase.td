//===- PopBase.td - pop dialect, types, attributes ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPBASE
#define IPU_MLIR_DIALECT_POP_IR_POPBASE

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
    statically shaped tensors. Each op is one mathematical operation; where
    ONNX has the operation, `pop` has its semantics. A program defines its
    results to the bit: the order of accumulation is an attribute of the op
    (`#pop.accum`), and every op rounds once, to nearest even, to the element
    type of its result.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
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
// Attributes
//===----------------------------------------------------------------------===//

def Pop_AccumOrder : I32EnumAttr<"AccumOrder", "order of accumulation", [
    I32EnumAttrCase<"KAsc", 0, "k_asc">,
    I32EnumAttrCase<"Blocked", 1, "blocked">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}

class Pop_Attr<string name, string mnemonic_>
    : AttrDef<Pop_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Pop_AccumAttr : Pop_Attr<"Accum", "accum"> {
  let summary = "Order in which an op accumulates";
  let description = [{
    The order is part of what the op means: engines, targets and tile mappings
    never change it.

    - `k_asc`: one chain per output, positions in ascending (row-major) order.
      Products are added by fused multiply-add, starting from +0 or from the
      op's `acc`.
    - `blocked`: positions are cut into blocks of `block`. In a block, lane `j`
      of `lanes` combines the positions equal to `j` modulo `lanes` in
      ascending order, starting from the identity of the combiner (-0 for a
      sum); then lane `j` combines with lane `j + lanes / 2`, then with
      `j + lanes / 4`, and so on. Block results are combined in the same way.
      In a matmul or convolution (`lanes` is 1) a block is a chain of fused
      multiply-adds from +0, and block results are added in ascending order,
      one after the other: blocks may then be computed at the same time.

    ```mlir
    #pop.accum<k_asc>
    #pop.accum<blocked, block = 1024, lanes = 16>
    #pop.accum<blocked, block = 256, lanes = 1>
    ```

    (C1) `lanes` is a power of two that divides `block`; both are positive and
    at most 65536.
    (C2) `k_asc` has neither.
  }];
  let parameters = (ins "AccumOrder":$order,
                        DefaultValuedParameter<"int64_t", "0">:$block,
                        DefaultValuedParameter<"int64_t", "0">:$lanes);
  let builders = [
    AttrBuilder<(ins "AccumOrder":$order), [{
      bool blocked = order == AccumOrder::Blocked;
      return $_get($_ctxt, order, blocked ? kAccumBlock : 0,
                   blocked ? kAccumLanes : 0);
    }]>,
  ];
  let assemblyFormat = "`<` $order (`,` struct($block, $lanes)^)? `>`";
  let constBuilderCall =
      "::mlir::pop::AccumAttr::get($_builder.getContext(), $0)";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The constants of the `blocked` order; they belong to the specification.
    static constexpr int64_t kAccumBlock = 1024;
    static constexpr int64_t kAccumLanes = 16;
    /// The largest block: a vertex keeps all lanes in its memory.
    static constexpr int64_t kMaxBlock = 65536;
  }];
}

def Pop_KAsc : DefaultValuedAttr<Pop_AccumAttr,
                                 "::mlir::pop::AccumOrder::KAsc">;
def Pop_Blocked : DefaultValuedAttr<Pop_AccumAttr,
                                    "::mlir::pop::AccumOrder::Blocked">;

def Pop_ReduceKind : I32EnumAttr<"ReduceKind", "combiner of a reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}
def Pop_ReduceKindAttr : EnumAttr<Pop_Dialect, Pop_ReduceKind, "reduce_kind">;

//===----------------------------------------------------------------------===//
// Op base classes
//===----------------------------------------------------------------------===//

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

#endif // IPU_MLIR_DIALECT_POP_IR_POPBASE
