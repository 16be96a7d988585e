// RUN: ipu-translate --mlir-to-llvmir %s | FileCheck %s

// The tool has MLIR's translations.

// CHECK: define void @f()
llvm.func @f() {
  llvm.return
}
