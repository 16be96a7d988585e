//===- EscapeControls.cpp - Text without control characters ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/EscapeControls.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <list>

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

std::string mlir::ipu::escapeControls(StringRef text) {
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

/// Escapes the strings of `diagnostic` and of its notes. `texts` owns the new
/// strings.
static void escapeStrings(Diagnostic &diagnostic,
                          std::list<std::string> &texts) {
  for (DiagnosticArgument &argument : diagnostic.getArguments())
    if (argument.getKind() ==
        DiagnosticArgument::DiagnosticArgumentKind::String)
      argument = DiagnosticArgument(StringRef(
          texts.emplace_back(escapeControls(argument.getAsString()))));
  for (Diagnostic &note : diagnostic.getNotes())
    escapeStrings(note, texts);
}

void mlir::ipu::escapeDiagnostics(MLIRContext *context) {
  // The last handler is called first; it passes the diagnostic on to the one
  // that prints.
  context->getDiagEngine().registerHandler(
      [texts = std::list<std::string>()](Diagnostic &diagnostic) mutable {
        texts.clear();
        escapeStrings(diagnostic, texts);
        return failure();
      });
}
