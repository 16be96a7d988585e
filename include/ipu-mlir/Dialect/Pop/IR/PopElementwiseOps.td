//===- PopElementwiseOps.td - Elementwise ops --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPELEMENTWISEOPS
#define IPU_MLIR_DIALECT_POP_IR_POPELEMENTWISEOPS

include "ipu-mlir/Dialect/Pop/IR/PopBase.td"

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

/// An elementwise op. `buildScalar` builds the scalar code that computes one
/// element of the result. The rest of the codelet is the same for all elementwise
/// ops.
class Pop_ElementwiseOp<string mnemonic, list<Trait> traits>
    : Pop_PureOp<mnemonic, [Pop_Codelet] # traits> {
  code scalarDeclaration = [{
    /// Builds one element of the result from one element of each operand.
    /// Floats narrower than f32 are passed and returned as f32; integers are signless.
    ::mlir::Value buildScalar(::mlir::OpBuilder &b, ::mlir::Location loc,
                              ::mlir::ValueRange args);
  }];
  code formDefinition = [{
    ::llvm::FailureOr<::mlir::ipu::TileForm>
    $cppClass::getTileForm(::llvm::ArrayRef<int64_t> domain) {
      return detail::getElementwiseTileForm(*this, domain);
    }
    void $cppClass::buildCodelet(::mlir::OpBuilder &builder,
                                 ::mlir::Location loc,
                                 ::mlir::ValueRange buffers,
                                 const ::mlir::ipu::TileForm &form) {
      detail::buildElementwiseCodelet(
          builder, loc, buffers, form,
          [&](::mlir::OpBuilder &b, ::mlir::Location loc,
              ::mlir::ValueRange args) { return buildScalar(b, loc, args); });
    }
  }];
  code codeletDefinition = formDefinition # [{
    ::mlir::ipu::CodeletCost $cppClass::getCodeletCost() {
      return detail::getCost(*this, ::mlir::ipu::CodeletCostKind::Vector);
    }
  }];
  let extraClassDeclaration = scalarDeclaration;
  let extraClassDefinition = codeletDefinition;
}

/// An elementwise op with one operand. `formula` defines an element y of the result in
/// terms of an element x. The lines of a description that is concatenated from several
/// strings start at column 0, because the generator of the reference cannot indent the
/// strings together.
class Pop_UnaryBase<string mnemonic, Type tensor, string what, string formula,
                    list<Trait> traits>
    : Pop_ElementwiseOp<mnemonic, [Elementwise] # traits> {
  let summary = "Compute the elementwise " # what;
  let description = "Computes `y = " # formula # "` for each element `x` of `input`." # [{

(C1) `result` has the shape of `input`.
(C2) `result` has the element type of `input`, or i1 for predicates.

```mlir
%y = pop.}] # mnemonic # [{ %x : tensor<2x3x}] #
    !cond(!eq(tensor, Pop_IntTensor) : "i1", true : "f32") # [{>
```
}];
  let arguments = (ins tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

class Pop_UnaryOp<string mnemonic, Type tensor, string what, string formula,
                  list<Trait> traits = []>
    : Pop_UnaryBase<mnemonic, tensor, what, formula,
                    [SameOperandsAndResultType] # traits> {
  let results = (outs tensor:$result);
}
class Pop_FloatUnaryOp<string mnemonic, string what, string formula,
                       Trait gradient>
  : Pop_UnaryOp<mnemonic, Pop_FloatTensor, what, formula, [gradient]>;
class Pop_NumberUnaryOp<string mnemonic, string what, string formula,
                        Trait gradient>
  : Pop_UnaryOp<mnemonic, Pop_NumberTensor, what, formula, [gradient]>;

class Pop_PredicateOp<string mnemonic, string what, string formula>
    : Pop_UnaryBase<mnemonic, Pop_FloatTensor, what, formula, [Pop_Infer]> {
  let results = (outs Pop_BoolTensor:$result);
  let extraClassDefinition = codeletDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes) {
      return detail::inferBroadcast({location, $cppClass::getOperationName()},
                                    adaptor.getOperands(),
                                    ::mlir::IntegerType::get(context, 1),
                                    inferredReturnTypes);
    }
  }];
}

def Pop_AbsOp : Pop_NumberUnaryOp<"abs", "absolute value", "|x|",
    Pop_Gradient<"dx = dy * sign(x)">> {
  let hasFolder = 1;
}
def Pop_NegOp : Pop_NumberUnaryOp<"neg", "negation", "-x",
    Pop_Gradient<"dx = -dy">> {
  let hasFolder = 1;
}
def Pop_SignOp : Pop_NumberUnaryOp<"sign", "sign",
    "-1 if x < 0, +0 if x = 0, 1 if x > 0, NaN if x is NaN",
    Pop_ZeroGradient<"y is constant around each x">>;
