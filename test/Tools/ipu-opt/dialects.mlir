// RUN: ipu-opt --show-dialects | tr , '\n' | FileCheck %s --check-prefix=DIALECTS
// RUN: ipu-opt --help | FileCheck %s --check-prefix=HELP

// The tool has MLIR's dialects and passes and the project's.

// DIALECTS: arith
// DIALECTS: {{^}}ipu
// DIALECTS: linalg
// DIALECTS: {{^}}pop
// DIALECTS: transform

// HELP: OVERVIEW: ipu-mlir optimizer driver
// HELP: --canonicalize
// HELP: --ipu-liveness
// HELP: --pop-decompose
// HELP: --pop-to-ipu-pipeline
