//===- CodeletTable.cpp - Codelets of pop ops -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeletTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns a name of a codelet from the name of its op and its element types,
/// for example `cast_f32_f16`.
static std::string getCodeletName(StringRef op, TypeRange elementTypes) {
  std::string name = op.str();
  llvm::raw_string_ostream os(name);
  Type last;
  for (Type type : elementTypes) {
    if (type != last)
      os << '_' << type;
    last = type;
  }
  return name;
}

TargetAttr mlir::ipu::getTarget(Operation *module) {
  return module->getAttrOfType<TargetAttr>(IPUDialect::kTargetAttrName);
}

bool mlir::ipu::isNative(Type type, TargetAttr target) {
  // Only the C600 has a matrix unit for f8.
  if (isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type))
    return target && target.getPreset() == "c600";
  return type.isF32() || type.isF16() || type.isSignlessInteger();
}

CodeletOp CodeletTable::create(Location loc, ArrayRef<Type> arguments,
                               int64_t numInputs, CodeletCostAttr cost) {
  TargetAttr target = getTarget(symbols.getOp());
  OpBuilder builder(loc.getContext());
  auto type = builder.getFunctionType(arguments, {});
  bool emulated = llvm::any_of(arguments, [&](Type argument) {
    return !isNative(getElementTypeOrSelf(argument), target);
  });
  auto codelet = CodeletOp::create(builder, loc, "codelet", type, numInputs,
                                   cost, emulated, /*arg_attrs=*/ArrayAttr(),
                                   /*res_attrs=*/ArrayAttr());
  Block &block = codelet.getBody().emplaceBlock();
  for (Type argument : arguments)
    block.addArgument(argument, loc);
  return codelet;
}

FailureOr<CodeletOp> CodeletTable::getOrCreate(
    CodeletOpInterface op, const PartitionProblem &problem,
    ArrayRef<bool> isStrided, pop::StochasticRoundingAttr rounding) {
  SmallVector<Type> arguments, types;
  auto addArgument = [&](const TileAccess &access, Type type,
                         bool isStrided = false) {
    arguments.push_back(
        getCodeletBufferType(access.domain.size(), type, isStrided));
    types.push_back(type);
  };
  for (auto [access, type, isStrided] :
       llvm::zip_equal(problem.form.inputs, problem.inputTypes, isStrided))
    addArgument(access, type, isStrided);
  for (auto [access, type] :
       llvm::zip_equal(problem.form.results, problem.resultTypes))
    addArgument(access, type);
  // Diagnostics name the first of the ops that use the codelet.
  Location loc = op->getLoc();
  CodeletOp codelet =
      create(loc, arguments, problem.inputTypes.size(), problem.cost);
  OpBuilder builder = OpBuilder::atBlockEnd(&codelet.getBody().front());
  op.buildCodelet(builder, loc, codelet.getBody().getArguments(), problem.form);
  EndOp::create(builder, loc);
  std::string name = getCodeletName(op.getCodeletCost().name, types);
  if (rounding && failed(roundStochastically(codelet, rounding,
                                             getTarget(symbols.getOp())))) {
    codelet.erase();
    return failure();
  }
  if (drawsRandomBits(codelet))
    name += "_sr";
  return insert(name, codelet);
}

CodeletOp CodeletTable::getOrCreateFill(Location loc, TypedAttr value,
                                        int64_t rank) {
  Type type = getStorageElementType(value.getType());
  CodeletCostAttr cost = getCodeletCost({CodeletCostKind::Vector, "fill"}, type,
                                        /*scalarOperand=*/false);
  CodeletOp codelet =
      create(loc, getCodeletBufferType(rank, type), /*numInputs=*/0, cost);
  OpBuilder builder = OpBuilder::atBlockEnd(&codelet.getBody().front());
  if (auto integer = dyn_cast<IntegerAttr>(value))
    value = builder.getIntegerAttr(type, integer.getValue());
  Value constant = arith::ConstantOp::create(builder, loc, value);
  linalg::FillOp::create(builder, loc, constant,
                         codelet.getBody().getArgument(0));
  EndOp::create(builder, loc);
  return insert(getCodeletName("fill", type), codelet);
}

static bool isSameCodelet(CodeletOp a, CodeletOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         a.getNumInputs() == b.getNumInputs() && a.getCost() == b.getCost() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

CodeletOp CodeletTable::insert(StringRef name, CodeletOp codelet) {
  auto key = StringAttr::get(codelet.getContext(), name);
  for (CodeletOp other : codelets[key])
    if (isSameCodelet(other, codelet)) {
      codelet.erase();
      return other;
    }
  codelet.setSymNameAttr(key);
  // The symbol table makes the name unique: the first codelet with a requested
  // name keeps this name.
  symbols.insert(codelet);
  codelets[key].push_back(codelet);
  return codelet;
}
