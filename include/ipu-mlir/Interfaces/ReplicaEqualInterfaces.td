//===- ReplicaEqualInterfaces.td - Replica-equal interfaces ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES
#define IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES

include "mlir/IR/OpBase.td"

def ReplicaEqualOpInterface : OpInterface<"ReplicaEqualOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op with its own replica-equal rule. The rule says on which replicas the results of
    the op are equal, given the replicas on which its inputs are equal. If an op does not
    have this interface, its results, and the memory that it writes, are equal on those
    replicas on which everything that it reads is equal. An op with this interface uses no
    state other than refs and the state that it declares here.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the state that the op reads or writes by its symbol.
    }], "::llvm::SmallVector<::mlir::ipu::ReplicaStateUse>",
    "getReplicaStateUses", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      Infers the partitions of the op's results and of the memory that it writes.
      `outputs` initially holds the result of the default rule, the meet of all inputs.
      The method must be monotone: finer inputs must not give coarser outputs.
    }], "void", "inferReplicaEqual",
    (ins "const ::mlir::ipu::ReplicaEqualInputs &":$inputs,
         "::mlir::ipu::ReplicaEqualOutputs &":$outputs), [{}], [{
      (void)inputs;
      (void)outputs;
    }]>,
  ];
}

def ReplicaStateOpInterface : OpInterface<"ReplicaStateOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    A symbol that stands for state, or that sets the initial value of state.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the partitions of state when the program starts for the first time and each
      time that the host writes the state, which may be in each run. State that no symbol
      mentions starts equal on all replicas.
    }], "::llvm::SmallVector<::mlir::ipu::ReplicaStateStart>",
    "getReplicaStarts", (ins "::mlir::ipu::ReplicaEqualContext &":$context)>,
    InterfaceMethod<[{
      Returns the number of parts of the symbol's state, which are numbered from 0, if it
      is known.
    }], "::std::optional<int64_t>", "getNumReplicaParts", (ins), [{}], [{
      return ::std::nullopt;
    }]>,
    InterfaceMethod<[{
      Returns whether the host reads one value for all replicas that start equal. This is
      correct only if the value is equal on these replicas after each run.
    }], "bool", "isReadOnce", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES
