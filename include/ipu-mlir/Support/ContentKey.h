//===- ContentKey.h - Keys derived from content -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_CONTENTKEY_H
#define IPU_MLIR_SUPPORT_CONTENTKEY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::ipu {

/// A key for a StringMap. The key is made of numbers, pointers and texts.
class ContentKey {
public:
  ContentKey &operator<<(int64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
    return *this;
  }
  ContentKey &operator<<(const void *pointer) {
    return *this << static_cast<int64_t>(reinterpret_cast<intptr_t>(pointer));
  }
  ContentKey &operator<<(llvm::ArrayRef<int64_t> values) {
    *this << static_cast<int64_t>(values.size());
    for (int64_t value : values)
      *this << value;
    return *this;
  }
  ContentKey &operator<<(llvm::StringRef text) {
    *this << static_cast<int64_t>(text.size());
    bytes += text;
    return *this;
  }
  llvm::StringRef get() const { return bytes; }

private:
  std::string bytes;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_CONTENTKEY_H
