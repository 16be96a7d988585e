//===- Recurrent.cpp - ONNX recurrent networks ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network becomes a loop over the steps of its sequences. The product of the
// input and its weights does not depend on the state. It is computed for all
// steps at once, before the loop.
//
// Both directions of a bidirectional network share the loop: dimension 0 of all
// tensors is the direction, which is a batch dimension of the products. In
// these tensors, the steps of the reverse direction are in the order in which
// the loop executes them.
//
//===----------------------------------------------------------------------===//

#include "RecurrentActivations.h"
#include "Repetition.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The greatest number of elements of the product of the input of all steps and
/// its weights. If the product would have more elements, each iteration of the
/// loop computes its part.
static constexpr int64_t kMaxProductElements = 1 << 24;

//===----------------------------------------------------------------------===//
// Recurrence
//===----------------------------------------------------------------------===//

namespace {
/// The part of a recurrent network that all operators have in common. Tensors
/// have D directions, T steps, N sequences, I inputs, and H hidden units for
/// each of G gates. The operands have the element type of the network. Gates
/// have its compute type, which is f32 for narrower floats.
class Recurrence {
public:
  virtual ~Recurrence() = default;
  void run();

protected:
  Recurrence(Node &node, int64_t numGates, size_t numStates,
             ArrayRef<StringRef> defaultActivations);

  /// Builds a step from the states [D, N, H], which have the element type, and
  /// from `input` [D, N, G * H]: the product of the input and its weights, with
  /// the bias. Returns the next states in the compute type. The first state is
  /// the hidden state.
  virtual SmallVector<Value> buildStep(Value input, ValueRange states) = 0;

  /// Returns the bias [D, 1, G * H] of the product of the input. It must exist.
  virtual Value buildBias() { return node.add(inputBias, recurrentBias); }

  /// Returns operand `i`, or null if the node does not have this operand. Fails
  /// if the operand does not have type `expected`.
  Value getOperand(size_t i, StringRef name, RankedTensorType expected);
  /// Returns operand `i`, which has the element type of the network.
  Value getOperand(size_t i, StringRef name, ArrayRef<int64_t> shape) {
    return getOperand(i, name, RankedTensorType::get(shape, elementType));
  }
  /// Returns `count` gates of `x`, whose last dimension is G * H.
  Value getGates(Value x, int64_t first, int64_t count = 1) {
    return node.slice(x, getRank(x) - 1, first * hiddenSize,
                      count * hiddenSize);
  }
  /// Returns the product of `x` and weights in the compute type, plus `acc` if
  /// it is not null.
  Value multiply(Value x, Value weights, Value acc = {});
  /// Applies function `number` of each direction.
  Value activate(size_t number, Value x);
  /// Clips the sum `x` of a gate, and applies function `number`.
  Value activateGate(size_t number, Value x);

  Node &node;
  Type elementType;
  SmallVector<bool> isReverse;
  int64_t numSteps, batchSize, inputSize, hiddenSize;
  int64_t numGates;
  /// The recurrent weights [D, H, G * H].
  Value recurrentWeights;
  /// The biases [D, 1, G * H] that belong to both weights, in the compute type.
  /// Null if there are none.
  Value inputBias, recurrentBias;

private:
  int64_t getNumDirections() const {
    return static_cast<int64_t>(isReverse.size());
  }
  void readAttributes(ArrayRef<StringRef> defaultActivations);
  void readSizes();
  void readWeights();
  void readStates(size_t numStates);
  void readLengths();
  void prepareInput();

  Value exchangeBatch(Value x);
  Value maskPadding(Value x);
  Value orderSteps(Value x);
  Value buildInputProduct(Value x);
  Value isActive(Value step);
  SmallVector<Value> buildIteration(Value step, ValueRange carried);
  SmallVector<Value> buildLoop(ValueRange initial);
  SmallVector<Value> buildSteps(ValueRange initial);
  void setResults(ValueRange final);

  bool isBatchFirst = false;
  size_t numFunctions;
  SmallVector<Activation> activations;
  std::optional<float> clip;
  /// The first states [D, N, H].
  SmallVector<Value> initialStates;
  /// The lengths [N, 1] of the sequences. Null if all have T steps.
  Value lengths;
  /// The input weights [D, I, G * H], and the bias of the product of the input,
  /// which may be null.
  Value inputWeights, bias;
  /// The product [D, T, N, G * H] of the input and its weights or, if the loop
  /// computes it, the input [D, T, N, I].
  Value inputs;
  bool isProductHoisted;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

static SmallVector<bool> getDirections(Node &node) {
  std::string direction = node.getString("direction", "forward");
  if (direction == "forward")
    return {false};
  if (direction == "reverse")
    return {true};
  node.require(direction == "bidirectional",
               "expects 'direction' to be 'forward', 'reverse' or "
               "'bidirectional' but got '" +
                   direction + "'");
  return {false, true};
}

Recurrence::Recurrence(Node &node, int64_t numGates, size_t numStates,
                       ArrayRef<StringRef> defaultActivations)
    : node(node), isReverse(getDirections(node)), numGates(numGates),
      numFunctions(defaultActivations.size()) {
  readAttributes(defaultActivations);
  readSizes();
  readWeights();
  readStates(numStates);
  readLengths();
}

void Recurrence::readAttributes(ArrayRef<StringRef> defaultActivations) {
  activations = getActivations(node, defaultActivations, getNumDirections());
  if (node.hasAttr("clip")) {
    clip = node.getFloat("clip", 0);
    SmallString<16> text;
    APFloat(*clip).toString(text);
    node.require(*clip >= 0,
                 "expects 'clip' not to be negative but got " + text);
  }
  int64_t layout = node.getInt("layout", 0);
  node.require(layout == 0 || layout == 1,
               "expects 'layout' to be 0 or 1 but got " + Twine(layout));
  isBatchFirst = layout == 1;
}

void Recurrence::readSizes() {
  Value x = node.getInput(0), weights = node.getInput(2);
  elementType = getElement(x);
  node.require(isa<FloatType>(elementType) && getRank(x) == 3,
               "expects X to be floats of rank 3 but got " +
                   quote(x.getType()));
  node.require(getRank(weights) == 3,
               "expects R of rank 3 but got " + quote(weights.getType()));
  numSteps = getDim(x, isBatchFirst ? 1 : 0);
  batchSize = getDim(x, isBatchFirst ? 0 : 1);
  inputSize = getDim(x, 2);
  hiddenSize = getDim(weights, 2);
  int64_t declared = node.getInt("hidden_size", hiddenSize);
  node.require(declared > 0,
               "expects a positive hidden size but got " + Twine(declared));
  node.require(declared == hiddenSize, "expects R of hidden size " +
                                           Twine(declared) + " but got " +
                                           quote(weights.getType()));
  if (!llvm::isInt<32>(numSteps))
    node.unsupported("2^31 or more steps");
  if (!pop::isPopShape(
          {getNumDirections(), numSteps, batchSize, numGates * hiddenSize}))
    node.unsupported("gates of more than 2^56 elements");
}

Value Recurrence::getOperand(size_t i, StringRef name,
                             RankedTensorType expected) {
  Value operand = node.getOptionalInput(i);
  node.require(!operand || operand.getType() == expected,
               "expects " + name + " of type " + quote(expected) + " but got " +
                   (operand ? quote(operand.getType()) : ""));
  return operand;
}

void Recurrence::readWeights() {
  int64_t directions = getNumDirections(), width = numGates * hiddenSize;
  node.require(node.hasInput(1), "expects input 1 but got none");
  Value weights = getOperand(1, "W", {directions, width, inputSize});
  Value recurrent = getOperand(2, "R", {directions, width, hiddenSize});
  inputWeights = node.transpose(weights, {0, 2, 1});
  recurrentWeights = node.transpose(recurrent, {0, 2, 1});
  Value biases = getOperand(3, "B", {directions, 2 * width});
  if (!biases)
    return;
  biases = node.reshape(node.widen(biases), {directions, 1, 2 * width});
  inputBias = getGates(biases, 0, numGates);
  recurrentBias = getGates(biases, numGates, numGates);
}

/// Exchanges the first two dimensions of `x` if the batch is the first
/// dimension of operands and results.
Value Recurrence::exchangeBatch(Value x) {
  return isBatchFirst ? node.transpose(x, {1, 0, 2}) : x;
}

void Recurrence::readStates(size_t numStates) {
  static constexpr StringLiteral kNames[] = {"initial_h", "initial_c"};
  SmallVector<int64_t> shape = {getNumDirections(), batchSize, hiddenSize};
  SmallVector<int64_t> operandShape = shape;
  if (isBatchFirst)
    std::swap(operandShape[0], operandShape[1]);
  for (size_t i = 0; i < numStates; ++i) {
    Value state = getOperand(5 + i, kNames[i], operandShape);
    initialStates.push_back(state ? exchangeBatch(state)
                                  : node.splat(0, elementType, shape));
  }
}

void Recurrence::readLengths() {
  auto type = RankedTensorType::get(batchSize, node.getI32Type());
  Value operand = getOperand(4, "sequence_lens", type);
  if (!operand)
    return;
  if (DenseElementsAttr constant = node.findConstant(4)) {
    for (auto length : constant.getValues<int32_t>())
      node.require(length >= 0 && length <= numSteps,
                   "expects sequence lengths from 0 to " + Twine(numSteps) +
                       " but got " + Twine(length));
    if (llvm::all_of(constant.getValues<int32_t>(),
                     [&](int32_t length) { return length == numSteps; }))
      return;
  }
  lengths = node.reshape(operand, {batchSize, 1});
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Reverses dimension 1 of `x` in the reverse direction: brings steps into the
/// order in which the loop executes them, and back.
Value Recurrence::orderSteps(Value x) {
  SmallVector<Value> parts;
  for (auto [i, reverse] : llvm::enumerate(isReverse)) {
    Value part = node.slice(x, /*axis=*/0, static_cast<int64_t>(i), 1);
    if (reverse)
      part = node.slice(part, /*axis=*/1, numSteps - 1, numSteps, /*step=*/-1);
    parts.push_back(part);
  }
  return node.concat(parts, 0);
}

Value Recurrence::multiply(Value x, Value weights, Value acc) {
  SmallVector<Value> operands = {x, weights};
  if (acc)
    operands.push_back(acc);
  SmallVector<int64_t> shape(getShape(x));
  shape.back() = getShape(weights).back();
  return node.create<pop::MatmulOp>(
      operands, {},
      RankedTensorType::get(shape, pop::getComputeType(elementType)));
}

/// Returns the product of `x` [D, ..., I] and the input weights, with the bias.
Value Recurrence::buildInputProduct(Value x) {
  SmallVector<int64_t> shape(getShape(x));
  int64_t rows = getProduct(ArrayRef(shape).drop_front().drop_back());
  Value product =
      multiply(node.reshape(x, {shape.front(), rows, inputSize}), inputWeights);
  if (bias)
    product = node.add(product, bias);
  shape.back() = numGates * hiddenSize;
  return node.reshape(product, shape);
}

/// Replaces the elements of `x` [T, N, I] after the ends of the sequences by 0.
/// They may be NaN, and the gradients of the weights add their products with
/// gradients of 0.
Value Recurrence::maskPadding(Value x) {
  if (!lengths)
    return x;
  Value steps = node.iota(numSteps, node.getI32Type(), /*axis=*/0, /*rank=*/3);
  return node.mask(node.less(steps, node.reshape(lengths, {1, batchSize, 1})),
                   x);
}

/// Brings the input into the order of the loop, and computes the product with
/// its weights if it is not too large.
void Recurrence::prepareInput() {
  Value x = maskPadding(exchangeBatch(node.getInput(0)));
  x = node.reshape(x, {1, numSteps, batchSize, inputSize});
  int64_t directions = getNumDirections();
  x = node.expand(x, {directions, numSteps, batchSize, inputSize});
  inputs = orderSteps(x);
  if (inputBias)
    bias = buildBias();
  isProductHoisted = getProduct({directions, numSteps, batchSize,
                                 numGates * hiddenSize}) <= kMaxProductElements;
  if (isProductHoisted)
    inputs = buildInputProduct(inputs);
}

Value Recurrence::activate(size_t number, Value x) {
  const Activation &first = activations[number];
  const Activation &last =
      activations[activations.size() - numFunctions + number];
  if (first == last)
    return first.build(node, x);
  // The two directions apply different functions.
  return node.concat({first.build(node, node.slice(x, /*axis=*/0, 0, 1)),
                      last.build(node, node.slice(x, /*axis=*/0, 1, 1))},
                     0);
}

Value Recurrence::activateGate(size_t number, Value x) {
  if (clip) {
    x = node.max(x, node.splatLike(-*clip, x));
    x = node.min(x, node.splatLike(*clip, x));
  }
  return activate(number, x);
}

/// Returns whether each sequence has the step [1] of the loop, as [D, N, 1].
Value Recurrence::isActive(Value step) {
  SmallVector<Value> positions;
  for (bool reverse : isReverse) {
    Value position = step;
    if (reverse)
      position = node.sub(
          node.splatLike(static_cast<double>(numSteps - 1), step), step);
    positions.push_back(node.reshape(position, {1, 1, 1}));
  }
  return node.less(node.concat(positions, 0), lengths);
}

/// Builds iteration `step` [1] of the loop. The loop carries the states and, if
/// the node has this result, the hidden states [D, T, N, H] of all steps. A
/// sequence that does not have the step keeps its states.
SmallVector<Value> Recurrence::buildIteration(Value step, ValueRange carried) {
  ValueRange states = carried.take_front(initialStates.size());
  Value input = takePosition(node, inputs, /*axis=*/1, step);
  if (!isProductHoisted)
    input = buildInputProduct(input);
  SmallVector<Value> next = buildStep(input, states);
  for (Value &state : next)
    state = node.cast(state, elementType);
  Value output = next.front();
  if (lengths) {
    Value active = isActive(step);
    output = node.mask(active, output);
    for (auto [state, previous] : llvm::zip_equal(next, states))
      state = node.select(active, state, previous);
  }
  if (next.size() < carried.size())
    next.push_back(putPosition(node, carried.back(), output, /*axis=*/1, step));
  return next;
}

SmallVector<Value> Recurrence::buildLoop(ValueRange initial) {
  Location loc = node.getLoc();
  Value zero = arith::ConstantIndexOp::create(node, loc, 0);
  Value count = arith::ConstantIndexOp::create(node, loc, numSteps);
  Value one = arith::ConstantIndexOp::create(node, loc, 1);
  auto loop = scf::ForOp::create(node, loc, zero, count, one, initial);
  OpBuilder::InsertionGuard guard(node);
  node.setInsertionPointToStart(loop.getBody());
  auto type = RankedTensorType::get({}, node.getI32Type());
  Value step =
      pop::FromScalarOp::create(node, loc, type, loop.getInductionVar());
  scf::YieldOp::create(
      node, loc,
      buildIteration(node.reshape(step, {1}), loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> Recurrence::buildSteps(ValueRange initial) {
  if (numSteps == 0)
    return initial;
  prepareInput();
  if (numSteps > 1)
    return buildLoop(initial);
  return buildIteration(node.splat(0, node.getI32Type(), {1}), initial);
}

void Recurrence::setResults(ValueRange final) {
  for (size_t i = 0; i < initialStates.size(); ++i)
    node.setResult(1 + i, exchangeBatch(final[i]));
  if (!node.hasOutput(0))
    return;
  Value outputs = final.back();
  if (numSteps > 0)
    outputs = orderSteps(outputs);
  SmallVector<int64_t> permutation = {1, 0, 2, 3};
  if (isBatchFirst)
    permutation = {2, 1, 0, 3};
  node.setResult(0, node.transpose(outputs, permutation));
}

void Recurrence::run() {
  SmallVector<Value> carried = initialStates;
  if (node.hasOutput(0))
    carried.push_back(node.splat(
        0, elementType, {getNumDirections(), numSteps, batchSize, hiddenSize}));
  setResults(buildSteps(carried));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {
class Rnn : public Recurrence {
public:
  explicit Rnn(Node &node)
      : Recurrence(node, /*numGates=*/1, /*numStates=*/1, {"Tanh"}) {}

protected:
  SmallVector<Value> buildStep(Value input, ValueRange states) override {
    return {activateGate(0, multiply(states[0], recurrentWeights, input))};
  }
};

/// The gates are, in this order, the update gate z, the reset gate r and the
/// hidden gate.
class Gru : public Recurrence {
public:
  explicit Gru(Node &node);

protected:
  Value buildBias() override;
  SmallVector<Value> buildStep(Value input, ValueRange states) override;

private:
  SmallVector<Value> buildStepOfLinearReset(Value input, Value hidden);
  Value mix(Value update, Value hidden, Value candidate);

  /// This flag is set if r is applied to the product of the hidden state, and
  /// not to the hidden state itself.
  bool isResetLinear;
  /// The recurrent weights of z and r, and those of the hidden gate.
  Value updateResetWeights, hiddenWeights;
};

/// The gates are, in this order, the input gate i, the output gate o, the
/// forget gate f and the candidate of the next state C.
class Lstm : public Recurrence {
public:
  explicit Lstm(Node &node);

protected:
  SmallVector<Value> buildStep(Value input, ValueRange states) override;

private:
  Value buildGate(Value gates, int64_t number, Value cell);

  /// This flag is set if f is 1 - i.
  bool isForgetCoupled;
  /// The weights [D, 1, 3 * H] of C in i, o and f, in the compute type.
  /// Null if there are none.
  Value peepholes;
};
} // namespace

Gru::Gru(Node &node)
    : Recurrence(node, /*numGates=*/3, /*numStates=*/1, {"Sigmoid", "Tanh"}),
      isResetLinear(node.getInt("linear_before_reset", 0) != 0),
      updateResetWeights(getGates(recurrentWeights, 0, 2)),
      hiddenWeights(getGates(recurrentWeights, 2)) {}

/// If the reset gate is applied to the product of the hidden state, it is also
/// applied to the recurrent bias of the hidden gate.
Value Gru::buildBias() {
  Value both = Recurrence::buildBias();
  if (!isResetLinear)
    return both;
  return node.concat({getGates(both, 0, 2), getGates(inputBias, 2)},
                     /*axis=*/2);
}

/// Returns (1 - update) * candidate + update * hidden. The form with one
/// product of `update` and a difference would lose a hidden state that is much
/// smaller than the candidate.
Value Gru::mix(Value update, Value hidden, Value candidate) {
  Value rest = node.sub(node.splatLike(1, update), update);
  Value part = node.mul(rest, candidate);
  return node.add(part, node.mul(update, node.widen(hidden)));
}

SmallVector<Value> Gru::buildStepOfLinearReset(Value input, Value hidden) {
  Value product = multiply(hidden, recurrentWeights);
  Value ofInput = getGates(input, 0, 2);
  Value gates = node.add(ofInput, getGates(product, 0, 2));
  Value update = activateGate(0, getGates(gates, 0));
  Value reset = activateGate(0, getGates(gates, 1));
  Value linear = getGates(product, 2);
  if (recurrentBias)
    linear = node.add(linear, getGates(recurrentBias, 2));
  Value ofCandidate = getGates(input, 2);
  Value candidate =
      activateGate(1, node.add(ofCandidate, node.mul(reset, linear)));
  return {mix(update, hidden, candidate)};
}

SmallVector<Value> Gru::buildStep(Value input, ValueRange states) {
  Value hidden = states[0];
  if (isResetLinear)
    return buildStepOfLinearReset(input, hidden);
  Value gates = multiply(hidden, updateResetWeights, getGates(input, 0, 2));
  Value update = activateGate(0, getGates(gates, 0));
  Value reset = activateGate(0, getGates(gates, 1));
  Value kept = node.cast(node.mul(reset, node.widen(hidden)), elementType);
  Value candidate =
      activateGate(1, multiply(kept, hiddenWeights, getGates(input, 2)));
  return {mix(update, hidden, candidate)};
}

Lstm::Lstm(Node &node)
    : Recurrence(node, /*numGates=*/4, /*numStates=*/2,
                 {"Sigmoid", "Tanh", "Tanh"}),
      isForgetCoupled(node.getInt("input_forget", 0) != 0) {
  auto directions = static_cast<int64_t>(isReverse.size());
  if (Value weights = getOperand(7, "P", {directions, 3 * hiddenSize}))
    peepholes =
        node.reshape(node.widen(weights), {directions, 1, 3 * hiddenSize});
}

/// Builds gate i, o or f. Its peephole, if there is one, sees `cell`.
Value Lstm::buildGate(Value gates, int64_t number, Value cell) {
  Value gate = getGates(gates, number);
  if (peepholes)
    gate = node.add(gate, node.mul(getGates(peepholes, number), cell));
  return activateGate(0, gate);
}

SmallVector<Value> Lstm::buildStep(Value input, ValueRange states) {
  enum { Input, Output, Forget, Cell };
  Value gates = multiply(states[0], recurrentWeights, input);
  Value cell = node.widen(states[1]);
  Value in = buildGate(gates, Input, cell);
  Value forget = isForgetCoupled ? node.sub(node.splatLike(1, in), in)
                                 : buildGate(gates, Forget, cell);
  Value candidate = activateGate(1, getGates(gates, Cell));
  Value kept = node.mul(forget, cell);
  Value next = node.add(kept, node.mul(in, candidate));
  Value out = buildGate(gates, Output, next);
  return {node.mul(out, activate(2, next)), next};
}

template <typename RecurrenceT>
static void importRecurrence(Node &node) {
  RecurrenceT(node).run();
}

ArrayRef<OpEntry> ipu::onnx::getRecurrentOps() {
  static const OpEntry kOps[] = {
      {"GRU", 1, 3, 6, 2, importRecurrence<Gru>,
       "see [Recurrent networks](#recurrent-networks)"},
      {"LSTM", 1, 3, 8, 3, importRecurrence<Lstm>,
       "see [Recurrent networks](#recurrent-networks)"},
      {"RNN", 1, 3, 6, 2, importRecurrence<Rnn>,
       "see [Recurrent networks](#recurrent-networks)"},
  };
  return kOps;
}
