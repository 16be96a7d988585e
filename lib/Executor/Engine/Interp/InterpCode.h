//===- InterpCode.h - Programs of the interpreter ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter executes a register program: each value has a numbered
// register, registers of constants are set before the start, and control flow
// is a tree of blocks.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_INTERP_INTERPCODE_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_INTERP_INTERPCODE_H

#include "../../Program/EngineCodelets.h"
#include "../../Support/ScalarValues.h"
#include <vector>

namespace mlir::ipu {

/// The first opcodes are those of the scalar ops. They have the numbers of
/// ScalarOpcode.
enum class Opcode : uint8_t {
#define IPU_SCALAR_OP(DIALECT, OP, NAME, JIT) OP,
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
  // Buffers. For Load, Store, Alloca and SubView, and for For, If and Generic
  // below, `extra` of the instruction is an index in the vector of InterpCode
  // with the additional data of such instructions. For Dim, `extra` is the
  // dimension.
  Load,
  Store,
  Dim,
  Alloca,
  SubView,
  CastBuffer,
  // Control flow.
  For,
  If,
  Generic,
  LoopIndex,
};

struct Inst {
  Opcode op;
  /// The kind of the result or of the accessed element, and the kind of the
  /// first operand.
  ScalarKind kind = ScalarKind::I64;
  ScalarKind from = ScalarKind::I64;
  uint8_t predicate = 0;
  unsigned dst = 0, a = 0, b = 0, c = 0;
  unsigned extra = 0;
  Operation *source = nullptr;
};

struct CodeBlock {
  std::vector<Inst> insts;
  /// The registers that the terminator yields.
  SmallVector<unsigned> yields;
};

struct BufferAccess {
  unsigned buffer = 0;
  SmallVector<unsigned> indices;
};

struct AllocaCode {
  SmallVector<int64_t> sizes, strides;
  int64_t bytes = 0;
  /// The offset of the buffer in the memory that all allocas share.
  int64_t place = 0;
};

/// An index that is in a register, or a constant index if `reg` is -1.
struct IndexValue {
  int64_t reg = -1;
  int64_t constant = 0;
};

struct SubViewCode {
  unsigned source = 0;
  SmallVector<IndexValue> offsets, sizes, strides;
  llvm::SmallBitVector dropped;
};

struct ForCode {
  unsigned iv, lower, upper, step;
  unsigned ivWidth;
  SmallVector<unsigned> inits, arguments, results;
  CodeBlock body;
};

struct IfCode {
  unsigned condition;
  CodeBlock branches[2]; // then, else
  SmallVector<unsigned> results;
};

struct GenericOperand {
  bool isBuffer = false;
  unsigned reg = 0; // the number of the scalar's register or of the buffer
  unsigned argument = 0;
  bool isRead = false;
  ScalarKind kind = ScalarKind::I64;
  SmallVector<LinearExpr> indices;
};

struct GenericCode {
  SmallVector<LoopRange> ranges;
  std::vector<GenericOperand> operands;
  unsigned numInputs = 0;
  /// The registers of the loops' induction variables.
  SmallVector<unsigned> positions;
  CodeBlock body;
};

struct InterpCode {
  unsigned numRegs = 0;
  unsigned numBuffers = 0;
  int64_t allocaBytes = 0;
  /// The ranks of the arguments that are buffers. Argument i is buffer i.
  SmallVector<int64_t> argumentRanks;
  SmallVector<int64_t> argumentBytes;
  /// The registers of the arguments that are indices. These arguments come
  /// after the buffers.
  SmallVector<unsigned> indexArguments;
  std::vector<std::pair<unsigned, uint64_t>> constants;
  /// For each buffer, the number of the argument of which the buffer is a view,
  /// or -1 for local memory.
  SmallVector<int> argumentOfBuffer;
  CodeBlock body;
  std::vector<BufferAccess> accesses;
  std::vector<AllocaCode> allocas;
  std::vector<SubViewCode> subviews;
  std::vector<ForCode> loops;
  std::vector<IfCode> ifs;
  std::vector<GenericCode> generics;
};

InterpCode decodeCodelet(CodeletOp codelet);

/// Returns the result of a scalar op on the operands `a`, `b` and `c`.
uint64_t evaluate(const Inst &inst, uint64_t a, uint64_t b, uint64_t c);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_INTERP_INTERPCODE_H
