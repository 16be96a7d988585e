//===- CodeResidency.h - Which code is on the tiles ---------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_RUN_CODERESIDENCY_H
#define IPU_MLIR_LIB_EXECUTOR_RUN_CODERESIDENCY_H

#include "ipu-mlir/Executor/Program/Program.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::ipu {

/// Where the code of functions that loads name is: kept to find plans that load
/// too late, since running it needs none of this.
class CodeResidency {
public:
  explicit CodeResidency(const Program &program) {
    for (llvm::BitVector &functions : places)
      functions.resize(program.functions.size());
    for (auto [number, function] : llvm::enumerate(program.functions))
      if (function.isInImage)
        add(CodeLocation::Executable, number);
  }

  bool isIn(CodeLocation place, unsigned function) const {
    return places[static_cast<unsigned>(place)].test(function);
  }
  bool isResident(unsigned function) const {
    return isIn(CodeLocation::Executable, function);
  }
  void add(CodeLocation place, unsigned function) {
    places[static_cast<unsigned>(place)].set(function);
  }
  /// Others may use its memory.
  void remove(unsigned function) {
    places[static_cast<unsigned>(CodeLocation::Executable)].reset(function);
  }

private:
  std::array<llvm::BitVector, 3> places;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_CODERESIDENCY_H
