//===- CallPasses.td - Passes on sharded calls -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that flatten calls before propagation, and the passes that restore calls
// after propagation.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_CALLPASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_CALLPASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Calls, before propagation
//===----------------------------------------------------------------------===//

def PropagateShardingFromFuncToCallPass
    : Pass<"sdy-propagate-sharding-from-func-to-call", "::mlir::ModuleOp"> {
  let summary = "Copy shardings of callees to calls";
  let description = [{
    If the results of a call have no shardings, but the results of the callee have
    shardings, the pass attaches the callee's result shardings to the call.

    Before:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return %arg0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return %arg0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}
def FlattenCallGraphPass : Pass<"sdy-flatten-call-graph", "::mlir::ModuleOp"> {
  let summary = "Clone functions so that each is the callee of at most one call";
  let description = [{
    Clones functions so that each private function is the callee of at most one call.
    Propagation can then give each call its own shardings. The first call of a private
    function still calls this function. For each other call, the pass creates a private
    clone of this function, and private clones of all functions that the clone calls. The
    attribute `sdy.original_func_name` of a clone is the name of the original function. A
    public function may have callers in other modules, so each call of the function in this
    module gets a clone. The pass does not change calls of declarations. It emits an error
    for recursive functions.

    Before:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @f_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"onlyManualAxes", "only-manual-axes", "bool", "false",
      "clone only functions whose calls are in manual computations with different manual "
      "axes">,
  ];
}
def ImportFuncCallsPass : Pass<"sdy-import-func-calls", "::mlir::ModuleOp"> {
  let summary = "Turn calls into named computations";
  let description = [{
    Replaces each call by an `sdy.named_computation` with the body of the callee. The
    operands get the shardings of the callee's arguments, and the results get the shardings
    of the call's results. The named computation keeps the attributes of the call. Its
    attribute `sdy.func_attrs` holds the attributes of the callee except name, type and
    shardings. The pass erases a private function if it has replaced all calls of the
    function. It does not change calls of declarations or of functions with several blocks.
    The pass emits an error for recursive functions.

    Before:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
        %1 = math.exp %arg1 : tensor<8xf32>
        sdy.return %1 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def AddFuncDataFlowEdgesPass
    : Pass<"sdy-add-func-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "Insert data-flow edge ops for functions and calls";
  let description = [{
    Inserts an `sdy.func_data_flow_edge` (an edge op) for each result of a call, and for
    each argument of each function except the main function. The edge op reads this argument
    or result and has the same sharding. All other users of the argument or result read the
    result of the edge op instead.

    Before:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
      %1 = math.exp %0 : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def PreOrderFuncsPass : Pass<"sdy-pre-order-funcs", "::mlir::ModuleOp"> {
  let summary = "Sort functions so that callers come first";
  let description = [{
    Moves functions to the end of the module, in pre-order of the call graph. Propagation
    begins with the first function.

    Before:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Calls, after propagation
//===----------------------------------------------------------------------===//

def ExportNamedComputationsPass
    : Pass<"sdy-export-named-computations", "::mlir::ModuleOp"> {
  let summary = "Outline named computations as functions";
  let description = [{
    Replaces each named computation by a call of a new private function with the body and
    the name of the computation. If the name is already used, the function gets the name
    with a number at the end. The attribute `sdy.original_func_name` of the function is the
    name of the computation.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
        %1 = math.exp %arg1 : tensor<8xf32>
        sdy.return %1 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}
def PropagateToFuncResultsPass
    : Pass<"sdy-propagate-to-func-results", "::mlir::ModuleOp"> {
  let summary = "Copy shardings of returned values to function results";
  let description = [{
    For each function that is called, the pass sets the shardings of the results to the
    shardings of the returned values. If a returned value has no sharding, the pass removes
    the sharding of the result. The main function does not change.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      %0 = math.exp %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}
def SinkFuncDataFlowEdgesPass
    : Pass<"sdy-sink-func-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "Replace function data-flow edge ops by shardings";
  let description = [{
    Erases each `sdy.func_data_flow_edge`. The operand of the erased op gets the sharding of
    the erased op.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    ```
  }];
}
def UnflattenCallGraphPass
    : Pass<"sdy-unflatten-call-graph", "::mlir::ModuleOp"> {
  let summary = "Merge clones of a function that have equal shardings";
  let description = [{
    Merges functions with the same `sdy.original_func_name` if three conditions hold: the
    shardings of their arguments and results are equal, their calls are in manual
    computations with the same manual axes, and their bodies are equal except for shardings.
    All calls of the merged functions then call the same function: the one whose first call
    comes first in the module. The pass removes the attribute `sdy.original_func_name` from
    all functions.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @f_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
      return %arg0 : tensor<8xf32>
    }
    func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
      return %arg0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    ```
  }];
}
def InsertFuncCallReshardsPass
    : Pass<"sdy-insert-func-call-reshards", "::mlir::ModuleOp"> {
  let summary = "Copy result shardings of callees to calls, and insert reshards";
  let description = [{
    Sets the shardings of the results of each call to the shardings of the callee's results.
    If a result of the call had another sharding before, the pass inserts a reshard to the
    old sharding after the call.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"} ]>]>} : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return %arg0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : (tensor<8xf32>) -> tensor<8xf32>
      %1 = sdy.reshard %0 <@m, [{"y"} ]> : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return %arg0 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_CALLPASSES
