//===- ipu-translate.cpp - Conversion from and to other formats -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Frontend/ONNX/Import.h"
#include "ipu-mlir/Support/BugReport.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mlir::ipu::setBugReportText();
  mlir::registerAllTranslations();
  mlir::ipu::onnx::registerONNXTranslations();
  return failed(
      mlir::mlirTranslateMain(argc, argv, "ipu-mlir translation driver"));
}
