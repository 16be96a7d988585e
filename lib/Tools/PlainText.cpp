//===- PlainText.cpp - Text without control characters --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/PlainText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the number of bytes of the first character of `text`, or 0 if it is
/// a control character or no character of UTF-8.
static size_t getPrintableSize(StringRef text) {
  unsigned char first = text.front();
  if (first < 0x80)
    return llvm::isPrint(first) || first == '\n' || first == '\t';
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  unsigned size = llvm::getNumBytesForUTF8(first);
  if (size > text.size() || !llvm::isLegalUTF8Sequence(begin, end))
    return 0;
  // U+0080 to U+009F are control characters.
  bool isControl = first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
  return isControl ? 0 : size;
}

std::string tools::escapeControls(StringRef text) {
  std::string result;
  while (!text.empty()) {
    size_t size = getPrintableSize(text);
    if (size == 0) {
      unsigned char byte = text.front();
      result += '\\';
      result += llvm::hexdigit(byte >> 4);
      result += llvm::hexdigit(byte & 0xF);
      size = 1;
    } else {
      result += text.take_front(size);
    }
    text = text.drop_front(size);
  }
  return result;
}

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
