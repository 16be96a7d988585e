//===- ContractionMethod.h - Methods of contractions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_CONTRACTIONMETHOD_H
#define IPU_MLIR_ANALYSIS_COST_CONTRACTIONMETHOD_H

#include "mlir/Support/LLVM.h"

namespace mlir::ipu {

/// The methods of matmuls and convolutions of floats. Each method is a kind of
/// vertex in PopLibs. If several methods have the same cost, the first one in
/// this list is used. docs/device-model.md has the formulas of the methods.
enum class ContractionMethod {
  Amp,
  CombinedAmp,
  Slic,
  Vmac,
  Hmac,
  OuterProduct
};

StringRef stringifyContractionMethod(ContractionMethod method);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_CONTRACTIONMETHOD_H