def Pop_ReluOp : Pop_NumberUnaryOp<"relu", "rectifier", "max(x, 0)",
    Pop_Gradient<"dx = dy where x > 0, else 0">>;
def Pop_ExpOp : Pop_FloatUnaryOp<"exp", "exponential", "e^x",
    Pop_Gradient<"dx = dy * y">>;
def Pop_Expm1Op : Pop_FloatUnaryOp<"expm1", "exponential minus 1", "e^x - 1",
    Pop_Gradient<"dx = dy * e^x">>;
def Pop_LogOp : Pop_FloatUnaryOp<"log", "natural logarithm", "ln(x)",
    Pop_Gradient<"dx = dy / x">>;
def Pop_Log1pOp : Pop_FloatUnaryOp<"log1p", "natural logarithm of 1 more", "ln(1 + x)",
    Pop_Gradient<"dx = dy / (1 + x)">>;
def Pop_SqrtOp : Pop_FloatUnaryOp<"sqrt", "square root", "sqrt(x)",
    Pop_Gradient<"dx = dy / (2 * y)">>;
def Pop_RsqrtOp : Pop_FloatUnaryOp<"rsqrt", "reciprocal square root", "1 / sqrt(x)",
    Pop_Gradient<"dx = -dy * y / (2 * x)">>;
def Pop_ReciprocalOp : Pop_FloatUnaryOp<"reciprocal", "reciprocal", "1 / x",
    Pop_Gradient<"dx = -dy * y^2">>;
def Pop_TanhOp : Pop_FloatUnaryOp<"tanh", "hyperbolic tangent", "tanh(x)",
    Pop_Gradient<"dx = dy * (1 - y^2)">>;
def Pop_SigmoidOp : Pop_FloatUnaryOp<"sigmoid", "logistic function", "1 / (1 + e^-x)",
    Pop_Gradient<"dx = dy * y * (1 - y)">>;
def Pop_ErfOp : Pop_FloatUnaryOp<"erf", "error function", "erf(x)",
    Pop_Gradient<"dx = dy * 2 / sqrt(pi) * e^(-x^2)">>;
def Pop_GaussianOp : Pop_FloatUnaryOp<"gaussian", "Gaussian function", "e^(-x^2)",
    Pop_Gradient<"dx = -dy * 2 * x * y">>;
def Pop_SinhOp : Pop_FloatUnaryOp<"sinh", "hyperbolic sine", "sinh(x)",
    Pop_Gradient<"dx = dy * cosh(x)">>;
def Pop_CoshOp : Pop_FloatUnaryOp<"cosh", "hyperbolic cosine", "cosh(x)",
    Pop_Gradient<"dx = dy * sinh(x)">>;
def Pop_AsinhOp : Pop_FloatUnaryOp<"asinh", "inverse hyperbolic sine", "asinh(x)",
    Pop_Gradient<"dx = dy / sqrt(x^2 + 1)">>;
def Pop_AcoshOp : Pop_FloatUnaryOp<"acosh", "inverse hyperbolic cosine",
    "acosh(x), NaN if x < 1",
    Pop_Gradient<"dx = dy / sqrt((x - 1) * (x + 1))">>;
def Pop_AtanhOp : Pop_FloatUnaryOp<"atanh", "inverse hyperbolic tangent",
    "atanh(x), NaN if |x| > 1",
    Pop_Gradient<"dx = dy / ((1 - x) * (1 + x))">>;
def Pop_AsinOp : Pop_FloatUnaryOp<"asin", "inverse sine", "asin(x), NaN if |x| > 1",
    Pop_Gradient<"dx = dy / sqrt((1 - x) * (1 + x))">>;
def Pop_AcosOp : Pop_FloatUnaryOp<"acos", "inverse cosine", "acos(x), NaN if |x| > 1",
    Pop_Gradient<"dx = -dy / sqrt((1 - x) * (1 + x))">>;
def Pop_AtanOp : Pop_FloatUnaryOp<"atan", "inverse tangent", "atan(x)",
    Pop_Gradient<"dx = dy / (1 + x^2)">>;
def Pop_SinOp : Pop_FloatUnaryOp<"sin", "sine", "sin(x)",
    Pop_Gradient<"dx = dy * cos(x)">>;
def Pop_CosOp : Pop_FloatUnaryOp<"cos", "cosine", "cos(x)",
    Pop_Gradient<"dx = -dy * sin(x)">>;
def Pop_FloorOp : Pop_FloatUnaryOp<"floor", "rounding down", "the greatest integer <= x",
    Pop_ZeroGradient<"y is constant around each x">>;
def Pop_CeilOp : Pop_FloatUnaryOp<"ceil", "rounding up", "the least integer >= x",
    Pop_ZeroGradient<"y is constant around each x">>;
def Pop_RoundOp : Pop_FloatUnaryOp<"round", "rounding to nearest", "the nearest integer, ties to even",
    Pop_ZeroGradient<"y is constant around each x">>;
def Pop_NotOp : Pop_UnaryOp<"not", Pop_IntTensor, "complement", "the bits of x inverted"> {
  let hasFolder = 1;
}
def Pop_IsNanOp : Pop_PredicateOp<"is_nan", "test for NaN", "(x != x)">;
def Pop_IsInfOp : Pop_PredicateOp<"is_inf", "test for infinity", "(|x| = inf)">;

/// An elementwise function of the Gaussian error linear unit g, and its gradient for
/// the exact and for the approximate g.
class Pop_GeluBase<string mnemonic, string what, string formula, string gradient>
    : Pop_ElementwiseOp<mnemonic, [Elementwise, SameOperandsAndResultType,
                                   Pop_Decompose, Pop_ComputeOpInterface,
                                   Pop_Gradient<gradient>]> {
  let summary = "Compute the elementwise " # what;
  let description = "Computes `y = " # formula # [{` for each element `x` of `input`,
where `g(x) = x * (1 + erf(x / sqrt(2))) / 2`. With `approximate`, g is instead the
approximation `x * (1 + tanh(v / 2)) / 2`, where
`v = sqrt(8 / pi) * (x + 0.044715 * x^3)`. The op rounds once. With `compute = f16`,
the op decomposes into ops on f16, each of which rounds.

(C1) `result` has the type of `input`.
(C2) With `compute`, the element type of `input` is f16.

```mlir
%y = pop.}] # mnemonic # [{ %x : tensor<2x3xf32>
%z = pop.}] # mnemonic # [{ %x {approximate} : tensor<2x3xf32>
%w = pop.}] # mnemonic # [{ %h {compute = f16} : tensor<2x3xf16>
```
}];
  let arguments = (ins Pop_FloatTensor:$input, UnitAttr:$approximate,
                       Pop_OptionalCompute:$compute);
  let results = (outs Pop_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Pop_GeluOp : Pop_GeluBase<"gelu", "Gaussian error linear unit", "g(x)",
    "dx = dy * g'(x)">;
def Pop_GeluSlopeOp : Pop_GeluBase<"gelu_slope",
    "derivative of the Gaussian error linear unit", "g'(x)", "dx = dy * g''(x)">;

//===----------------------------------------------------------------------===//
// Binary and compare, with numpy broadcasting
//===----------------------------------------------------------------------===//

class Pop_BroadcastOp<string mnemonic, Type tensor, Type result, string what,
                      string formula, string more, list<Trait> traits>
    : Pop_ElementwiseOp<mnemonic, [Pop_Infer, Pop_Broadcasting,
                                   SameTypeElements<"lhs", "rhs">] # traits> {
  let summary = "Compute the elementwise " # what;
  defvar operand = !cond(!eq(tensor, Pop_IntTensor) : "i32",
                         !eq(tensor, Pop_WideIntTensor) : "i32", true : "f32");
  defvar element = !cond(!eq(result, Pop_BoolTensor) : "i1", true : operand);
  let description = "Computes `y = " # formula #
    "` for each element `a` of `lhs` and `b` of `rhs`. " # more # [{

Operands broadcast as in numpy: shapes are aligned at the last dimension,
and a dimension that is absent or of size 1 is repeated.

(C1) `lhs` and `rhs` have the same element type.
(C2) Aligned dimensions are equal, or one of them is 1.
(C3) `result` has the broadcast shape. Its element type is that of the operands,
or i1 for comparisons.

```mlir
%y = pop.}] # mnemonic # " %a, %b : (tensor<2x3x" # operand # ">, tensor<3x" #
    operand # ">) -> tensor<2x3x" # element # ">" # [{
```
If all three types are the same, the type is written once.
}];
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs result:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<BroadcastTypes>(type($lhs), type($rhs), type($result))
  }];
  defvar elementType = !cond(
      !eq(result, Pop_BoolTensor) : "::mlir::IntegerType::get(context, 1)",
      true : "::mlir::getElementTypeOrSelf(adaptor.getLhs())");
  let extraClassDefinition = codeletDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes) {
      return detail::inferBroadcast({location, $cppClass::getOperationName()},
                                    adaptor.getOperands(),
                                    }] # elementType # [{,
                                    inferredReturnTypes);
    }
  }];
}

class Pop_BinaryOp<string mnemonic, Type tensor, string what, string formula,
                   string more = "", list<Trait> traits = []>
    : Pop_BroadcastOp<mnemonic, tensor, tensor, what, formula, more, traits>;
class Pop_FoldableBinaryOp<string mnemonic, Type tensor, string what,
                           string formula, string more, list<Trait> traits = []>
    : Pop_BinaryOp<mnemonic, tensor, what, formula, more, traits> {
  let hasFolder = 1;
}
class Pop_CompareOp<string mnemonic, string what, string formula,
                    Type tensor = Pop_NumberTensor>
    : Pop_BroadcastOp<mnemonic, tensor, Pop_BoolTensor, what, formula,
                      "A comparison with NaN is false, except that `not_equal` is true.",
                      []> {
  let hasFolder = 1;
}

def Pop_AddOp : Pop_FoldableBinaryOp<"add", Pop_NumberTensor, "sum", "a + b",
    "Integers wrap.", [Commutative,
    Pop_Gradient<"da = dy; db = dy">]>;
def Pop_SubOp : Pop_FoldableBinaryOp<"sub", Pop_NumberTensor, "difference", "a - b",
    "Integers wrap.",
    [Pop_Gradient<"da = dy; db = -dy">]>;
def Pop_MulOp : Pop_FoldableBinaryOp<"mul", Pop_NumberTensor, "product", "a * b",
    "Integers wrap.", [Commutative,
    Pop_Gradient<"da = dy * b; db = dy * a">]>;
def Pop_DivOp : Pop_FoldableBinaryOp<"div", Pop_NumberTensor, "quotient", "a / b",
    "Integer quotients are rounded towards zero. As on RISC-V, an integer divided by "
    "zero gives a value with all bits set, and the least signed integer divided by -1 "
    "gives the least signed integer.",
    [Pop_Gradient<"da = dy / b; db = -dy * y / b">]>;
def Pop_RemOp : Pop_FoldableBinaryOp<"rem", Pop_NumberTensor, "remainder", "a - trunc(a / b) * b",
    "The result has the sign of `a` (C's `fmod`); an integer remainder by zero is `a`.",
    [Pop_Gradient<"da = dy; db = -dy * trunc(a / b)">]>;
def Pop_PowOp : Pop_BinaryOp<"pow", Pop_FloatTensor, "power", "a^b", "",
    [Pop_Gradient<"da = dy * b * a^(b - 1); db = dy * y * ln(a), 0 where a = 0 <= b">]>;
def Pop_Atan2Op : Pop_BinaryOp<"atan2", Pop_FloatTensor, "angle of a point",
    "atan2(a, b)",
    "The result is the angle from -pi to pi between the first axis and the point (b, a). "
    "-0 is less than +0, so that atan2(0, -0) is pi.",
    [Pop_Gradient<"da = dy * b / (a^2 + b^2); db = -dy * a / (a^2 + b^2)">]>;
def Pop_MaxOp : Pop_FoldableBinaryOp<"max", Pop_NumberTensor, "maximum", "max(a, b)",
    "The result is NaN if `a` or `b` is NaN. -0 is less than +0.", [Commutative,
    Pop_Gradient<"da = dy where a > b, dy / 2 where a = b; db accordingly">]>;
def Pop_MinOp : Pop_FoldableBinaryOp<"min", Pop_NumberTensor, "minimum", "min(a, b)",
    "The result is NaN if `a` or `b` is NaN. -0 is less than +0.", [Commutative,
    Pop_Gradient<"da = dy where a < b, dy / 2 where a = b; db accordingly">]>;
def Pop_AndOp : Pop_FoldableBinaryOp<"and", Pop_IntTensor, "conjunction", "a and b",
    "The op is bitwise.", [Commutative]>;
def Pop_OrOp : Pop_FoldableBinaryOp<"or", Pop_IntTensor, "disjunction", "a or b",
    "The op is bitwise.", [Commutative]>;
def Pop_XorOp : Pop_FoldableBinaryOp<"xor", Pop_IntTensor, "exclusive disjunction", "a xor b",
    "The op is bitwise.", [Commutative]>;

