//===- OnnxImportFuzz.cpp - The ONNX importer on mutated files ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target of libFuzzer: no file may crash the importer, and each file that it
// imports gives a valid module. The first byte of an input selects the form of
// parameters, and whether loops and results of unknown size have limits.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Frontend/ONNX/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;
using namespace mlir::ipu;

/// Larger inputs only make the search slower.
static constexpr size_t kMaxBytes = 1 << 16;

static onnx::ImportOptions getOptions(uint8_t selector) {
  onnx::ImportOptions options;
  options.parameters = static_cast<onnx::ParameterKind>(selector % 3);
  options.batch = 2;
  // The names that the importer gives nodes without a name.
  if (selector & 4)
    for (const char *output : {"x", "y", "z", "a", "b", "c", "output"}) {
      std::string name = output;
      options.maxTrips["Loop_" + name] = 3;
      for (const char *op : {"NonZero_", "Compress_", "Unique_"})
        options.maxSizes[op + name] = 3;
    }
  return options;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0 || size > kMaxBytes)
    return 0;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler drop(&context, [](Diagnostic &) {});
  llvm::StringRef bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  auto outcome = onnx::ImportOutcome::Success;
  FailureOr<OwningOpRef<ModuleOp>> module =
      onnx::importONNXBuffer(llvm::MemoryBufferRef(bytes, "/nowhere/model"),
                             &context, getOptions(data[0]), &outcome);
  bool isImported = succeeded(module);
  if (isImported != (outcome == onnx::ImportOutcome::Success) ||
      (isImported && failed(verify(**module))))
    abort();
  return 0;
}
