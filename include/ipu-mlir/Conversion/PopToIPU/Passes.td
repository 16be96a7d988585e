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
  let summary = "Check that replica groups fit the target";
  let tests = [
    "Conversion/PopToIPU/verify-replicas.mlir",
    "Conversion/PopToIPU/verify-replicas-shardings.mlir",
  ];
  let description = [{
    Checks variables and collectives against the number of replicas, a constant
    of the module's `ipu.target`: the size of groups must divide it, values must
    have one part for each group, and dimensions must fit the size of a group.
    Warns if values have shardings (`sdy.sharding`) and there are several
    replicas: this pipeline does not partition programs, so that each replica
    computes whole tensors.
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def SplitOpsPass : Pass<"pop-split-ops", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Split ops that exceed tile memory or run faster in stages";
  let tests = ["Conversion/PopToIPU/split-ops.mlir"];
  let description = [{
    Replaces an op by several ops that give the same bits
    (`TilePlanOpInterface`). Serial parts run one after the other and need less
    memory at a time; stages share the work of one output among tiles.
    (`pop-map-tensors` splits the parallel loops of each op over tiles
    afterwards.) The pass rates an op by its best plan, and a split by the best
    plans of the new ops and by the exchanges between them.

    - An op that has a plan within its share of tile memory is split only into
      stages that take fewer estimated cycles.
    - For an op without such a plan, the pass takes the split with the fewest
      cycles among those whose ops all have one. If there is none, it takes the
      split that exceeds the share by the fewest bytes, and splits its parts
      again. A warning says if no split needs less memory.
    - Where ops were split into serial parts, the pass also tries smaller
      shares, as long as all ops then have plans and the whole program, planned
      with the given share, gets faster.

    The share is the pass option or the op's `ipu.available_memory_proportion`.
    Needs `pop-decompose` before it. Ops with an `ipu.map` stay as they are.

    Each split is a remark of category `ipu-split`.

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
  let summary = "Choose the tile mapping of each tensor";
  let tests = [
    "Conversion/PopToIPU/map-tensors.mlir",
    "Conversion/PopToIPU/map-tensors-generic.mlir",
    "Conversion/PopToIPU/map-functions.mlir",
  ];
  let description = [{
    Sets `ipu.map` on the arguments of functions, on each op whose result needs
    storage, and on variables. Views need none. A view that strides cannot
    express, such as a reshape of a transposed tensor, is copied and gets the
    tile mapping of the copy. The tile mapping of a computed result is also the
    plan of its op: each tile computes what it holds. A function is planned
    once, together with those that call it and as often as they do. Variables
    that they share, such as those that calls pass, have one tile mapping. If
    several programs use a variable, it has the tile mapping that the first
    program chose. Each tensor has a few candidates: the plans of its op alone,
    tile mappings that follow an operand's, tile mappings that a consumer's plan
    prefers, and the elements in row-major order over all tiles. The pass
    chooses the candidates whose steps together (compute sets, exchanges between
    them, syncs, host copies) take the fewest estimated cycles, by dynamic
    programming over the whole program. See docs/planner.md.

    Existing `ipu.map`s are kept. A remark of category `ipu-plan` has the
    estimated cycles of the program, of the generic tile mappings, and of the
    start of the search (the best tile mapping of each op in program order); and
    how many plans and cost tables were requested and how many of these were
    cached.

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
  let summary = "Lower mapped `pop` functions to `ipu` programs";
  // Other conditions are on ops of pop, of which none is left.
  let preserves = [HOST_IO_EXPLICIT];
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Conversion/PopToIPU/convert-pop-to-ipu.mlir",
    "Conversion/PopToIPU/convert-pop-to-ipu-invalid.mlir",
  ];
  let description = [{
    Lowers the entry function and the functions that it calls. Arguments of the
    entry become host streams and loads; results become stores and streams. An
    op that a codelet computes becomes a compute set with one vertex on each
    tile of its tile mapping. A constant becomes a variable with an initial
    value, a move an exchange, and a view a `memref.reinterpret_cast`. Equal
    codelets are made once. Operands may be on other tiles than the vertices
    that read them, until `ipu-materialize-exchange` copies them there.

    An argument's stream is named by its `pop.name` or `argN`, a result's by its
    `pop.name` or `resultN`. An argument's `pop.default` is its stream's
    `default_value`. Codelets get names that differ from these. If two streams
    would have the same name, or one would have the name of another symbol, the
    stream is renamed with a warning.

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
