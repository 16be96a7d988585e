//===- IPUOps.td - Variables, codelets and steps -----------*- tablegen -*-===//
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
    The op declares storage for the elements of `result` on the tiles that the tile
    mapping of `result` gives. A variable with `init`, such as a weight or a
    constant, has the value `init` when the program is loaded, and is always live.
    Any other variable is undefined until it is written, and is live from this op to
    its `ipu.write_undef`.

    With `copies`, the tile mapping may place an element on several tiles, or on no
    tile if no tile reads the element. Only two kinds of ops may write such a
    variable: exchanges, and vertices that write one constant to all elements. If a
    variable with `copies` has an `init`, each tile that holds an element holds the
    initial value of this element.

    With `storage`, the variable is a handle to an `ipu.storage` of the module. The
    elements of the variable are the elements of the storage. Several functions may
    have handles to one storage. `ipu.write_undef` cannot end the live range of a
    handle.

    (C1) `result` has an identity layout and as many elements as the domain of its
    tile mapping.
    (C2) Without `copies`, the tile mapping places each element on one tile.
    (C3) `init` has the shape of `result` and, except for signedness, the element
    type of `result`.
    (C4) If the module has a target, the target has all tiles of the tile mapping.
    (C5) A variable with `storage` has no `init`, and is in the first
    block of a function.
    (C6) `storage` names an `ipu.storage` of the type of `result`. The function has
    no other handle to this storage.

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
    `ipu-liveness` inserts this op after the last use of a variable. After the op,
    other variables can use the memory of the variable, and no op may use the
    variable.

    (C1) `variable` is the result of an `ipu.var` without `init` and `storage`.
    (C2) The `ipu.var` is in the same block as the `ipu.write_undef`. Otherwise the
    next iteration of a loop could use the variable again.

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
    A codelet runs on one tile, on buffers in the memory of this tile. The first
    `num_inputs` arguments are inputs, which the codelet only reads. The other
    arguments are outputs, and the codelet overwrites all of their elements. If all
    vertices have the same variable as an input and as an output, the codelet may keep
    elements of this output. Sizes are dynamic, so that tiles with different numbers of
    elements share the code. The body holds only ops of arith, math, memref, scf and
    linalg (on buffers), and the random number ops of this dialect. The only effects of
    the body are on the arguments and, if the body has an `ipu.random_bits`, on the RNG
    state of the vertices.

    `emulated` marks a codelet with an element type that the machine does not have.
    These types are f64, bf16 and the f8 types, except the FNUZ types of f8 on a
    c600. Such a codelet computes exact results, and its cost is the cost of the same
    codelet for f32.

    (C1) Arguments are memrefs with dynamic sizes, a signless integer or float
    element type, no memory space, and the layout
    `strided<[?, ..., ?, 1], offset: ?>` (rank 0: `strided<[], offset: ?>`). The last
    stride of an input may be `?` instead of 1. Vertices can then read the operand
    through a view that has the dimensions of the variable in another order.
    (C2) There are no results, and `num_inputs` is at most the number of arguments.
    (C3) The body holds only the ops named above.
    (C4) A codelet with the cost kind `matmul` or `conv` has an output and two
    inputs, or an output and three inputs if it has an accumulator. The second input
    and the output have at least rank 3.
    (C5) A codelet with the cost kind `gather` or `select_and_scatter` has at least
    two inputs and an output. A codelet with the cost kind `scatter` or
    `scatter_buckets` has at least three inputs and an output of at least rank 3; the
    inputs of `scatter_buckets` also have at least rank 3. A codelet with the cost kind
    `sort` or `bucket_indices` has at least one input and an output, and the output of
    `bucket_indices` has at least rank 2. A codelet with the cost kind `dynamic_slice`
    has at least two inputs and an output, and one with the cost kind `dynamic_update`
    at least three inputs and an output; these arguments have at least rank 1.

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
    Runs all vertices of the `ipu.vertices` ops in its body, in any order and in
    parallel.

    (C1) The body holds only `ipu.vertices`.
    (C2) No two vertices write the same element.
    (C3) No vertex reads an element that another vertex writes.

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
  let sourceOp = stepName;
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
    Each tile of the grid runs `codelet` on its regions of the operands. `access`
    lists the access mappings: one tile mapping for each input and output. An access
    mapping gives, for each vertex, the region of the operand that the vertex
    accesses. The domain of an access mapping covers the elements of the operand in
    row-major order. If the operand is a view, these are the elements of the view.
    Before `ipu-materialize-exchange`, an operand may be on other tiles than the
    vertices that read the operand. After this pass, the tile mapping of each operand
    is equivalent to its access mapping. The tile mapping of a view has the elements
    and the order of storage of the variable, but the dimensions of the view. A tile
    with an empty output region has no vertex.

    `rng` is the RNG state from which the vertices draw; each vertex uses the state
    on its tile. With a `draw`, the vertices only read the state, and the random bits
    of an element are a function of the state, the draw and the number of the
    element. Without a `draw`, the vertices also advance the state, and `rng` holds
    the new state when the compute set ends. See `ipu.random_bits`.

    `in_place` lists variables from which moves bring elements to the first input. A
    tile may already hold some of the moved elements. If these elements are whole
    rows and one contiguous run, the vertex on this tile reads them from the
    variable, and the exchange takes no time to copy them. There are two exceptions:
    the exchange copies the elements if the input has other readers that do not list
    the variable, or if an op writes the variable before the vertices run. The values
    of the input are the same with and without `in_place`.

    (C1) `access` has one tile mapping for each input and output. All of them have
    the same grid and first tile.
    (C2) The domain of each access mapping has as many elements as its operand.
    (C3) `codelet` names an `ipu.codelet` that has as many inputs as there are
    `inputs`. Each argument of the codelet has the element type of its operand, and
    the rank of the domain of the operand's access mapping.
    (C4) Outputs are whole variables, and the access mapping of an output is the tile
    mapping of the variable.
    (C5) An output may have `copies` only if the codelet writes one constant to all
    elements.
    (C6) There is an `rng` if and only if the codelet draws random bits. `rng` is a
    whole variable of the type that getRngStateType() returns. `rng` is not an output
    of the compute set, and may be an input only if there is a `draw`.
    (C7) There is a `draw` if and only if there is an `rng` and the generator of the
    module is `counter`. Without a `draw`, no other vertices of the compute set draw
    from the same `rng`.
    (C8) There is an `in_place` only if the cost of the codelet has the kind
    `reduce_columns`, whose vertices have a pointer to each row. `in_place` lists
    whole variables that the compute set does not write.
  }];
  let arguments = (ins FlatSymbolRefAttr:$codelet,
                       Variadic<IPU_Var>:$inputs, Variadic<IPU_Var>:$outputs,
                       Optional<IPU_Var>:$rng, Variadic<IPU_Var>:$in_place,
                       OptionalAttr<IPU_DrawAttr>:$draw,
                       TypedArrayAttrBase<IPU_TileMappingAttr, "maps">:$access);
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$codelet, "::mlir::ValueRange":$inputs,
                   "::mlir::ValueRange":$outputs, "::mlir::ArrayAttr":$access), [{
      build($_builder, $_state, codelet, inputs, outputs,
            /*rng=*/::mlir::Value(), /*in_place=*/::mlir::ValueRange(),
            ::mlir::ipu::DrawAttr(), access);
    }]>,
  ];
  let assemblyFormat = [{
    $codelet (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    (`rng` `(` $rng^ `:` type($rng) `)`)? (`draw` `` $draw^)?
    (`in_place` `(` $in_place^ `:` type($in_place) `)`)?
    `access` $access attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the inputs, then the outputs. Each of them corresponds to one argument of
    /// the codelet.
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
    All moves happen at the same time: every source is read before any destination
    is written.

    (C1) The body holds only `ipu.move`.
    (C2) No two moves write the same element.
    (C3) No move reads an element that a move of the same exchange writes.

    A view of more than 2^28 elements must be a strided region, because the verifier
    cannot compare other views of this size.

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
  let sourceOp = stepName;
}

def IPU_MoveOp : IPU_Op<"move", [HasParent<"ExchangeOp">]> {
  let summary = "Copy between variables or views";
  let description = [{
    Copies element i of `source` to element i of `target`, on every tile that holds
    this element of `target`.

    (C1) Both operands have the same shape and element type.
    (C2) `target` contains no element of its variable twice.
    (C3) Each element of the variable of `source` is on some tile.
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
    Runs its body `count` times. With `times`, the integer in this variable is the
    number of iterations. The op reads the integer once, before the first iteration;
    a negative integer means no iterations. Replicas may execute different numbers of
    iterations, unless the body contains an op that all replicas execute together
    (see `ipu.if`). The tiles hold the code of the body once.

    Variables that the body declares are undefined at the beginning of each
    iteration. Variables from outside of the body keep their values from one
    iteration to the next. If the body reads such a variable before writing it, the
    variable must be defined before the loop. `cost` is the cost of one jump back to
    the start of the body.

    (C1) The op has either `count` or `times`; `count` is not negative.
    (C2) The body holds only ops that a program may hold.
    (C3) Variables with `init` or `storage` are declared outside of the body.
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
    - `internal`: the tiles of each IPU wait for each other.
    - `ipus`: all IPUs of a replica wait for each other.
    - `external`: all IPUs of all replicas, and the host, wait for each other.

    With `on`, only the named IPUs of each replica take part. Other IPUs neither wait
    nor spend time.

    (C1) The named IPUs are in ascending order, and a replica of the target has them.

    ```mlir
    ipu.sync internal
    ipu.sync ipus on [0, 2]
    ```
  }];
  let arguments = !con((ins IPU_SyncKindAttr:$kind,
                            OptionalAttr<DenseI64ArrayAttr>:$ipus),
                       costArgument);
  let assemblyFormat = "`` $kind (`on` $ipus^)? (`cost` $cost^)? attr-dict";
  let stepName = "::mlir::ipu::stringifySyncKind(getKind())";
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::mlir::ipu::SyncKind":$kind, "::mlir::ipu::StepCostAttr":$cost), [{
      build($_builder, $_state, kind, /*ipus=*/::mlir::DenseI64ArrayAttr(), cost);
    }]>,
  ];
}

