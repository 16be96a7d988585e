//===- IPURandomOps.td - Random bits in codelets -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPURANDOMOPS
#define IPU_MLIR_DIALECT_IPU_IR_IPURANDOMOPS

include "ipu-mlir/Dialect/IPU/IR/IPUBase.td"
include "ipu-mlir/Interfaces/DeviceResources.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class IPU_ElementOp<string mnemonic, list<Trait> traits>
    : IPU_Op<mnemonic, traits> {
  let arguments = (ins AnyMemRef:$buffer, Variadic<Index>:$indices);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer `[` $indices `]` attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def IPU_ElementNumberOp : IPU_ElementOp<"element_number", [Pure]> {
  let summary = "Get the number of an element in its whole variable";
  let description = [{
    Returns the low 32 bits of the element's row-major number in its variable.
    `buffer` is the part of the variable that a vertex accesses. The number does not
    depend on the tile mapping.

    (C1) The op is in an `ipu.codelet`. `buffer` is one of the codelet's outputs. All
    `ipu.element_number` and `ipu.random_bits` ops of the codelet have the same
    `buffer`.
    (C2) There is one index for each dimension of `buffer`.

    ```mlir
    %n = ipu.element_number %y[%i, %j] : memref<?x?xf16, strided<[?, 1], offset: ?>>
    ```
  }];
}

def IPU_RandomBitsOp : IPU_ElementOp<"random_bits", [
    UsesResource<RngResource>]> {
  let summary = "Draw random bits for an element of a result";
  let description = [{
    Draws 32 bits for an element of `buffer` from the operand `rng` of the
    `ipu.vertices` op. `draw` distinguishes several draws of a codelet for the same
    element. Each execution of the op is one draw for one element.

    With the generator `counter`, the result is word 0 of Philox4x32-10 (see
    `ipu.philox`). The key is (w0, w1), and the counter is (n, w2 + offset, w3, w4 +
    16 * number + draw). Here w0 to w4 are the first five words of the state on the
    vertex's tile, n is the `ipu.element_number`, and
    `#ipu.draw<number, offset = offset>` is the draw of the vertex. Sums are modulo
    2^32. The op does not change the state; `ipu.advance_rng` changes w2 and w4.

    With the generator `stream`, let e be the row-major number of the element in
    `buffer`. The element is in vector v = floor(e / 4) and in lane l = e mod 4 of
    this vector. Worker v mod 6 computes the vector. Each worker computes its vectors
    in ascending order. For each vector, the worker's xoroshiro128aox generator draws
    64 bits. The upper half of the result for lane l is bits 16 l to 16 l + 15 of
    these 64 bits; the lower half is zero. `draw` is 0. The state of worker w on tile
    t is (s0, s1). The first two words of `rng` at [t, w] are the low and the high
    half of s0, and the last two words are the low and the high half of s1. With x =
    s0 ^ s1 and a = s0 & s1, a draw returns x ^ (rotl(a, 1) | rotl(a, 2)), and the
    new state is s0 = rotl(s0, 55) ^ x ^ (x << 14) and s1 = rotl(x, 36) (Blackman and
    Vigna's xoroshiro with the output function of Hanlon and Felix, arXiv
    2203.04058).

    (C1), (C2) The constraints of `ipu.element_number` hold.
    (C3) `draw` is from 0 to 15.
  }];
  let arguments = (ins AnyMemRef:$buffer, Variadic<Index>:$indices,
                       DefaultValuedOptionalAttr<I64Attr, "0">:$draw);
  let assemblyFormat = [{
    $buffer `[` $indices `]` (`draw` $draw^)? attr-dict `:` type($buffer)
  }];
}

def IPU_AdvanceRngOp : IPU_Op<"advance_rng", [IPU_InProgram]> {
  let summary = "Advance an RNG state";
  let description = [{
    Adds `count` to the word w2 of the state (see `ipu.random_bits`), and 16 * `shift`
    to the word w4, on all tiles and modulo 2^32. After an advance, vertices draw other
    bits than before, for example in the next iteration of a loop or in the next run. A
    shift has the effect that `shift` is added to the numbers of the draws of later
    steps, for example of the steps of a function that is called several times. The op
    is not a step and takes no time, because the generators of the machine advance by
    themselves.

    (C1) `rng` is a whole variable of the type that getRngStateType() returns.
    (C2) The generator of the module is `counter`.
    (C3) `count` is from 1 - 2^31 to 2^31 - 1, and `shift` is from 1 - 2^28 to 2^28 - 1.

    ```mlir
    ipu.advance_rng %s : memref<64x6x4xi32, #s>
    ipu.advance_rng %s by 0 shift 32 : memref<64x6x4xi32, #s>
    ```
  }];
  let arguments = (ins Arg<IPU_Var, "", [MemRead, MemWrite]>:$rng,
                       DefaultValuedOptionalAttr<I64Attr, "1">:$count,
                       DefaultValuedOptionalAttr<I64Attr, "0">:$shift);
  let assemblyFormat = "$rng (`by` $count^)? (`shift` $shift^)? attr-dict `:` type($rng)";
  let hasVerifier = 1;
}

def IPU_PhiloxOp : IPU_Op<"philox", [Pure]> {
  let summary = "Compute 128 random bits from a counter";
  let description = [{
    Computes one block of Philox4x32-10 for a key of two words and a counter of four
    words. The constants are those of the paper (Salmon, Moraes, Dror, Shaw: Parallel
    random numbers: as easy as 1, 2, 3; SC 2011). Equal operands give equal results.

    ```mlir
    %w:4 = ipu.philox key(%k0, %k1) counter(%c0, %c1, %c2, %c3)
    ```
  }];
  let arguments = (ins I32:$k0, I32:$k1, I32:$c0, I32:$c1, I32:$c2, I32:$c3);
  let results = (outs I32:$w0, I32:$w1, I32:$w2, I32:$w3);
  let assemblyFormat = [{
    `key` `(` $k0 `,` $k1 `)` `counter` `(` $c0 `,` $c1 `,` $c2 `,` $c3 `)`
    attr-dict
  }];
}

def IPU_RoundStochasticOp : IPU_Op<"round_stochastic", [Pure]> {
  let summary = "Round stochastically to one of the two nearest floats";
  let description = [{
    Let lo and hi be the neighbours of |input| in the type of the result, with lo <=
    |input| < hi, and let r be the number in `bits`. The magnitude of the result is
    hi if r < floor((|input| - lo) / (hi - lo) * 2^32), and otherwise lo. The sign is
    the sign of `input`. Denormal results follow the same rule, and an input that the
    result type can represent does not change. If `bits` are uniform, the expected
    value of the result differs from `input` by less than 2^-32 times the distance
    between lo and hi.

    If |input| is above the largest finite number of the result type, hi is the next
    number of a type that has the same mantissa and a larger range of exponents. If
    the result would be hi, it is NaN or, with `overflow clip`, the largest finite
    number instead. Infinities stay infinities, or become NaN in a type without
    infinities. For a NaN, the result is the same NaN that other ops produce.

    (C1) `input` is f32 or f64; the result is f16, f8E4M3FNUZ or f8E5M2FNUZ.

    ```mlir
    %y = ipu.round_stochastic %x, %r overflow nan : f32 to f16
    ```
  }];
  let arguments = (ins AnyTypeOf<[F32, F64]>:$input, I32:$bits,
                       IPU_RoundingOverflowAttr:$overflow);
  let results = (outs AnyTypeOf<[F16, F8E4M3FNUZ, F8E5M2FNUZ]>:$result);
  let assemblyFormat = [{
    $input `,` $bits `overflow` `` $overflow attr-dict `:` type($input) `to`
    type($result)
  }];
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPURANDOMOPS
