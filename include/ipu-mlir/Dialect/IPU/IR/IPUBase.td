//===- IPUBase.td - ipu dialect and attributes -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPUBASE
#define IPU_MLIR_DIALECT_IPU_IR_IPUBASE

include "ipu-mlir/Dialect/IPU/IR/IPUEnums.td"
include "ipu-mlir/Interfaces/DeviceEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "ipu-mlir/Dialect/IPU/IR/IPUInterfaces.td"
include "ipu-mlir/Support/DialectAttributes.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def IPU_Dialect : Dialect {
  let name = "ipu";
  let cppNamespace = "::mlir::ipu";
  let summary = "Programs of an IPU-like machine";
  let description = [{
    The dialect describes programs of a machine with many tiles. Each tile has its
    own memory. The tiles run bulk-synchronous steps: every tile computes on the
    elements that it holds, all tiles synchronise, and tiles exchange data. A
    program is a module with an `ipu.target` attribute, streams, codelets, and a
    `func.func` without arguments and results. The ops of this function are the
    steps of the program, in order.

    A variable is a `memref` whose memory space is a `#ipu.map`. This tile mapping
    assigns the elements of the variable to tiles. A view of a variable is the result
    of a `memref.reinterpret_cast`. The type of the view keeps the tile mapping of
    the variable; the offset and strides of the view select elements of the variable.
    One op describes the work of all tiles, so the size of the IR does not depend on
    the number of tiles.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let extraClassDeclaration = [{
    /// Attribute of a module: the target machine (`#ipu.target`).
    static constexpr ::llvm::StringLiteral kTargetAttrName = "ipu.target";
    /// Attribute of an op or argument: its tile mapping (`#ipu.map`).
    static constexpr ::llvm::StringLiteral kTileMappingAttrName = "ipu.map";
    /// Attribute of a pop op: the largest share of tile memory that the operands
    /// and results of the op may take (a 64-bit float from 0 to 1).
    static constexpr ::llvm::StringLiteral kAvailableMemoryAttrName =
        "ipu.available_memory_proportion";
    /// Attribute of a module: the number of tensors that each stream transfers
    /// in one run (a positive i64); the default is 1.
    static constexpr ::llvm::StringLiteral kHostTransfersAttrName =
        "ipu.host_transfers";
    /// Attribute of a module: the source of random bits in the codelets of the
    /// module (`#ipu<rng_generator ...>`); see `ipu.random_bits`.
    static constexpr ::llvm::StringLiteral kRngAttrName = "ipu.rng";
    /// Attribute of an op that writes variables (`ipu.vertices`, `ipu.move`, loads,
    /// collectives): the equality classes of replicas on which the values that the
    /// op writes are equal (`#pop.replica_partition`).
    static constexpr ::llvm::StringLiteral kReplicaEqualAttrName =
        "ipu.replica_equal";
    /// Attribute of a step, or of an op in a step: the ops of the source from
    /// which it comes (a list of `#ipu.origin`). By default, it comes from the
    /// op at its location. MergeSteps sets the attribute, because a merged step
    /// does not have the names of all its ops.
    static constexpr ::llvm::StringLiteral kOriginsAttrName = "ipu.origins";
    /// Attribute of a program: the memory that the program needs
    /// (`#ipu.memory_summary`).
    static constexpr ::llvm::StringLiteral kMemoryAttrName = "ipu.memory";

  private:
    void registerAttributes();

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class IPU_Attr<string name, string mnemonic_> : AttrDef<IPU_Dialect, name> {
  let mnemonic = mnemonic_;
}

def IPU_TileMappingAttr : IPU_Attr<"TileMapping", "map"> {
  let summary = "Tile mapping of a variable";
  let description = [{
    `domain` is a shape with as many elements as the variable. Element i of the
    variable, in row-major order, is element i of the domain. The tiles from tile
    `first` on form a `grid`, in row-major order. The tile with the grid coordinates
    p holds a region of the domain. `blocks` has one block for each dimension of the
    domain; the block gives the interval of the region in this dimension. In the
    block `pA * step : extent`, A is the number of a grid axis. The block is the
    interval from p[A] * step up to, but not including, p[A] * step + extent, clipped
    at the end of the dimension. The block `all` is the whole dimension. A region may
    be empty.

    If a grid axis is in no block, tiles that differ only in their coordinates along
    this axis hold copies of the same elements. If the extent of a block exceeds its
    step, the regions of neighbouring tiles overlap (halos).

    With `ipus`, the grid is nested: it is divided into equal parts, one for each
    IPU. For each axis of the grid, `ipus` has the number of equal parts into which
    the axis is divided. The IPUs are in row-major order, and the tiles of each IPU
    are in row-major order as well. The tiles of IPU i begin at `first + i * N`, where
    N is the number after `*` in `ipus = [...] * N`. Therefore tiles that are near
    each other along several axes are on one IPU. Tiles after the part of one IPU and
    before the part of the next IPU hold no elements.

    `layout` gives the order in which a tile stores the elements of its region. The
    layout is an affine map from the dimensions of the domain to the dimensions of
    the storage, outermost first. A dimension may be divided into groups; for
    example, channels may be in groups as large as the depth of the matrix unit. The
    storage then has one dimension for the number of the group and one for the
    position in the group. Without a layout, the storage has the dimensions of the
    domain. A layout never changes values. It changes which elements are contiguous
    in memory, and therefore the cost of exchanges.

    ```mlir
    // 802816 elements in order on 1471 tiles, at most 546 on each tile.
    #ipu.map<[802816], grid = [1471], blocks = [p0 * 546 : 546]>
    // A left operand of a matmul. The tiles of each row of the grid hold copies of
    // the same 16 rows.
    #ipu.map<[128, 784], grid = [8, 23], blocks = [p0 * 16 : 16, all]>
    // An image of 64 channels on each of 16 tiles, in groups of 16 channels that
    // are stored next to each other: [C/16][H][W][16].
    #ipu.map<[16, 64, 14, 14], grid = [16], blocks = [p0 * 1 : 1, all, all, all],
        layout = affine_map<(n, c, h, w) -> (n, c floordiv 16, h, w, c mod 16)>>
    // An image on 2 x 2 IPUs of 1472 tiles. Each IPU has a quarter of the image in
    // 32 x 46 parts.
    #ipu.map<[512, 736], grid = [64, 92], blocks = [p0 * 8 : 8, p1 * 8 : 8],
        ipus = [2, 2] * 1472>
    ```
    (C1) There is one block for each dimension of the domain. The sizes of the domain
    are not negative.
    (C2) Grid extents are positive, `first` is not negative, and tile numbers are
    below 2^20.
    (C3) The axis of a block is an axis of the grid. The step and the extent of a
    block are positive.
    (C4) No two blocks have the same axis.
    (C5) The layout has no symbols and as many dimensions as the domain. The results
    of the layout use each dimension either once and directly, or twice: first by
    `floordiv` and then by `mod`, both with the size of the dimension's groups.
    (C6) A group has at least two elements. Its size divides the size of the
    dimension. If an axis splits the dimension, the size of the group also divides
    the step and the extent of the block.
    (C7) `ipus` has one positive number for each axis of the grid; this number
    divides the extent of the axis. The product of the numbers is at least 2. The
    number after `*` is at least the number of tiles in one part of the grid.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$domain,
                        ArrayRefParameter<"int64_t">:$grid,
                        ArrayRefParameter<"::mlir::ipu::TileMappingBlock">:$blocks,
                        "int64_t":$first,
                        "::mlir::AffineMap":$layout,
                        ArrayRefParameter<"int64_t">:$ipus,
                        "int64_t":$ipuTiles);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$domain,
                     "::llvm::ArrayRef<int64_t>":$grid,
                     "::llvm::ArrayRef<::mlir::ipu::TileMappingBlock>":$blocks), [{
      return $_get($_ctxt, domain, grid, blocks, /*first=*/0,
                   ::mlir::AffineMap(), ::llvm::ArrayRef<int64_t>(),
                   /*ipuTiles=*/0);
    }]>,
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$domain,
                     "::llvm::ArrayRef<int64_t>":$grid,
                     "::llvm::ArrayRef<::mlir::ipu::TileMappingBlock>":$blocks,
                     "int64_t":$first), [{
      return $_get($_ctxt, domain, grid, blocks, first, ::mlir::AffineMap(),
                   ::llvm::ArrayRef<int64_t>(), /*ipuTiles=*/0);
    }]>,
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$domain,
                     "::llvm::ArrayRef<int64_t>":$grid,
                     "::llvm::ArrayRef<::mlir::ipu::TileMappingBlock>":$blocks,
                     "int64_t":$first, "::mlir::AffineMap":$layout), [{
      return $_get($_ctxt, domain, grid, blocks, first, layout,
                   ::llvm::ArrayRef<int64_t>(), /*ipuTiles=*/0);
    }]>,
  ];
  let extraClassDeclaration = [{
    /// Returns the number of tiles from the first to the last tile of the grid. The
    /// number includes tiles with empty regions and tiles between IPUs.
    int64_t getNumTiles() const;
    /// Returns true if the grid is nested, that is, divided among IPUs by `ipus`.
    bool isNested() const { return !getIpus().empty(); }
    /// getNumIPUs returns the number of IPUs of a nested grid, and 1 for any other
    /// grid. getGridTilesPerIPU returns the number of tiles of the grid on each IPU.
    int64_t getNumIPUs() const;
    int64_t getGridTilesPerIPU() const;
    /// Returns the strides of each axis. The number of a tile is computed from the
    /// strides of all axes and the coordinates of the tile.
    ::llvm::SmallVector<::mlir::ipu::GridAxis> getGridAxes() const;
    /// Returns true if the `index`th tile has coordinates in the grid. Tiles
    /// between the parts of two IPUs have no coordinates.
    bool isInGrid(int64_t index) const {
      return !isNested() || index % getIpuTiles() < getGridTilesPerIPU();
    }
    /// Returns true if `other` has the same grid on the same tiles.
    bool hasGridOf(TileMappingAttr other) const {
      return getGrid() == other.getGrid() && getFirst() == other.getFirst() &&
             getIpus() == other.getIpus() &&
             getIpuTiles() == other.getIpuTiles();
    }
    /// Returns a tile mapping that has the grid and the tiles of this tile mapping,
    /// and the given domain, blocks and layout.
    TileMappingAttr withBlocks(
        ::llvm::ArrayRef<int64_t> domain,
        ::llvm::ArrayRef<::mlir::ipu::TileMappingBlock> blocks,
        ::mlir::AffineMap layout = {}) const {
      return get(getContext(), domain, getGrid(), blocks, getFirst(), layout,
                 getIpus(), getIpuTiles());
    }
    int64_t getNumElements() const;
    /// Returns the region of the grid's `index`th tile, whose number is `first +
    /// index`. The region is empty if the tile is between the parts of two IPUs.
    ::mlir::ipu::IndexRegion getTileRegion(int64_t index) const;
    /// Returns the number of elements of the fullest tile.
    int64_t getMaxElements() const;
    /// Returns true if each element is on at least one tile.
    bool covers() const;
    /// Returns true if each element is on exactly one tile.
    bool coversOnce() const;
    /// Returns true if each element is on at most one tile.
    bool isDisjoint() const;
    /// Returns the dimensions of the storage of a region, outermost first.
    ::llvm::SmallVector<::mlir::ipu::StorageDim> getStorageDims() const;
    /// Returns this tile mapping with `layout`, or without a layout if `layout` is
    /// null. Returns null if (C5) or (C6) does not hold for the new tile mapping.
    TileMappingAttr withLayout(::mlir::AffineMap layout) const;
    /// Returns this tile mapping with `layout`, in which the size of each group
    /// is reduced to its largest divisor that (C6) allows. Asserts that (C5)
    /// holds.
    TileMappingAttr withFittedLayout(::mlir::AffineMap layout) const;
    TileMappingAttr withoutLayout() const;
    /// Returns the tile mapping of a tensor whose dimension i is dimension `order[i]`
    /// of this tile mapping. Tiles whose regions differ only in dimensions that are
    /// not in `order` hold copies. A layout keeps the order of storage. Without a
    /// layout, tiles store the elements in the order of the new dimensions.
    TileMappingAttr permute(::llvm::ArrayRef<unsigned> order) const;
    /// Returns this tile mapping with another `domain`, which may differ from the
    /// current domain only in dimensions of size 1. Returns null if other
    /// dimensions differ.
    TileMappingAttr refactor(::llvm::ArrayRef<int64_t> domain) const;
    /// Returns an equivalent tile mapping without groups and with as few dimensions
    /// as possible. A dimension with groups becomes two dimensions, and dimensions
    /// of size 1 are dropped. A dimension that no axis splits is merged with the
    /// previous dimension of the domain if it also follows the previous dimension
    /// in the storage. The new grid is nested only if the tile numbers require a
    /// nested grid.
    TileMappingAttr getCanonical() const;
    /// Returns true if each tile holds the same elements in the same order as in
    /// `other`. The method compares canonical forms. It may return false for
    /// equivalent tile mappings if their canonical forms differ.
    bool isEquivalentTo(TileMappingAttr other) const;
    /// Returns the tile mapping of all elements to tile `first`.
    static TileMappingAttr getSingle(::mlir::MLIRContext *context,
                             ::llvm::ArrayRef<int64_t> domain,
                             int64_t first = 0);
  }];
}

def IPU_TargetAttr : IPU_Attr<"Target", "target"> {
  let summary = "Target machine of a program";
  let description = [{
    A target is a preset (`gc2`, `gc200`, `bow`, `c600`) and the constants that
    differ from the preset. docs/device-model.md lists all constants with units,
    defaults and sources.

    ```mlir
    module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64}>} {}
    ```
    (C1) The preset exists.
    (C2) Each key is a constant of the device model, and its value is a positive i64,
    or zero if the constant may be zero.
    (C3) A replica has at most 2^20 tiles, and all replicas together have at most
    2^24.
    (C4) At least one tile of each IPU is not an I/O tile.
  }];
  let parameters = (ins StringRefParameter<>:$preset,
                        OptionalParameter<"::mlir::DictionaryAttr">:$overrides);
  let assemblyFormat = "`<` $preset (`,` $overrides^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns all constants of this machine.
    ::mlir::ipu::TargetModel getModel() const;
  }];
}

