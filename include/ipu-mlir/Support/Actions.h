//===- Actions.h - Actions of passes ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a pass processes ops one after the other, it executes the processing of
// each op as an action of MLIR, called a step here. `--log-actions-to` lists
// the steps, and a debugger can stop at each step and skip it. If there is no
// handler of actions, a step takes only one more branch instruction.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_ACTIONS_H
#define IPU_MLIR_SUPPORT_ACTIONS_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ipu {

/// An action for one op. `Derived` has two constants: `tag` is the name of the
/// action, and `text` describes the effect of the action on the op.
template <typename Derived>
class StepAction : public tracing::ActionImpl<Derived> {
public:
  using tracing::ActionImpl<Derived>::ActionImpl;

  void print(raw_ostream &os) const override {
    os << '`' << Derived::tag << "` " << Derived::text;
    for (const IRUnit &unit : this->getContextIRUnits())
      if (auto *op = dyn_cast_if_present<Operation *>(unit))
        os << " '" << op->getName() << '\'';
  }
};

/// Executes `step` for `op`. A handler of actions may skip the step.
template <typename ActionT>
void executeStep(Operation *op, function_ref<void()> step) {
  op->getContext()->executeAction<ActionT>(step, {op});
}

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_ACTIONS_H
