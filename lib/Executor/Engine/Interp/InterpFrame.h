//===- InterpFrame.h - Interpretation of vertices ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A frame executes the codelet of a vertex; its template parameter determines
// the checks of accesses. This header is included by the two files that
// instantiate a frame: InterpEngine.cpp uses the frame without checks, and
// CheckedCodelets.cpp the frame of checked runs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_INTERP_INTERPFRAME_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_INTERP_INTERPFRAME_H

#include "InterpCode.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::ipu {

struct Buffer {
  char *data = nullptr;
  int64_t offset = 0;
  SmallVector<int64_t> sizes, strides;

  /// Returns the number of elements between `data` and `element`. The elements
  /// have `bytes` bytes, which is a power of two.
  int64_t getNumber(const char *element, unsigned bytes) const {
    return (element - data) >> llvm::Log2_32(bytes);
  }
};

/// The checks of a frame that detects only the errors after which it cannot
/// continue. A class with additional checks has member functions that the frame
/// calls before each access; see VertexChecks.
struct NoChecks {
  static constexpr bool kEnabled = false;
};

/// The state of the execution of one vertex. The frame is reused for the next
/// vertex.
template <typename Checks>
class Frame {
public:
  explicit Frame(const InterpCode &code, Checks checks = Checks())
      : checks(std::move(checks)), code(code), regs(code.numRegs),
        buffers(code.numBuffers), memory(code.allocaBytes) {
    for (auto [reg, bits] : code.constants)
      regs[reg] = bits;
  }

  /// Runs the codelet on the regions that `row` describes; `row` is the row of
  /// the vertex in the table of a group. Returns the op that failed, or null.
  Operation *run(const int64_t *row, ArrayRef<char *> storage);

  Checks checks;

private:
  bool runBlock(const CodeBlock &block);
  bool runInst(const Inst &inst);
  bool runFor(const ForCode &loop);
  bool runIf(const IfCode &branch);
  bool runGeneric(const Inst &inst);
  template <bool PerElement>
  bool runLoops(const Inst &inst, const GenericCode &generic,
                ArrayRef<int64_t> sizes);
  bool runSubView(const Inst &inst);
  bool runCast(const Inst &inst);
  void runAlloca(const Inst &inst);
  char *getElement(const Inst &inst);
  void visit(const Inst &inst, const char *element, bool isWrite);
  bool isInside(const GenericCode &generic, ArrayRef<int64_t> sizes);
  bool isSettled(const GenericCode &generic, ArrayRef<int64_t> sizes);
  bool isSettled(const Buffer &buffer, int argument, bool isWrite,
                 ArrayRef<std::pair<int64_t, int64_t>> region, unsigned dim,
                 int64_t at);
  void copyRegs(ArrayRef<unsigned> from, ArrayRef<unsigned> to);
  void leave(unsigned buffer, unsigned dim, int64_t index) {
    if constexpr (Checks::kEnabled)
      checks.leave(code.argumentOfBuffer[buffer], index,
                   buffers[buffer].sizes[dim]);
  }
  int64_t getValue(IndexValue value) const {
    return value.reg < 0 ? value.constant : int64_t(regs[value.reg]);
  }

  const InterpCode &code;
  std::vector<uint64_t> regs;
  std::vector<Buffer> buffers;
  std::vector<char> memory;
  Operation *failed = nullptr;
};

template <typename Checks>
Operation *Frame<Checks>::run(const int64_t *row, ArrayRef<char *> storage) {
  for (auto [i, rank] : llvm::enumerate(code.argumentRanks)) {
    Buffer &buffer = buffers[i];
    buffer.data = storage[i];
    buffer.offset = *row++;
    buffer.sizes.assign(row, row + rank);
    buffer.strides.assign(row + rank, row + 2 * rank);
    row += 2 * rank;
  }
  for (unsigned reg : code.indexArguments)
    regs[reg] = *row++;
  failed = nullptr;
  runBlock(code.body);
  return failed;
}

template <typename Checks>
bool Frame<Checks>::runBlock(const CodeBlock &block) {
  for (const Inst &inst : block.insts)
    if (LLVM_UNLIKELY(!runInst(inst))) {
      if (!failed)
        failed = inst.source;
      return false;
    }
  return true;
}

