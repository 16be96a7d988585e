//===- FuseTransformOps.cpp - Transform ops of fusions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file contains the syntax and the registration of the ops. LoopOps.cpp
// and PositionOps.cpp implement the effects of the ops.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/TransformOps/FuseTransformOps.h"

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

#ifndef NDEBUG
// Headers call it when assertions are on, and a libMLIR without them lacks it.
void mlir::transform::detail::checkImplementsTransformOpInterface(
    StringRef /*name*/, MLIRContext * /*context*/) {}
#endif

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// `{word, key = value, ...}` or nothing.
static ParseResult
parseOptions(OpAsmParser &parser,
             function_ref<ParseResult(StringRef, SMLoc)> parseOption) {
  if (failed(parser.parseOptionalLBrace()))
    return success();
  auto parseEntry = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    return failure(parser.parseKeyword(&key) || parseOption(key, loc));
  };
  return failure(parser.parseCommaSeparatedList(parseEntry) ||
                 parser.parseRBrace());
}

static ParseResult parseWord(OpAsmParser &parser, StringAttr &attribute) {
  StringRef word;
  if (parser.parseEqual() || parser.parseKeyword(&word))
    return failure();
  attribute = parser.getBuilder().getStringAttr(word);
  return success();
}

static ParseResult parseBool(OpAsmParser &parser, BoolAttr &attribute) {
  return failure(parser.parseEqual() || parser.parseAttribute(attribute));
}

/// Prints options as `parseOptions` reads them.
static void printOptions(OpAsmPrinter &printer, ArrayRef<std::string> options) {
  if (options.empty())
    return;
  printer << " {";
  llvm::interleaveComma(options, printer.getStream());
  printer << "}";
}

static ParseResult parseComputeAtOptions(OpAsmParser &parser, StringAttr &mode,
                                         UnitAttr &recompute, BoolAttr &hoist) {
  return parseOptions(parser, [&](StringRef key, SMLoc loc) -> ParseResult {
    if (key == "mode")
      return parseWord(parser, mode);
    if (key == "hoist")
      return parseBool(parser, hoist);
    if (key != "recompute")
      return parser.emitError(loc)
             << "expects 'mode', 'recompute' or 'hoist' but got '" << key
             << "'";
    recompute = parser.getBuilder().getUnitAttr();
    return success();
  });
}

static std::string printBool(StringRef key, BoolAttr value) {
  return (key + " = " + (value.getValue() ? "true" : "false")).str();
}

static void printComputeAtOptions(OpAsmPrinter &printer, Operation *,
                                  StringAttr mode, UnitAttr recompute,
                                  BoolAttr hoist) {
  SmallVector<std::string> options;
  if (mode && mode.getValue() != "standard")
    options.push_back("mode = " + mode.getValue().str());
  if (recompute)
    options.push_back("recompute");
  if (hoist)
    options.push_back(printBool("hoist", hoist));
  printOptions(printer, options);
}

static ParseResult parseLowerOptions(OpAsmParser &parser, StringAttr &loops,
                                     BoolAttr &peel, StringAttr &layout) {
  return parseOptions(parser, [&](StringRef key, SMLoc loc) -> ParseResult {
    if (key == "loops")
      return parseWord(parser, loops);
    if (key == "peel")
      return parseBool(parser, peel);
    if (key == "layout")
      return parseWord(parser, layout);
    return parser.emitError(loc)
           << "expects 'loops', 'peel' or 'layout' but got '" << key << "'";
  });
}

static void printLowerOptions(OpAsmPrinter &printer, Operation *,
                              StringAttr loops, BoolAttr peel,
                              StringAttr layout) {
  SmallVector<std::string> options;
  if (loops && loops.getValue() != "affine")
    options.push_back("loops = " + loops.getValue().str());
  if (peel && !peel.getValue())
    options.push_back(printBool("peel", peel));
  if (layout && layout.getValue() != "dynamic")
    options.push_back("layout = " + layout.getValue().str());
  printOptions(printer, options);
}

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Fuse/TransformOps/FuseTransformOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace mlir::fuse {
// Its type has a name, by which a plugin and its host know that they mean the
// same extension.
class FuseTransformExtension
    : public transform::TransformDialectExtension<FuseTransformExtension> {
public:
  using Base::Base;

  void init() {
    declareDependentDialect<FuseDialect>();
    declareGeneratedDialect<affine::AffineDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<bufferization::BufferizationDialect>();
    declareGeneratedDialect<complex::ComplexDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<vector::VectorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/Fuse/TransformOps/FuseTransformOps.cpp.inc"
        >();
  }
};
} // namespace mlir::fuse

void fuse::registerTransformDialectExtension(DialectRegistry &registry) {
  registry.addExtensions<FuseTransformExtension>();
}
