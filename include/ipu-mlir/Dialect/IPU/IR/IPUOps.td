//===- IPUOps.td - ops of the ipu dialect -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPUOPS
#define IPU_MLIR_DIALECT_IPU_IR_IPUOPS

include "ipu-mlir/Dialect/IPU/IR/IPUBase.td"
include "ipu-mlir/Interfaces/DeviceResources.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

def IPU_VarOp : IPU_Op<"var", [
    IPU_InProgram, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Declare a variable in tile memory";
  let description = [{
    Storage for the elements of `result` on the tiles of its tile mapping. A
    variable with `init` holds that value when the program is loaded and is
    always live (weights, constants). Any other variable is undefined until
    written and live from its op to its `ipu.write_undef`. With `copies` the
    tile mapping may put an element on several tiles, or on none if no tile will
    read it; a program writes a variable with `copies` by exchanges and fills
    only.

    With `storage` it is a handle on an `ipu.storage` of the module, which
    several functions may have handles on: its elements are defined where those
    of the storage are, and it does not end the live range of the storage.

    (C1) `result` has an identity layout and as many elements as its tile mapping's domain.
    (C2) without `copies`, the tile mapping puts each element on one tile.
    (C3) `init` has the shape of `result` and its element type up to sign.
    (C4) a variable with `init` has no `copies`.
    (C5) the tiles of the tile mapping exist on the target, if there is one.
    (C6) a variable with `storage` has no `init` and no `copies`, and is in the
    first block of a function.
    (C7) `storage` names an `ipu.storage` of the type of `result`, on which the
    function has no other handle.

    ```mlir
    %0 = ipu.var "y" : memref<64xf32, #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>>
    %1 = ipu.var "w" of @w.storage : memref<64xf32, #m>
    ```
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$copies,
                       OptionalAttr<ElementsAttr>:$init,
                       OptionalAttr<FlatSymbolRefAttr>:$storage);
  let results = (outs Res<IPU_Var, "", [MemAlloc]>:$result);
  let assemblyFormat = [{
    $name (`of` $storage^)? (`copies` $copies^)? (`init` `` `(` $init^ `)`)?
    attr-dict `:` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$type, "::llvm::StringRef":$name,
                   "bool":$copies, "::mlir::ElementsAttr":$init), [{
      build($_builder, $_state, type, name, copies, init,
            /*storage=*/::mlir::FlatSymbolRefAttr());
    }]>,
  ];
  let hasVerifier = 1;
}

def IPU_WriteUndefOp : IPU_Op<"write_undef", [IPU_InProgram]> {
  let summary = "End the live range of a variable";
  let description = [{
    Inserted by `ipu-liveness` after the last use of a variable; the memory can
    be used by others from here on. No op uses the variable after it.

    (C1) `variable` is the result of an `ipu.var` without `init` or `storage`.
    (C2) that `ipu.var` is in the same block: a loop would use the variable
    again.

    ```mlir
    ipu.write_undef %0 : memref<64xf32, #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>>
    ```
  }];
  let arguments = (ins Arg<IPU_Var, "", [MemFree]>:$variable);
  let assemblyFormat = "$variable attr-dict `:` type($variable)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

def IPU_CodeletOp : IPU_Op<"codelet", [
    FunctionOpInterface, AutomaticAllocationScope, IsolatedFromAbove, Symbol,
    SingleBlockImplicitTerminator<"EndOp">]> {
  let summary = "Define the code of a vertex";
  let description = [{
    Runs on one tile, on tile-local buffers: the first `num_inputs` arguments
    are only read, the others are outputs and are wholly overwritten. Sizes are
    dynamic so that tiles with less to do share the code. The body holds only
    ops of arith, math, memref, scf and linalg (on buffers), and ops on random
    numbers of this dialect. Its only effects are on its arguments and, if it
    has an `ipu.random_bits`, on the RNG state of its vertices. `emulated` marks
    an element type that the machine does not have (f64, bf16, f8 but the FNUZ
    types of c600): the result is exact, the cost is that of f32.

    (C1) arguments are memrefs with dynamic sizes, a signless integer or float
    element type, no memory space, and the layout
    `strided<[?, ..., ?, 1], offset: ?>` (rank 0: `strided<[], offset: ?>`).
    (C2) there are no results, and `num_inputs` is at most the number of arguments.
    (C3) the body holds only ops of the dialects named above.
    (C4) a codelet with the cost of a matmul or convolution has two inputs, or
    three with an accumulator, and an output; the second input and the output
    have rank 3 or more.
    (C5) a codelet with the cost of a gather or a select_and_scatter has two inputs
    or more, and an output; one with that of a scatter three inputs or more, and an
    output of rank 3 or more.

    ```mlir
    ipu.codelet @double(%x : memref<?xf32, strided<[1], offset: ?>>, %y : memref<?xf32, strided<[1], offset: ?>>)
        inputs 1 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
      linalg.add ins(%x, %x : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>)
          outs(%y : memref<?xf32, strided<[1], offset: ?>>)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       I64Attr:$num_inputs, IPU_CodeletCostAttr:$cost,
                       UnitAttr:$emulated,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def IPU_EndOp : IPU_Op<"end", [Pure, Terminator, ParentOneOf<["CodeletOp"]>]> {
  let summary = "End a codelet";
  let assemblyFormat = "attr-dict";
}

def IPU_ComputeSetOp : IPU_StepOp<"compute_set", "Compute", [
    NoTerminator, SingleBlock, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "Run the vertices of a compute set";
  let description = [{
    Runs all vertices of its `ipu.vertices` ops, in any order and in parallel.

    (C1) the body holds only `ipu.vertices`.
    (C2) no two vertices write the same element.
    (C3) no vertex reads an element that another writes.

    ```mlir
    ipu.compute_set "double" {
      ipu.vertices @double ins(%x : memref<64xf32, #m>) outs(%y : memref<64xf32, #m>) access [#m, #m]
    }
    ```
  }];
  let arguments = !con((ins StrAttr:$name), costArgument);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $body (`cost` $cost^)? attr-dict";
  let hasRegionVerifier = 1;
  let stepName = "getName()";
  let extraClassDeclaration = stepDeclaration # [{
    ::llvm::SmallVector<::mlir::OpOperand *> getRngOperands();
  }];
}

def IPU_VerticesOp : IPU_Op<"vertices", [
    AttrSizedOperandSegments, HasParent<"ComputeSetOp">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Add one vertex to each tile of a grid";
  let description = [{
    Each tile of the grid runs `codelet` on its regions of the operands:
    `access` has one tile mapping for each input and output, over the operand's
    elements in row-major order of its own (view's) shape. Before
    `ipu-materialize-exchange` an operand may be on other tiles than the
    vertices that read it; afterwards each operand's own tile mapping is
    equivalent to its access mapping. A tile with an empty output region has no
    vertex.

    (C1) `access` has one tile mapping for each operand, all with the same grid and first tile.
    (C2) each tile mapping's domain has as many elements as its operand.
    (C3) `codelet` names an `ipu.codelet` whose arguments have the ranks of the
    tile mappings' domains and the operands' element types, and whose number of inputs is
    that of `inputs`.
    (C4) outputs are variables without views, and the access mapping of an
    output is its own tile mapping.
    (C5) outputs have no `copies`, unless the codelet writes one constant.
    (C6) there is an `rng` if the codelet draws random bits, and only then: a
    whole variable of the type that getRngStateType() gives, which is no output of
    the compute set, nor an input unless there is a `draw`.
    (C7) there is a `draw` if there is an `rng` and the module's generator is
    `counter`, and only then; without one, no other vertices of the compute set
    draw from the same `rng`.

    `rng` is the RNG state that the vertices draw from, each on its tile. With a
    `draw` the state is only read, and bits are a function of the state and the
    draw. Without one the state has advanced when the compute set ends. See
    `ipu.random_bits`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$codelet,
                       Variadic<IPU_Var>:$inputs, Variadic<IPU_Var>:$outputs,
                       Optional<IPU_Var>:$rng, OptionalAttr<IPU_DrawAttr>:$draw,
                       TypedArrayAttrBase<IPU_TileMappingAttr, "maps">:$access);
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$codelet, "::mlir::ValueRange":$inputs,
                   "::mlir::ValueRange":$outputs, "::mlir::ArrayAttr":$access), [{
      build($_builder, $_state, codelet, inputs, outputs,
            /*rng=*/::mlir::Value(), ::mlir::ipu::DrawAttr(), access);
    }]>,
  ];
  let assemblyFormat = [{
    $codelet (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    (`rng` `(` $rng^ `:` type($rng) `)`)? (`draw` `` $draw^)?
    `access` $access attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Inputs, then outputs: what the codelet has arguments for.
    ::mlir::OperandRange getBuffers() {
      return getOperands().take_front(getInputs().size() + getOutputs().size());
    }
    ::mlir::ipu::TileMappingAttr getAccessTileMapping(unsigned buffer) {
      return ::llvm::cast<::mlir::ipu::TileMappingAttr>(getAccess()[buffer]);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

def IPU_ExchangeOp : IPU_StepOp<"exchange", "Exchange", [
    NoTerminator, SingleBlock, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "Exchange elements between tiles";
  let description = [{
    All moves happen at once: every source is read before any destination is
    written.

    (C1) the body holds only `ipu.move`.
    (C2) no two moves write the same element.
    (C3) no element that a move reads is written in this exchange.

    Views of more than 2^28 elements have to be strided regions for the verifier
    to see that they have no element in common.

    ```mlir
    ipu.exchange "x" {
      ipu.move %x to %t : memref<64xf32, #m> to memref<64xf32, #n>
    }
    ```
  }];
  let arguments = !con((ins StrAttr:$name), costArgument);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $body (`cost` $cost^)? attr-dict";
  let hasRegionVerifier = 1;
  let stepName = "getName()";
}

def IPU_MoveOp : IPU_Op<"move", [HasParent<"ExchangeOp">]> {
  let summary = "Copy between variables or views";
  let description = [{
    Element i of `target` becomes element i of `source`, on every tile that
    holds it.

    (C1) both have the same shape and element type.
    (C2) `target` does not show an element twice.
    (C3) each element of the variable of `source` is on some tile.
  }];
  let arguments = (ins Arg<IPU_Var, "", [MemRead]>:$source,
                       Arg<IPU_Var, "", [MemWrite]>:$target);
  let assemblyFormat = [{
    $source `to` $target attr-dict `:` type($source) `to` type($target)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

def IPU_RepeatOp : IPU_StepOp<"repeat", "Compute", [
    NoTerminator, SingleBlock, NoRegionArguments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
                              ["getSuccessorRegions",
                               "getRegionInvocationBounds"]>]> {
  let summary = "Repeat steps a number of times";
  let description = [{
    Runs its body `count` times, or as often as the integer in `times` says when
    the loop begins; none if that is negative. Replicas with different integers
    execute different numbers of iterations, under the condition that `ipu.if`
    has. The code of the body is on the tiles once. Each iteration has new
    variables for those that the body declares. Variables from outside keep
    their values from one iteration to the next; if the body reads one before it
    writes it, the variable must be defined before the loop. `cost` is that of
    going back to the start, once for each iteration.

    (C1) there is either `count` or `times`; `count` is not negative.
    (C2) the body holds only ops that a program holds.
    (C3) variables with `init` or `storage` are outside.
    (C4) `times` is a whole variable of one i32.

    ```mlir
    ipu.repeat 100 {
      ipu.compute_set "double" {
        ipu.vertices @double ins(%x : memref<64xf32, #m>) outs(%x : memref<64xf32, #m>) access [#m, #m]
      }
      ipu.sync internal
    }
    ```
  }];
  let arguments = !con((ins OptionalAttr<I64Attr>:$count,
                            Arg<Optional<IPU_Var>, "", [MemRead]>:$times),
                       costArgument);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Count>($count, $times, type($times)) $body (`cost` $cost^)? attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Synchronisation and host
//===----------------------------------------------------------------------===//

def IPU_SyncOp : IPU_StepOp<"sync", "Sync"> {
  let summary = "Synchronize with other tiles, IPUs or the host";
  let description = [{
    `internal`: the tiles of each IPU wait for each other; `ipus`: all IPUs of a
    replica; `external`: all IPUs of all replicas, and the host.

    ```mlir
    ipu.sync internal
    ```
  }];
  let arguments = !con((ins IPU_SyncKindAttr:$kind), costArgument);
  let assemblyFormat = "`` $kind (`cost` $cost^)? attr-dict";
  let stepName = "::mlir::ipu::stringifySyncKind(getKind())";
}

def IPU_StreamOp : IPU_Op<"stream", [Symbol]> {
  let summary = "Declare a stream between host and device";
  let description = [{
    `type` is what one replica gets or gives, with the signs of its integers.
    With `replicated` each replica has its own tensor, and the host's tensor has
    a leading dimension for the replicas. Without it all replicas read the same
    tensor, and the host takes that of replica 0. With `transfers` above 1 the
    host's tensor has another leading dimension of that size, and each copy uses
    the next part along it. A stream without `transfers` has as many as the
    module's attribute `ipu.host_transfers` says, or 1. With a `depth` above 1
    that many tensors are buffered: the host gives or takes them while the
    device computes, which changes only the time (see docs/device-model.md).
    Where the host gives nothing, each part is `default_value`.

    (C1) `type` is a statically shaped tensor without encoding.
    (C2) `depth` is positive.
    (C3) only a stream to the device has a `default_value`, which has type `type`.
    (C4) `transfers` is positive.

    ```mlir
    ipu.stream @x host_to_device : tensor<64xf32>
    ipu.stream @loss device_to_host : tensor<f32> {transfers = 8 : i64}
    ipu.stream @w host_to_device : tensor<2xf32> {default_value = dense<[1.0, 2.0]> : tensor<2xf32>}
    ```
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::mlir::ipu::StreamDirection":$direction,
                   "bool":$replicated, "::mlir::RankedTensorType":$type), [{
      build($_builder, $_state, name, direction, replicated, type,
            /*depth=*/::mlir::IntegerAttr(),
            /*default_value=*/::mlir::ElementsAttr(),
            /*transfers=*/::mlir::IntegerAttr());
    }]>,
  ];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       IPU_StreamDirectionAttr:$direction,
                       UnitAttr:$replicated, TypeAttrOf<AnyRankedTensor>:$type,
                       OptionalAttr<I64Attr>:$depth,
                       OptionalAttr<ElementsAttr>:$default_value,
                       OptionalAttr<I64Attr>:$transfers);
  let assemblyFormat = [{
    $sym_name `` $direction (`replicated` $replicated^)? `:` $type attr-dict
  }];
  let hasVerifier = 1;
}

class IPU_HostCopyOp<string mnemonic>
    : IPU_StepOp<mnemonic, "Host",
                 [UsesResource<HostStreamResource>,
                  DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let stepName = "getStream()";
}

def IPU_HostLoadOp : IPU_HostCopyOp<"host_load"> {
  let summary = "Copy from a host stream into a variable";
  let description = [{
    (C1) `stream` names an `ipu.stream` with direction `host_to_device`.
    (C2) the variable has the stream's shape and its element type up to sign.
    (C3) it is a whole variable, without `copies`.

    ```mlir
    ipu.host_load @x to %0 : memref<64xf32, #m>
    ```
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$stream,
                            Arg<IPU_Var, "", [MemWrite]>:$variable),
                       costArgument);
  let assemblyFormat = [{
    $stream `to` $variable `:` type($variable) (`cost` $cost^)? attr-dict
  }];
}

def IPU_HostStoreOp : IPU_HostCopyOp<"host_store"> {
  let summary = "Copy from a variable to a host stream";
  let description = [{
    (C1) `stream` names an `ipu.stream` with direction `device_to_host`.
    (C2) the variable has the stream's shape and its element type up to sign.
    (C3) it is a whole variable, each of whose elements is on some tile.

    ```mlir
    ipu.host_store %0 to @y : memref<64xf32, #m>
    ```
  }];
  let arguments = !con((ins Arg<IPU_Var, "", [MemRead]>:$variable,
                            FlatSymbolRefAttr:$stream), costArgument);
  let assemblyFormat = [{
    $variable `to` $stream `:` type($variable) (`cost` $cost^)? attr-dict
  }];
}

def IPU_ExpectOp : IPU_Op<"expect", [
    IPU_InProgram, UsesResource<HostStreamResource>]> {
  let summary = "Fail the run unless a variable has expected values";
  let description = [{
    A check by the host that takes no simulated time: `pop.expect_eq` (without
    tolerances) and `pop.expect_close` after lowering. Every replica is checked.

    (C1) `expected` has the variable's shape and its element type up to sign.
    (C2) both tolerances are given, or none; they are not negative.
    (C3) it is a whole variable, each of whose elements is on some tile.

    ```mlir
    ipu.expect %0, dense<1.0> : tensor<64xf32> : memref<64xf32, #m>
    ```
  }];
  let arguments = (ins Arg<IPU_Var, "", [MemRead]>:$variable,
                       ElementsAttr:$expected, OptionalAttr<F64Attr>:$rtol,
                       OptionalAttr<F64Attr>:$atol);
  let assemblyFormat = "$variable `,` $expected attr-dict `:` type($variable)";
  let hasVerifier = 1;
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUOPS
