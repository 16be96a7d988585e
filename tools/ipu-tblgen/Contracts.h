//===- Contracts.h - Contracts as records -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that read the records of Contracts.td and of passes, for both
// backends.
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

/// Returns all defs of `className`, in the order of the file.
Records getDefs(const llvm::RecordKeeper &keeper, llvm::StringRef className);

/// Returns all passes with their contracts. Ends the program with an error at
/// the first pass that has no contract, or whose contract has no value for a
/// field without a default.
Records getContracts(const llvm::RecordKeeper &keeper);

/// Returns the enumerator of a condition, for example `NoInplace` for
/// `NO_INPLACE`.
std::string getEnumerator(const llvm::Record &condition);

/// Returns the conditions in the field `field`, in the order of the file.
Records getConditions(const llvm::Record &contract, llvm::StringRef field);

/// Returns a text that says what the effect in `field`, an effect on bits or
/// draws, changes. The text is empty if the effect changes nothing.
llvm::StringRef getChanged(const llvm::Record &contract, llvm::StringRef field);

} // namespace ipu::tblgen

#endif // IPU_MLIR_TOOLS_IPUTBLGEN_CONTRACTS_H
