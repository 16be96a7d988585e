//===- Actions.h - Actions of passes ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass whose algorithm processes single ops in steps executes each step as an
// action of MLIR. `--log-actions-to` lists the steps, and a debugger can stop
// at each step and skip it. Without a handler of actions, a step costs one
// branch.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_ACTIONS_H
#define IPU_MLIR_SUPPORT_ACTIONS_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ipu {

/// An action for one op. `Derived` has a `tag`, which is its name, and a
/// `text`, which describes its effect on the op.
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

/// Executes `step` for `op`. A handler of actions may skip it.
template <typename ActionT>
void executeStep(Operation *op, function_ref<void()> step) {
  op->getContext()->executeAction<ActionT>(step, {op});
}

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_ACTIONS_H
