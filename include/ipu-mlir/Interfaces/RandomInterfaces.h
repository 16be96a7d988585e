//===- RandomInterfaces.h - Random numbers in codelets ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_RANDOMINTERFACES_H
#define IPU_MLIR_INTERFACES_RANDOMINTERFACES_H

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::ipu {

/// Builds the ops from which the bodies of random ops are made. These ops
/// belong to the `ipu` dialect, which implements this interface. Dialects whose
/// ops have such bodies therefore do not depend on the `ipu` dialect.
class RandomOpBuilderInterface
    : public DialectInterface::Base<RandomOpBuilderInterface> {
public:
  RandomOpBuilderInterface(Dialect *dialect) : Base(dialect) {}

  /// The implementation of the `ipu` dialect, which is always loaded if there
  /// is a codelet.
  static const RandomOpBuilderInterface &get(MLIRContext *context) {
    return *context->getLoadedDialect("ipu")
                ->getRegisteredInterface<RandomOpBuilderInterface>();
  }

  /// The number of an element of an output of the codelet, in row-major order
  /// of the whole variable: an i32.
  virtual Value buildElementNumber(OpBuilder &b, Location loc, Value buffer,
                                   ValueRange indices) const = 0;
  /// The four i32 words of Philox4x32-10, for a key of two words and a counter
  /// of four words.
  virtual ValueRange buildPhilox(OpBuilder &b, Location loc, ValueRange key,
                                 ValueRange counter) const = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_RANDOMINTERFACES_H
