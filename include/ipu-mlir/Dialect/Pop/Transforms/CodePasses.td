//===- CodePasses.td - Passes on loading of code -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes on loads of code; docs/code-loading.md describes them.
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
    Fails where code is copied from a buffer to which no path from the start of
    the program has brought it. Warns of

    - a copy from a buffer to which only some paths have brought the code;
    - a load of code that nothing uses before it is loaded again;
    - a call of a graph whose code some paths load and others do not;
    - a call of a graph whose code was loaded to a buffer and not copied to where
      it can be called.

    Calls are correct in all these cases: code that no load brings in time is in
    the image. But it takes memory there, which loads are meant to save. The
    pass works on both pop and ipu. See docs/code-loading.md.
  }];
}

def PrintCodeLivenessPass
    : Pass<"pop-print-code-liveness", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Print where the code of graphs must be on the chip";
  let tests = ["Dialect/Pop/code-liveness.mlir"];
  let description = [{
    Prints, for each graph that is called or loaded, whether its code is always
    live, in the image when the program starts, or loaded; and the ranges between
    whose ops it is live. Ops are numbered in the order of their function. The
    pass works on both pop and ipu. See docs/code-loading.md.

    Remarks of the category `pop-code` name loads that are dead and, where code
    is kept on the chip although there are loads, the path without a load.
  }];
}

def MergeCodeLoadsPass
    : Pass<"pop-merge-code-loads", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Merge code loads";
  let tests = ["Dialect/Pop/merge-code-loads.mlir"];
  let description = [{
    Merges `pop.remote_code_load`s to one memory if no op between them moves
    data between a chip and what is outside of it, or needs or moves code. Calls
    need code, so that merging makes no code resident earlier than before. A
    `pop.in_sequence` does not prevent merging. Remarks of the category
    `pop-code` say which loads were merged and why others were not.

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
    Attaches `pop.overlaps_compute` to each `pop.remote_code_load` A that can
    run at the same time as the compute B after it. For the others a remark of
    the category `pop-code` says which of the conditions of PopXL's user guide
    fails:

    1. A comes before B.
    2. B does not need what A loads.

    3. A is on I/O tiles: `pop.tile_set` is `io`, and it loads to `io_buffer`.
    4. B is on compute tiles.
    5. All other transfers between A and B can be merged with A.

    B is what runs first after A, also in calls, branches and loops, and after
    the block or function that ends with A; where there are several paths, each
    has to meet the conditions.

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
