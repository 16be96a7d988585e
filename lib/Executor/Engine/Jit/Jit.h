//===- Jit.h - Compiling engine ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JIT_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JIT_H

#include "../../Support/HostCaches.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <vector>

namespace mlir::ipu {

/// A codelet to compile. `alias` is as in VertexGroup: operands that are one
/// buffer become one pointer, and all pointers are known to be distinct.
struct JitKernel {
  CodeletOp codelet;
  ArrayRef<unsigned> alias;
};

/// A kernel runs rows [begin, end) of a group's table. `buffers` are those of
/// the operands that are their own alias. A fault writes the number of its op,
/// plus one, and its row, unless there is one already; ops are numbered as
/// getFaultOp() does. `scratch` is memory of the thread, kScratchBytes that are
/// aligned to a cache line.
using JitFunction = void (*)(char *const *buffers, const int64_t *table,
                             int64_t begin, int64_t end, int64_t *fault,
                             char *scratch);
constexpr int64_t kScratchBytes = (4 << 20) + (1 << 19);

/// What the host can do that matters to lowering.
struct JitTarget {
  /// Converts between f16 and f32.
  bool hasF16C = false;
  /// Bytes of a vector register.
  int64_t vectorBytes = 16;
  HostCaches caches;
};

/// Lowers a kernel to the llvm dialect, as the function `symbol`.
FailureOr<OwningOpRef<ModuleOp>>
lowerKernel(const JitKernel &kernel, StringRef symbol, const JitTarget &target);

/// Attribute of an scf.for: how LLVM transforms it (#llvm.loop_annotation).
constexpr StringRef kLoopAnnotationAttrName = "llvm.loop_annotation";

/// What the name of the function that runs one row ends with.
constexpr StringRef kKernelBodySuffix = "_vertex";

/// Numbers the ops of a codelet, as their order is in the text.
llvm::DenseMap<Operation *, int64_t> numberFaultOps(CodeletOp codelet);
Operation *getFaultOp(CodeletOp codelet, int64_t number);

/// Rewrites scalar ops of `function` so that what LLVM makes of them has the
/// bits that CodeletScalarOps.def says.
void legalizeScalars(func::FuncOp function, const JitTarget &target);

/// Whether the next two convert this type: eight-bit floats with zeros.
bool hasBuiltConversions(Type type);
/// An eight-bit float as f32, and an f32 rounded to nearest even, by ops that
/// need no more legalization.
Value buildFloat8ToF32(ImplicitLocOpBuilder &b, Value value);
Value buildF32ToFloat8(ImplicitLocOpBuilder &b, Value value, Type type);

/// Writes loops over lanes as ops on vectors. `sources` is as below.
void vectorizeLanes(func::FuncOp function,
                    llvm::DenseMap<Operation *, Operation *> &sources);

/// Adds a `cf.assert` before each op that could touch elements outside of a
/// buffer; its message is the number of the op that it was cloned from.
/// `sources` maps ops of the function to those.
void insertBoundsChecks(
    func::FuncOp function,
    const llvm::DenseMap<Operation *, Operation *> &sources,
    const llvm::DenseMap<Operation *, int64_t> &faultNumbers);

/// Writes `op` before itself as loops over vectors, if it is a reduction with a
/// parallel innermost loop. They do what `fill` does, too, if that is not null.
bool lowerContraction(linalg::GenericOp op, linalg::GenericOp fill,
                      const JitTarget &target);
/// The same of `op`, whose output is partial sums that `sum` adds up, and both.
bool lowerSummedContraction(linalg::GenericOp op, linalg::GenericOp fill,
                            linalg::GenericOp sum, linalg::GenericOp sumFill,
                            const JitTarget &target);
/// What adds up partial sums that `op` writes, right after it, if nothing else
/// reads them.
linalg::GenericOp findSum(linalg::GenericOp op);
/// The op that gives all elements of the output of `op` one value right before,
/// if there is one.
linalg::GenericOp findFill(linalg::GenericOp op);

/// Writes linalg ops as loops.
LogicalResult lowerLinalg(func::FuncOp function, const JitTarget &target);

/// Functions that compiled code may call, by name.
struct JitSymbol {
  const char *name;
  void *address;
};
ArrayRef<JitSymbol> getJitSymbols();

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JIT_H
