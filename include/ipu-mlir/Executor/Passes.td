//===- Passes.td - Passes that run programs -----------------*- tablegen -*-===//
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
    Runs the function `entry` of a lowered module: tiles compute, data moves, and
    nothing of the module changes. Fails, with a diagnostic at the op, if the
    program is not executable or an `ipu.expect` does not hold.

    `inputs` says what the host sends, as `name=value` separated by commas: a
    file (`.npy`), `zeros`, `ones`, `ramp` or `random:SEED`; the name `*` stands
    for all inputs without a default value that `inputs` does not name.
    `results` is `-` to print what the host got, or a directory for `.npy`
    files. Both engines, and any number of threads, give the same bits and the
    same profile. The engine `none` computes no values and so needs no inputs:
    it gives the profile only. With `check` the interpreter also finds races,
    undefined elements, missing exchanges and accesses out of bounds; see
    docs/check-mode.md. With `check-replica-equal` each replica computes all of
    its values, and the pass compares what ops with `ipu.replica_equal` write;
    see docs/replica-equal.md.

    ```
    ipu-opt --ipu-execute="inputs=x=random:1 profile=p.json" program.mlir
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
           "Function to run">,
    ListOption<"inputs", "inputs", "std::string", "Values of inputs">,
    Option<"results", "results", "std::string", /*default=*/"\"-\"",
           "'-' to print results, or a directory for .npy files">,
    Option<"engine", "engine", "std::string", /*default=*/"\"\"",
           "'jit' (default) compiles codelets, 'interp' interprets them, 'none' "
           "computes nothing">,
    Option<"check", "check", "bool", /*default=*/"false",
           "Keep the memories of tiles apart, and fail at what a device would "
           "not forgive; engine 'interp'">,
    Option<"checkReplicaEqual", "check-replica-equal", "bool",
           /*default=*/"false",
           "Share nothing between replicas, and fail where what an op writes is "
           "not equal on the replicas of its annotation; any engine but 'none'">,
    Option<"replicaEqualReport", "replica-equal-report", "std::string",
           /*default=*/"\"\"",
           "File for what was claimed and found equal or, without "
           "check-replica-equal, stored once, as JSON">,
    Option<"seed", "seed", "uint64_t", /*default=*/"0",
           "What random number generators start from">,
    Option<"threads", "threads", "unsigned", /*default=*/"1",
           "Threads of the host to use, 1 to 1024">,
    Option<"allowOOM", "allow-oom", "bool", /*default=*/"false",
           "Only warn of a program that does not fit the memory of tiles">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "File for the profile, as JSON">,
  ];
}

#endif // IPU_MLIR_EXECUTOR_PASSES
