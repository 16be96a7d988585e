//===- InterpEngine.cpp - Interprets codelets -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpCode.h"

#include "ipu-mlir/Executor/Engine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

Engine::~Engine() = default;

namespace {
struct Buffer {
  char *data = nullptr;
  int64_t offset = 0;
  SmallVector<int64_t> sizes, strides;
};

/// The state of one vertex; reused for the next.
class Frame {
public:
  explicit Frame(const InterpCode &code)
      : code(code), regs(code.numRegs), buffers(code.numBuffers),
        memory(code.allocaBytes) {
    for (auto [reg, bits] : code.constants)
      regs[reg] = bits;
  }

  /// Runs the codelet on the boxes of a row; returns the op that failed.
  Operation *run(const int64_t *row, ArrayRef<char *> storage);

private:
  bool runBlock(const CodeBlock &block);
  bool runInst(const Inst &inst);
  bool runFor(const ForCode &loop);
  bool runIf(const IfCode &branch);
  bool runGeneric(const GenericCode &generic);
  bool runSubView(const Inst &inst);
  bool runCast(const Inst &inst);
  void runAlloca(const Inst &inst);
  char *getElement(const Inst &inst);
  bool isInside(const GenericCode &generic, ArrayRef<int64_t> sizes);
  void copyRegs(ArrayRef<unsigned> from, ArrayRef<unsigned> to);
  int64_t getValue(IndexValue value) const {
    return value.reg < 0 ? value.constant : int64_t(regs[value.reg]);
  }

  const InterpCode &code;
  std::vector<uint64_t> regs;
  std::vector<Buffer> buffers;
  std::vector<char> memory;
  Operation *failed = nullptr;
};
} // namespace

Operation *Frame::run(const int64_t *row, ArrayRef<char *> storage) {
  for (auto [i, rank] : llvm::enumerate(code.argumentRanks)) {
    Buffer &buffer = buffers[i];
    buffer.data = storage[i];
    buffer.offset = *row++;
    buffer.sizes.assign(row, row + rank);
    buffer.strides.assign(row + rank, row + 2 * rank);
    row += 2 * rank;
  }
  failed = nullptr;
  runBlock(code.body);
  return failed;
}

bool Frame::runBlock(const CodeBlock &block) {
  for (const Inst &inst : block.insts)
    if (LLVM_UNLIKELY(!runInst(inst))) {
      if (!failed)
        failed = inst.source;
      return false;
    }
  return true;
}

bool Frame::runInst(const Inst &inst) {
  switch (inst.op) {
  case Opcode::Load: {
    char *element = getElement(inst);
    if (element)
      regs[inst.dst] = loadScalar(inst.kind, element);
    return element;
  }
  case Opcode::Store: {
    char *element = getElement(inst);
    if (element)
      storeScalar(inst.kind, regs[inst.a], element);
    return element;
  }
  case Opcode::Dim:
    regs[inst.dst] = buffers[inst.a].sizes[inst.extra];
    return true;
  case Opcode::LoopIndex:
    regs[inst.dst] = regs[inst.a];
    return true;
  case Opcode::Alloca:
    runAlloca(inst);
    return true;
  case Opcode::SubView:
    return runSubView(inst);
  case Opcode::CastBuffer:
    return runCast(inst);
  case Opcode::For:
    return runFor(code.loops[inst.extra]);
  case Opcode::If:
    return runIf(code.ifs[inst.extra]);
  case Opcode::Generic:
    return runGeneric(code.generics[inst.extra]);
  default:
    regs[inst.dst] = evaluate(inst, regs[inst.a], regs[inst.b], regs[inst.c]);
    return true;
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

char *Frame::getElement(const Inst &inst) {
  const BufferAccess &access = code.accesses[inst.extra];
  const Buffer &buffer = buffers[access.buffer];
  int64_t at = buffer.offset;
  for (auto [dim, reg] : llvm::enumerate(access.indices)) {
    if (regs[reg] >= static_cast<uint64_t>(buffer.sizes[dim]))
      return nullptr;
    at += static_cast<int64_t>(regs[reg]) * buffer.strides[dim];
  }
  return buffer.data + at * getScalarBytes(inst.kind);
}

void Frame::runAlloca(const Inst &inst) {
  const AllocaCode &alloc = code.allocas[inst.extra];
  Buffer &buffer = buffers[inst.dst];
  buffer.data = memory.data() + alloc.place;
  buffer.offset = 0;
  buffer.sizes = alloc.sizes;
  buffer.strides = alloc.strides;
  std::fill_n(buffer.data, alloc.bytes, 0);
}

bool Frame::runSubView(const Inst &inst) {
  const SubViewCode &view = code.subviews[inst.extra];
  const Buffer &source = buffers[view.source];
  Buffer result;
  result.data = source.data;
  result.offset = source.offset;
  for (unsigned dim = 0; dim < source.sizes.size(); ++dim) {
    int64_t offset = getValue(view.offsets[dim]);
    int64_t size = getValue(view.sizes[dim]);
    int64_t stride = getValue(view.strides[dim]);
    int64_t end = source.sizes[dim];
    if (offset < 0 || offset > end || size < 0 || size > end || stride < 0 ||
        stride > end || (size > 0 && offset + (size - 1) * stride >= end))
      return false;
    result.offset += offset * source.strides[dim];
    if (view.dropped.test(dim))
      continue;
    result.sizes.push_back(size);
    result.strides.push_back(stride * source.strides[dim]);
  }
  buffers[inst.dst] = std::move(result);
  return true;
}

bool Frame::runCast(const Inst &inst) {
  const Buffer &source = buffers[inst.a];
  auto type = cast<MemRefType>(inst.source->getResult(0).getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  // Types of codelets' values were checked to have strides.
  (void)type.getStridesAndOffset(strides, offset);
  auto fits = [](int64_t expected, int64_t actual) {
    return ShapedType::isDynamic(expected) || expected == actual;
  };
  if (!fits(offset, source.offset))
    return false;
  for (unsigned dim = 0; dim < source.sizes.size(); ++dim)
    if (!fits(type.getDimSize(dim), source.sizes[dim]) ||
        !fits(strides[dim], source.strides[dim]))
      return false;
  Buffer copy = source;
  buffers[inst.dst] = std::move(copy);
  return true;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void Frame::copyRegs(ArrayRef<unsigned> from, ArrayRef<unsigned> to) {
  // At once: a loop may yield its arguments in another order.
  SmallVector<uint64_t> values;
  for (unsigned reg : from)
    values.push_back(regs[reg]);
  for (auto [reg, value] : llvm::zip_equal(to, values))
    regs[reg] = value;
}

bool Frame::runFor(const ForCode &loop) {
  int64_t upper = signExtend(regs[loop.upper], loop.ivWidth);
  int64_t step = signExtend(regs[loop.step], loop.ivWidth);
  if (step <= 0)
    return false;
  copyRegs(loop.inits, loop.arguments);
  for (int64_t i = signExtend(regs[loop.lower], loop.ivWidth); i < upper;) {
    regs[loop.iv] = maskTo(i, loop.ivWidth);
    if (!runBlock(loop.body))
      return false;
    copyRegs(loop.body.yields, loop.arguments);
    if (llvm::AddOverflow(i, step, i))
      break;
  }
  copyRegs(loop.arguments, loop.results);
  return true;
}

bool Frame::runIf(const IfCode &branch) {
  const CodeBlock &block = branch.branches[regs[branch.condition] ? 0 : 1];
  if (!runBlock(block))
    return false;
  copyRegs(block.yields, branch.results);
  return true;
}

/// Whether all indices of all operands are inside, for loops of `sizes`.
bool Frame::isInside(const GenericCode &generic, ArrayRef<int64_t> sizes) {
  for (const GenericOperand &operand : generic.operands) {
    if (!operand.isBuffer)
      continue;
    for (auto [dim, expr] : llvm::enumerate(operand.indices)) {
      __int128 low = expr.constant, high = expr.constant;
      for (auto [size, coefficient] :
           llvm::zip_equal(sizes, expr.coefficients)) {
        __int128 reach = static_cast<__int128>(size - 1) * coefficient;
        (coefficient < 0 ? low : high) += reach;
      }
      if (low < 0 || high >= buffers[operand.reg].sizes[dim])
        return false;
    }
  }
  return true;
}

bool Frame::runGeneric(const GenericCode &generic) {
  unsigned numLoops = generic.ranges.size();
  SmallVector<int64_t> sizes;
  for (LoopRange range : generic.ranges)
    sizes.push_back(
        buffers[generic.operands[range.operand].reg].sizes[range.dim]);
  if (llvm::is_contained(sizes, 0))
    return true;
  if (!isInside(generic, sizes))
    return false;

  // Elements that a step of each loop moves each operand by.
  unsigned numOperands = generic.operands.size();
  SmallVector<char *> at(numOperands);
  SmallVector<SmallVector<int64_t>> moves(numOperands);
  for (auto [i, operand] : llvm::enumerate(generic.operands)) {
    moves[i].resize(numLoops);
    if (!operand.isBuffer) {
      regs[operand.argument] = regs[operand.reg];
      continue;
    }
    const Buffer &buffer = buffers[operand.reg];
    int64_t start = buffer.offset, bytes = getScalarBytes(operand.kind);
    for (auto [expr, stride] :
         llvm::zip_equal(operand.indices, buffer.strides)) {
      start += expr.constant * stride;
      for (unsigned loop = 0; loop < numLoops; ++loop)
        moves[i][loop] += expr.coefficients[loop] * stride * bytes;
    }
    at[i] = buffer.data + start * bytes;
  }

  for (unsigned reg : generic.positions)
    regs[reg] = 0;
  while (true) {
    for (auto [i, operand] : llvm::enumerate(generic.operands))
      if (operand.isBuffer && operand.isRead)
        regs[operand.argument] = loadScalar(operand.kind, at[i]);
    if (!runBlock(generic.body))
      return false;
    for (auto [i, reg] : llvm::enumerate(generic.body.yields)) {
      unsigned output = generic.numInputs + i;
      storeScalar(generic.operands[output].kind, regs[reg], at[output]);
    }
    int64_t loop = static_cast<int64_t>(numLoops) - 1;
    for (; loop >= 0; --loop) {
      int64_t last = sizes[loop] - 1;
      uint64_t &position = regs[generic.positions[loop]];
      bool carries = position == static_cast<uint64_t>(last);
      for (unsigned i = 0; i < numOperands; ++i)
        at[i] += carries ? -last * moves[i][loop] : moves[i][loop];
      position = carries ? 0 : position + 1;
      if (!carries)
        break;
    }
    if (loop < 0)
      return true;
  }
}

//===----------------------------------------------------------------------===//
// InterpEngine
//===----------------------------------------------------------------------===//

namespace {
class InterpEngine : public Engine {
public:
  explicit InterpEngine(const Program &program) {
    for (CodeletOp codelet : program.codelets)
      codes.push_back(decodeCodelet(codelet));
  }

  std::optional<CodeletFault> run(const VertexRange &range) override {
    Frame frame(codes[range.group->codelet]);
    for (int64_t row = range.begin; row < range.end; ++row)
      if (Operation *op = frame.run(range.group->getRow(row), range.buffers))
        return CodeletFault{row, op};
    return std::nullopt;
  }

private:
  std::vector<InterpCode> codes;
};
} // namespace

std::unique_ptr<Engine> mlir::ipu::createInterpEngine(const Program &program) {
  return std::make_unique<InterpEngine>(program);
}
