//===- Passes.td - From pop to ipu --------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_CONVERSION_POPTOIPU_PASSES
#define IPU_MLIR_CONVERSION_POPTOIPU_PASSES

include "mlir/Pass/PassBase.td"

def MapTensorsPass : Pass<"pop-map-tensors", "::mlir::func::FuncOp"> {
  let summary = "Choose which tile holds which part of each tensor";
  let description = [{
    Sets `ipu.map` on the arguments and on each op whose result needs storage
    (not on views). The map of a computed result is also the plan of its op:
    each tile computes what it holds.

    - An elementwise op follows the first operand that is not a constant and
      lies in the result's order, so that chains need no exchange.
    - Any other op that a codelet computes is cut along its parallel loops into
      at most as many parts as a replica has tiles. Of all cuts that use more
      than one tile, the one with the fewest estimated cycles for the slowest
      vertex and its operands' exchange is taken; among equals, the one that
      cuts outer loops more. (Above ten loops, of the first that are found.)
    - Arguments, constants, and results of moves lie in their order, in equal
      runs of whole 4-byte words, over all tiles.
    
    Maps that are there already are kept.

    Before:
    ```mlir
    func.func @main(%x: tensor<2944xf32>) -> tensor<2944xf32> {
      %0 = pop.relu %x : tensor<2944xf32>
      return %0 : tensor<2944xf32>
    }
    ```
    After:
    ```mlir
    #map = #ipu.map<[2944], grid = [1472], blocks = [p0 * 2 : 2]>
    func.func @main(%x: tensor<2944xf32> {ipu.map = #map}) -> tensor<2944xf32> {
      %0 = pop.relu %x {ipu.map = #map} : tensor<2944xf32>
      return %0 : tensor<2944xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def ConvertPopToIPUPass : Pass<"convert-pop-to-ipu", "::mlir::ModuleOp"> {
  let summary = "Turn a mapped pop function into an ipu program";
  let description = [{
    Arguments become host streams and loads, results stores and streams; each
    op that a codelet computes becomes a compute set with one vertex on each
    tile of its map, each constant a variable with an initial value, moves
    become exchanges, and views become `memref.reinterpret_cast`s. Codelets that
    do the same are made once. Operands need not lie where vertices read them;
    `ipu-materialize-exchange` mends that.

    An argument's stream is named by its `pop.name` or `argN`, a result's by its
    `pop.name` or `resultN`. Codelets get other names than these. Where two of
    them are equal, or one is a symbol of the module, a warning says what the
    stream is called instead.

    Needs `pop-decompose` and `pop-map-tensors` before it. An op that is not
    ready for tiles, or of another dialect, is an error.
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
           "Function that is the program">,
  ];
  let dependentDialects = [
    "::mlir::ipu::IPUDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  ];
}

#endif // IPU_MLIR_CONVERSION_POPTOIPU_PASSES
