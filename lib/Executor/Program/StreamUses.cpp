//===- StreamUses.cpp - Counts of stream uses -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamUses.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class UseCounter {
public:
  explicit UseCounter(const Program &program)
      : program(program), functions(program.functions.size()) {}

  std::vector<StreamUse> count(const ProgramSequence &sequence);

private:
  using Uses = std::vector<StreamUse>;

  /// Most nodes use no stream.
  template <typename NodeT>
  void add(const NodeT &, Uses &) {}
  void add(const HostCopyNode &node, Uses &uses);
  void add(const CallNode &node, Uses &uses);
  void add(const std::unique_ptr<RepeatNode> &node, Uses &uses);
  void add(const std::unique_ptr<IfNode> &node, Uses &uses);
  void add(const std::unique_ptr<WhileNode> &node, Uses &uses);
  static void add(const Uses &more, int64_t times, Uses &uses);

  const Program &program;
  /// None until they have been counted.
  std::vector<std::optional<Uses>> functions;
};
} // namespace

std::vector<StreamUse> UseCounter::count(const ProgramSequence &sequence) {
  Uses uses(program.streams.size());
  for (const ProgramNode &node : sequence.nodes)
    std::visit([&](const auto &inner) { add(inner, uses); }, node);
  return uses;
}

void UseCounter::add(const Uses &more, int64_t times, Uses &uses) {
  for (auto [use, other] : llvm::zip_equal(uses, more)) {
    if (other.count == 0 || times <= 0)
      continue;
    int64_t count = use.count;
    if (count == 0)
      use = other;
    int64_t product = 0;
    // What does not fit is too many in any case.
    if (llvm::MulOverflow(other.count, times, product) ||
        llvm::AddOverflow(count, product, use.count))
      use.count = std::numeric_limits<int64_t>::max();
  }
}

void UseCounter::add(const HostCopyNode &node, Uses &uses) {
  Uses one(uses.size());
  one[node.stream] = {1, node.step, node.isLoad};
  add(one, 1, uses);
}

void UseCounter::add(const CallNode &node, Uses &uses) {
  std::optional<Uses> &callee = functions[node.function];
  if (!callee)
    callee = count(program.functions[node.function].body);
  add(*callee, 1, uses);
}

void UseCounter::add(const std::unique_ptr<RepeatNode> &node, Uses &uses) {
  add(count(node->body), node->countVariable ? 0 : node->count, uses);
}

void UseCounter::add(const std::unique_ptr<IfNode> &node, Uses &uses) {
  Uses both = count(node->thenBody);
  for (auto [use, other] : llvm::zip_equal(both, count(node->elseBody)))
    use.count = std::min(use.count, other.count);
  add(both, 1, uses);
}

void UseCounter::add(const std::unique_ptr<WhileNode> &node, Uses &uses) {
  add(count(node->before), 1, uses);
}

std::vector<StreamUse> mlir::ipu::countStreamUses(const Program &program) {
  return UseCounter(program).count(program.body);
}

void mlir::ipu::warnOfStreamUses(const Program &program, unsigned stream,
                                 const StreamUse &use, int64_t tensors,
                                 const Twine &count) {
  StreamOp op = program.streams[stream].op;
  bool hasOwnNumber = op.getTransfersAttr() != nullptr;
  InFlightDiagnostic diag = program.steps[use.step]->emitWarning();
  diag << "stream '" << program.streams[stream].name << "' is "
       << (use.isLoad ? "loaded " : "stored ") << count
       << " times in a run but the host has " << tensors
       << (tensors == 1 ? " tensor" : " tensors")
       << (use.isLoad ? "; after the last tensor, the first one is loaded again"
                      : "; after the last tensor, the first one is replaced")
       << (hasOwnNumber ? "; attribute 'transfers' of the stream sets the "
                          "number of tensors"
                        : "; attribute 'host_transfers' of the module sets the "
                          "number of tensors");
}
