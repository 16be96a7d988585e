//===- Passes.td - From pop to ipu --------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_CONVERSION_POPTOIPU_PASSES
#define IPU_MLIR_CONVERSION_POPTOIPU_PASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def VerifyReplicasPass
    : Pass<"pop-verify-replicas", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Check groups of replicas against the target";
  let tests = [
    "Conversion/PopToIPU/verify-replicas.mlir",
    "Conversion/PopToIPU/verify-replicas-shardings.mlir",
  ];
  let description = [{
    Variables and collectives are for a number of replicas, which is a constant
    of the module's `ipu.target`: groups have to divide it, values have to have as
    many groups, sizes have to fit the size of a group.

    A warning says if values have shardings (`sdy.sharding`) though there are
    several replicas: no pass of this pipeline gives replicas their parts of
    them, so that each replica computes whole tensors.
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def SplitOpsPass : Pass<"pop-split-ops", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Cut ops that are too large for tiles, or faster in stages";
  let tests = ["Conversion/PopToIPU/split-ops.mlir"];
  let description = [{
    Beside its parallel loops, which `pop-map-tensors` cuts over tiles, an op may
    be cut into several ops that give the same bits (`TilePlanOpInterface`):
    serial parts, one after the other, need less memory at a time; stages share
    the work of one output among tiles. An op is rated by its best plan, a split
    by those of the ops that it makes and the exchanges between them.

    - An op that has a plan within its share of tile memory is cut only into
      stages that take fewer estimated cycles.
    - Of an op that has none, the split with the fewest cycles is taken whose
      ops all have one; else the one that lacks the fewest bytes, and its parts
      are looked at in turn. If no split takes less, a warning says so.
    - Where there are serial parts, ops are split for smaller shares as well, as
      long as all then have plans and the whole program, planned with the share
      that there is, gets faster.

    The share is the pass option or the op's `ipu.available_memory_proportion`.
    Needs `pop-decompose` before it. Ops with an `ipu.map` stay as they are.

    Each cut is a remark of category `ipu-split`.

    Before, on tiles that do not hold a third of a row of the left operand:
    ```mlir
    %y = pop.matmul %a, %b : (tensor<64x9216xf32>, tensor<9216x16xf32>) -> tensor<64x16xf32>
    ```
    After:
    ```mlir
    %0 = pop.matmul %a0, %b0 : (tensor<64x4608xf32>, tensor<4608x16xf32>) -> tensor<64x16xf32>
    %y = pop.matmul %a1, %b1, %0 : (tensor<64x4608xf32>, tensor<4608x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    ```
  }];
  let options = [
    Option<"availableMemoryProportion", "available-memory-proportion", "double",
           /*default=*/"0.6",
           "Share of tile memory for operands and results of an op, 0 to 1">,
  ];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def MapTensorsPass : Pass<"pop-map-tensors", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Choose which tile holds which part of each tensor";
  let tests = [
    "Conversion/PopToIPU/map-tensors.mlir",
    "Conversion/PopToIPU/map-tensors-generic.mlir",
    "Conversion/PopToIPU/map-functions.mlir",
  ];
  let description = [{
    Sets `ipu.map` on the arguments of functions, on each op whose result needs
    storage, and on variables. A view needs none, but for one that no strides can
    say, such as a reshape of a transposed tensor: it has the map of a copy. The
    map of a computed result is also the plan of its op: each tile computes what
    it holds. A function is planned once, together with those that call it and
    as often as they do. Variables that they share, such as those that calls
    pass, have one map. Where programs that share no call use a variable, it has
    the map that the first one chose.

    Each tensor has a few maps to choose from: plans of its op by itself, maps
    that follow an operand's, maps that a consumer's plan wants, and the
    elements in their order over all tiles. Those are chosen whose steps
    together (compute sets, exchanges between them, syncs, host copies) take the
    fewest estimated cycles, by dynamic programming over the whole program. See
    docs/planner.md.

    Maps that are there already are kept. What was found is a remark of category
    `ipu-plan`: estimated cycles of the program, of the generic maps and of the
    start of the search, each op's best map in program order; how many plans and
    cost tables were asked for, and how many of them were there already.

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
  let options = [
    Option<"planner", "planner", "::mlir::ipu::PlannerKind",
           /*default=*/"::mlir::ipu::PlannerKind::Program",
           "How maps are chosen", [{::llvm::cl::values(
             clEnumValN(::mlir::ipu::PlannerKind::Program, "program",
               "for the fewest estimated cycles of the program"),
             clEnumValN(::mlir::ipu::PlannerKind::Generic, "generic",
               "in order, or where an op cannot be cut so, its first cut"))}]>,
    Option<"availableMemoryProportion", "available-memory-proportion", "double",
           /*default=*/"0.6",
           "Share of tile memory for operands and results of an op, 0 to 1">,
  ];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def ConvertPopToIPUPass
    : Pass<"convert-pop-to-ipu", "::mlir::ModuleOp">, Contract {
  let summary = "Turn a mapped pop function into an ipu program";
  // Other conditions are on ops of pop, of which none is left.
  let preserves = [HOST_IO_EXPLICIT];
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Conversion/PopToIPU/convert-pop-to-ipu.mlir",
    "Conversion/PopToIPU/convert-pop-to-ipu-invalid.mlir",
  ];
  let description = [{
    Arguments of the entry become host streams and loads, results stores and
    streams; each op of the entry, and of the functions that it calls, that a codelet computes becomes a compute set with one vertex on each
    tile of its map, each constant a variable with an initial value, moves
    become exchanges, and views become `memref.reinterpret_cast`s. Codelets that
    do the same are made once. Operands need not lie where vertices read them;
    `ipu-materialize-exchange` mends that.

    An argument's stream is named by its `pop.name` or `argN`, a result's by its
    `pop.name` or `resultN`. An argument's `pop.default` is its stream's
    `default_value`. Codelets get other names than these. Where two of
    them are equal, or one is a symbol of the module, a warning says what the
    stream is called instead.

    Variables become an `ipu.storage` and an `ipu.state`, refs the storage's
    variable or views of it, loops and branches those of ipu, calls `ipu.call`s. A
    `pop.copy_` is an exchange, unless the op that computes what it copies can write
    the ref itself.

    Needs `pop-lower-calls`, `pop-lower-control-flow`, `pop-decompose`,
    `pop-snapshot-reads` and `pop-map-tensors` before it. An op that is not ready for
    tiles, or of another dialect, is an error.
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