def IPU_CodeletCostAttr : IPU_Attr<"CodeletCost", "codelet_cost"> {
  let summary = "Formula for the cycles of one vertex";
  let description = [{
    In the formulas, W is the number of workers of a tile. The first output of the
    vertex has n elements. One load reads V elements of an input. `supervisor` and
    `worker` are the fixed cycles of the supervisor and of a worker. In most
    formulas, a worker takes `cycles` cycles for each group of `per` elements.
    - `vector`: `supervisor + W * (worker + cycles * ceil(ceil(n / W) / per))`. For a
      sum of more than two operands, `combined` is the number of operands. This
      number determines the floating-point operations of the vertex, not its cycles.
    - `reduce`: `supervisor + W * (worker + ceil(n / W) * (12 + ceil(combined / V)))`.
      Each output element combines `combined` input elements.
    - `reduce_columns`:
      `supervisor + W * (worker + (3 * combined + 7) * ceil(ceil(n / W) / per))`.
      Each output element combines `combined` input elements. For inputs of f32, the
      cost is at most the cost of `combined - 1` elementwise additions. A vertex has
      a pointer to each row of the first input.
    - `matmul`, `conv`: the cost of the cheapest method for the local sizes of the
      operands. The kernel of a convolution moves by `stride` in the innermost
      spatial dimension; `stride` is 0 if the kernel is dilated.

      If `per` is not 0, the machine has no matrix unit for the type. With m
      multiply-adds for each output element, the cost is then
      `supervisor + W * (worker + cycles * ceil(m / per) * ceil(n / W))`.

      If the codelet computes partial sums of blocks, the first `combined` dimensions
      of the output are the indices of the blocks: `combined` is 1 for a matmul, and
      the number of spatial dimensions plus 1 for a convolution. Otherwise `combined`
      is 0. In the second input, a dimension for the blocks precedes each dimension
      for the addends of a block. If the last block has fewer addends than the
      others, the second input has one dimension for all addends instead. The cost
      then assumes that each block has the mean number of addends: the number of all
      addends divided by the number of blocks, rounded up.
    - `gather`: the output of the vertex has i rows of e elements. There is a row for
      each index (element of the second input) and each block of the table. The cost
      is `supervisor + W * (worker + ceil(i / W) * (19 + cycles * ceil(e / per)))`.
    - `scatter`: let i be the number of indices (elements of the second input). The
      output of the vertex has e columns and r of the `combined` rows of the whole
      result. The formula assumes that the updates are spread evenly over all rows,
      so that `u = ceil(i * r / combined)` updates are for these r rows. The cost is
      `supervisor + W * (worker + 5 * ceil(i / W) + ceil(u / W) * (17 + cycles * ceil(e / per)) +
      2 * ceil(ceil(n / W) / V))`.
    - `scatter_buckets`: as for `scatter`, with i updates (rows of the third input) in l
      lists (rows of the second input):
      `supervisor + W * (worker + 10 * ceil(l / W) + ceil(u / W) * (22 + cycles * ceil(e / per)) +
      2 * ceil(ceil(n / W) / V))`.
    - `bucket_indices`: with c chunks (the first two dimensions of the output) of
      `combined` indices,
      `supervisor + W * (worker + ceil(c / W) * cycles * combined + ceil(ceil(n / W) / per))`.
    - `select_and_scatter`: with w windows (elements of the second input), each of
      which has `combined` elements,
      `supervisor + W * (worker + ceil(ceil(n / W) / per) + ceil(w / W) * (20 + cycles * combined))`.
    - `sort`: with r = n / combined rows of `combined` elements in each of t inputs,
      `supervisor + W * (worker + ceil(r / W) * (cycles + 8 * (t - 1)) * combined * ceil(log2(combined)))`.
    - `dynamic_slice`: the output of the vertex has r rows of e elements, where e is
      the size of its last dimension. The cost is `supervisor + W * (worker + m)`. The
      workers share the rows or the elements of each row, whichever takes less time:
      m is the lesser of `ceil(r / W) * (19 + cycles * ceil(e / per))` and
      `r * (19 + cycles * ceil(ceil(e / W) / per))`.
    - `dynamic_update`: as for `dynamic_slice`, with the r rows of e elements of the
      second input. If the output has fewer positions along a dimension, only as many
      positions of the input count. If `combined` is 1, the rest of the output is copied
      from the first input, in `W * 2 * ceil(ceil(n / W) / V)` cycles.

    (C1) `supervisor`, `worker`, `cycles` and `per` are from 0 to 2^20. `combined`
    and `stride` are at least 0.
    (C2) `per` is positive for `vector`, `reduce_columns`, `gather`, `scatter`,
    `scatter_buckets`, `bucket_indices`, `select_and_scatter`, `sort`, `dynamic_slice`
    and `dynamic_update`.

    docs/device-model.md names the sources of the formulas.
  }];
  let parameters = (ins "CostKind":$kind, "int64_t":$supervisor,
                        "int64_t":$worker,
                        DefaultValuedParameter<"int64_t", "0">:$cycles,
                        DefaultValuedParameter<"int64_t", "0">:$per,
                        DefaultValuedParameter<"int64_t", "0">:$combined,
                        DefaultValuedParameter<"int64_t", "1">:$stride);
  let assemblyFormat = [{
    `<` $kind `,` struct($supervisor, $worker, $cycles, $per, $combined,
                         $stride) `>`
  }];
  let extraClassDeclaration = [{
    /// Returns whether a vertex has a pointer to each row of its first input.
    bool hasRowPointers() const { return getKind() == CostKind::ReduceColumns; }
  }];
  let genVerifyDecl = 1;
}

