//===- JitLowering.cpp - Lowering to the llvm dialect ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Program/EngineCodelets.h"
#include "Jit.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::ipu;

llvm::DenseMap<Operation *, int64_t>
mlir::ipu::numberFaultOps(CodeletOp codelet) {
  llvm::DenseMap<Operation *, int64_t> numbers;
  codelet.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { numbers.try_emplace(op, numbers.size()); });
  return numbers;
}

Operation *mlir::ipu::getFaultOp(CodeletOp codelet, int64_t number) {
  Operation *found = codelet;
  codelet.walk<WalkOrder::PreOrder>([&](Operation *op) {
    found = op;
    return number-- == 0 ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
/// Builds the functions of one kernel: `vertex` runs one row and is called by
/// `kernel` for each.
class KernelBuilder {
public:
  KernelBuilder(ModuleOp module, const JitKernel &kernel, StringRef symbol,
                const JitTarget &target)
      : kernel(kernel), symbol(symbol), target(target),
        b(module.getLoc(), module.getContext()) {
    b.setInsertionPointToEnd(module.getBody());
    pointer = LLVM::LLVMPointerType::get(b.getContext());
    for (auto [operand, alias] : llvm::enumerate(kernel.alias)) {
      pointerOf.push_back(numPointers);
      numPointers += alias == operand;
    }
  }

  LogicalResult build();

private:
  func::FuncOp buildVertex();
  void buildKernel(func::FuncOp vertex);
  Value buildBuffer(MemRefType type, Value base, Value row, int64_t &column);
  Value loadWord(Value base, Value index);
  void hoistAllocas(func::FuncOp vertex);

  JitKernel kernel;
  StringRef symbol;
  const JitTarget &target;
  ImplicitLocOpBuilder b;
  Type pointer;
  SmallVector<unsigned> pointerOf;
  unsigned numPointers = 0;
  llvm::DenseMap<Operation *, Operation *> sources;
};
} // namespace

LogicalResult KernelBuilder::build() {
  func::FuncOp vertex = buildVertex();
  b.setInsertionPointAfter(vertex);
  buildKernel(vertex);
  legalizeScalars(vertex, target);
  vectorizeLanes(vertex, sources);
  insertBoundsChecks(vertex, sources, numberFaultOps(kernel.codelet));
  hoistAllocas(vertex);
  return lowerLinalg(vertex, target);
}

/// Word `index` of an array of i64.
Value KernelBuilder::loadWord(Value base, Value index) {
  Value address = LLVM::GEPOp::create(b, pointer, b.getI64Type(), base,
                                      ArrayRef<LLVM::GEPArg>{index});
  return LLVM::LoadOp::create(b, b.getI64Type(), address);
}

/// The memref of an operand, whose region starts in `column` of the row.
Value KernelBuilder::buildBuffer(MemRefType type, Value base, Value row,
                                 int64_t &column) {
  int64_t rank = type.getRank();
  Type i64 = b.getI64Type();
  SmallVector<Type> fields = {pointer, pointer, i64};
  if (rank > 0)
    fields.append(2, LLVM::LLVMArrayType::get(i64, rank));
  auto structType = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  Value descriptor = LLVM::PoisonOp::create(b, structType);
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor = LLVM::InsertValueOp::create(b, descriptor, value, position);
  };
  auto loadNext = [&]() {
    return loadWord(row, arith::ConstantIntOp::create(b, column++, 64));
  };
  insert(base, {0});
  insert(base, {1});
  insert(loadNext(), {2});
  for (int64_t field : {3, 4})
    for (int64_t dim = 0; dim < rank; ++dim)
      insert(loadNext(), {field, dim});
  return UnrealizedConversionCastOp::create(b, type, descriptor).getResult(0);
}

func::FuncOp KernelBuilder::buildVertex() {
  Type i64 = b.getI64Type();
  // Buffers, the row, its number, where to say what went wrong, and scratch.
  SmallVector<Type> types(numPointers + 1, pointer);
  types.append({i64, pointer, pointer});
  auto vertex = func::FuncOp::create(b, (symbol + kKernelBodySuffix).str(),
                                     b.getFunctionType(types, {}));
  vertex.setPrivate();
  for (unsigned i = 0; i < types.size(); ++i)
    if (types[i] == pointer)
      vertex.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(vertex.addEntryBlock());
  Value row = vertex.getArgument(numPointers);
  Block &body = kernel.codelet.getBody().front();
  IRMapping mapping;
  SmallVector<Value> buffers;
  int64_t column = 0;
  for (auto [operand, argument] : llvm::enumerate(body.getArguments())) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      Value word = loadWord(row, arith::ConstantIntOp::create(b, column++, 64));
      mapping.map(argument,
                  arith::IndexCastOp::create(b, argument.getType(), word));
      continue;
    }
    unsigned alias = kernel.alias[operand];
    buffers.push_back(
        buildBuffer(type, vertex.getArgument(pointerOf[alias]), row, column));
  }
  // One buffer has to be one value, or else LLVM sees two that overlap.
  for (unsigned operand = 0; operand < buffers.size(); ++operand)
    mapping.map(body.getArgument(operand), buffers[kernel.alias[operand]]);
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  kernel.codelet.walk([&](Operation *op) {
    if (Operation *copy = mapping.lookupOrNull(op))
      sources[copy] = op;
  });
  func::ReturnOp::create(b);
  return vertex;
}

void KernelBuilder::buildKernel(func::FuncOp vertex) {
  Type i64 = b.getI64Type();
  SmallVector<Type> types = {pointer, pointer, i64, i64, pointer, pointer};
  auto function = func::FuncOp::create(b, symbol, b.getFunctionType(types, {}));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(function.addEntryBlock());
  int64_t rowSize = 0;
  for (Type type : kernel.codelet.getArgumentTypes())
    rowSize += getNumColumns(type);
  SmallVector<Value> operands;
  for (unsigned i = 0; i < numPointers; ++i) {
    Value address =
        LLVM::GEPOp::create(b, pointer, pointer, function.getArgument(0),
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    operands.push_back(LLVM::LoadOp::create(b, pointer, address));
  }
  Value one = arith::ConstantIntOp::create(b, 1, 64);
  auto loop = scf::ForOp::create(b, function.getArgument(2),
                                 function.getArgument(3), one);
  {
    OpBuilder::InsertionGuard loopGuard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    Value first = arith::MulIOp::create(
        b, row, arith::ConstantIntOp::create(b, rowSize, 64));
    operands.push_back(LLVM::GEPOp::create(b, pointer, i64,
                                           function.getArgument(1),
                                           ArrayRef<LLVM::GEPArg>{first}));
    operands.push_back(row);
    operands.push_back(function.getArgument(4));
    operands.push_back(function.getArgument(5));
    func::CallOp::create(b, vertex, operands);
  }
  func::ReturnOp::create(b);
}

/// Allocates at the start, so that loops do not grow the stack, and clears
/// where the op was.
void KernelBuilder::hoistAllocas(func::FuncOp vertex) {
  SmallVector<memref::AllocaOp> allocas;
  vertex.walk([&](memref::AllocaOp op) { allocas.push_back(op); });
  for (memref::AllocaOp op : allocas) {
    b.setInsertionPointAfter(op);
    b.setLoc(op.getLoc());
    Value zero = arith::ConstantOp::create(
        b, b.getZeroAttr(op.getType().getElementType()));
    linalg::FillOp::create(b, ValueRange(zero), ValueRange(op.getResult()));
    op->moveBefore(&vertex.getBody().front(), vertex.getBody().front().begin());
  }
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

/// Makes a failed check write its number and the row, and end the vertex.
static void lowerAssert(cf::AssertOp op) {
  auto function = op->getParentOfType<func::FuncOp>();
  ImplicitLocOpBuilder b(op.getLoc(), op);
  int64_t faultOp = 0;
  // The checker wrote the number.
  (void)op.getMsg().getAsInteger(10, faultOp);
  unsigned numArguments = function.getNumArguments();
  Value row = function.getArgument(numArguments - 3);
  Value fault = function.getArgument(numArguments - 2);

  Block *block = op->getBlock();
  Block *rest = block->splitBlock(std::next(op->getIterator()));
  Block *failed = b.createBlock(&function.getBody(), function.getBody().end());
  Type pointer = fault.getType(), i64 = b.getI64Type();
  Value known = LLVM::LoadOp::create(b, i64, fault);
  Value rowAddress =
      LLVM::GEPOp::create(b, pointer, i64, fault, ArrayRef<LLVM::GEPArg>{1});
  Value knownRow = LLVM::LoadOp::create(b, i64, rowAddress);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, known,
                                        arith::ConstantIntOp::create(b, 0, 64));
  Value number = arith::ConstantIntOp::create(b, faultOp + 1, 64);
  LLVM::StoreOp::create(b, arith::SelectOp::create(b, isFirst, number, known),
                        fault);
  LLVM::StoreOp::create(b, arith::SelectOp::create(b, isFirst, row, knownRow),
                        rowAddress);
  func::ReturnOp::create(b);

  b.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(b, op.getArg(), rest, failed);
  op.erase();
}

static LogicalResult runPasses(ModuleOp module,
                               ArrayRef<std::unique_ptr<Pass> (*)()> passes) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  // What is compiled here belongs to no output of the host tool.
  manager.enableVerifier(false);
  for (auto create : passes)
    manager.addPass(create());
  return manager.run(module);
}

FailureOr<OwningOpRef<ModuleOp>>
mlir::ipu::lowerKernel(const JitKernel &kernel, StringRef symbol,
                       const JitTarget &target) {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(CodeletOp(kernel.codelet).getContext()));
  if (failed(KernelBuilder(*module, kernel, symbol, target).build()))
    return failure();
  if (failed(runPasses(
          *module, {[] { return memref::createExpandStridedMetadataPass(); },
                    [] { return createLowerAffinePass(); },
                    [] { return createCSEPass(); },
                    [] { return createSCFToControlFlowPass(); }})))
    return failure();
  SmallVector<cf::AssertOp> asserts;
  module->walk([&](cf::AssertOp op) { asserts.push_back(op); });
  for (cf::AssertOp op : asserts)
    lowerAssert(op);
  if (failed(runPasses(
          *module, {[] { return createConvertMathToLLVMPass(); },
                    [] { return createConvertVectorToLLVMPass(); },
                    [] { return createArithToLLVMConversionPass(); },
                    [] { return createFinalizeMemRefToLLVMConversionPass(); },
                    [] { return createConvertFuncToLLVMPass(); },
                    [] { return createConvertControlFlowToLLVMPass(); },
                    [] { return createReconcileUnrealizedCastsPass(); }})))
    return failure();
  // Conversions leave it in an attribute that no translation reads.
  module->walk([](LLVM::BrOp op) {
    if (auto annotation = op->getAttrOfType<LLVM::LoopAnnotationAttr>(
            kLoopAnnotationAttrName))
      op.setLoopAnnotationAttr(annotation);
  });
  return module;
}