def Pop_ShiftLeftOp : Pop_FoldableBinaryOp<"shift_left", Pop_WideIntTensor,
    "shift to the left", "a << b",
    "Zeros fill the low bits. A count that is negative or at least the width of the type "
    "gives 0.">;
def Pop_ShiftRightLogicalOp : Pop_FoldableBinaryOp<"shift_right_logical", Pop_WideIntTensor,
    "shift to the right with zeros", "a >> b",
    "Zeros fill the high bits, also of a negative `a`. A count that is negative or at "
    "least the width of the type gives 0.">;
def Pop_ShiftRightArithmeticOp : Pop_FoldableBinaryOp<"shift_right_arithmetic",
    Pop_WideIntTensor, "shift to the right with the highest bit", "a >> b",
    "Copies of the highest bit of `a` fill the high bits, also of an unsigned `a`. A "
    "count that is negative or at least the width of the type gives a value that has only "
    "these copies.">;

def Pop_EqualOp : Pop_CompareOp<"equal", "test for equality", "(a = b)", Pop_Tensor>;
def Pop_NotEqualOp : Pop_CompareOp<"not_equal", "test for inequality", "(a != b)", Pop_Tensor>;
def Pop_LessOp : Pop_CompareOp<"less", "less-than comparison", "(a < b)">;
def Pop_LessEqualOp : Pop_CompareOp<"less_equal", "less-or-equal comparison", "(a <= b)">;
def Pop_GreaterOp : Pop_CompareOp<"greater", "greater-than comparison", "(a > b)">;
def Pop_GreaterEqualOp : Pop_CompareOp<"greater_equal", "greater-or-equal comparison", "(a >= b)">;

//===----------------------------------------------------------------------===//
// Sum
//===----------------------------------------------------------------------===//

def Pop_SumOp : Pop_ElementwiseOp<"sum", [Pop_Infer, Pop_Broadcasting,
    Pop_Gradient<"da = dy, for each operand a">]> {
  let summary = "Add any number of tensors elementwise";
  let description = [{
    Computes `y = ((a + b) + c) + ...` for each element of the operands, in the order
    of the operands. Floats narrower than f32 are added in f32 and rounded once,
    whereas a chain of `pop.add` rounds after each addition. Integers wrap. The
    operands broadcast as in numpy. The sum of one operand is this operand. The sum
    of two operands is the result of a `pop.add` of these operands.

    (C1) There is at least one operand.
    (C2) All operands have the same element type.
    (C3) The shapes broadcast.
    (C4) `result` has the broadcast shape and the operands' element type.

    ```mlir
    %y = pop.sum %a, %b, %c : (tensor<2x3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Variadic<Pop_NumberTensor>:$inputs);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = formDefinition;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Select and cast
//===----------------------------------------------------------------------===//

def Pop_SelectOp : Pop_ElementwiseOp<"select", [Pop_Infer, Pop_Broadcasting,
    SameTypeElements<"on_true", "on_false">,
    Pop_Gradient<"da = dy where the condition holds, else 0; db = dy elsewhere">]> {
  let summary = "Select elements of two tensors by a condition";
  let description = [{
    Computes `y = a` where `condition` is true, else `y = b`, for each element
    `a` of `on_true` and `b` of `on_false`. The three operands broadcast as in
    numpy.

    (C1) `on_true` and `on_false` have the same element type.
    (C2) The shapes broadcast.
    (C3) `result` has the broadcast shape and the element type of `on_true`.

    ```mlir
    %y = pop.select %c, %a, %b : tensor<3xi1>, tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Pop_BoolTensor:$condition, Pop_Tensor:$on_true,
                       Pop_Tensor:$on_false);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,`
    type($on_true) `,` type($on_false) `->` type($result)
  }];
  let hasFolder = 1;
}

def Pop_CastOp : Pop_ElementwiseOp<"cast", [Elementwise,
    SameOperandsAndResultShape,
    Pop_Gradient<"dx = dy, cast back; 0 for casts from or to integers">]> {
  let summary = "Convert to another element type";
  let description = [{
    Converts each element by these rules:

    - to a float: rounds to nearest even; an overflow gives infinity, or NaN if the
      type has no infinity;
    - from a float to an integer: rounds towards zero and saturates at the limits of
      the type; NaN becomes 0;
    - from an integer to an integer: truncates or extends, with sign extension
      if the operand is signed;
    - to i1: 1 if the element differs from zero, else 0;
    - from i1: 0 or 1.

    (C1) `result` has the shape of `input`.

    ```mlir
    %y = pop.cast %x : tensor<2x3xf32> to tensor<2x3xf16>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPELEMENTWISEOPS
