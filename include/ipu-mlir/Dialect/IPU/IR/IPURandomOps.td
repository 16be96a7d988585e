//===- IPURandomOps.td - Random bits in codelets ------------*- tablegen -*-===//
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
    The low 32 bits of an element's row-major number in its variable. `buffer`
    is the part of the variable that a vertex sees. The number does not depend
    on the tile mapping.

    (C1) the op is in an `ipu.codelet`, `buffer` is one of its outputs, and all such
    ops of a codelet have the same one.
    (C2) there is an index for each dimension of `buffer`.

    ```mlir
    %n = ipu.element_number %y[%i, %j] : memref<?x?xf16, strided<[?, 1], offset: ?>>
    ```
  }];
}

def IPU_RandomBitsOp : IPU_ElementOp<"random_bits", [
    UsesResource<RngResource>]> {
  let summary = "Draw random bits for an element of a result";
  let description = [{
    Draws 32 bits from the generator of the vertex, which `ipu.vertices` names,
    for an element of `buffer`. `draw` distinguishes the draws of a codelet for
    the same element; each op draws once for each element.

    With the generator `counter` they are word 0 of Philox4x32-10 (see `ipu.philox`)
    with key (w0, w1) and counter (n, w2 + offset, w3, 16 * number + draw), where w
    are the first four words of the state on the vertex's tile, n is the
    `ipu.element_number`, and `#ipu.draw<number, offset = offset>` is that of the
    vertex; sums are modulo 2^32. The state stays as it is: `ipu.advance_rng` makes
    w2 larger.

    With `stream` an element's number e is its row-major number in `buffer`, v = e / 4
    its vector, v mod 6 its worker, and e mod 4 its lane. Vectors are computed in
    ascending order; for each, the worker's xoroshiro128aox generator draws 64 bits,
    and lane l gets bits 16 l to 16 l + 15 of them as the upper half of its result;
    the lower half is zero. `draw` is 0. The state of worker w on tile t is (s0, s1),
    in words [t, w] as low and high half of s0, then of s1. With x = s0 ^ s1 and
    a = s0 & s1 a draw is x ^ (rotl(a, 1) | rotl(a, 2)), and leaves
    s0 = rotl(s0, 55) ^ x ^ (x << 14) and s1 = rotl(x, 36) (Blackman and Vigna's
    xoroshiro with the output function of Hanlon and Felix, arXiv 2203.04058).

    (C1) and (C2) as `ipu.element_number`.
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
    Adds 1 to w2 of the state (see `ipu.random_bits`) on all tiles, modulo 2^32,
    so that vertices draw other bits in the next iteration of a loop or the next
    run. It is no step and takes no time: a machine's own generators move on by
    themselves.

    (C1) `rng` is as that of `ipu.vertices`.
    (C2) the module's generator is `counter`.

    ```mlir
    ipu.advance_rng %s : memref<64x6x4xi32, #s>
    ```
  }];
  let arguments = (ins Arg<IPU_Var, "", [MemRead, MemWrite]>:$rng);
  let assemblyFormat = "$rng attr-dict `:` type($rng)";
  let hasVerifier = 1;
}

def IPU_PhiloxOp : IPU_Op<"philox", [Pure]> {
  let summary = "Compute 128 random bits from a counter";
  let description = [{
    The block of Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers:
    as easy as 1, 2, 3; SC 2011) for a key of two words and a counter of four,
    with the constants of that paper. Equal operands give equal results.

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
    Let lo and hi be the neighbours of the magnitude of `input` in the type of the
    result, lo <= |input| < hi, and r the number in `bits`. The magnitude is
    hi if r < floor((|input| - lo) / (hi - lo) * 2^32), else lo; the sign is kept.
    Denormal numbers of the result follow the same rule, and what the type can
    represent is unchanged. So the result is `input` on average, to 2^-32 of the
    distance of lo and hi, if `bits` are uniform.

    For magnitudes above the largest finite number, hi is the number that would
    come next in a larger type. A result of hi is then NaN, or with `overflow =
    clip` the largest finite number. Infinities are kept, or become NaN in a
    type without infinities; NaNs become the NaN that other ops give.

    (C1) `input` is f32 or f64, the result f16, f8E4M3FNUZ or f8E5M2FNUZ.

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
