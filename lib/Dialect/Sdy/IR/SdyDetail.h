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

/// Checks that all axes exist, that no axis occurs twice, that no adjacent axes
/// could be merged, and that sub-axes fit.
LogicalResult verifyAxisLists(ArrayRef<ArrayRef<AxisRefAttr>> lists,
                              MeshAttr mesh, EmitErrorFn emitError);
/// Checks that the axes are in the order of the mesh.
LogicalResult verifySorted(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                           StringRef kind, EmitErrorFn emitError);

/// Verifies an attribute of an op that describes the origins of its shardings.
/// Other attributes are valid.
LogicalResult verifyDebugAttribute(Operation *op, NamedAttribute attribute);
/// The same for an argument or result of the function `from`. Its sharding may
/// be null.
LogicalResult verifyValueDebugAttribute(NamedAttribute attribute,
                                        TensorShardingAttr sharding,
                                        Operation *from, EmitErrorFn emitError);

/// The changes of unreduced axes that an op may make; by default none.
struct UnreducedChange {
  /// The kind of unreduced axes that the op may introduce, and the kind that it
  /// may remove.
  std::optional<ReductionKind> introduces = std::nullopt;
  std::optional<ReductionKind> removes = std::nullopt;
  /// The axes that the op may remove; none means any.
  std::optional<sharding::AxisList> removable = std::nullopt;
};

/// Checks that all unreduced axes that only the result or only the operand has
/// are allowed by `change`, and that common axes keep their kind. Returns a
/// description of the first violation. Both shardings are on meshes with the
/// same axes.
std::optional<std::string> findUnreducedFault(TensorShardingAttr in,
                                              TensorShardingAttr out,
                                              Operation *op,
                                              const UnreducedChange &change);
/// The same for a constraint or reshard from `in`, which may be null, to `out`.
/// Shardings on different meshes are not compared.
std::optional<std::string> findUnreducedReshardFault(TensorShardingAttr in,
                                                     TensorShardingAttr out,
                                                     Operation *op);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_IR_SDYDETAIL_H