def IPU_OriginAttr : IPU_Attr<"Origin", "origin"> {
  let summary = "Op of the source from which a step comes";
  let description = [{
    `op` is the kind of op, such as `pop.conv`. `name` is the op's name in the source,
    and `place` is its position `file:line:column`; both are empty if they are not
    known. If a step or a part of a step comes from several ops, `share` is the weight
    of this op relative to the other ops.

    ```mlir
    #ipu.origin<"pop.conv", name = "conv1", place = "model.mlir:12:8", share = 3>
    ```
    (C1) `share` is not negative.
  }];
  let parameters = (ins StringRefParameter<>:$op,
                        StringRefParameter<"", [{""}]>:$name,
                        StringRefParameter<"", [{""}]>:$place,
                        DefaultValuedParameter<"int64_t", "1">:$share);
  let assemblyFormat = "`<` $op (`,` struct($name, $place, $share)^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns this origin with another share.
    OriginAttr withShare(int64_t share) const {
      return get(getContext(), getOp(), getName(), getPlace(), share);
    }
  }];
}

def IPU_CostShareAttr : IPU_Attr<"CostShare", "cost_share"> {
  let summary = "Share of the cost of one step";
  let description = [{
    The part of the cost of a step that belongs to one op of the source (see
    `#ipu.step_cost`). `cycles` has one number for each IPU of a replica.

    ```mlir
    #ipu.cost_share<<"pop.add", name = "fc0">, cycles = [40], flops = 64, bytes = 0>
    ```
  }];
  let parameters = (ins "::mlir::ipu::OriginAttr":$origin,
                        ArrayRefParameter<"int64_t">:$cycles,
                        "int64_t":$flops, "int64_t":$bytes);
  let assemblyFormat = [{
    `<` $origin `,` `cycles` `=` `[` $cycles `]` `,` struct($flops, $bytes) `>`
  }];
}

def IPU_StepCostAttr : IPU_Attr<"StepCost", "step_cost"> {
  let summary = "Estimated cost of one step";
  let description = [{
    `cycles` has one number for each IPU of a replica: the cycles of the slowest tile
    of this IPU. `total` is the sum of the cycles of all tiles, and `tile` is the
    number of the slowest of all tiles. `flops` is the number of floating-point
    operations of all tiles, and `bytes` is the number of bytes that all tiles
    receive.

    If the step comes from several ops of the source, `shares` has the part of the
    cost that belongs to each of these ops.

    (C1) If there are `shares`, their cycles on each IPU, their flops and their bytes
    add up to those of the step.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$cycles,
                        "int64_t":$total, "int64_t":$tile, "int64_t":$flops,
                        "int64_t":$bytes,
                        OptionalArrayRefParameter<
                            "::mlir::ipu::CostShareAttr">:$shares);
  let assemblyFormat = [{
    `<` `cycles` `=` `[` $cycles `]` `,` struct($total, $tile, $flops, $bytes)
    (`,` `shares` `=` `[` $shares^ `]`)? `>`
  }];
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$cycles, "int64_t":$total,
                     "int64_t":$tile, "int64_t":$flops, "int64_t":$bytes), [{
      return $_get($_ctxt, cycles, total, tile, flops, bytes,
                   ::llvm::ArrayRef<::mlir::ipu::CostShareAttr>());
    }]>,
  ];
  let genVerifyDecl = 1;
}

