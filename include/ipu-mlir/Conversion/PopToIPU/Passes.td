//===- Passes.td - Conversion of pop to ipu ----------------*- tablegen -*-===//
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
    Checks that variables and collectives fit the number of replicas, which is a
    constant of the module's `ipu.target`. The replica groups of a variable or
    collective must divide all replicas into groups of equal size. If the initial
    value of a variable has one tensor for each replica group, the number of these
    tensors must be the number of groups. The types of a collective's operands and
    results must match the size of the collective's groups.

    The pass warns if values have shardings (`sdy.sharding`) and there are several
    replicas. The reason is that the pipeline does not partition programs, so each
    replica computes whole tensors.
  }];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def SplitOpsPass : Pass<"pop-split-ops", "::mlir::ModuleOp">, Contract {
  let summary = "Split ops that exceed tile memory or run faster in stages";
  // If calls compute the parts of a tensor, the pass copies each part into the
  // tensor by an op that writes in place.
  let preserves = !listremove(AllConditions, [NO_INPLACE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Conversion/PopToIPU/split-ops.mlir",
    "Conversion/PopToIPU/split-calls.mlir",
  ];
  let description = [{
    Replaces an op by several ops that compute the same bits (`TilePlanOpInterface`).
    There are two kinds of splits. Serial parts run one after the other, so that the
    program needs less memory at a time. Stages distribute the work for one output
    over more tiles. (`pop-map-tensors` distributes the parallel loops of each op
    over tiles afterwards.) The planner chooses the splits (docs/planner.md), and the
    pass applies them. The cost of an op is the cost of its best plan. The cost of a
    split is the sum of the costs of the new ops and of the exchanges between them.

    - If an op has a plan within its share of tile memory, the planner splits the op
      only into stages, and only if the stages take fewer estimated cycles than the
      op.
    - If an op has no such plan, the planner considers the splits in which each new
      op has a plan within the share, and chooses the split with the fewest estimated
      cycles. If there is no such split, the planner chooses the split that exceeds
      the share by the fewest bytes, and splits the new ops again. If no split needs
      less memory, the pass emits a warning.
    - If ops have serial parts, the splits for smaller shares are alternatives. The
      planner estimates the cycles of the whole program for each alternative, with
      the unreduced shares, and chooses the best one. It tries no smaller share if an
      op has no plan within the share, or if two different alternatives in a row are
      not better than the best one.
    - With `serial-parts=calls`, serial parts that differ only in their operands
      become calls of one private function. With `serial-parts=best`, serial parts
      become calls if the whole program then fits better or is faster. Two kinds of
      ops that use the results of the parts move into the function: reductions over
      dimensions that the split does not divide, and casts to a narrower type with
      rounding to nearest. Parts that may draw random bits stay ops.
      `pop-lower-calls` has to run afterwards.

    The attribute `ipu.available_memory_proportion` of an op is its share of tile
    memory. For an op without this attribute, the share is the option
    `available-memory-proportion`. The pass runs after `pop-decompose`. The pass does
    not change ops that have an `ipu.map`.

    The pass reports each split in a remark of category `ipu-split`. If there is more
    than one alternative, another remark compares the chosen one with the best other
    one.

    In the following example, each tile computes one output. The share of tile memory is
    less than a row of the left operand and a column of the right operand take together,
    but more than half of that. The attribute `accum = #pop.accum<chain>` of the matmuls
    is omitted. Before:
    ```mlir
    %y = pop.matmul %a, %b : (tensor<64x9216xf32>, tensor<9216x16xf32>) -> tensor<64x16xf32>
    ```
    After:
    ```mlir
    %0 = pop.matmul %a0, %b0 : (tensor<64x4608xf32>, tensor<4608x16xf32>) -> tensor<64x16xf32>
    %y = pop.matmul %a1, %b1, %0 : (tensor<64x4608xf32>, tensor<4608x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    ```
    With `serial-parts=calls`, a split that divides the rows can give:
    ```mlir
    %r = pop.alloc undef : !pop.ref<64x16xf32>
    %0 = call @main.matmul(%a0, %b) : (tensor<32x9216xf32>, tensor<9216x16xf32>) -> tensor<32x16xf32>
    %r0 = pop.ref_slice %r {sizes = array<i64: 32, 16>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : !pop.ref<64x16xf32> -> !pop.ref<32x16xf32>
    pop.copy_ %r0, %0 : !pop.ref<32x16xf32>, tensor<32x16xf32>
    ```
  }];
  let options = [
    Option<"availableMemoryProportion", "available-memory-proportion", "double",
           /*default=*/"0.6",
           "Share of tile memory, 0 to 1, for operands and results of an op">,
    Option<"serialParts", "serial-parts", "::mlir::ipu::SerialPartsKind",
           /*default=*/"::mlir::ipu::SerialPartsKind::Best",
           "Form of serial parts that differ only in their operands", [{::llvm::cl::values(
             clEnumValN(::mlir::ipu::SerialPartsKind::Best, "best",
               "calls if the program then fits better or is faster, otherwise ops"),
             clEnumValN(::mlir::ipu::SerialPartsKind::Ops, "ops",
               "separate ops, each with its own code"),
             clEnumValN(::mlir::ipu::SerialPartsKind::Calls, "calls",
               "calls of one function"))}]>,
  ];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::ipu::IPUDialect",
    "::mlir::pop::PopDialect",
  ];
}

