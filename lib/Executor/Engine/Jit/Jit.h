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

/// A codelet to compile. `alias` is that of VertexGroup: for each operand, the
/// number of an operand in the same buffer. Operands with equal numbers share
/// one pointer, and different pointers never alias.
struct JitKernel {
  CodeletOp codelet;
  ArrayRef<unsigned> alias;
};

/// The type of a compiled kernel. The kernel executes the vertices of rows
/// [begin, end) of the table of a group. `buffers` contains a pointer for each
/// operand whose `alias` is the operand itself. If an op fails and `fault` is
/// not yet set, the kernel writes the number of the op, plus one, and the row
/// to `fault`. getFaultOp() returns the op with a number. `scratch` is memory
/// of the calling thread: kScratchBytes bytes, aligned to a cache line.
using JitFunction = void (*)(char *const *buffers, const int64_t *table,
                             int64_t begin, int64_t end, int64_t *fault,
                             char *scratch);
constexpr int64_t kScratchBytes = (4 << 20) + (1 << 19);

/// Properties of the host that affect the lowering.
struct JitTarget {
  /// Whether the host can convert between f16 and f32.
  bool hasF16C = false;
  /// The number of bytes of a vector register.
  int64_t vectorBytes = 16;
  HostCaches caches;
};

/// Lowers a kernel to a function of the llvm dialect. `symbol` is the name of
/// the function.
FailureOr<OwningOpRef<ModuleOp>>
lowerKernel(const JitKernel &kernel, StringRef symbol, const JitTarget &target);

/// The name of an attribute of scf.for. The attribute (#llvm.loop_annotation)
/// says how LLVM transforms the loop.
constexpr StringRef kLoopAnnotationAttrName = "llvm.loop_annotation";

/// The suffix of the name of the function that executes the vertex of one row.
constexpr StringRef kKernelBodySuffix = "_vertex";

/// Returns the number of each op of a codelet, in the order of the codelet's
/// text. getFaultOp() returns the op with a number.
llvm::DenseMap<Operation *, int64_t> numberFaultOps(CodeletOp codelet);
Operation *getFaultOp(CodeletOp codelet, int64_t number);

/// Rewrites scalar ops of `function` so that the code that LLVM generates for
/// them computes the bits that CodeletScalarOps.def defines.
void legalizeScalars(func::FuncOp function, const JitTarget &target);

/// Returns whether buildFloat8ToF32() and buildF32ToFloat8() support `type`.
/// They support the eight-bit float types that have zeros.
bool hasBuiltConversions(Type type);
/// Build ops that convert an eight-bit float to f32, and an f32 to an eight-bit
/// float with rounding to nearest even. legalizeScalars() need not rewrite
/// these ops.
Value buildFloat8ToF32(ImplicitLocOpBuilder &b, Value value);
Value buildF32ToFloat8(ImplicitLocOpBuilder &b, Value value, Type type);

/// Replaces loops over the lanes of a reduction by ops on vectors. `sources` is
/// the argument of insertBoundsChecks(); the function adds the new ops to it.
void vectorizeLanes(func::FuncOp function,
                    llvm::DenseMap<Operation *, Operation *> &sources);

/// Adds a `cf.assert` before each op that could access elements outside of a
/// buffer. `sources` maps each op of the function to the codelet's op from
/// which it was cloned. The message of the assert is the number of this
/// codelet's op in `faultNumbers`.
void insertBoundsChecks(
    func::FuncOp function,
    const llvm::DenseMap<Operation *, Operation *> &sources,
    const llvm::DenseMap<Operation *, int64_t> &faultNumbers);

/// If `op` is a reduction whose innermost loop is parallel, emits loops over
/// vectors before `op` and returns true; otherwise, returns false. If `fill` is
/// not null, the loops also do the work of `fill`.
bool lowerContraction(linalg::GenericOp op, linalg::GenericOp fill,
                      const JitTarget &target);
/// Does the same for two ops together: `op` writes partial sums, and `sum` adds
/// them. The loops do the work of both ops. They also do the work of `fill`,
/// which fills the output of `op`, and of `sumFill`, which fills the output of
/// `sum`, if these are not null.
bool lowerSummedContraction(linalg::GenericOp op, linalg::GenericOp fill,
                            linalg::GenericOp sum, linalg::GenericOp sumFill,
                            const JitTarget &target);
/// Returns the op after `op` that adds the partial sums that `op` writes, or
/// null if there is no such op or if another op reads the partial sums.
linalg::GenericOp findSum(linalg::GenericOp op);
/// Returns the op directly before `op` that sets all elements of the output of
/// `op` to one value, or null if there is none.
linalg::GenericOp findFill(linalg::GenericOp op);

/// Lowers linalg ops to loops.
LogicalResult lowerLinalg(func::FuncOp function, const JitTarget &target);

/// A function that compiled code may call, and its name.
struct JitSymbol {
  const char *name;
  void *address;
};
ArrayRef<JitSymbol> getJitSymbols();

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JIT_H
