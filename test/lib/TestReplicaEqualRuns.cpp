//===- TestReplicaEqualRuns.cpp - Runs that check equal replicas ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program of ipu ops. Out: the same program. Runs it a few times with
// random inputs, each time from the state after the last run. Fails if replicas
// differ although an op is annotated as equal on them, or if a run without
// checks gives other results. Prints for each annotated op its location, its
// name, whether it is constant, how often it was executed, the annotated
// classes and those that were equal.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Check/ReplicaEqualReport.h"
#include "ipu-mlir/Host/InputSpec.h"
#include "ipu-mlir/Session/Session.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class TestReplicaEqualRuns
    : public PassWrapper<TestReplicaEqualRuns, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestReplicaEqualRuns)
  TestReplicaEqualRuns() = default;
  TestReplicaEqualRuns(const TestReplicaEqualRuns &other)
      : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-replica-equal-runs"; }
  StringRef getDescription() const final {
    return "Run a program and check what replicas share";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerExecutorDialects(registry);
  }
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (llvm::Error error = run(getOperation())) {
      getOperation().emitError(llvm::toString(std::move(error)));
      signalPassFailure();
    }
  }

private:
  llvm::Error run(ModuleOp module);
  llvm::Error runAndCompare(Session &checked, Session &plain);
  FailureOr<std::unique_ptr<Session>> load(ModuleOp module,
                                           ReplicaEqualReport *report);
  llvm::Expected<TensorMap> drawInputs(const Session &session, unsigned run);

  Option<unsigned> runs{*this, "runs", llvm::cl::desc("How many runs"),
                        llvm::cl::init(3)};
  Option<unsigned> seed{*this, "seed", llvm::cl::desc("Of inputs"),
                        llvm::cl::init(1)};
  Option<std::string> engine{*this, "engine",
                             llvm::cl::desc("'interp' or 'jit'"),
                             llvm::cl::init("interp")};
};
} // namespace

/// Inputs of a run. In the last of several all replicas get the same zeros.
llvm::Expected<TensorMap>
TestReplicaEqualRuns::drawInputs(const Session &session, unsigned run) {
  TensorMap inputs;
  InputSpec spec;
  spec.name = "*";
  spec.seed = seed * 1000 + run;
  bool isLast = run > 0 && run + 1 == runs;
  spec.generator = isLast ? InputGenerator::Zeros : InputGenerator::Random;
  for (const SessionTensor &input : session.getInputs()) {
    llvm::Expected<HostTensor> tensor =
        generateInput(spec, input.name, input.type);
    if (!tensor)
      return tensor.takeError();
    inputs.emplace(input.name, std::move(*tensor));
  }
  return inputs;
}

static void printClasses(ArrayRef<int64_t> classes) {
  llvm::outs() << " ";
  llvm::interleave(classes, llvm::outs(), ",");
}

/// Loads a program that checks itself if there is a report.
FailureOr<std::unique_ptr<Session>>
TestReplicaEqualRuns::load(ModuleOp module, ReplicaEqualReport *report) {
  SessionOptions options;
  options.engine = engine == "jit" ? EngineKind::Jit : EngineKind::Interp;
  options.checkReplicaEqual = report != nullptr;
  options.replicaEqualReport = report;
  options.keepsWeights = false;
  return Session::create(module, options);
}

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Error TestReplicaEqualRuns::runAndCompare(Session &checked,
                                                Session &plain) {
  Session::Context checkedContext(checked), plainContext(plain);
  for (unsigned run = 0; run < runs; ++run) {
    llvm::Expected<TensorMap> inputs = drawInputs(checked, run);
    if (!inputs)
      return inputs.takeError();
    llvm::Expected<TensorMap> expected = checked.run(*inputs);
    if (!expected)
      return expected.takeError();
    llvm::Expected<TensorMap> outputs = plain.run(*inputs);
    if (!outputs)
      return outputs.takeError();
    for (const auto &[name, tensor] : *expected)
      if (outputs->at(name).data != tensor.data)
        return makeError("output '" + name + "' of run " + Twine(run) +
                         " is not what it is in a checked run");
  }
  return llvm::Error::success();
}

llvm::Error TestReplicaEqualRuns::run(ModuleOp module) {
  ReplicaEqualReport report;
  FailureOr<std::unique_ptr<Session>> checked = load(module, &report),
                                      plain = load(module, nullptr);
  if (failed(checked) || failed(plain))
    return makeError("the program cannot be loaded");
  if (llvm::Error error = runAndCompare(**checked, **plain))
    return error;
  llvm::outs() << "program of " << report.replicas << " replicas\n";
  for (const ReplicaEqualAnnotationReport &annotation : report.annotations) {
    llvm::outs() << annotation.location << " " << annotation.op << " "
                 << (annotation.isConstant ? "constant" : "computed") << " "
                 << annotation.executions;
    printClasses(annotation.annotated);
    printClasses(annotation.observed);
    llvm::outs() << "\n";
  }
  return llvm::Error::success();
}

namespace mlir::ipu::test {
void registerTestReplicaEqualRuns() {
  PassRegistration<TestReplicaEqualRuns>();
}
} // namespace mlir::ipu::test