def IPU_StreamOp : IPU_Op<"stream", [Symbol]> {
  let summary = "Declare a stream between host and device";
  let description = [{
    `type` is the type of the tensor that one replica receives or sends, including
    the signedness of integers. With `replicated`, each replica has its own
    tensor, and the host's tensor has a leading dimension for the replicas. Without
    `replicated`, all replicas read the same tensor, and the host receives the tensor
    of replica 0.

    If `transfers` is more than 1, the host's tensor has another leading dimension of
    this size, and each execution of an `ipu.host_load` or `ipu.host_store` of the
    stream uses the next part along this dimension. If a stream has no `transfers`,
    the module attribute `ipu.host_transfers` gives the number. The default of this
    attribute is 1.

    If `depth` is more than 1, the stream has buffers for this number of tensors, and
    the host transfers tensors while the device computes. The depth changes only the
    time of a run (see docs/device-model.md). If the host gives no tensor, each
    `ipu.host_load` of the stream gets `default_value`. With `seed`, each of them then
    gets a seed that the host derives from the seed of the session and the number of the
    run.

    (C1) `type` is a statically shaped tensor without encoding.
    (C2) `depth` is positive.
    (C3) Only a stream to the device may have a `default_value`. The `default_value`
    has the type `type`.
    (C4) `transfers` is positive.
    (C5) Only a stream to the device of type tensor<2xui32>, without `replicated` and
    `default_value`, may have `seed`.

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
                       OptionalAttr<I64Attr>:$transfers, UnitAttr:$seed);
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
  let extraClassDeclaration = stepDeclaration # [{
    ::std::string getHostCopyName() {
      return ::mlir::ipu::getHostCopyName(getStream());
    }
  }];
}

def IPU_HostLoadOp : IPU_HostCopyOp<"host_load"> {
  let summary = "Copy from a host stream into a variable";
  let description = [{
    Waits for the next tensor of the stream and copies it to the variable.

    (C1) `stream` names an `ipu.stream` with the direction `host_to_device`.
    (C2) The variable has the shape of the stream and, except for signedness, the
    element type of the stream.
    (C3) The operand is a whole variable, without `copies`.

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
    Sends the elements of the variable to the host.

    (C1) `stream` names an `ipu.stream` with the direction `device_to_host`.
    (C2) The variable has the shape of the stream and, except for signedness, the
    element type of the stream.
    (C3) The operand is a whole variable. Each of its elements is on some tile.

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
  let summary = "Check that a variable has the expected values";
  let description = [{
    The host compares the variable of each replica with `expected`, within the
    tolerances `rtol` and `atol` if they are given. If an element differs, the run
    fails. The check takes no simulated time. `pop.expect_eq` is lowered to this op
    without tolerances, and `pop.expect_close` to this op with tolerances.

    (C1) `expected` has the shape of the variable and, except for signedness, the
    element type of the variable.
    (C2) `rtol` and `atol` are both present or both absent. They are not negative.
    (C3) The operand is a whole variable. Each of its elements is on some tile.

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
