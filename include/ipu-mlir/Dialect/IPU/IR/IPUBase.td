//===- IPUBase.td - ipu dialect and attributes --------------*- tablegen -*-===//
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

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def IPU_Dialect : Dialect {
  let name = "ipu";
  let cppNamespace = "::mlir::ipu";
  let summary = "Programs of an IPU-like machine";
  let description = [{
    A machine of many tiles, each with its own memory, that run
    bulk-synchronous steps: every tile computes on what it holds, all
    synchronise, tiles exchange data. A program is a module with an `ipu.target`
    attribute, streams, codelets, and a `func.func` without arguments or
    results whose ops are the steps, in order.

    A variable is a `memref` whose memory space is a `#ipu.map`: which tile
    holds which elements. Views of it are `memref.reinterpret_cast`s: their type
    keeps the tile mapping of the variable, and their offset and strides say which of
    its elements they are. One op stands for all tiles; nothing in the IR grows
    with their number.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let extraClassDeclaration = [{
    /// Attribute of a module: the machine it is for (`#ipu.target`).
    static constexpr ::llvm::StringLiteral kTargetAttrName = "ipu.target";
    /// Attribute of an op or argument that says where a tensor lies (`#ipu.map`).
    static constexpr ::llvm::StringLiteral kTileMappingAttrName = "ipu.map";
    /// Attribute of a pop op: the share of tile memory that its operands and
    /// results may take, a 64-bit float from 0 to 1.
    static constexpr ::llvm::StringLiteral kAvailableMemoryAttrName =
        "ipu.available_memory_proportion";
    /// Attribute of a module: how many tensors of each stream the host holds
    /// for one run, a positive i64; 1 without it.
    static constexpr ::llvm::StringLiteral kHostTransfersAttrName =
        "ipu.host_transfers";
    /// Attribute of a module: where its codelets get random bits from
    /// (`#ipu<rng_generator ...>`); see `ipu.random_bits`.
    static constexpr ::llvm::StringLiteral kRngAttrName = "ipu.rng";
    /// Attribute of what writes variables (`ipu.vertices`, `ipu.move`, loads,
    /// collectives): on which replicas all that it writes is equal afterwards,
    /// a #pop.replica_partition.
    static constexpr ::llvm::StringLiteral kReplicaEqualAttrName =
        "ipu.replica_equal";
    /// Attribute of a program: the memory it needs (`#ipu.memory_summary`).
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
    `domain` is a factorisation of the variable's elements in row-major order.
    The tiles form a `grid`, row-major, from tile `first` on; the tile with grid
    coordinates p holds the region of the domain that `blocks` gives, one block
    for each dimension: `pA * step : extent` is [p[A] * step, p[A] * step +
    extent), clipped at the end of the dimension, and `all` is the whole
    dimension. A region may be empty.

    A grid axis that no block names means copies: all tiles along it hold the
    same elements. Where extent exceeds step neighbours overlap (halos).

    `ipus` nests the grid: it divides each axis into equal parts, one for each
    IPU along the axis. IPUs and the tiles of a part are in row-major order; the
    tiles of IPU i begin at `first + i * N`, where N is the number after `*`. So
    tiles that are near each other along several axes are on one IPU. Tiles
    between those of two IPUs hold nothing.

    `layout` says in which order a tile stores the elements of its region: its
    results are the dimensions of the storage, outermost first. A dimension may
    be in groups, such as channels in groups of the matrix unit's depth; then
    the storage has the number of the group and the position in it. Without a
    layout the order is that of the domain. Layouts change which elements an
    exchange finds next to each other, and so its cost; they never change
    values.

    ```mlir
    // 802816 elements in their order, 546 on each of 1471 tiles.
    #ipu.map<[802816], grid = [1471], blocks = [p0 * 546 : 546]>
    // A left operand of a matmul: 16 rows on each tile of a row of the grid,
    // copied along it.
    #ipu.map<[128, 784], grid = [8, 23], blocks = [p0 * 16 : 16, all]>
    // An image of 64 channels on each of 16 tiles, in groups of 16 channels that
    // are stored next to each other: [C/16][H][W][16].
    #ipu.map<[16, 64, 14, 14], grid = [16], blocks = [p0 * 1 : 1, all, all, all],
        layout = affine_map<(n, c, h, w) -> (n, c floordiv 16, h, w, c mod 16)>>
    // An image on 2 x 2 IPUs of 1472 tiles, each of which has a quarter of it
    // in 32 x 46 parts.
    #ipu.map<[512, 736], grid = [64, 92], blocks = [p0 * 8 : 8, p1 * 8 : 8],
        ipus = [2, 2] * 1472>
    ```
    (C1) one block for each dimension of the domain; sizes are not negative.
    (C2) grid extents are positive, `first` is not negative, and tile numbers
    are below 2^20.
    (C3) a block names an axis of the grid; step and extent are positive.
    (C4) no two blocks name the same axis.
    (C5) the layout has a dimension for each of the domain, no symbols, and
    each dimension once: as itself, or `floordiv` and `mod` by the size of its
    groups, the former first.
    (C6) groups have two elements or more and divide the size of their dimension
    and, where an axis splits it, step and extent.
    (C7) `ipus` has a positive number for each axis of the grid that divides its
    extent, two or more IPUs have tiles for their part of the grid, and the
    domain has a dimension.
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
    /// Number of tiles from the first to the last one of the grid, those with
    /// empty boxes and those between IPUs included.
    int64_t getNumTiles() const;
    /// Whether the grid is nested: IPUs have parts along several axes.
    bool isNested() const { return !getIpus().empty(); }
    /// IPUs that a nested grid is on, or 1, and tiles that each has of it.
    int64_t getNumIPUs() const;
    int64_t getGridTilesPerIPU() const;
    /// How tile numbers follow from the coordinates along each axis.
    ::llvm::SmallVector<::mlir::ipu::GridAxis> getGridAxes() const;
    /// Whether the `index`th tile has coordinates: it is not between IPUs.
    bool isInGrid(int64_t index) const {
      return !isNested() || index % getIpuTiles() < getGridTilesPerIPU();
    }
    /// Whether `other` has the same grid of the same tiles.
    bool hasGridOf(TileMappingAttr other) const {
      return getGrid() == other.getGrid() && getFirst() == other.getFirst() &&
             getIpus() == other.getIpus() &&
             getIpuTiles() == other.getIpuTiles();
    }
    /// The mapping of other boxes to the same grid of tiles.
    TileMappingAttr withBoxes(
        ::llvm::ArrayRef<int64_t> domain,
        ::llvm::ArrayRef<::mlir::ipu::TileMappingBlock> blocks,
        ::mlir::AffineMap layout = {}) const {
      return get(getContext(), domain, getGrid(), blocks, getFirst(), layout,
                 getIpus(), getIpuTiles());
    }
    int64_t getNumElements() const;
    /// The box of the grid's `index`th tile (tile number `first + index`);
    /// empty between IPUs.
    ::mlir::ipu::IndexRegion getTileRegion(int64_t index) const;
    /// Elements of the fullest tile.
    int64_t getMaxElements() const;
    /// Whether each element is on some tile.
    bool covers() const;
    /// Whether each element is on one tile and no more.
    bool coversOnce() const;
    /// Whether no element is on two tiles.
    bool isDisjoint() const;
    /// The dimensions of the storage of a box, outermost first.
    ::llvm::SmallVector<::mlir::ipu::StorageDim> getStorageDims() const;
    /// The same placement in the order of the domain, or as `layout` says if
    /// (C5) and (C6) hold; null if they do not.
    TileMappingAttr withLayout(::mlir::AffineMap layout) const;
    /// The same placement in the order of `layout`, each of its groups as large
    /// as (C6) allows. Fails an assertion unless (C5) holds.
    TileMappingAttr withFittedLayout(::mlir::AffineMap layout) const;
    TileMappingAttr withoutLayout() const;
    /// The mapping of a tensor that has dimensions `order` of this one's, in
    /// this order: tiles that differ in other dimensions only hold copies. One
    /// without layout has none.
    TileMappingAttr permute(::llvm::ArrayRef<unsigned> order) const;
    /// The same mapping over another factorisation of the elements that
    /// differs in dimensions of one element only; null if `domain` differs in
    /// others.
    TileMappingAttr refactor(::llvm::ArrayRef<int64_t> domain) const;
    /// The same mapping without groups and with as few dimensions as possible:
    /// a dimension in groups becomes two, those of one element are dropped, and
    /// one that no axis cuts joins the one before it if it follows that in the
    /// storage as well. A grid is not nested where tile numbers do not need it.
    TileMappingAttr getCanonical() const;
    /// Whether each tile holds the same elements in the same order by `other`,
    /// as far as canonical forms tell.
    bool isEquivalentTo(TileMappingAttr other) const {
      return *this == other || getCanonical() == other.getCanonical();
    }
    /// The map of all elements on tile `first`.
    static TileMappingAttr getSingle(::mlir::MLIRContext *context,
                             ::llvm::ArrayRef<int64_t> domain,
                             int64_t first = 0);
  }];
}

def IPU_TargetAttr : IPU_Attr<"Target", "target"> {
  let summary = "Target machine of a program";
  let description = [{
    A preset (`gc2`, `gc200`, `bow`, `c600`) and constants that differ from it.
    All constants, with units, defaults and sources: docs/device-model.md.

    ```mlir
    module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64}>} {}
    ```
    (C1) the preset exists.
    (C2) each key is a constant of the device model, its value a positive i64
    (or zero, where the constant may be).
    (C3) a replica has at most 2^20 tiles, all replicas together at most 2^24.
    (C4) some tiles of a replica are no I/O tiles.
  }];
  let parameters = (ins StringRefParameter<>:$preset,
                        OptionalParameter<"::mlir::DictionaryAttr">:$overrides);
  let assemblyFormat = "`<` $preset (`,` $overrides^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// All constants of this machine.
    ::mlir::ipu::TargetModel getModel() const;
  }];
}

def IPU_CodeletCostAttr : IPU_Attr<"CodeletCost", "codelet_cost"> {
  let summary = "Formula for the cycles of one vertex";
  let description = [{
    With W worker contexts, n elements of the vertex's (first) output and V
    elements of it in one load:
    - `vector`: `supervisor + W * (worker + cycles * ceil(ceil(n / W) / per))`;
      of a sum of more than two operands, `combined` is their number.
    - `reduce`: with `combined` elements for each output,
      `supervisor + W * (worker + 12 * ceil(n / W) + ceil(ceil(n / W) * combined / V))`.
    - `reduce_columns`: with `combined` elements for each output,
      `supervisor + W * (worker + (3 * combined + 7) * ceil(ceil(n / W) / per))`.
    - `matmul`, `conv`: that of the cheapest method for the local sizes of the
      operands, where the kernel of a convolution moves by `stride` in the
      innermost spatial dimension, or 0 if the kernel is dilated; where `per` is
      not 0 there is no matrix unit for the type, and it is
      `supervisor + W * (worker + cycles * ceil(m / per) * ceil(n / W))`
      with m multiply-adds for each output. `combined` leading dimensions of the
      output, one for a matmul and one more than there are spatial dimensions for
      a convolution, number partial sums.
    - `gather`: with i indices (elements of the second input) and e elements of
      the output for each index,
      `supervisor + W * (worker + ceil(i / W) * (19 + cycles * ceil(e / per)))`.
    - `scatter`: with i indices (elements of the second input), an output of r rows
      out of `combined` and e columns, and u = ceil(i * r / combined) updates that
      are for them if they are spread evenly,
      `supervisor + W * (worker + 6 * i + ceil(u / W) * (19 + cycles * ceil(e / per))
      + cycles * ceil(ceil(n / W) / per))`.
    - `select_and_scatter`: with w windows (elements of the second input),
      `supervisor + W * (worker + ceil(ceil(n / W) / per) + ceil(w / W) * (20 + cycles * combined))`.

    (C1) numbers are from 0 to 2^20, `combined` and `stride` at least 0.
    (C2) `per` is positive for `vector`, `reduce_columns`, `gather`, `scatter` and
    `select_and_scatter`.

    See docs/device-model.md for sources.
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
  let genVerifyDecl = 1;
}

def IPU_StepCostAttr : IPU_Attr<"StepCost", "step_cost"> {
  let summary = "Estimated cost of one step";
  let description = [{
    `cycles`: cycles of the slowest tile of each IPU of a replica; `total`:
    summed over tiles; `tile`: the slowest tile; `flops`: floating-point
    operations of all tiles; `bytes`: bytes received by all tiles.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$cycles,
                        "int64_t":$total, "int64_t":$tile, "int64_t":$flops,
                        "int64_t":$bytes);
  let assemblyFormat = [{
    `<` `cycles` `=` `[` $cycles `]` `,` struct($total, $tile, $flops, $bytes) `>`
  }];
}

def IPU_DrawAttr : IPU_Attr<"Draw", "draw"> {
  let summary = "Selection of an op's random bits";
  let description = [{
    With generator `counter`, bits are a function of the state and of this
    attribute: draws with other numbers get other bits. `offset` is added to the
    number of times that the state has been advanced (`ipu.advance_rng`): -1 draws
    what would have been drawn before the last time.

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
    Attribute `ipu.memory` of a program, from `ipu-allocate`: the first `tile`
    of those that need most memory; the `step` at which its variables take most;
    the number of `classes` of tiles with equal needs; the `bytes` in use, and
    the `least` bytes that any choice of addresses needs. The other values add
    up to `bytes`; docs/memory.md explains them. The attribute is for readers
    and tests: no pass reads its values, and execution does not repeat the
    warnings of a program that has it.
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

/// A memref whose memory space is a #ipu.map: a variable or a view of one.
def IPU_Var : Type<CPred<"::mlir::ipu::isVariableType($_self)">,
    "statically shaped memref of at most 2^56 integers or floats with static "
    "strides and a #ipu.map as memory space",
    "::mlir::MemRefType">;

class IPU_Op<string mnemonic, list<Trait> traits = []>
  : Op<IPU_Dialect, mnemonic, traits>;

/// An op that a program, and the body of a loop in it, may hold.
def IPU_InProgram : NativeOpTrait<"InProgram"> {
  let cppNamespace = "::mlir::ipu";
}

/// A step of `kind`: it takes time. Set `stepName` where the mnemonic says too
/// little, and repeat `stepDeclaration` where there are other declarations. A new
/// step needs models of what is above the dialect as well: docs/add-a-step.md.
class IPU_StepOp<string mnemonic, string kind, list<Trait> traits = []>
    : IPU_Op<mnemonic,
             !listconcat(traits, [IPU_InProgram, IPU_StepOpInterface])> {
  dag costArgument = (ins OptionalAttr<IPU_StepCostAttr>:$cost);
  /// A string, in C++: what the profile calls the step.
  string stepName = "getOperation()->getName().stripDialect()";
  string stepDeclaration = [{
    ::mlir::ipu::StepKind getStepKind() {
      return ::mlir::ipu::StepKind::}] # kind # [{;
    }
    ::std::string getStepName() { return ::std::string(}] # stepName # [{); }
  }];
  let extraClassDeclaration = stepDeclaration;
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUBASE
