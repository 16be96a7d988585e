// The tutorial of docs/fusion.md: what the page shows is what comes out.

// DEFINE: %{block} = %python %S/Inputs/doc-block.py %src_root/docs/fusion.md
// DEFINE: %{run} = ipu-opt %t/rows.mlir --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%t/script.mlir},transform-interpreter,fuse-print-schedule)'
// RUN: rm -rf %t && mkdir %t
// RUN: %{block} rows > %t/rows.mlir

// RUN: %{block} --into script > %t/script.mlir
// RUN: %{run} -o /dev/null > %t/schedule-0
// RUN: %{block} schedule-0 | diff - %t/schedule-0

// RUN: %{block} step-1 --into script > %t/script.mlir
// RUN: not %{run} 2>&1 | grep -E -o '(error|note): .*' > %t/errors-1
// RUN: %{block} errors-1 | diff - %t/errors-1

// RUN: %{block} step-2 --into script > %t/script.mlir
// RUN: %{run} -o /dev/null > %t/schedule-2
// RUN: %{block} schedule-2 | diff - %t/schedule-2

// RUN: %{block} step-2 step-3 --into script > %t/script.mlir
// RUN: %{run} | grep . > %t/loops-3
// RUN: %{block} loops-3 | diff - %t/loops-3

// RUN: %{block} step-4 --into script > %t/script.mlir
// RUN: %{run} -o /dev/null > %t/schedule-4
// RUN: %{block} schedule-4 | diff - %t/schedule-4
