//===- ipu-translate.cpp - Conversion from and to other formats -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolSetup.h"
#include "ipu-mlir/Frontend/ONNX/Import.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

static constexpr char kOverview[] =
    R"(Translates ONNX models, and other formats as mlir-translate does

--import-onnx reads an ONNX model (binary or text) and writes a pop program. --onnx-dim,
--onnx-constant, --onnx-parameters and --onnx-compute-f16 are options of this
translation. --list-onnx-ops lists the ONNX operators that it supports. All other
translations are MLIR's own.)";

int main(int argc, char **argv) {
  mlir::ipu::setUpTool();
  mlir::registerAllTranslations();
  mlir::ipu::onnx::registerONNXTranslations();
  return failed(mlir::mlirTranslateMain(argc, argv, kOverview));
}
