//===- ModelFiles.cpp - Files of weights and models -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFiles.h"

#include "Weights.h"
#include "ipu-mlir/Frontend/ONNX/Export.h"
#include "ipu-mlir/Host/Npy.h"
#include "ipu-mlir/Host/Npz.h"
#include "ipu-mlir/Support/Entry.h"
#include "ipu-mlir/Tools/Files.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

//===----------------------------------------------------------------------===//
// Initial weights
//===----------------------------------------------------------------------===//

namespace {
/// A tensor of the model that has an initial value.
struct InitialValue {
  /// The type on one replica.
  RankedTensorType type;
  /// The number of values, of which each is for one group of replicas.
  int64_t count = 1;
  std::function<void(ElementsAttr)> set;

  bool accepts(RankedTensorType other) const {
    ArrayRef<int64_t> shape = other.getShape();
    if (count > 1 && !shape.empty() && shape.front() == count &&
        shape.size() > type.getShape().size())
      shape = shape.drop_front();
    return shape == type.getShape() &&
           other.getElementType() == type.getElementType();
  }
};
} // namespace

/// Returns the float variables and arguments with an initial value, by name.
static std::map<std::string, InitialValue> findInitialValues(ModuleOp module) {
  std::map<std::string, InitialValue> values;
  auto add = [&](StringRef name, RankedTensorType type, int64_t count,
                 std::function<void(ElementsAttr)> set) {
    if (isa<FloatType>(type.getElementType()))
      values[name.str()] = {type, count, std::move(set)};
  };
  for (auto variable : module.getOps<pop::VariableOp>())
    add(variable.getSymName(), variable.getTensorType(),
        countReplicaGroups(variable), [variable](ElementsAttr value) mutable {
          variable.setValueAttr(value);
        });
  FailureOr<func::FuncOp> main = lookupEntry(module, kMain);
  if (failed(main))
    return values;
  for (unsigned i = 0; i < main->getNumArguments(); ++i) {
    auto type = dyn_cast<RankedTensorType>(main->getArgumentTypes()[i]);
    if (type && main->getArgAttr(i, pop::PopDialect::kDefaultAttrName))
      add(getName(main->getArgAttr(i, pop::PopDialect::kNameAttrName), "arg",
                  i),
          type, /*count=*/1, [main = *main, i](ElementsAttr value) mutable {
            main.setArgAttr(i, pop::PopDialect::kDefaultAttrName, value);
          });
  }
  return values;
}

/// Large values are resources, which the context does not keep for ever.
static ElementsAttr makeAttribute(StringRef name, const HostTensor &tensor) {
  ArrayRef<char> bytes = tensor.data;
  if (tensor.type.getNumElements() == 0)
    return getDenseElements(tensor);
  return DenseResourceElementsAttr::get(
      tensor.type, name,
      HeapAsmResourceBlob::allocateAndCopyWithAlign(
          bytes, getElementBytes(tensor.type.getElementType())));
}

Status train::readInitialWeights(StringRef path, ModuleOp module) {
  auto fails = [&](const Twine &message) {
    return report(Status::BadUsage,
                  "--init-weights: '" + path + "' " + message);
  };
  auto tensors = readTensorsFile(path, module.getContext());
  if (!tensors)
    return report(Status::BadUsage,
                  "--init-weights: " + llvm::toString(tensors.takeError()));
  std::map<std::string, InitialValue> values = findInitialValues(module);
  for (auto &[name, tensor] : *tensors) {
    auto it = values.find(name);
    if (it == values.end())
      return fails("has an array '" + name +
                   "', which is no weight of the model; the weights are '" +
                   llvm::join(llvm::make_first_range(values), "', '") + "'");
    const InitialValue &value = it->second;
    // The files of NumPy have no bf16 and no f8.
    viewAs(value.type.getElementType(), tensor);
    std::string types;
    llvm::raw_string_ostream(types)
        << "expects '" << name << "' to be a " << value.type << " but got a "
        << tensor.type;
    if (!value.accepts(tensor.type))
      return fails(types);
    value.set(makeAttribute(name, tensor));
  }
  return Status::Success;
}

//===----------------------------------------------------------------------===//
// Trained weights
//===----------------------------------------------------------------------===//

llvm::Error train::checkInitializers(StringRef model,
                                     ArrayRef<SavedTensor> saved,
                                     MLIRContext *context) {
  SmallVector<StringRef> names;
  for (const SavedTensor &tensor : saved)
    names.push_back(tensor.name);
  return onnx::checkONNXInitializers(model, names, context);
}

/// Writes a copy of `model` with `weights` to the file `path`.
static llvm::Error writeModel(StringRef path, StringRef model,
                              ArrayRef<NamedTensor> weights,
                              MLIRContext *context) {
  onnx::InitializerBytes values;
  for (const NamedTensor &weight : weights)
    values[weight.name] = weight.tensor.data;
  auto file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error =
          onnx::writeONNXModel(model, values, context, (*file)->os()))
    return error;
  return (*file)->keep();
}

llvm::Error train::writeWeights(StringRef path, StringRef model,
                                ArrayRef<NamedTensor> weights,
                                MLIRContext *context) {
  if (path.ends_with(".onnx"))
    return writeModel(path, model, weights, context);
  llvm::Expected<std::string> target = getReplaceable(path);
  if (!target)
    return target.takeError();
  if (llvm::Error error = writeNpz(*target, weights))
    return makeError("'" + path + "': " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}