def MapTensorsPass : Pass<"pop-map-tensors", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Choose the tile mapping of each tensor";
  let tests = [
    "Conversion/PopToIPU/map-tensors.mlir",
    "Conversion/PopToIPU/map-tensors-generic.mlir",
    "Conversion/PopToIPU/map-functions.mlir",
  ];
  let description = [{
    Sets the attribute `ipu.map` of the arguments of functions, of each op whose
    result needs storage, and of variables. A view needs no tile mapping. If strides
    cannot express a view, for example the view that reshapes a transposed tensor,
    the view is copied. The `ipu.map` of the view is then the tile mapping of the
    copy. If a returned value is not a whole variable in row-major order, the value
    is copied, too. The tile mapping of this copy is the `ipu.map` of the function's
    result. If the returned value is not copied, the `ipu.map` of the result has no
    effect. The tile mapping of a computed result is also the plan of its op: each
    tile computes the elements that it holds.

    Each tensor has a few candidates: the plans of its op, tile mappings that follow
    the tile mapping of an operand, tile mappings that the plan of a consumer
    prefers, and the generic tile mapping, which distributes the elements over all
    tiles in row-major order. The pass chooses one candidate for each tensor so that
    all steps together (compute sets, the exchanges between them, syncs, and host
    copies) take the fewest estimated cycles. The search is dynamic programming over
    the whole program. If the target has several IPUs, the pass also plans the
    program for only the first IPU, for the first two IPUs, for the first four IPUs,
    and so on. It uses the plan with the fewest estimated cycles. See
    docs/planner.md.

    The pass plans a function once, together with its callers. The cycles of the
    function count once for each call. A variable that several functions share, for
    example an argument of a call, has one tile mapping. If several programs use a
    variable, the variable keeps the tile mapping that the pass chose for the first
    program. The pass keeps existing `ipu.map`s.

    A remark of category `ipu-plan` gives the estimated cycles of the program with
    three choices of tile mappings: the chosen tile mappings, the generic tile
    mappings, and the tile mappings from which the search starts (the best tile
    mapping of each op in program order). The remark also has the numbers of requests
    for plans and for cost tables, the numbers of these requests that the cache
    answered, and the number of IPUs that the program uses.

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
           "How tile mappings are chosen", [{::llvm::cl::values(
             clEnumValN(::mlir::ipu::PlannerKind::Program, "program",
             "the tile mappings with the fewest estimated cycles of the whole "
             "program"),
             clEnumValN(::mlir::ipu::PlannerKind::Generic, "generic",
             "tile mappings of elements in row-major order or, for an op that this "
             "order cannot partition, the op's first partition"))}]>,
    Option<"availableMemoryProportion", "available-memory-proportion", "double",
           /*default=*/"0.6",
           "Share of tile memory, 0 to 1, for operands and results of an op">,
    Option<"copyConstants", "copy-constants", "bool", /*default=*/"true",
           "Copy constants to all tiles that read them, if the memory allows it">,
  ];
  let dependentDialects = ["::mlir::ipu::IPUDialect"];
}

