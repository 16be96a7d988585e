//===- Target.h - Constants of the device model -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_TARGET_H
#define IPU_MLIR_DIALECT_IPU_IR_TARGET_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace mlir::ipu {

/// All constants of one machine. TargetConstants.def defines them in a table.
struct TargetModel {
#define IPU_CONSTANT(key, ...) int64_t key = 0;
#include "ipu-mlir/Dialect/IPU/IR/TargetConstants.def"

  /// A row of the table in TargetConstants.def.
  struct Constant {
    StringRef key, unit, confidence, source, what;
    int64_t minimum;
    int64_t defaults[4]; // in the order of getPresets()
    int64_t TargetModel::*member;
  };
  static ArrayRef<Constant> getConstants();
  static const Constant *findConstant(StringRef key);
  static ArrayRef<StringRef> getPresets();
  static std::optional<TargetModel> getPreset(StringRef name);

  /// Returns the number of tiles of one replica. Tile t of IPU i has the number
  /// i * tiles + t.
  int64_t getTilesPerReplica() const { return ipus * tiles; }
  /// Returns the number of tiles of one IPU that compute. Of all tiles of the
  /// IPU, these have the lowest numbers. The others are I/O tiles.
  int64_t getComputeTiles() const { return tiles - io_tiles; }
  int64_t getComputeTilesPerReplica() const { return ipus * getComputeTiles(); }

  /// Returns the number of cycles that a transfer of `bytes` at
  /// `bytesPerSecond` takes, or the number of cycles in `ns` nanoseconds. Both
  /// are rounded up.
  int64_t getTransferCycles(int64_t bytes, int64_t bytesPerSecond) const;
  int64_t getLatencyCycles(int64_t ns) const;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_TARGET_H
