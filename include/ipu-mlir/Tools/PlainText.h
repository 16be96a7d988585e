//===- PlainText.h - Text without control characters ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_PLAINTEXT_H
#define IPU_MLIR_TOOLS_PLAINTEXT_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mlir::ipu::tools {

/// Returns `text` with each byte of a control character as `\XX`, where XX is
/// its hexadecimal number. Names come from models, and control characters in
/// names must not control the user's terminal. Line feeds, tabs and all other
/// characters of valid UTF-8 do not change; other bytes are replaced, too.
std::string escapeControls(StringRef text);

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