def ConvertPopToIPUPass
    : Pass<"convert-pop-to-ipu", "::mlir::ModuleOp">, Contract {
  let summary = "Lower mapped `pop` functions to `ipu` programs";
  // The other conditions are about pop ops, and no pop op is left.
  let preserves = [HOST_IO_EXPLICIT];
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Conversion/PopToIPU/convert-pop-to-ipu.mlir",
    "Conversion/PopToIPU/convert-pop-to-ipu-invalid.mlir",
  ];
  let description = [{
    Lowers the entry function and the functions that it calls. For each argument of
    the entry function, the pass creates a host stream and a load. For each result,
    the pass creates a host stream and a store. An op that a codelet computes becomes
    a compute set with one vertex on each tile of the op's tile mapping. A constant
    becomes a variable with an initial value, an op that moves elements becomes an
    exchange, and a view becomes a `memref.reinterpret_cast`. Ops with equal codelets
    share one `ipu.codelet`. A vertex may read operands from other tiles until
    `ipu-materialize-exchange` copies these operands to the tile of the vertex.

    The name of an argument's stream is the `pop.name` of the argument or, without a
    `pop.name`, `argN`. The name of a result's stream is the `pop.name` of the result
    or, without a `pop.name`, `resultN`. The `pop.default` of an argument becomes the
    `default_value` of its stream. The pass does not give a codelet the name of a
    stream. If two streams would have the same name, or a stream would have the name
    of another symbol, the pass renames the stream and emits a warning.

    A variable becomes an `ipu.storage` and an `ipu.state`. A ref becomes the
    `ipu.var` of the storage, or a view of this `ipu.var`. Loops, branches and calls
    become loops, branches and calls of the ipu dialect. If the op that computes the
    value of a `pop.copy_` can write to the ref directly, the pass lets this op write
    to the ref. Otherwise the `pop.copy_` becomes an exchange.

    The pass runs after `pop-lower-calls`, `pop-lower-control-flow`,
    `pop-decompose`, `pop-snapshot-reads` and `pop-map-tensors`. It emits an error
    for an op of another dialect and for a pop op that these passes should have
    replaced.

    Before:
    ```mlir
    func.func @main(%x: tensor<8xf32> {ipu.map = #map}) -> tensor<8xf32> {
      %0 = pop.relu %x {ipu.map = #map} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    ipu.stream @arg0 host_to_device : tensor<8xf32>
    ipu.stream @result0 device_to_host : tensor<8xf32>
    ...
    func.func @main() {
      %0 = ipu.var "arg0" : memref<8xf32, #map>
      ipu.host_load @arg0 to %0 : memref<8xf32, #map>
      %1 = ipu.var "relu" : memref<8xf32, #map>
      ipu.compute_set "relu" {
        ipu.vertices @relu ins(%0 : memref<8xf32, #map>) outs(%1 : memref<8xf32, #map>) access [#map, #map]
      }
      ipu.host_store %1 to @result0 : memref<8xf32, #map>
      return
    }
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
           "Function that becomes the program">,
  ];
  let dependentDialects = [
    "::mlir::ipu::IPUDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  ];
}

#endif // IPU_MLIR_CONVERSION_POPTOIPU_PASSES
