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

/// A codelet to compile. `alias` is as in VertexGroup: operands in the same
/// buffer become one pointer, and all pointers are known to be distinct.
struct JitKernel {
  CodeletOp codelet;
  ArrayRef<unsigned> alias;
};

/// A kernel runs rows [begin, end) of the table of a group. `buffers` are the
/// buffers of the operands that are their own alias. A fault writes the number
/// of its op, plus one, and its row, unless an earlier fault was written. Ops
/// are numbered as by getFaultOp(). `scratch` is memory of the thread:
/// kScratchBytes bytes, aligned to a cache line.
using JitFunction = void (*)(char *const *buffers, const int64_t *table,
                             int64_t begin, int64_t end, int64_t *fault,
                             char *scratch);
constexpr int64_t kScratchBytes = (4 << 20) + (1 << 19);

/// Properties of the host that affect lowering.
struct JitTarget {
  /// The host can convert between f16 and f32.
  bool hasF16C = false;
  /// The number of bytes of a vector register.
  int64_t vectorBytes = 16;
  HostCaches caches;
};

/// Lowers a kernel to the llvm dialect, as the function `symbol`.
FailureOr<OwningOpRef<ModuleOp>>
lowerKernel(const JitKernel &kernel, StringRef symbol, const JitTarget &target);

/// The attribute of an scf.for that says how LLVM transforms it
/// (#llvm.loop_annotation).
constexpr StringRef kLoopAnnotationAttrName = "llvm.loop_annotation";

/// The suffix of the name of the function that runs one row.
constexpr StringRef kKernelBodySuffix = "_vertex";

/// Numbers the ops of a codelet in the order of its text.
llvm::DenseMap<Operation *, int64_t> numberFaultOps(CodeletOp codelet);
Operation *getFaultOp(CodeletOp codelet, int64_t number);

/// Rewrites scalar ops of `function` so that the code that LLVM generates for
/// them computes the bits that CodeletScalarOps.def defines.
void legalizeScalars(func::FuncOp function, const JitTarget &target);

/// Whether the next two functions support this type: eight-bit floats with
/// zeros.
bool hasBuiltConversions(Type type);
/// Convert an eight-bit float to f32, and an f32 to an eight-bit float with
/// rounding to nearest even. The created ops need no further legalization.
Value buildFloat8ToF32(ImplicitLocOpBuilder &b, Value value);
Value buildF32ToFloat8(ImplicitLocOpBuilder &b, Value value, Type type);

/// Replaces loops over lanes by ops on vectors. `sources` is as below.
void vectorizeLanes(func::FuncOp function,
                    llvm::DenseMap<Operation *, Operation *> &sources);

/// Adds a `cf.assert` before each op that could access elements outside of a
/// buffer. Its message is the number of the op from which this op was cloned.
/// `sources` gives this source of each op of the function.
void insertBoundsChecks(
    func::FuncOp function,
    const llvm::DenseMap<Operation *, Operation *> &sources,
    const llvm::DenseMap<Operation *, int64_t> &faultNumbers);

/// Emits loops over vectors for `op` before it, if it is a reduction with a
/// parallel innermost loop. The loops also do the work of `fill`, if that is
/// not null.
bool lowerContraction(linalg::GenericOp op, linalg::GenericOp fill,
                      const JitTarget &target);
/// The same for `op`, whose outputs are partial sums that `sum` adds up. The
/// loops do the work of both.
bool lowerSummedContraction(linalg::GenericOp op, linalg::GenericOp fill,
                            linalg::GenericOp sum, linalg::GenericOp sumFill,
                            const JitTarget &target);
/// The op directly after `op` that adds up the partial sums that `op` writes,
/// if no other op reads them.
linalg::GenericOp findSum(linalg::GenericOp op);
/// The op directly before `op` that sets all elements of its output to one
/// value, if there is one.
linalg::GenericOp findFill(linalg::GenericOp op);

/// Lowers linalg ops to loops.
LogicalResult lowerLinalg(func::FuncOp function, const JitTarget &target);

/// Functions that compiled code may call, by name.
struct JitSymbol {
  const char *name;
  void *address;
};
ArrayRef<JitSymbol> getJitSymbols();

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JIT_H