template <typename Checks>
bool Frame<Checks>::runInst(const Inst &inst) {
  switch (inst.op) {
  case Opcode::Load: {
    char *element = getElement(inst);
    if (!element)
      return false;
    if constexpr (Checks::kEnabled)
      visit(inst, element, /*isWrite=*/false);
    regs[inst.dst] = loadScalar(inst.kind, element);
    return true;
  }
  case Opcode::Store: {
    char *element = getElement(inst);
    if (!element)
      return false;
    if constexpr (Checks::kEnabled)
      visit(inst, element, /*isWrite=*/true);
    storeScalar(inst.kind, regs[inst.a], element);
    return true;
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
    return runGeneric(inst);
  default:
    regs[inst.dst] = evaluate(inst, regs[inst.a], regs[inst.b], regs[inst.c]);
    return true;
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

template <typename Checks>
char *Frame<Checks>::getElement(const Inst &inst) {
  const BufferAccess &access = code.accesses[inst.extra];
  const Buffer &buffer = buffers[access.buffer];
  int64_t at = buffer.offset;
  for (auto [dim, reg] : llvm::enumerate(access.indices)) {
    if (regs[reg] >= static_cast<uint64_t>(buffer.sizes[dim])) {
      leave(access.buffer, dim, regs[reg]);
      return nullptr;
    }
    at += static_cast<int64_t>(regs[reg]) * buffer.strides[dim];
  }
  return buffer.data + at * getScalarBytes(inst.kind);
}

template <typename Checks>
void Frame<Checks>::visit(const Inst &inst, const char *element, bool isWrite) {
  unsigned buffer = code.accesses[inst.extra].buffer;
  int64_t at = buffers[buffer].getNumber(element, getScalarBytes(inst.kind));
  if (isWrite)
    checks.write(inst.source, code.argumentOfBuffer[buffer], at);
  else
    checks.read(inst.source, code.argumentOfBuffer[buffer], at);
}

template <typename Checks>
void Frame<Checks>::runAlloca(const Inst &inst) {
  const AllocaCode &alloc = code.allocas[inst.extra];
  Buffer &buffer = buffers[inst.dst];
  buffer.data = memory.data() + alloc.place;
  buffer.offset = 0;
  buffer.sizes = alloc.sizes;
  buffer.strides = alloc.strides;
  std::fill_n(buffer.data, alloc.bytes, 0);
}

template <typename Checks>
bool Frame<Checks>::runSubView(const Inst &inst) {
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
        stride > end || (size > 0 && offset + (size - 1) * stride >= end)) {
      leave(view.source, dim,
            offset < 0 || offset > end ? offset : offset + (size - 1) * stride);
      return false;
    }
    result.offset += offset * source.strides[dim];
    if (view.dropped.test(dim))
      continue;
    result.sizes.push_back(size);
    result.strides.push_back(stride * source.strides[dim]);
  }
  buffers[inst.dst] = std::move(result);
  return true;
}

template <typename Checks>
bool Frame<Checks>::runCast(const Inst &inst) {
  const Buffer &source = buffers[inst.a];
  auto type = cast<MemRefType>(inst.source->getResult(0).getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  // Codelets were checked to use only memref types with strides.
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
// Control flow
//===----------------------------------------------------------------------===//

template <typename Checks>
void Frame<Checks>::copyRegs(ArrayRef<unsigned> from, ArrayRef<unsigned> to) {
  // All registers are read before the first write, because a loop may yield its
  // arguments in another order.
  SmallVector<uint64_t> values;
  for (unsigned reg : from)
    values.push_back(regs[reg]);
  for (auto [reg, value] : llvm::zip_equal(to, values))
    regs[reg] = value;
}

template <typename Checks>
bool Frame<Checks>::runFor(const ForCode &loop) {
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

template <typename Checks>
bool Frame<Checks>::runIf(const IfCode &branch) {
  const CodeBlock &block = branch.branches[regs[branch.condition] ? 0 : 1];
  if (!runBlock(block))
    return false;
  copyRegs(block.yields, branch.results);
  return true;
}

/// Returns the least and the greatest index of each dimension of `operand` in
/// loops with the iteration counts `sizes`.
using TileIndexRegion = SmallVector<std::pair<__int128, __int128>>;
inline TileIndexRegion getTileIndexRegion(const GenericOperand &operand,
                                          ArrayRef<int64_t> sizes) {
  TileIndexRegion region;
  for (const LinearExpr &expr : operand.indices) {
    __int128 low = expr.constant, high = expr.constant;
    for (auto [size, coefficient] : llvm::zip_equal(sizes, expr.coefficients)) {
      __int128 reach = static_cast<__int128>(size - 1) * coefficient;
      (coefficient < 0 ? low : high) += reach;
    }
    region.emplace_back(low, high);
  }
  return region;
}

/// Returns whether all indices of all operands are in bounds in loops with the
/// iteration counts `sizes`.
template <typename Checks>
bool Frame<Checks>::isInside(const GenericCode &generic,
                             ArrayRef<int64_t> sizes) {
  for (const GenericOperand &operand : generic.operands) {
    if (!operand.isBuffer)
      continue;
    TileIndexRegion region = getTileIndexRegion(operand, sizes);
    for (auto [dim, range] : llvm::enumerate(region)) {
      auto [low, high] = range;
      if (low >= 0 && high < buffers[operand.reg].sizes[dim])
        continue;
      leave(operand.reg, dim, low < 0 ? low : high);
      return false;
    }
  }
  return true;
}

/// Recursive part of isSettled() for one operand: `region` contains the range
/// of indices of each dimension, and `at` is the position for the indices of
/// the dimensions before `dim`.
template <typename Checks>
bool Frame<Checks>::isSettled(const Buffer &buffer, int argument, bool isWrite,
                              ArrayRef<std::pair<int64_t, int64_t>> region,
                              unsigned dim, int64_t at) {
  if (dim == region.size())
    return checks.isSettled(argument, isWrite, at, 1);
  auto [low, high] = region[dim];
  int64_t stride = buffer.strides[dim];
  if (dim + 1 == region.size() && stride == 1)
    return checks.isSettled(argument, isWrite, at + low, high - low + 1);
  for (int64_t i = low; i <= high; ++i)
    if (!isSettled(buffer, argument, isWrite, region, dim + 1, at + i * stride))
      return false;
  return true;
}

/// Returns whether none of the accesses in the loops needs a check. This
/// function saves time because most loops only read defined elements and
/// accumulate into defined elements.
template <typename Checks>
bool Frame<Checks>::isSettled(const GenericCode &generic,
                              ArrayRef<int64_t> sizes) {
  for (auto [i, operand] : llvm::enumerate(generic.operands)) {
    bool isWrite = i >= generic.numInputs;
    if (!operand.isBuffer || (!isWrite && !operand.isRead))
      continue;
    SmallVector<std::pair<int64_t, int64_t>> region;
    for (auto [low, high] : getTileIndexRegion(operand, sizes))
      region.emplace_back(low, high);
    const Buffer &buffer = buffers[operand.reg];
    if (!isSettled(buffer, code.argumentOfBuffer[operand.reg], isWrite, region,
                   /*dim=*/0, buffer.offset))
      return false;
  }
  return true;
}

template <typename Checks>
bool Frame<Checks>::runGeneric(const Inst &inst) {
  const GenericCode &generic = code.generics[inst.extra];
  SmallVector<int64_t> sizes;
  for (LoopRange range : generic.ranges)
    sizes.push_back(
        buffers[generic.operands[range.operand].reg].sizes[range.dim]);
  if (llvm::is_contained(sizes, 0))
    return true;
  if (!isInside(generic, sizes))
    return false;
  if constexpr (Checks::kEnabled)
    if (!isSettled(generic, sizes))
      return runLoops<true>(inst, generic, sizes);
  return runLoops<false>(inst, generic, sizes);
}

template <typename Checks>
template <bool PerElement>
bool Frame<Checks>::runLoops(const Inst &inst, const GenericCode &generic,
                             ArrayRef<int64_t> sizes) {
  unsigned numLoops = generic.ranges.size();
  auto getNumber = [&](const GenericOperand &operand, const char *element) {
    return buffers[operand.reg].getNumber(element,
                                          getScalarBytes(operand.kind));
  };

  // For each operand and loop, the number of bytes between the elements of
  // consecutive iterations.
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
      if (operand.isBuffer && operand.isRead) {
        if constexpr (PerElement)
          checks.read(inst.source, code.argumentOfBuffer[operand.reg],
                      getNumber(operand, at[i]));
        regs[operand.argument] = loadScalar(operand.kind, at[i]);
      }
    if (!runBlock(generic.body))
      return false;
    for (auto [i, reg] : llvm::enumerate(generic.body.yields)) {
      unsigned output = generic.numInputs + i;
      const GenericOperand &operand = generic.operands[output];
      if constexpr (PerElement)
        checks.write(inst.source, code.argumentOfBuffer[operand.reg],
                     getNumber(operand, at[output]));
      storeScalar(operand.kind, regs[reg], at[output]);
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

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_INTERP_INTERPFRAME_H
