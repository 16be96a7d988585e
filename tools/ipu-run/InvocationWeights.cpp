//===- InvocationWeights.cpp - Files of variables -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"

#include "ipu-mlir/Host/Npy.h"
#include "ipu-mlir/Host/Npz.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;

Status Invocation::bindWeights(Session &session) {
  ArrayRef<SessionTensor> variables = session.getVariables();
  if (!options.loadWeights.empty() && variables.empty())
    return report(Status::BadUsage,
                  "--load-weights: the program has no variables");
  if (!options.saveWeights.empty() && variables.empty())
    return report(Status::BadUsage,
                  "--save-weights: the program has no variables");
  for (auto &[name, tensor] : weights) {
    if (const SessionTensor *variable = findNamed(variables, name)) {
      viewAs(variable->type.getElementType(), tensor);
      continue;
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "--load-weights: '" << options.loadWeights
       << "' has an unknown variable '" << name << "' : " << tensor.type
       << "; the program's variables are ";
    llvm::interleaveComma(variables, os, [&](const SessionTensor &variable) {
      os << '\'' << variable.name << "' : " << variable.type;
    });
    return report(Status::BadUsage, text);
  }
  if (llvm::Error error = session.restoreTensors(weights))
    return report(Status::BadUsage,
                  "--load-weights: '" + options.loadWeights +
                      "': " + llvm::toString(std::move(error)));
  if (options.saveWeights.empty())
    return Status::Success;
  // Runs may take long. Therefore types that a file cannot store are reported
  // before the runs.
  for (const SessionTensor &variable : variables) {
    auto empty = RankedTensorType::get({0}, variable.type.getElementType());
    llvm::Expected<std::string> file =
        formatNpz(NamedTensor{variable.name, HostTensor{empty, {}}});
    if (!file)
      return report(Status::BadUsage,
                    "--save-weights: " + llvm::toString(file.takeError()));
  }
  return Status::Success;
}

Status Invocation::readVariables(Session &session, RunResult &result) {
  // Reading variables with --check-replica-equal compares the replicas of a
  // variable of which the host reads one value.
  if (options.saveWeights.empty() && !options.compareEngines &&
      !options.checkReplicaEqual)
    return Status::Success;
  SmallVector<StringRef> names;
  for (const SessionTensor &variable : session.getVariables())
    names.push_back(variable.name);
  llvm::Expected<TensorMap> tensors = session.getTensors(names);
  if (!tensors)
    return report(Status::BadModel, tensors.takeError());
  for (StringRef name : names)
    result.variables.push_back(
        {name.str(), std::move(tensors->find(name.str())->second)});
  return Status::Success;
}

Status Invocation::saveWeights(const RunResult &result) {
  if (options.saveWeights.empty())
    return Status::Success;
  if (llvm::Error error = writeNpz(weightsTarget, result.variables))
    return report(Status::BadUsage,
                  "--save-weights: '" + options.saveWeights +
                      "': " + llvm::toString(std::move(error)));
  return Status::Success;
}
