//===- PlainText.h - Text without control characters ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_PLAINTEXT_H
#define IPU_MLIR_TOOLS_PLAINTEXT_H

#include "ipu-mlir/Support/EscapeControls.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ipu::tools {

using ipu::escapeControls;

/// A stream that writes the results of escapeControls() to another stream,
/// without a buffer. Changes of colours are passed on to the other stream.
class PlainTextStream : public llvm::raw_ostream {
public:
  explicit PlainTextStream(llvm::raw_ostream &os)
      : raw_ostream(/*unbuffered=*/true), os(os) {}

  raw_ostream &changeColor(enum Colors color, bool bold, bool bg) override;
  raw_ostream &resetColor() override;
  raw_ostream &reverseColor() override;
  bool is_displayed() const override { return os.is_displayed(); }
  bool has_colors() const override { return os.has_colors(); }

private:
  void write_impl(const char *text, size_t size) override;
  uint64_t current_pos() const override { return os.tell(); }

  llvm::raw_ostream &os;
};

/// Returns a stream for text that people read. This is standard output, unless
/// one of the paths in `outputs` is "-", so that standard output has a file.
PlainTextStream getTextStream(llvm::ArrayRef<StringRef> outputs);

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_PLAINTEXT_H
