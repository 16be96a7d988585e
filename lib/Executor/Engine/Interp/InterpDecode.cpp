//===- InterpDecode.cpp - Decoding for the interpreter --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpCode.h"

#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class Decoder {
public:
  InterpCode decode(CodeletOp codelet);

private:
  void decodeBlock(Block &block, CodeBlock &code);
  void decodeOp(Operation *op, CodeBlock &code);
  bool decodeBuffers(Operation *op, CodeBlock &code);
  bool decodeControl(Operation *op, CodeBlock &code);
  void decodeSubView(memref::SubViewOp op, CodeBlock &code);
  void decodeGeneric(linalg::GenericOp op, CodeBlock &code);
  void decodeConstant(arith::ConstantOp op);

  /// The codelet's argument that a buffer shows; -1 if none.
  static int getArgument(Value buffer) {
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    auto argument = dyn_cast<BlockArgument>(buffer);
    return argument ? argument.getArgNumber() : -1;
  }
  unsigned getNumber(Value value) {
    bool isBuffer = isa<MemRefType>(value.getType());
    unsigned &next = isBuffer ? code.numBuffers : code.numRegs;
    auto [it, isNew] = numbers.try_emplace(value, next);
    next += isNew;
    if (isBuffer && isNew)
      code.argumentOfBuffer.push_back(getArgument(value));
    return it->second;
  }
  SmallVector<unsigned> getNumbers(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return getNumber(v); });
  }
  unsigned addAccess(Value buffer, ValueRange indices) {
    code.accesses.push_back({getNumber(buffer), getNumbers(indices)});
    return code.accesses.size() - 1;
  }
  SmallVector<IndexValue> getIndexValues(ArrayRef<OpFoldResult> values) {
    return llvm::map_to_vector(values, [&](OpFoldResult value) {
      IndexValue result;
      if (auto constant = getConstantIntValue(value))
        result.constant = *constant;
      else
        result.reg = getNumber(cast<Value>(value));
      return result;
    });
  }

  InterpCode code;
  llvm::DenseMap<Value, unsigned> numbers;
  /// Register of the first loop's position, of the linalg op being decoded:
  /// they are not nested.
  unsigned firstPosition = 0;
};
} // namespace

static ScalarKind getKind(Value value) {
  return getScalarKind(getElementTypeOrSelf(value.getType()));
}

InterpCode Decoder::decode(CodeletOp codelet) {
  for (BlockArgument argument : codelet.getBody().getArguments()) {
    unsigned number = getNumber(argument);
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      code.indexArguments.push_back(number);
      continue;
    }
    code.argumentRanks.push_back(type.getRank());
    code.argumentBytes.push_back(getScalarBytes(getKind(argument)));
  }
  decodeBlock(codelet.getBody().front(), code.body);
  return std::move(code);
}

void Decoder::decodeBlock(Block &block, CodeBlock &result) {
  for (Operation &op : block.without_terminator())
    decodeOp(&op, result);
  result.yields = getNumbers(block.getTerminator()->getOperands());
}

void Decoder::decodeConstant(arith::ConstantOp op) {
  uint64_t bits;
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    bits = integer.getValue().getZExtValue();
  else
    bits = cast<FloatAttr>(op.getValue())
               .getValue()
               .bitcastToAPInt()
               .getZExtValue();
  code.constants.emplace_back(getNumber(op.getResult()), bits);
}

void Decoder::decodeOp(Operation *op, CodeBlock &result) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return decodeConstant(constant);
  if (decodeBuffers(op, result) || decodeControl(op, result))
    return;
  // Codelets were checked to hold known ops only.
  Inst inst{static_cast<Opcode>(*getScalarOpcode(op))};
  inst.source = op;
  inst.dst = getNumber(op->getResult(0));
  inst.kind = getKind(op->getResult(0));
  inst.from = getKind(op->getOperand(0));
  SmallVector<unsigned> operands = getNumbers(op->getOperands());
  operands.resize(3);
  inst.a = operands[0];
  inst.b = operands[1];
  inst.c = operands[2];
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    inst.predicate = static_cast<uint8_t>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    inst.predicate = static_cast<uint8_t>(compare.getPredicate());
  result.insts.push_back(inst);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

bool Decoder::decodeBuffers(Operation *op, CodeBlock &result) {
  Inst inst{Opcode::Load};
  inst.source = op;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    inst.dst = getNumber(load.getResult());
    inst.kind = getKind(load.getResult());
    inst.extra = addAccess(load.getMemRef(), load.getIndices());
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    inst.op = Opcode::Store;
    inst.a = getNumber(store.getValueToStore());
    inst.kind = getKind(store.getValueToStore());
    inst.extra = addAccess(store.getMemRef(), store.getIndices());
  } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
    inst.op = Opcode::Dim;
    inst.dst = getNumber(dim.getResult());
    inst.a = getNumber(dim.getSource());
    inst.extra = *dim.getConstantIndex();
  } else if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
    inst.op = Opcode::Alloca;
    inst.dst = getNumber(alloca.getResult());
    inst.kind = getKind(alloca.getResult());
    inst.extra = code.allocas.size();
    AllocaCode alloc;
    alloc.sizes = llvm::to_vector(alloca.getType().getShape());
    alloc.strides = StridedView::identity(alloc.sizes).strides;
    alloc.bytes = alloca.getType().getNumElements() * getScalarBytes(inst.kind);
    alloc.place = code.allocaBytes;
    code.allocaBytes += alloc.bytes;
    code.allocas.push_back(alloc);
  } else if (auto subview = dyn_cast<memref::SubViewOp>(op)) {
    decodeSubView(subview, result);
    return true;
  } else if (auto cast = dyn_cast<memref::CastOp>(op)) {
    inst.op = Opcode::CastBuffer;
    inst.dst = getNumber(cast.getDest());
    inst.a = getNumber(cast.getSource());
  } else {
    return false;
  }
  result.insts.push_back(inst);
  return true;
}

void Decoder::decodeSubView(memref::SubViewOp op, CodeBlock &result) {
  SubViewCode view;
  view.source = getNumber(op.getSource());
  view.offsets = getIndexValues(op.getMixedOffsets());
  view.sizes = getIndexValues(op.getMixedSizes());
  view.strides = getIndexValues(op.getMixedStrides());
  view.dropped = op.getDroppedDims();
  Inst inst{Opcode::SubView};
  inst.source = op;
  inst.dst = getNumber(op.getResult());
  inst.extra = code.subviews.size();
  code.subviews.push_back(std::move(view));
  result.insts.push_back(inst);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

bool Decoder::decodeControl(Operation *op, CodeBlock &result) {
  Inst inst{Opcode::For};
  inst.source = op;
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    inst.op = Opcode::LoopIndex;
    inst.dst = getNumber(index.getResult());
    inst.a = firstPosition + index.getDim();
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    ForCode forCode;
    forCode.iv = getNumber(loop.getInductionVar());
    forCode.lower = getNumber(loop.getLowerBound());
    forCode.upper = getNumber(loop.getUpperBound());
    forCode.step = getNumber(loop.getStep());
    forCode.ivWidth = getScalarWidth(getKind(loop.getInductionVar()));
    forCode.inits = getNumbers(loop.getInitArgs());
    forCode.arguments = getNumbers(loop.getRegionIterArgs());
    forCode.results = getNumbers(loop.getResults());
    decodeBlock(*loop.getBody(), forCode.body);
    inst.extra = code.loops.size();
    code.loops.push_back(std::move(forCode));
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    IfCode ifCode;
    ifCode.condition = getNumber(branch.getCondition());
    ifCode.results = getNumbers(branch.getResults());
    decodeBlock(*branch.thenBlock(), ifCode.branches[0]);
    if (Block *otherwise = branch.elseBlock())
      decodeBlock(*otherwise, ifCode.branches[1]);
    inst.op = Opcode::If;
    inst.extra = code.ifs.size();
    code.ifs.push_back(std::move(ifCode));
  } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    decodeGeneric(generic, result);
    return true;
  } else {
    return false;
  }
  result.insts.push_back(inst);
  return true;
}

void Decoder::decodeGeneric(linalg::GenericOp op, CodeBlock &result) {
  GenericCode generic;
  generic.ranges = getLoopRanges(op);
  generic.numInputs = op.getNumDpsInputs();
  for (OpOperand &opOperand : op->getOpOperands()) {
    GenericOperand operand;
    operand.isBuffer = isa<MemRefType>(opOperand.get().getType());
    operand.reg = getNumber(opOperand.get());
    BlockArgument argument = op.getMatchingBlockArgument(&opOperand);
    operand.argument = getNumber(argument);
    operand.isRead = !argument.use_empty();
    operand.kind = getKind(argument);
    AffineMap map = op.getMatchingIndexingMap(&opOperand);
    for (AffineExpr expr : map.getResults())
      operand.indices.push_back(*getLinearExpr(expr, map.getNumDims()));
    generic.operands.push_back(std::move(operand));
  }
  firstPosition = code.numRegs;
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    generic.positions.push_back(code.numRegs++);
  decodeBlock(*op.getBody(), generic.body);
  Inst inst{Opcode::Generic};
  inst.source = op;
  inst.extra = code.generics.size();
  code.generics.push_back(std::move(generic));
  result.insts.push_back(inst);
}

InterpCode mlir::ipu::decodeCodelet(CodeletOp codelet) {
  return Decoder().decode(codelet);
}