def IPU_DrawAttr : IPU_Attr<"Draw", "draw"> {
  let summary = "Selection of an op's random bits";
  let description = [{
    With the generator `counter`, the random bits of an element are a function of the
    RNG state, of the number of the element, and of this attribute. Draws with
    different numbers therefore get different bits. `offset` is added to the number
    of times that the state has been advanced (`ipu.advance_rng`). With the offset
    -1, an op draws the bits that it would have drawn before the last advance.

    ```mlir
    #ipu.draw<80>
    #ipu.draw<80, offset = -1>
    ```
    (C1) `number` is from 0 to 2^28 - 1.
    (C2) `offset` is a signed integer of 32 bits.
  }];
  let parameters = (ins "int64_t":$number,
                        DefaultValuedParameter<"int64_t", "0">:$offset);
  let assemblyFormat = "`<` $number (`,` struct($offset)^)? `>`";
  let genVerifyDecl = 1;
}

def IPU_MemorySummaryAttr : IPU_Attr<"MemorySummary", "memory_summary"> {
  let summary = "Estimated memory of the fullest tile";
  let description = [{
    `ipu-allocate` sets the attribute `ipu.memory` of a program. `tile` is the first
    of the tiles that need the most memory, and `step` is the number of the step at
    which the variables of this tile take the most memory. Tiles that need equal
    memory form a class, and `classes` is the number of classes. `bytes` is the
    number of bytes in use on `tile`. `least` is a lower bound of `bytes`: no choice
    of addresses needs fewer bytes. The other values add up to `bytes`;
    docs/memory.md explains them. The attribute is for readers and tests: no pass
    reads its values. If a program has the attribute, the execution of the program
    does not repeat the warnings of `ipu-allocate`.
  }];
  let parameters = (ins "int64_t":$tile, "int64_t":$step, "int64_t":$classes,
                        "int64_t":$bytes, "int64_t":$least, "int64_t":$stack,
                        "int64_t":$vertex_code, "int64_t":$exchange_code,
                        "int64_t":$control_code, "int64_t":$vertex_state,
                        "int64_t":$host_exchange, "int64_t":$always_live,
                        "int64_t":$not_always_live, "int64_t":$gaps);
  let assemblyFormat = "`<` struct(params) `>`";
}

