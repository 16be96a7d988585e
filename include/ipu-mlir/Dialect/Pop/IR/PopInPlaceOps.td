//===- PopInPlaceOps.td - Ops that modify refs -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPINPLACEOPS
#define IPU_MLIR_DIALECT_POP_IR_POPINPLACEOPS

include "ipu-mlir/Dialect/Pop/IR/PopGraphBase.td"
include "ipu-mlir/Dialect/Pop/IR/PopGraphInterfaces.td"

/// An op that replaces the tensor of `target` by the result of `buildValue`.
class Pop_InPlaceOp<string mnemonic, list<Trait> traits = []>
    : Pop_Op<mnemonic, [
          Pop_InPlaceOpInterface,
          Pop_NoGradient<"only values are differentiated, and the op changes the "
                         "tensor that a ref refers to">] # traits> {
  code valueDeclaration = [{
    ::mlir::Value buildValue(::mlir::OpBuilder &builder, ::mlir::Value current);
  }];
  let extraClassDeclaration = valueDeclaration;
}

/// An op that decomposes into a `pop.read`, the ops that `buildValue` creates, and a
/// `pop.copy_`.
class Pop_ComputeInPlaceOp<string mnemonic, list<Trait> traits = []>
    : Pop_InPlaceOp<mnemonic, [Pop_Decompose] # traits> {
  code decomposeDefinition = [{
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>
    $cppClass::decompose(::mlir::OpBuilder &builder) {
      return detail::decomposeInPlace(*this, builder);
    }
  }];
  let extraClassDefinition = decomposeDefinition;
}

class Pop_Updates<Type ref> : Arg<ref, "", [MemRead, MemWrite]>;
class Pop_Overwrites<Type ref> : Arg<ref, "", [MemWrite]>;

//===----------------------------------------------------------------------===//
// Copy and zero
//===----------------------------------------------------------------------===//

def Pop_CopyInPlaceOp : Pop_InPlaceOp<"copy_", [
    TypesMatchWith<"`value` has the type that `target` refers to", "target",
        "value", "::llvm::cast<::mlir::pop::RefType>($_self).getTensorType()">]> {
  let summary = "Copy a tensor to a ref";
  let description = [{
    ```mlir
    pop.copy_ %r, %t : !pop.ref<2x3xf32>, tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Pop_Overwrites<Pop_Ref>:$target, Pop_Tensor:$value);
  let assemblyFormat = [{
    $target `,` $value attr-dict `:` type($target) `,` type($value)
  }];
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::buildValue(::mlir::OpBuilder &, ::mlir::Value) {
      return getValue();
    }
  }];
}

def Pop_ZeroInPlaceOp : Pop_ComputeInPlaceOp<"zero_"> {
  let summary = "Fill a ref with zeros";
  let description = [{
    ```mlir
    pop.zero_ %r : !pop.ref<2x3xf32>
    ```
  }];
  let arguments = (ins Pop_Overwrites<Pop_Ref>:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// The in-place form of an op with one operand. `op` is the C++ class of the op on
/// tensors.
class Pop_UnaryInPlaceOp<string mnemonic, string op, Type ref>
    : Pop_ComputeInPlaceOp<mnemonic # "_"> {
  let summary = "Apply `pop." # mnemonic # "` in place";
  let description = "Applies `pop." # mnemonic # "` to the tensor that `target` "
                    "refers to, and replaces this tensor by the result." # [{

```mlir
pop.}] # mnemonic # [{_ %r : !pop.ref<2x3xf32>
```
}];
  let arguments = (ins Pop_Updates<ref>:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
  let extraClassDefinition = decomposeDefinition # [{
    ::mlir::Value $cppClass::buildValue(::mlir::OpBuilder &builder,
                                        ::mlir::Value current) {
      return }] # op # [{::create(builder, getLoc(), current);
    }
  }];
}

class Pop_BinaryInPlaceOp<string mnemonic, string op, Type ref, Type tensor>
    : Pop_ComputeInPlaceOp<mnemonic # "_",
                           [SameTypeElements<"target", "value">]> {
  let summary = "Apply `pop." # mnemonic # "` in place";
  defvar element = !cond(!eq(tensor, Pop_IntTensor) : "i32", true : "f32");
  let description = "`target` refers to a tensor x. The op replaces x by the result of "
                    "`pop." # mnemonic # "` with the operands x and `value`." # [{

(C1) `target` and `value` have the same element type.
(C2) The shape of `value` can be broadcast to the shape of `target`.

```mlir
pop.}] # mnemonic # "_ %r, %t : !pop.ref<2x3x" # element # ">, tensor<3x" #
    element # ">" # [{
