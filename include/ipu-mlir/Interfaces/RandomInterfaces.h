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

/// Builds the ops in the codelets of random ops. The built ops belong to the
/// `ipu` dialect, which implements this interface. Therefore dialects with
/// random ops do not depend on the `ipu` dialect.
class RandomOpBuilderInterface
    : public DialectInterface::Base<RandomOpBuilderInterface> {
public:
  RandomOpBuilderInterface(Dialect *dialect) : Base(dialect) {}

  /// Returns the implementation of the `ipu` dialect. This dialect must be
  /// loaded, which is always the case if there is a codelet.
  static const RandomOpBuilderInterface &get(MLIRContext *context) {
    return *context->getLoadedDialect("ipu")
                ->getRegisteredInterface<RandomOpBuilderInterface>();
  }

  /// Returns the number of an element of `buffer`, an output of the codelet, in
  /// row-major order of the whole variable, as an i32.
  virtual Value buildElementNumber(OpBuilder &b, Location loc, Value buffer,
                                   ValueRange indices) const = 0;
  /// Returns the four i32 words of Philox4x32-10 for a key of two words and a
  /// counter of four words.
  virtual ValueRange buildPhilox(OpBuilder &b, Location loc, ValueRange key,
                                 ValueRange counter) const = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_RANDOMINTERFACES_H
