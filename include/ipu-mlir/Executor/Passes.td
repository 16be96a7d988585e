//===- Passes.td - Passes that run programs ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PASSES
#define IPU_MLIR_EXECUTOR_PASSES

include "mlir/Pass/PassBase.td"

def IPUExecutePass : Pass<"ipu-execute", "::mlir::ModuleOp"> {
  let summary = "Run a program on the simulated device";
  let description = [{
    Executes the function `entry` of a lowered module on the simulated device. The pass does
    not change the module. If an op is not executable, or if an `ipu.expect` does not hold,
    the pass emits an error at this op.

    `inputs` is a list of the tensors that the host sends, in the form
    `name=value,name=value,...`. A value is a file (`.npy`), `zeros`, `ones`, `ramp` or
    `random:SEED`. The name `*` stands for all inputs that are not listed and have no
    default value. With `results=-` the pass prints the tensors that the host receives.
    Otherwise `results` is a directory, to which the pass writes these tensors as `.npy`
    files.

    The engines `jit` and `interp`, with any number of threads, give the same bits and the
    same profile. The engine `none` computes no values and needs no inputs. It only gives
    the profile. With `check` the engine `interp` also finds races, undefined elements,
    missing exchanges and accesses out of bounds; see docs/check-mode.md. With
    `check-replica-equal`, each replica computes all of its values, and replicas share no
    values. If an op with the attribute `ipu.replica_equal` writes a value, the pass then
    compares the values of the replicas; see docs/replica-equal.md.

    ```
    ipu-opt --ipu-execute="inputs=x=random:1 profile=p.json" program.mlir
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
           "Function to run">,
    ListOption<"inputs", "inputs", "std::string", "Values of inputs">,
    Option<"results", "results", "std::string", /*default=*/"\"-\"",
           "'-' to print results, or a directory to which results are written as .npy "
           "files">,
    Option<"engine", "engine", "std::string", /*default=*/"\"\"",
           "'jit' (default) compiles codelets, 'interp' interprets them, 'none' "
           "computes nothing">,
    Option<"check", "check", "bool", /*default=*/"false",
           "Keep the memories of tiles separate, and fail on errors that would give "
           "wrong results on a device; needs engine 'interp'">,
    Option<"checkReplicaEqual", "check-replica-equal", "bool",
           /*default=*/"false",
           "Share no values between replicas, and fail if values that an op writes are not "
           "equal on the replicas that the op's annotation names; needs engine 'jit' or "
           "'interp'">,
    Option<"replicaEqualReport", "replica-equal-report", "std::string",
           /*default=*/"\"\"",
           "JSON file for a list of annotated values: with check-replica-equal, the list "
           "has the values that were equal; otherwise it has the values that were stored "
           "only once">,
    Option<"seed", "seed", "uint64_t", /*default=*/"0",
           "Initial seed of random number generators">,
    Option<"threads", "threads", "unsigned", /*default=*/"1",
           "Number of host threads, 1 to 1024">,
    Option<"allowOOM", "allow-oom", "bool", /*default=*/"false",
           "Warn, rather than fail, if a program does not fit in tile memory">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "JSON file for the profile">,
  ];
}

#endif // IPU_MLIR_EXECUTOR_PASSES
