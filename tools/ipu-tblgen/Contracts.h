//===- Contracts.h - Contracts as records -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of Contracts.td and of passes that both backends read.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPUTBLGEN_CONTRACTS_H
#define IPU_MLIR_TOOLS_IPUTBLGEN_CONTRACTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TableGen/Record.h"
#include <string>
#include <vector>

namespace ipu::tblgen {

using Records = std::vector<const llvm::Record *>;

/// All defs of `className`, in the order of the file.
Records getDefs(const llvm::RecordKeeper &keeper, llvm::StringRef className);

/// All passes with a contract. Ends the program with an error at the first pass
/// that has no contract, or whose contract omits a field without a default.
Records getContracts(const llvm::RecordKeeper &keeper);

/// The enumerator of a condition: `NoInplace` for `NO_INPLACE`.
std::string getEnumerator(const llvm::Record &condition);

/// The conditions of a field, in the order of the file.
Records getConditions(const llvm::Record &contract, llvm::StringRef field);

/// The changes of an effect on bits or draws; empty if there are none.
llvm::StringRef getChanged(const llvm::Record &contract, llvm::StringRef field);

} // namespace ipu::tblgen

#endif // IPU_MLIR_TOOLS_IPUTBLGEN_CONTRACTS_H
