//===- CodePasses.td - Passes on code loads ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/code-loading.md describes these passes together.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_CODEPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_CODEPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def VerifyCodeLoadsPass
    : Pass<"pop-verify-code-loads", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Verify that code is loaded before it is copied or called";
  let tests = ["Dialect/Pop/verify-code-loads.mlir"];
  let description = [{
    Emits an error if code is copied from a buffer, but no path from the start of the
    program loads the code into this buffer. The pass warns of
    - a copy from a buffer into which only some paths load the code;
    - a load of code that is not used before the code is loaded again;
    - a call of a graph whose code only some paths load;
    - a call of a graph whose code was loaded into a buffer but not copied to
      executable memory.

    Calls are correct in all these cases. If some path to a call does not load the
    code in time, the code is part of the image, which is loaded with the program.
    Such code takes tile memory from the start of the program, so a later load of the
    code saves no memory. The pass works on programs of `pop` and of `ipu`. See
    docs/code-loading.md.
  }];
}

def PrintCodeLivenessPass
    : Pass<"pop-print-code-liveness", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Print the ranges of ops in which the code of graphs is live";
  let tests = ["Dialect/Pop/code-liveness.mlir"];
  let description = [{
    For each graph that is called or loaded, the pass prints whether the code of the
    graph is always live, is in the image when the program starts, or is loaded. The
    pass also prints the ranges of ops in which the code is live. Live code must be on
    the chip. The ops of a function are numbered in their order. The pass works on
    programs of `pop` and of `ipu`. See docs/code-loading.md.

    A remark of category `pop-code` reports each dead load, that is, each load of
    code that is not used before the code is loaded again. Another remark reports
    code that must stay on the chip although a later op loads the code, because there
    is a path to a call on which no op loads the code. The remark names this path.
  }];
}

def MergeCodeLoadsPass
    : Pass<"pop-merge-code-loads", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Merge code loads";
  let tests = ["Dialect/Pop/merge-code-loads.mlir"];
  let description = [{
    Merges `pop.remote_code_load` ops with the same destination and attributes if no
    op between them moves data to or from the chip, needs code, or moves code. A call
    needs code and therefore prevents merging. The merged load has the position of
    the last load if the destination is executable memory, and the position of the
    first load if the destination is a buffer. A `pop.in_sequence` does not prevent
    merging. Remarks of category `pop-code` report the merged loads, and the reasons
    why other loads were not merged.

    Before:
    ```mlir
    func.func @main() {
      pop.remote_code_load @g to executable
      pop.remote_code_load @h to executable
      call @g() : () -> ()
      call @h() : () -> ()
      return
    }
    ```
    After:
    ```mlir
    func.func @main() {
      pop.remote_code_load [@g, @h] to executable
      call @g() : () -> ()
      call @h() : () -> ()
      return
    }
    ```
  }];
}

def OverlapCodeLoadsPass
    : Pass<"pop-overlap-code-loads", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Mark code loads that overlap compute";
  let tests = ["Dialect/Pop/overlap-code-loads.mlir"];
  let description = [{
    Attaches `pop.overlaps_compute` to each `pop.remote_code_load` A that can run at
    the same time as the compute op B that follows A. The conditions are those of
    PopXL's user guide:

    1. A comes before B.
    2. B does not need the code that A loads.

    3. A is on I/O tiles: `pop.tile_set` is `io`, and A loads to `io_buffer`.
    4. B is on compute tiles.
    5. All other transfers between A and B can be merged with A.

    B is the first compute op that runs after A. B may be inside of a call, branch or
    loop, or after the block or function that ends with A. If there are several paths
    from A, each path must meet the conditions. For each load that does not overlap,
    a remark of category `pop-code` names the condition that fails.

    Before:
    ```mlir
    func.func @main(%r: !pop.ref<4xf32>) {
      pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
      pop.exp_ %r : !pop.ref<4xf32>
      pop.code_copy @g from io_buffer to executable
      call @g() : () -> ()
      return
    }
    ```
    After:
    ```mlir
    func.func @main(%r: !pop.ref<4xf32>) {
      pop.remote_code_load @g to io_buffer {pop.overlaps_compute, pop.tile_set = #pop<tile_set io>}
      pop.exp_ %r : !pop.ref<4xf32>
      pop.code_copy @g from io_buffer to executable
      call @g() : () -> ()
      return
    }
    ```
  }];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_CODEPASSES
