//===- SdyDetail.h - Helpers of the sdy dialect -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_IR_SDYDETAIL_H
#define IPU_MLIR_LIB_DIALECT_SDY_IR_SDYDETAIL_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"

namespace mlir::ipu::sdy {

/// Parses a list of attributes in the given delimiters, for example `{..}`. The
/// attributes have no `#sdy.` prefix.
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

//
//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// Parses a list of shardings without prefixes: `[<..>, <..>]`.
ParseResult parseStrippedShardings(OpAsmParser &parser,
                                   TensorShardingPerValueAttr &shardings);
void printStrippedShardings(OpAsmPrinter &printer, Operation *,
                            TensorShardingPerValueAttr shardings);

/// Parses a region of one block with its arguments: `(%a: type, ..) {..}`.
ParseResult parseSingleBlockRegion(OpAsmParser &parser, Region &region);
void printSingleBlockRegion(OpAsmPrinter &printer, Operation *, Region &region);

/// Parses the kind of a reduction: ` max`, ` min`, or an empty string for a
/// sum.
ParseResult parseReductionKind(OpAsmParser &parser, ReductionKindAttr &kind);
void printReductionKind(OpAsmPrinter &printer, Operation *,
                        ReductionKindAttr kind);

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Checks that all axes exist in `mesh`, that no axis occurs twice, that no
/// adjacent axes can be merged, and that the sizes of sub-axes divide the sizes
/// of their axes.
LogicalResult verifyAxisLists(ArrayRef<ArrayRef<AxisRefAttr>> lists,
                              MeshAttr mesh, EmitErrorFn emitError);
/// Checks that `axes` are in the order of `mesh`. `kind` names the axes in
/// errors.
LogicalResult verifySorted(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                           StringRef kind, EmitErrorFn emitError);

/// Verifies an attribute of `op` that describes the origins of its shardings.
/// Accepts all other attributes.
LogicalResult verifyDebugAttribute(Operation *op, NamedAttribute attribute);
/// Verifies an attribute of an argument or result of the function `from` that
/// describes the origins of its sharding. Accepts all other attributes.
/// `sharding` is the sharding of the argument or result, and may be null.
LogicalResult verifyValueDebugAttribute(NamedAttribute attribute,
                                        TensorShardingAttr sharding,
                                        Operation *from, EmitErrorFn emitError);

/// The changes of unreduced axes that an op may make from its operand to its
/// result. By default, the op may make none.
struct UnreducedChange {
  /// The kind of unreduced axes that the op may introduce, and the kind that it
  /// may remove.
  std::optional<ReductionKind> introduces = std::nullopt;
  std::optional<ReductionKind> removes = std::nullopt;
  /// The axes that the op may remove, or std::nullopt if it may remove any
  /// axis.
  std::optional<sharding::AxisList> removable = std::nullopt;
};

/// Checks that `change` allows the op to introduce the unreduced axes that only
/// `out` has and to remove those that only `in` has, and that axes of both keep
/// their kind. Returns a description of the first violation, or std::nullopt if
/// there is none. The meshes of both shardings must have the same axes.
std::optional<std::string> findUnreducedFault(TensorShardingAttr in,
                                              TensorShardingAttr out,
                                              Operation *op,
                                              const UnreducedChange &change);
/// Performs the check of findUnreducedFault for a constraint or a reshard from
/// `in`, which may be null, to `out`. Shardings on different meshes are not
/// compared.
std::optional<std::string> findUnreducedReshardFault(TensorShardingAttr in,
                                                     TensorShardingAttr out,
                                                     Operation *op);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_IR_SDYDETAIL_H
