//===- PlainText.cpp - Text without control characters --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/PlainText.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ipu;

void tools::PlainTextStream::write_impl(const char *text, size_t size) {
  os << escapeControls(StringRef(text, size));
}

llvm::raw_ostream &tools::PlainTextStream::changeColor(enum Colors color,
                                                       bool bold, bool bg) {
  os.changeColor(color, bold, bg);
  return *this;
}

llvm::raw_ostream &tools::PlainTextStream::resetColor() {
  os.resetColor();
  return *this;
}

llvm::raw_ostream &tools::PlainTextStream::reverseColor() {
  os.reverseColor();
  return *this;
}

tools::PlainTextStream tools::getTextStream(ArrayRef<StringRef> outputs) {
  return PlainTextStream(llvm::is_contained(outputs, "-") ? llvm::errs()
                                                          : llvm::outs());
}
