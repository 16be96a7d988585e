//===- ExchangedRows.h - Rows that an exchange uses -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_EXCHANGEDROWS_H
#define IPU_MLIR_DIALECT_POP_IR_EXCHANGEDROWS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::pop {

/// The rows of remote buffers that the transfers of one `pop.remote_exchange`
/// load and store at the same time.
class ExchangedRows {
public:
  /// Adds `transfer`. Returns an earlier transfer that conflicts with
  /// `transfer`: both transfers may use the same row, and at least one of them
  /// stores the row. Returns null if there is no such transfer.
  Operation *add(Operation *transfer);

private:
  /// The first transfers that use one remote buffer: the first load and the
  /// first store of each constant row (`loads`, `stores`), of any row
  /// (`anyLoad`, `anyStore`), and of a row that is not constant (`dynamicLoad`,
  /// `dynamicStore`).
  struct BufferUses {
    llvm::DenseMap<uint64_t, Operation *> loads, stores;
    Operation *anyLoad = nullptr, *anyStore = nullptr;
    Operation *dynamicLoad = nullptr, *dynamicStore = nullptr;

    Operation *add(Operation *op, bool isStore, std::optional<uint64_t> row);
    Operation *findConflict(bool isStore, std::optional<uint64_t> row) const;
  };
  llvm::DenseMap<Attribute, BufferUses> buffers;
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_EXCHANGEDROWS_H
