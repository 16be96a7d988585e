//===- HostBytes.h - Memory of the host -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_HOSTBYTES_H
#define IPU_MLIR_HOST_HOSTBYTES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <vector>

namespace mlir::ipu {

/// A vector of bytes with a fixed size. Copies of the vector share the bytes
/// until a non-const accessor of one of these vectors is called. The accessor
/// first gives its vector separate bytes. Therefore a non-const pointer to the
/// bytes may be used only until the next copy of the vector is made.
class HostBytes {
public:
  HostBytes() = default;
  /// Creates a vector of zeros.
  explicit HostBytes(size_t size);
  HostBytes(ArrayRef<char> bytes);
  HostBytes(const std::vector<char> &bytes)
      : HostBytes(ArrayRef<char>(bytes)) {}

  /// Returns a vector of uninitialised bytes or, with `isZero`, of zeros.
  /// Returns a null vector if there is not enough memory.
  static HostBytes allocate(size_t size, bool isZero);
  /// Returns a vector of bytes that `owner` keeps alive, and that do not
  /// change. Non-const accessors copy them. The first byte must be aligned for
  /// the elements of the tensor.
  static HostBytes adopt(ArrayRef<char> bytes,
                         std::shared_ptr<const void> owner);
  bool isNull() const { return !memory; }
  void reset() { *this = HostBytes(); }

  bool empty() const { return numBytes == 0; }
  size_t size() const { return numBytes; }
  const char *data() const { return memory.get(); }
  const char *begin() const { return data(); }
  const char *end() const { return data() + numBytes; }
  const char &operator[](size_t index) const { return data()[index]; }

  char *data() {
    unshare();
    return memory.get();
  }
  char *begin() { return data(); }
  char *end() { return data() + numBytes; }
  char &operator[](size_t index) { return data()[index]; }
  operator MutableArrayRef<char>() { return {data(), numBytes}; }

  bool isShared() const { return isAdopted || memory.use_count() > 1; }
  /// Copies the bytes if other vectors share them or someone else owns them.
  /// Returns false if there is not enough memory.
  bool tryUnshare();

  friend bool operator==(const HostBytes &lhs, const HostBytes &rhs);
  friend bool operator!=(const HostBytes &lhs, const HostBytes &rhs) {
    return !(lhs == rhs);
  }

private:
  void unshare();

  std::shared_ptr<char> memory;
  size_t numBytes = 0;
  bool isAdopted = false;
};

bool operator==(const HostBytes &lhs, const HostBytes &rhs);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_HOSTBYTES_H