```
}];
  let arguments = (ins Pop_Updates<ref>:$target, tensor:$value);
  let assemblyFormat = [{
    $target `,` $value attr-dict `:` type($target) `,` type($value)
  }];
  let extraClassDefinition = decomposeDefinition # [{
    ::llvm::LogicalResult $cppClass::verify() {
      return detail::verifyBroadcast(*this, getValue(), getTarget().getType());
    }
    ::mlir::Value $cppClass::buildValue(::mlir::OpBuilder &builder,
                                        ::mlir::Value current) {
      return }] # op # [{::create(builder, getLoc(), current, getValue());
    }
  }];
  let hasVerifier = 1;
}

def Pop_AbsInPlaceOp : Pop_UnaryInPlaceOp<"abs", "AbsOp", Pop_NumberRef>;
def Pop_NegInPlaceOp : Pop_UnaryInPlaceOp<"neg", "NegOp", Pop_NumberRef>;
def Pop_ReluInPlaceOp : Pop_UnaryInPlaceOp<"relu", "ReluOp", Pop_NumberRef>;
def Pop_ExpInPlaceOp : Pop_UnaryInPlaceOp<"exp", "ExpOp", Pop_FloatRef>;
def Pop_LogInPlaceOp : Pop_UnaryInPlaceOp<"log", "LogOp", Pop_FloatRef>;
def Pop_SqrtInPlaceOp : Pop_UnaryInPlaceOp<"sqrt", "SqrtOp", Pop_FloatRef>;
def Pop_TanhInPlaceOp : Pop_UnaryInPlaceOp<"tanh", "TanhOp", Pop_FloatRef>;
def Pop_SigmoidInPlaceOp
  : Pop_UnaryInPlaceOp<"sigmoid", "SigmoidOp", Pop_FloatRef>;

class Pop_NumberInPlaceOp<string mnemonic, string op>
  : Pop_BinaryInPlaceOp<mnemonic, op, Pop_NumberRef, Pop_NumberTensor>;
class Pop_IntInPlaceOp<string mnemonic, string op>
  : Pop_BinaryInPlaceOp<mnemonic, op, Pop_IntRef, Pop_IntTensor>;

def Pop_AddInPlaceOp : Pop_NumberInPlaceOp<"add", "AddOp">;
def Pop_SubInPlaceOp : Pop_NumberInPlaceOp<"sub", "SubOp">;
def Pop_MulInPlaceOp : Pop_NumberInPlaceOp<"mul", "MulOp">;
def Pop_DivInPlaceOp : Pop_NumberInPlaceOp<"div", "DivOp">;
def Pop_MaxInPlaceOp : Pop_NumberInPlaceOp<"max", "MaxOp">;
def Pop_MinInPlaceOp : Pop_NumberInPlaceOp<"min", "MinOp">;
def Pop_AndInPlaceOp : Pop_IntInPlaceOp<"and", "AndOp">;
def Pop_OrInPlaceOp : Pop_IntInPlaceOp<"or", "OrOp">;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

def Pop_DynamicUpdateInPlaceOp : Pop_ComputeInPlaceOp<"dynamic_update_"> {
  let summary = "Apply `pop.dynamic_update` in place";
  let description = [{
    Writes `update` to a region of the tensor that `target` refers to. The region
    begins at `start`, as for `pop.dynamic_update`.

    (C1) `axes` are distinct dimensions of the tensor.
    (C2) `update` has the rank and the element type of the tensor. Along `axes`, the
    sizes of `update` are at most those of the tensor. Along the other dimensions, the
    sizes of `update` are equal to those of the tensor.
    (C3) `start` has the shape [number of axes] and an integer type of more than one
    bit.

    ```mlir
    pop.dynamic_update_ %r, %u[%start] {axes = array<i64: 0>} : !pop.ref<8x4xf32>, tensor<2x4xf32>, tensor<1xi32>
    ```
  }];
  let arguments = (ins Pop_Updates<Pop_Ref>:$target, Pop_Tensor:$update,
                       Pop_IntTensor:$start, DenseI64ArrayAttr:$axes);
  let assemblyFormat = [{
    $target `,` $update `[` $start `]` attr-dict `:` type($target) `,`
    type($update) `,` type($start)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Updates of optimizers
//===----------------------------------------------------------------------===//

def Pop_ScaledAddInPlaceOp : Pop_ComputeInPlaceOp<"scaled_add_", [
    SameTypeElements<"target", "value">, AttrSizedOperandSegments]> {
  let summary = "Compute a weighted sum in place";
  let description = [{
    `target` refers to a tensor x. The op replaces x by `a * x + b * value`. The weights
    a and b are attributes, or the tensors `scale_a` and `scale_b` of rank 0. Products
    and the sum are rounded to f32, or to f64 for f64 elements. If the element type is
    narrower than f32, the final result is rounded to the element type once.

    (C1) `target` and `value` have the same element type.
    (C2) The shape of `value` can be broadcast to the shape of `target`.
    (C3) `scale_a` and `scale_b` are both present or both absent; if they are present,
    the attributes `a` and `b` are 1.

    ```mlir
    pop.scaled_add_ %r, %t {a = 0.9, b = -0.1} : !pop.ref<2x3xf32>, tensor<2x3xf32>
    pop.scaled_add_ %r, %t scale(%a, %b : tensor<f32>, tensor<f32>) : !pop.ref<2x3xf32>, tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Pop_Updates<Pop_FloatRef>:$target, Pop_FloatTensor:$value,
      Optional<Pop_FloatScalarTensor>:$scale_a,
      Optional<Pop_FloatScalarTensor>:$scale_b,
      DefaultValuedAttr<F64Attr, "1.0">:$a, DefaultValuedAttr<F64Attr, "1.0">:$b);
  let assemblyFormat = [{
    $target `,` $value
    (`scale` `(` $scale_a^ `,` $scale_b `:` type($scale_a) `,` type($scale_b)
    `)`)? attr-dict `:` type($target) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Pop_AccumulateInPlaceOp : Pop_ComputeInPlaceOp<"accumulate_", [
    AttrSizedOperandSegments]> {
  let summary = "Accumulate into a running sum, mean or maximum";
  let description = [{
    `target` refers to a tensor r. The op replaces r by a value that depends on the
    kind. Here x is `value` and f is `factor`:

    - `add`: `r + f * x`
    - `square`: `r + f * x^2`
    - `mean`: `(step / (step + 1)) * r + (1 / (step + 1)) * x`
    - `moving_average`: `f * r + (1 - f) * x`
    - `moving_average_square`: `f * r + (1 - f) * x^2`
    - `infinity`: `max(f * r, |x|)`

    Intermediate results are rounded to f32, or to f64 for f64 elements. If the element
    type is narrower than f32, the final result is rounded to the element type once. The
    factor is an attribute or a tensor of rank 0.

    (C1) `value` has the shape of r. The element type of `value` is that of r, or a
    narrower type that is accumulated in the element type of r.
    (C2) The kind `mean` has `step` and no factor; the other kinds have no `step`.
    (C3) If the factor is a tensor, the attribute `factor` is 1.

    ```mlir
    pop.accumulate_ add %r, %z {factor = 0.5 : f64} : !pop.ref<2xf32>, tensor<2xf16>
    pop.accumulate_ moving_average %r, %x factor(%f : tensor<f32>) : !pop.ref<2xf32>, tensor<2xf32>
    pop.accumulate_ mean %r, %x step(%s : tensor<i32>) : !pop.ref<2xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Pop_AccumulateKindAttr:$kind,
      Pop_Updates<Pop_FloatRef>:$target, Pop_FloatTensor:$value,
      Optional<Pop_FloatScalarTensor>:$factor_tensor,
      Optional<Pop_NumberScalarTensor>:$step,
      DefaultValuedAttr<F64Attr, "1.0">:$factor);
  let assemblyFormat = [{
    `` $kind $target `,` $value
    (`factor` `(` $factor_tensor^ `:` type($factor_tensor) `)`)?
    (`step` `(` $step^ `:` type($step) `)`)?
    attr-dict `:` type($target) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPINPLACEOPS
