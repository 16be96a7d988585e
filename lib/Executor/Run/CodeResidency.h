//===- CodeResidency.h - Code residency -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_RUN_CODERESIDENCY_H
#define IPU_MLIR_LIB_EXECUTOR_RUN_CODERESIDENCY_H

#include "ipu-mlir/Executor/Program/Program.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

namespace mlir::ipu {

/// Records which memories contain the code of each function that a code load
/// names. The execution of vertices does not need this record; the executor
/// uses it to detect plans that load code too late.
class CodeResidency {
public:
  explicit CodeResidency(const Program &program) {
    for (llvm::BitVector &functions : locations)
      functions.resize(program.functions.size());
    for (auto [number, function] : llvm::enumerate(program.functions))
      if (function.isInImage)
        add(CodeLocation::Executable, number);
  }

  bool isIn(CodeLocation location, unsigned function) const {
    return locations[static_cast<unsigned>(location)].test(function);
  }
  bool isResident(unsigned function) const {
    return isIn(CodeLocation::Executable, function);
  }
  void add(CodeLocation location, unsigned function) {
    locations[static_cast<unsigned>(location)].set(function);
  }
  /// Removes a function from executable memory, because its memory may be
  /// overwritten.
  void remove(unsigned function) {
    locations[static_cast<unsigned>(CodeLocation::Executable)].reset(function);
  }

  /// Keeps a function in a memory only if `other` also has the function in this
  /// memory.
  void intersect(const CodeResidency &other) {
    for (auto [own, others] : llvm::zip_equal(locations, other.locations))
      own &= others;
  }

private:
  std::array<llvm::BitVector, 3> locations;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_CODERESIDENCY_H
