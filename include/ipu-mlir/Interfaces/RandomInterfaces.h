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

/// Builds ops in the codelets of random ops. The built ops belong to the `ipu`
/// dialect, which implements this interface. Dialects with random ops use only
/// the interface, so they do not depend on the `ipu` dialect.
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

  /// Returns the number of the element of `buffer` at `indices`, as an i32.
  /// `buffer` is an output of the codelet and contains a part of a variable.
  /// The elements of the whole variable are numbered in row-major order.
  virtual Value buildElementNumber(OpBuilder &b, Location loc, Value buffer,
                                   ValueRange indices) const = 0;
  /// Returns the four i32 words of Philox4x32-10 for a key of two words and a
  /// counter of four words.
  virtual ValueRange buildPhilox(OpBuilder &b, Location loc, ValueRange key,
                                 ValueRange counter) const = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_RANDOMINTERFACES_H
