//===- PopPlacementOps.td - Copies between placements ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPPLACEMENTOPS
#define IPU_MLIR_DIALECT_POP_IR_POPPLACEMENTOPS

include "ipu-mlir/Dialect/Pop/IR/PopGraphTraits.td"
include "ipu-mlir/Dialect/Pop/IR/PopPlacementInterface.td"

def Pop_IpuCopyOp : Pop_PureOp<"ipu_copy", [
    Pop_Decompose, Pop_Move, Pop_MovesElements,
    Pop_Gradient<"dx = ipu_copy of dy back to the source, for each operand">,
    DeclareOpInterfaceMethods<ReplicaEqualOpInterface, ["inferReplicaEqual"]>,
    DeclareOpInterfaceMethods<Pop_PlacementOpInterface,
                              ["getVgraphOfOperand", "getVgraphOfResult"]>]> {
  let summary = "Copy tensors to another IPU of the replica";
  let description = [{
    Copies operand i from the IPU `sources[i]` of the replica to the IPU `destination`.
    Result i is the copy of operand i, bit for bit. The operands are
    on the source IPUs, and the results are on the destination, so the op itself has no
    virtual graph. The op is never folded, because the tensors must be on both IPUs.
    Tiles move one tensor at a time: several operands are decomposed into one op each.

    (C1) There is at least one operand, and `sources` has one value for each
    operand.
    (C2) `sources` and `destination` are not negative.
    (C3) No source is the destination.
    (C4) There is one result for each operand, with the type of the operand.

    ```mlir
    %a1, %b1 = pop.ipu_copy %a, %b from 0 to 1 : tensor<4xf32>, tensor<2xf16>
    %c2, %d2 = pop.ipu_copy %c, %d from [0, 1] to 2 : tensor<4xf32>, tensor<2xf16>
    ```
  }];
  let arguments = (ins Variadic<Pop_Tensor>:$inputs,
                       DenseI64ArrayAttr:$sources, I64Attr:$destination);
  let results = (outs Variadic<Pop_Tensor>:$results);
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$inputs,
                   "::llvm::ArrayRef<int64_t>":$sources,
                   "int64_t":$destination), [{
      build($_builder, $_state, inputs.getTypes(), inputs, sources,
            destination);
    }]>,
  ];
  let assemblyFormat = [{
    $inputs `from` custom<Sources>(ref($inputs), $sources) `to`
    $destination attr-dict `:`
    custom<SameTypes>(type($inputs), type($results))
  }];
  let hasVerifier = 1;
}

def Pop_IoTileCopyOp : Pop_PureOp<"io_tile_copy", [
    SameOperandsAndResultType, Pop_Move,
    Pop_Gradient<"dx = io_tile_copy of dy back to the other tiles">,
    DeclareOpInterfaceMethods<Pop_PlacementOpInterface,
                              ["getTileSetOfOperand", "getTileSetOfResult"]>]> {
  let summary = "Copy a tensor between I/O tiles and compute tiles";
  let description = [{
    Copies a tensor from compute tiles to I/O tiles (`to io`) or back (`to compute`). The
    operand is on the set of tiles that is not `destination`. The op does not change any
    bit, and it is never folded.

    ```mlir
    %1 = pop.io_tile_copy %0 to io : tensor<4xf32>
    %2 = pop.io_tile_copy %1 to compute : tensor<4xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, Pop_TileSetAttr:$destination);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = "$input `to` `` $destination attr-dict `:` type($input)";
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPPLACEMENTOPS
