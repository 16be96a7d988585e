//===- Session.cpp - A loaded program and its variables -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Session/Session.h"

#include "../Executor/Run/Device.h"

using namespace mlir;
using namespace mlir::ipu;

struct Session::Impl {
  Impl(CompiledProgram program, const SessionOptions &options)
      : program(std::move(program)), options(options) {}

  CompiledProgram program;
  SessionOptions options;
  std::unique_ptr<Device> device;
  /// The program of the host; may be null.
  std::unique_ptr<Session> host;
  std::vector<SessionTensor> inputs, outputs;
  /// The variables of the device and, after them, those of the host.
  std::vector<SessionTensor> variables;
  /// The host's copies of the variables of the device, in their order: as read,
  /// or as written, which may be much smaller.
  std::vector<HostTensor> copies;
  /// The variables of the host that are inputs of the device.
  std::vector<std::string> hostInputs;
  std::shared_ptr<const Profile> profile = std::make_shared<Profile>();
  Transfers transfers;
  bool isAttached = false;
  bool isOutdated = false;
  uint64_t numRuns = 0;

  LogicalResult load();
  LogicalResult loadHost();
  LogicalResult checkHostType(const ProgramInput &tensor, StringRef what,
                              RankedTensorType type);
  LogicalResult readCopies();
  void findStreams();
  std::optional<size_t> findVariable(StringRef name) const;
  /// Returns the name in the program of the host of a variable that only this
  /// program has, or std::nullopt.
  std::optional<StringRef> findHostVariable(StringRef name) const;
  const ProgramStream *findStream(StringRef name) const;
  /// Removes the variables of the host from `tensors`, and returns them with
  /// their names in the program of the host.
  TensorMap takeHostVariables(TensorMap &tensors) const;
  llvm::Error runHost(const TensorMap &inputs, TensorMap &outputs);
  HostTensor getCopyAsRead(size_t number) const;
  HostTensor getCopyAsWritten(size_t number) const;
  LogicalResult moveToHost();
  LogicalResult moveToDevice();
};

/// The start of the names of variables of the host whose own names are those of
/// variables of the device.
static constexpr StringLiteral kHostPrefix = "host.";

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

char StoppedError::ID;

void StoppedError::log(llvm::raw_ostream &os) const {
  os << "the run was stopped";
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static ProgramSignature getOwnSignature(const CompiledProgram &program) {
  return getProgramSignature(
      program.getModule().lookupSymbol<func::FuncOp>(program.getEntry()));
}

static bool isNamed(ArrayRef<ProgramInput> list, StringRef name) {
  return llvm::any_of(
      list, [&](const ProgramInput &input) { return input.name == name; });
}

ProgramSignature mlir::ipu::getSignature(const CompiledProgram &program) {
  ProgramSignature device = getOwnSignature(program);
  const CompiledProgram *hostProgram = program.getHostProgram();
  if (!hostProgram)
    return device;
  ProgramSignature host = getOwnSignature(*hostProgram), result;
  for (const ProgramInput &input : device.inputs)
    if (!hostProgram->getModule().lookupSymbol<StateOp>(input.name))
      result.inputs.push_back(input);
  for (const ProgramInput &input : host.inputs)
    if (!isNamed(device.outputs, input.name) &&
        !isNamed(result.inputs, input.name))
      result.inputs.push_back(input);
  for (const ProgramInput &output : device.outputs)
    if (!isNamed(host.inputs, output.name))
      result.outputs.push_back(output);
  llvm::append_range(result.outputs, host.outputs);
  return result;
}

void Session::Impl::findStreams() {
  SymbolTable symbols(program.getModule());
  auto getTensors = [&](ArrayRef<ProgramInput> list) {
    std::vector<SessionTensor> tensors;
    for (const ProgramInput &input : list) {
      auto stream = symbols.lookup<StreamOp>(input.name);
      tensors.push_back({input.name, input.type, input.hasDefault,
                         stream && stream.getSeed()});
    }
    return tensors;
  };
  ProgramSignature signature = getSignature(program);
  inputs = getTensors(signature.inputs);
  outputs = getTensors(signature.outputs);
}

/// Fails if the host has `type` for a tensor that it exchanges with the device.
/// `what` is what the tensor is in the program of the host.
LogicalResult Session::Impl::checkHostType(const ProgramInput &tensor,
                                           StringRef what,
                                           RankedTensorType type) {
  if (type == tensor.type)
    return success();
  return program.getModule().lookupSymbol(tensor.name)->emitOpError()
         << "expects the " << what
         << " of this name in the program of the host to have type "
         << tensor.type << " but got " << type;
}

/// Returns the callbacks of the program of the host: only the device shows
/// progress.
static RunCallbacks getHostCallbacks(RunCallbacks callbacks) {
  callbacks.progress = nullptr;
  return callbacks;
}

/// Loads the program of the host, and finds what the device needs from it.
LogicalResult Session::Impl::loadHost() {
  const CompiledProgram *hostProgram = program.getHostProgram();
  if (!hostProgram)
    return success();
  SessionOptions hostOptions = options;
  hostOptions.replicaEqualReport = nullptr;
  static_cast<RunCallbacks &>(hostOptions) = getHostCallbacks(options);
  hostOptions.detailsProfile = false;
  FailureOr<std::unique_ptr<Session>> loaded =
      Session::create(*hostProgram, hostOptions);
  if (failed(loaded))
    return failure();
  host = std::move(*loaded);
  ProgramSignature signature = getOwnSignature(program);
  auto find = [](ArrayRef<SessionTensor> tensors, StringRef name) {
    return llvm::find_if(tensors, [&](const SessionTensor &tensor) {
      return tensor.name == name;
    });
  };
  for (const ProgramInput &input : signature.inputs) {
    const SessionTensor *variable = find(host->getVariables(), input.name);
    if (variable == host->getVariables().end())
      continue;
    if (failed(checkHostType(input, "variable", variable->type)))
      return failure();
    hostInputs.push_back(input.name);
  }
  for (const ProgramInput &output : signature.outputs) {
    const SessionTensor *input = find(host->getInputs(), output.name);
    if (input != host->getInputs().end() &&
        failed(checkHostType(output, "input", input->type)))
      return failure();
  }
  for (SessionTensor variable : host->getVariables()) {
    if (findVariable(variable.name))
      variable.name = (kHostPrefix + variable.name).str();
    variables.push_back(std::move(variable));
  }
  return success();
}

LogicalResult Session::Impl::readCopies() {
  for (const HostState &state : device->getProgram().states) {
    FailureOr<HostTensor> value =
        getInitialValue(state, device->getProgram().rngGenerator, options.seed);
    if (failed(value))
      return failure();
    copies.push_back(std::move(*value));
    variables.push_back({state.name, getReadType(state)});
  }
  return success();
}

LogicalResult Session::Impl::load() {
  ModuleOp module = program.getModule();
  if (options.engine == EngineKind::None)
    return module.emitError("a session needs an engine that computes values");
  FailureOr<std::unique_ptr<Device>> loaded = Device::load(module, options);
  if (failed(loaded))
    return failure();
  device = std::move(*loaded);
  findStreams();
  return success(succeeded(readCopies()) && succeeded(loadHost()));
}

FailureOr<std::unique_ptr<Session>>
Session::create(CompiledProgram program, const SessionOptions &options) {
  auto impl = std::make_unique<Impl>(std::move(program), options);
  impl->options.entry = impl->program.getEntry().str();
  if (failed(impl->load()))
    return failure();
  return std::unique_ptr<Session>(new Session(std::move(impl)));
}

FailureOr<std::unique_ptr<Session>>
Session::create(ModuleOp module, const SessionOptions &options) {
  CompileOptions compilation;
  compilation.entry = options.entry;
  compilation.allowOutOfMemory = options.allowOutOfMemory;
  FailureOr<CompiledProgram> program = compile(module.clone(), compilation);
  if (failed(program))
    return failure();
  return create(std::move(*program), options);
}

Session::Session(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Session::~Session() = default;

ArrayRef<SessionTensor> Session::getInputs() const { return impl->inputs; }
ArrayRef<SessionTensor> Session::getOutputs() const { return impl->outputs; }
ArrayRef<SessionTensor> Session::getVariables() const {
  return impl->variables;
}
bool Session::isAttached() const { return impl->isAttached; }
const Profile &Session::getProfile() const { return *impl->profile; }
std::shared_ptr<const Profile> Session::shareProfile() const {
  return impl->profile;
}
const Session::Transfers &Session::getTransfers() const {
  return impl->transfers;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

LogicalResult Session::attach() {
  if (impl->isAttached)
    return success();
  if (failed(impl->device->reset()) || failed(impl->moveToDevice()) ||
      (impl->host && failed(impl->host->attach())))
    return failure();
  impl->isAttached = true;
  return success();
}

LogicalResult Session::Impl::moveToDevice() {
  for (size_t number = 0; number < copies.size(); ++number)
    if (failed(device->writeState(number, getCopyAsWritten(number))))
      return failure();
  ++transfers.toDevice;
  isOutdated = false;
  return success();
}

HostTensor Session::Impl::getCopyAsRead(size_t number) const {
  const HostState &state = device->getProgram().states[number];
  const HostTensor &copy = copies[number];
  return copy.type == getReadType(state) ? copy : expandState(state, copy);
}

HostTensor Session::Impl::getCopyAsWritten(size_t number) const {
  const HostState &state = device->getProgram().states[number];
  const HostTensor &copy = copies[number];
  return copy.type == getWrittenType(state) ? copy : narrowState(state, copy);
}

/// Copies that cannot be read stay as they are.
LogicalResult Session::Impl::moveToHost() {
  std::vector<HostTensor> values;
  for (size_t number = 0; number < copies.size(); ++number) {
    FailureOr<HostTensor> value = device->readState(number);
    if (failed(value))
      return failure();
    values.push_back(std::move(*value));
  }
  copies = std::move(values);
  ++transfers.toHost;
  isOutdated = false;
  return success();
}

LogicalResult Session::detach(bool copiesWeights) {
  if (!impl->isAttached)
    return success();
  LogicalResult result =
      impl->host ? impl->host->detach(copiesWeights) : success();
  if (copiesWeights && failed(impl->moveToHost()))
    result = failure();
  impl->isOutdated = false;
  impl->isAttached = false;
  return result;
}

llvm::Error Session::weightsToHost() {
  if (!impl->isAttached)
    return makeError("expects the session to be attached to a device to copy "
                     "variables to the host");
  if (impl->host)
    if (llvm::Error error = impl->host->weightsToHost())
      return error;
  if (failed(impl->moveToHost()))
    return makeError("variables could not be read");
  return llvm::Error::success();
}

llvm::Error Session::weightsFromHost() {
  if (!impl->isAttached)
    return makeError("expects the session to be attached to a device to copy "
                     "variables from the host");
  if (impl->host)
    if (llvm::Error error = impl->host->weightsFromHost())
      return error;
  if (failed(impl->moveToDevice()))
    return makeError("variables could not be written");
  return llvm::Error::success();
}

Session::Context::Context(Session &session)
    : session(session),
      attached(!session.isAttached() && succeeded(session.attach())) {}

Session::Context::~Context() {
  if (attached)
    (void)session.detach(session.impl->options.keepsWeights);
}

const ProgramStream *Session::Impl::findStream(StringRef name) const {
  for (const ProgramStream &stream : device->getProgram().streams)
    if (stream.name == name)
      return &stream;
  return host ? host->impl->findStream(name) : nullptr;
}

llvm::Error Session::checkInputs(const TensorMap &inputs) const {
  auto isInput = [&](StringRef name) {
    return llvm::any_of(impl->inputs, [&](const SessionTensor &input) {
      return input.name == name;
    });
  };
  for (const auto &[name, tensor] : inputs)
    if (!isInput(name))
      return makeError("'" + name + "' is no input of the program");
  for (const SessionTensor &input : impl->inputs) {
    auto it = inputs.find(input.name);
    if (it == inputs.end() && input.hasDefault)
      continue;
    if (it == inputs.end())
      return makeError("expects a value of input '" + input.name + "'");
    const ProgramStream *stream = impl->findStream(input.name);
    if (llvm::Error error = checkStreamTensor(
            "input '" + input.name + "'", it->second, input.type,
            stream->transfers, stream->getNumHostDims()))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<TensorMap> Session::run(const TensorMap &inputs) {
  if (!impl->isAttached)
    return makeError("expects the session to be attached to a device to run");
  if (llvm::Error error = checkInputs(inputs))
    return error;
  TensorMap given = inputs;
  for (const std::string &name : impl->hostInputs) {
    Impl &host = *impl->host->impl;
    FailureOr<HostTensor> value =
        host.device->readState(*host.findVariable(name));
    if (failed(value))
      return makeError("variable '" + name + "' could not be read");
    given[name] = std::move(*value);
  }
  RunSeed seed{impl->options.seed, impl->numRuns++};
  RunOptions options;
  options.input = [&](StringRef name, RankedTensorType) {
    return getInput(impl->program.getModule(), given, name, seed);
  };
  static_cast<RunCallbacks &>(options) = impl->options;
  bool isStopped = false;
  if (options.isStopped)
    options.isStopped = [&] {
      return isStopped = isStopped || impl->options.isStopped();
    };
  impl->isOutdated = true;
  FailureOr<ExecuteResult> result = impl->device->run(options);
  if (isStopped)
    return llvm::make_error<StoppedError>();
  if (failed(result))
    return makeError("the run failed");
  impl->profile = std::make_shared<Profile>(std::move(result->profile));
  TensorMap outputs;
  for (NamedTensor &output : result->outputs)
    outputs[output.name] = std::move(output.tensor);
  if (impl->host)
    if (llvm::Error error = impl->runHost(inputs, outputs))
      return error;
  return outputs;
}

/// Runs the program of the host after a run of the device with `inputs`. Its
/// inputs are taken out of `outputs`, to which its outputs are added.
llvm::Error Session::Impl::runHost(const TensorMap &inputs,
                                   TensorMap &outputs) {
  TensorMap given;
  for (const SessionTensor &input : host->getInputs()) {
    if (auto node = outputs.extract(input.name))
      given.insert(std::move(node));
    else if (auto it = inputs.find(input.name); it != inputs.end())
      given.insert(*it);
  }
  llvm::Expected<TensorMap> results = host->run(given);
  if (!results)
    return results.takeError();
  outputs.merge(*results);
  return llvm::Error::success();
}

llvm::Expected<TensorMap>
Session::runRepeatedly(int64_t count,
                       function_ref<TensorMap(int64_t)> getInputs) {
  if (count <= 0)
    return makeError("expects a positive number of runs but got " +
                     Twine(count));
  for (int64_t number = 0; number + 1 < count; ++number)
    if (llvm::Expected<TensorMap> outputs = run(getInputs(number)); !outputs)
      return outputs;
  return run(getInputs(count - 1));
}

llvm::Expected<TensorMap> Session::runRepeatedly(int64_t count,
                                                 const TensorMap &inputs) {
  return runRepeatedly(
      count, [&](int64_t number) { return getInputsOfRun(inputs, number); });
}

void Session::setCallbacks(const RunCallbacks &callbacks) {
  static_cast<RunCallbacks &>(impl->options) = callbacks;
  if (impl->host)
    impl->host->setCallbacks(getHostCallbacks(callbacks));
}

TensorMap Session::getInputsOfRun(const TensorMap &inputs, int64_t run) const {
  TensorMap advanced = inputs;
  for (const SessionTensor &input : impl->inputs)
    if (auto it = advanced.find(input.name);
        input.isSeed && it != advanced.end() && it->second.type == input.type)
      it->second = advanceSeeds(it->second, run);
  return advanced;
}

//===----------------------------------------------------------------------===//
// Variables and constants
//===----------------------------------------------------------------------===//

std::optional<size_t> Session::Impl::findVariable(StringRef name) const {
  for (auto [number, variable] : llvm::enumerate(variables))
    if (variable.name == name)
      return number;
  return std::nullopt;
}

std::optional<StringRef> Session::Impl::findHostVariable(StringRef name) const {
  std::optional<size_t> number = findVariable(name);
  if (!number || *number < copies.size())
    return std::nullopt;
  return StringRef(host->getVariables()[*number - copies.size()].name);
}

TensorMap Session::Impl::takeHostVariables(TensorMap &tensors) const {
  TensorMap taken;
  for (const SessionTensor &variable : variables)
    if (std::optional<StringRef> own = findHostVariable(variable.name))
      if (auto node = tensors.extract(variable.name)) {
        node.key() = own->str();
        taken.insert(std::move(node));
      }
  return taken;
}

llvm::Expected<HostTensor> Session::getTensor(StringRef name) {
  llvm::Expected<TensorMap> tensors = getTensors(name);
  if (!tensors)
    return tensors.takeError();
  return std::move(tensors->begin()->second);
}

llvm::Expected<TensorMap> Session::getTensors(ArrayRef<StringRef> names) {
  const auto &constants = impl->program.getConstants();
  bool readsVariables = false;
  for (StringRef name : names) {
    bool isVariable = impl->findVariable(name).has_value();
    if (!isVariable && !constants.count(name.str()))
      return makeError("'" + name + "' is no variable or constant");
    readsVariables |= isVariable && !impl->findHostVariable(name);
  }
  if (readsVariables && impl->isAttached && impl->isOutdated &&
      failed(impl->moveToHost()))
    return makeError("variables could not be read");
  TensorMap result;
  for (StringRef name : names) {
    if (std::optional<StringRef> own = impl->findHostVariable(name)) {
      llvm::Expected<HostTensor> value = impl->host->getTensor(*own);
      if (!value)
        return value.takeError();
      result[name.str()] = std::move(*value);
      continue;
    }
    if (std::optional<size_t> number = impl->findVariable(name)) {
      result[name.str()] = impl->getCopyAsRead(*number);
      continue;
    }
    ModuleOp module = impl->program.getModule();
    FailureOr<HostTensor> value = getHostTensor(
        constants.at(name.str()), [&] { return module.emitError(); });
    if (failed(value))
      return makeError("constant '" + name + "' could not be read");
    result[name.str()] = std::move(*value);
  }
  return result;
}

llvm::Error Session::writeTensor(StringRef name, const HostTensor &tensor) {
  return writeTensors({{name.str(), tensor}});
}

/// Fails if `tensor` gives replicas of one class different states of random
/// number generators: what they round with equal bits would not stay equal.
static llvm::Error checkClassesAgree(const HostState &state,
                                     const HostTensor &tensor) {
  auto op = dyn_cast<RngStateOp>(state.op);
  if (!op || op.getPartition().isAll())
    return llvm::Error::success();
  int64_t bytes = *getTensorBytes(state.type);
  llvm::DenseMap<int64_t, int64_t> leastOf;
  for (auto [replica, number] :
       llvm::enumerate(op.getPartition().getClasses())) {
    int64_t least = leastOf.try_emplace(number, replica).first->second;
    if (std::memcmp(tensor.data.data() + replica * bytes,
                    tensor.data.data() + least * bytes, bytes) != 0)
      return makeError(
          "variable '" + state.name + "' expects the same state for replicas " +
          Twine(least) + " and " + Twine(replica) +
          ", which draw equal random bits, but got different states");
  }
  return llvm::Error::success();
}

/// Fails if writeTensors() cannot write one of `tensors`.
llvm::Error Session::checkTensors(const TensorMap &tensors) const {
  ArrayRef<HostState> states = impl->device->getProgram().states;
  for (const auto &[name, tensor] : tensors) {
    std::optional<size_t> number = impl->findVariable(name);
    if (!number && impl->program.getConstants().count(name))
      return makeError("'" + name + "' is a constant");
    if (!number)
      return makeError("'" + name + "' is no variable");
    if (llvm::Error error = checkTensorType("variable '" + name + "'", tensor,
                                            getWrittenType(states[*number])))
      return error;
    if (llvm::Error error = checkClassesAgree(states[*number], tensor))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Session::writeTensors(const TensorMap &tensors) {
  TensorMap ofDevice = tensors;
  TensorMap ofHost = impl->takeHostVariables(ofDevice);
  if (llvm::Error error = checkTensors(ofDevice))
    return error;
  if (!ofHost.empty())
    if (llvm::Error error = impl->host->writeTensors(ofHost))
      return error;
  for (const auto &[name, tensor] : ofDevice) {
    size_t number = *impl->findVariable(name);
    impl->copies[number] = tensor;
    if (!impl->isAttached)
      continue;
    if (failed(impl->device->writeState(number, tensor)))
      return makeError("variable '" + name + "' could not be written");
    ++impl->transfers.toDevice;
  }
  return llvm::Error::success();
}

/// Fails if a replica's part of `read`, which is of the read type, is not that
/// of the first of its group.
static llvm::Error checkGroupsAgree(const HostState &state,
                                    const HostTensor &read) {
  const HostBytes expected = expandState(state, narrowState(state, read)).data;
  auto [at, unequal] =
      std::mismatch(read.data.begin(), read.data.end(), expected.begin());
  if (at == read.data.end())
    return llvm::Error::success();
  int64_t replica = (at - read.data.begin()) / *getTensorBytes(state.type);
  int64_t first = state.groups.leastOf(state.groups.groupOf(replica));
  return makeError("variable '" + state.name +
                   "' expects the same value for all replicas of a group but "
                   "the values of replicas " +
                   Twine(first) + " and " + Twine(replica) + " differ");
}

llvm::Error Session::restoreTensors(TensorMap tensors) {
  for (auto &[name, tensor] : tensors) {
    std::optional<size_t> number = impl->findVariable(name);
    // writeTensors() reports unknown names. All replicas of a variable of the
    // host are equal, so it has one type only.
    if (!number || impl->findHostVariable(name))
      continue;
    const HostState &state = impl->device->getProgram().states[*number];
    if (tensor.type == getWrittenType(state) ||
        tensor.type != getReadType(state))
      continue;
    if (llvm::Error error = checkGroupsAgree(state, tensor))
      return error;
    tensor = narrowState(state, tensor);
  }
  return writeTensors(tensors);
}