def IPU_SyncKindAttr : EnumAttr<IPU_Dialect, IPU_SyncKind, "sync_kind">;

def IPU_CollectiveOperatorAttr
  : EnumAttr<IPU_Dialect, CollectiveOperator, "collective_operator">;
def IPU_RetrievalAttr
  : EnumAttr<IPU_Dialect, Retrieval, "retrieval">;
def IPU_RngGeneratorAttr
  : EnumAttr<IPU_Dialect, RngGenerator, "rng_generator">;
def IPU_RoundingOverflowAttr
  : EnumAttr<IPU_Dialect, RoundingOverflow, "rounding_overflow">;
def IPU_StreamDirectionAttr
  : EnumAttr<IPU_Dialect, StreamDirection, "stream_direction">;
def IPU_CodeLocationAttr
  : EnumAttr<IPU_Dialect, CodeLocation, "code_location">;

def IPU_CollectiveKindAttr
  : EnumAttr<IPU_Dialect, IPU_CollectiveKind, "collective_kind">;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A memref whose memory space is a #ipu.map: a variable or a view of a
/// variable.
def IPU_Var : Type<CPred<"::mlir::ipu::isVariableType($_self)">,
    "statically shaped memref of at most 2^56 integers or floats with static "
    "strides and a #ipu.map as memory space",
    "::mlir::MemRefType">;

class IPU_Op<string mnemonic, list<Trait> traits = []>
  : Op<IPU_Dialect, mnemonic, [OnlyKnownAttributes] # traits>;

/// An op that may be in a program or in the body of a loop in a program.
def IPU_InProgram : NativeOpTrait<"InProgram"> {
  let cppNamespace = "::mlir::ipu";
}

/// An op that is a step of the kind `kind`. Set `stepName` if the mnemonic does
/// not describe the step. If an op overrides `extraClassDeclaration`, the new
/// declarations must include `stepDeclaration`. A new step also needs external
/// models in other libraries; see docs/add-a-step.md.
class IPU_StepOp<string mnemonic, string kind, list<Trait> traits = []>
    : IPU_Op<mnemonic,
             !listconcat(traits, [IPU_InProgram, IPU_StepOpInterface])> {
  dag costArgument = (ins OptionalAttr<IPU_StepCostAttr>:$cost);
  /// A C++ expression whose value is the name of the step in the profile.
  string stepName = "getOperation()->getName().stripDialect()";
  /// A C++ expression whose value is the kind of op from which the step comes,
  /// such as `pop.conv`.
  string sourceOp = "getOperation()->getName().stripDialect()";
  string stepDeclaration = [{
    ::mlir::ipu::StepKind getStepKind() {
      return ::mlir::ipu::StepKind::}] # kind # [{;
    }
    ::std::string getStepName() { return ::std::string(}] # stepName # [{); }
    ::std::string getSourceOp() { return ::std::string(}] # sourceOp # [{); }
  }];
  let extraClassDeclaration = stepDeclaration;
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUBASE
