//===- SdyDetail.h - Helpers of the sdy dialect -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_IR_SDYDETAIL_H
#define IPU_MLIR_LIB_DIALECT_SDY_IR_SDYDETAIL_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"

namespace mlir::ipu::sdy {

/// `{..}` or another list of attributes without their `#sdy.` prefix.
template <typename AttrT>
ParseResult parseAttrList(AsmParser &parser, AsmParser::Delimiter delimiter,
                          SmallVectorImpl<AttrT> &attrs) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    auto attr = dyn_cast_or_null<AttrT>(AttrT::parse(parser, Type()));
    attrs.push_back(attr);
    return success(!!attr);
  });
}

template <typename AttrT>
void printAttrList(AsmPrinter &printer, ArrayRef<AttrT> attrs,
                   StringRef delimiters) {
  printer << delimiters.front();
  llvm::interleaveComma(attrs, printer,
                        [&](AttrT attr) { attr.print(printer); });
  printer << delimiters.back();
}

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// `[<..>, <..>]`
ParseResult parseStrippedShardings(OpAsmParser &parser,
                                   TensorShardingPerValueAttr &shardings);
void printStrippedShardings(OpAsmPrinter &printer, Operation *,
                            TensorShardingPerValueAttr shardings);

/// `(%a: type, ..) {..}`
ParseResult parseSingleBlockRegion(OpAsmParser &parser, Region &region);
void printSingleBlockRegion(OpAsmPrinter &printer, Operation *, Region &region);

/// ` max`, ` min`, or nothing for a sum.
ParseResult parseReductionKind(OpAsmParser &parser, ReductionKindAttr &kind);
void printReductionKind(OpAsmPrinter &printer, Operation *,
                        ReductionKindAttr kind);

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Axes exist, none twice, no adjacent ones that could be one, parts fit.
LogicalResult verifyAxisLists(ArrayRef<ArrayRef<AxisRefAttr>> lists,
                              MeshAttr mesh, EmitErrorFn emitError);
/// The axes are in the order of the mesh.
LogicalResult verifySorted(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                           StringRef kind, EmitErrorFn emitError);

/// An attribute of an op that tells how its shardings came about; others pass.
LogicalResult verifyDebugAttribute(Operation *op, NamedAttribute attribute);
/// The same for an argument or result of a function `from`; its sharding may be
/// null.
LogicalResult verifyValueDebugAttribute(NamedAttribute attribute,
                                        TensorShardingAttr sharding,
                                        Operation *from, EmitErrorFn emitError);

/// How an op may change what is unreduced: nothing, unless it says more.
struct UnreducedChange {
  /// Of which kind unreduced axes may come, and go.
  std::optional<ReductionKind> introduces = std::nullopt;
  std::optional<ReductionKind> removes = std::nullopt;
  /// Which ones may go; none given: any.
  std::optional<sharding::AxisList> removable = std::nullopt;
};

/// Unreduced axes that the result has and the operand has not, or the other way
/// round, must be of `change`; those that stay keep their kind. Says what is
/// wrong. Both shardings are on meshes of the same axes.
std::optional<std::string> findUnreducedFault(TensorShardingAttr in,
                                              TensorShardingAttr out,
                                              Operation *op,
                                              const UnreducedChange &change);
/// The same for a constraint or reshard of `in`, which may be null, to `out`:
/// on another mesh nothing is compared.
std::optional<std::string> findUnreducedReshardFault(TensorShardingAttr in,
                                                     TensorShardingAttr out,
                                                     Operation *op);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_IR_SDYDETAIL_H
