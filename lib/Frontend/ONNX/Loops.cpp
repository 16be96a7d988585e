//===- Loops.cpp - ONNX operators that repeat a graph ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Repetition.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ipu::onnx;
using proto::GraphProto;

/// Loops on the device count up to this number.
static constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();

/// Returns the body of a loop, which has `numInputs` inputs, and `numOutputs`
/// outputs or more.
static const GraphProto &getBody(Node &node, size_t numInputs,
                                 size_t numOutputs) {
  const GraphProto &body = node.getGraph("body");
  auto inputs = static_cast<size_t>(body.input_size());
  auto outputs = static_cast<size_t>(body.output_size());
  node.require(inputs == numInputs, "expects " + Twine(numInputs) +
                                        " inputs of 'body' but got " +
                                        Twine(inputs));
  node.require(outputs >= numOutputs, "expects " + Twine(numOutputs) +
                                          " outputs of 'body' but got " +
                                          Twine(outputs));
  return body;
}

/// Returns `value`, one element, in the rank that the body declares for its
/// input `i`: some models use scalars, and others lists of one element.
static Value matchRank(Node &node, const GraphProto &body, int i, Value value) {
  const auto &type = body.input(i).type().tensor_type();
  bool isList = type.has_shape() && type.shape().dim_size() == 1;
  return node.reshape(value,
                      isList ? ArrayRef<int64_t>{1} : ArrayRef<int64_t>{});
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

namespace {
class Loop : public Repetition {
public:
  explicit Loop(Node &node);
  void run();

protected:
  Step buildStep(Value index, ValueRange carried) override;
  [[noreturn]] void failUnknownSize() override;
  void requestCount() override;

private:
  void readCount();
  void readCondition();
  void readLimit();
  std::string requestConstants(const Twine &reason);

  const GraphProto &body;
  /// The outputs of the body that are parts of used scan outputs.
  SmallVector<int> scanned;
};
} // namespace

static size_t getNumCarried(Node &node) {
  return node.getNumInputs() > 2 ? node.getNumInputs() - 2 : 0;
}

Loop::Loop(Node &node)
    : Repetition(node),
      body(getBody(node, 2 + getNumCarried(node),
                   1 + std::max(getNumCarried(node), node.getNumOutputs()))) {
  for (size_t i = 2; i < node.getNumInputs(); ++i)
    initial.push_back(node.getInput(i));
  for (size_t i = initial.size(); i < node.getNumOutputs(); ++i)
    if (node.hasOutput(i))
      scanned.push_back(static_cast<int>(i + 1));
  axes.resize(scanned.size());
  readCount();
  readCondition();
  readLimit();
}

void Loop::readCount() {
  Value operand = node.getOptionalInput(0);
  if (!operand)
    return;
  node.require(getTensorType(operand).getNumElements() == 1,
               "expects a number of iterations but got " +
                   quote(operand.getType()));
  APInt constant;
  if (!matchPattern(operand, m_ConstantInt(&constant))) {
    operand = node.reshape(operand, {});
    operand = node.max(operand, node.splatLike(0, operand));
    operand = node.min(operand,
                       node.splatLike(static_cast<double>(kMaxCount), operand));
    bound = node.cast(operand, node.getI32Type());
    return;
  }
  // Exporters write the greatest integer if only the condition ends the loop.
  if (int64_t value = constant.getSExtValue(); value < kMaxCount)
    count = std::max<int64_t>(value, 0);
}

void Loop::readCondition() {
  Value operand = node.getOptionalInput(1);
  if (!operand)
    return;
  node.require(getElement(operand).isInteger(1) &&
                   getTensorType(operand).getNumElements() == 1,
               "expects a condition of one bool but got " +
                   quote(operand.getType()));
  DenseElementsAttr constant;
  if (!matchPattern(operand, m_Constant(&constant))) {
    firstCondition = node.reshape(operand, {});
  } else if (!*constant.value_begin<bool>()) {
    count = 0;
    bound = {};
  }
}

void Loop::readLimit() {
  std::optional<int64_t> most =
      node.getState().getLimit(LimitKind::Trips, node.getName());
  if (!most)
    return;
  limit = most;
  isLimitChecked = !count || *most < *count;
}

Step Loop::buildStep(Value index, ValueRange carried) {
  SmallVector<Value> inputs = {
      matchRank(node, body, 0, node.cast(index, node.getI64Type())),
      // The body is only executed if the condition is true.
      matchRank(node, body, 1, node.splat(1, node.getI1Type()))};
  llvm::append_range(inputs, carried);
  SmallVector<Value> outputs = node.importGraph(body, node, inputs);
  Step step;
  step.condition = outputs.front();
  node.require(getElement(step.condition).isInteger(1) &&
                   getTensorType(step.condition).getNumElements() == 1,
               "expects a condition of one bool from 'body' but got " +
                   quote(step.condition.getType()));
  step.carried.assign(outputs.begin() + 1,
                      outputs.begin() + 1 + initial.size());
  for (int i : scanned)
    step.parts.push_back(outputs[i]);
  return step;
}

/// Requires that the operands that determine the number of iterations are
/// constants. Returns a hint that names the inputs that they depend on.
std::string Loop::requestConstants(const Twine &reason) {
  std::string text = (reason + " of ONNX node '" + node.getName() + "'").str(),
              hint;
  if (bound)
    hint += node.requestConstant(0, text);
  if (firstCondition)
    hint += node.requestConstant(1, text);
  return hint;
}

void Loop::requestCount() {
  std::string hint =
      requestConstants("the body cannot be imported as a loop without the "
                       "number of iterations");
  if (!hint.empty())
    emitRemark(node.getLoc())
        << "ONNX node '" << node.getName()
        << "' (Loop): if the number of iterations is a constant, each "
           "iteration is imported on its own"
        << hint;
}

void Loop::failUnknownSize() {
  std::string hint =
      requestConstants("the number of iterations is the size of scan outputs");
  node.unsupported(
      "the number of iterations, which is the size of output " +
      Twine(scanned.front() - 1) + ", is not known at import; --max-trips '" +
      node.getName() +
      "=N' gives the output N positions, of which those without an iteration "
      "are 0" +
      hint);
}

void Loop::run() {
  for (auto [i, value] : llvm::enumerate(build()))
    node.setResult(i < initial.size() ? i : scanned[i - initial.size()] - 1,
                   value);
}

static void importLoop(Node &node) { Loop(node).run(); }

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

namespace {
/// An operand that a scan iterates over.
struct ScanInput {
  Value value;
  ScanAxis axis;
};

/// The iterations of a Scan over sequences.
class Scan : public Repetition {
public:
  /// The body has the states, and then positions of `inputs`, as inputs. Its
  /// outputs are the states, and then those parts of scan outputs that
  /// `scanned` numbers. `length`, a 0-d i32, may be smaller than the size of
  /// the inputs.
  Scan(Node &node, const GraphProto &body, SmallVector<Value> states,
       SmallVector<ScanInput> inputs, ArrayRef<int> scanned,
       SmallVector<ScanAxis> outputAxes, Value length = {});

protected:
  Step buildStep(Value index, ValueRange carried) override;

private:
  const GraphProto &body;
  SmallVector<ScanInput> inputs;
  ArrayRef<int> scanned;
};

/// A Scan of opset 8: the scans of all elements of a batch.
class ScanBatch : public Repetition {
public:
  ScanBatch(Node &node, const GraphProto &body, ArrayRef<int> scanned,
            size_t numStates, ArrayRef<int64_t> directions);

protected:
  Step buildStep(Value index, ValueRange carried) override;

private:
  void readLengths(int64_t batchSize, int64_t numSteps);

  const GraphProto &body;
  ArrayRef<int> scanned;
  size_t numStates;
  SmallVector<ScanInput> inputs;
  /// The lengths of the sequences, as i32. Null if all are equal.
  Value lengths;
};
} // namespace

Scan::Scan(Node &node, const GraphProto &body, SmallVector<Value> states,
           SmallVector<ScanInput> inputs, ArrayRef<int> scanned,
           SmallVector<ScanAxis> outputAxes, Value length)
    : Repetition(node), body(body), inputs(std::move(inputs)),
      scanned(scanned) {
  initial = std::move(states);
  axes = std::move(outputAxes);
  const ScanInput &first = this->inputs.front();
  int64_t numSteps = getDim(first.value, first.axis.axis);
  if (numSteps > kMaxCount)
    node.unsupported("2^31 or more iterations");
  limit = numSteps;
  if (length && numSteps > 0)
    bound = length;
  else
    count = numSteps;
}

Step Scan::buildStep(Value index, ValueRange carried) {
  SmallVector<Value> operands(carried);
  for (const ScanInput &input : inputs) {
    Value position = index;
    if (input.axis.isReverse) {
      Value end =
          bound ? bound : node.splatLike(static_cast<double>(*count), index);
      position = node.sub(node.sub(end, node.splatLike(1, index)), index);
    }
    operands.push_back(
        takePosition(node, input.value, input.axis.axis, position));
  }
  SmallVector<Value> outputs = node.importGraph(body, node, operands);
  Step step;
  step.carried.assign(outputs.begin(), outputs.begin() + initial.size());
  for (int i : scanned)
    step.parts.push_back(outputs[i]);
  return step;
}

/// Returns `count` directions, which are 0 (forward) or 1 (reverse).
static SmallVector<int64_t> getDirections(Node &node, StringRef name,
                                          size_t count) {
  SmallVector<int64_t> directions = node.getInts(name, count, 0);
  for (int64_t direction : directions)
    node.require(direction == 0 || direction == 1,
                 "expects directions to be 0 or 1 but got " + Twine(direction));
  return directions;
}

static SmallVector<ScanAxis> makeAxes(ArrayRef<int64_t> axes,
                                      ArrayRef<int64_t> directions) {
  SmallVector<ScanAxis> result;
  for (auto [axis, direction] : llvm::zip_equal(axes, directions))
    result.push_back({axis, direction == 1});
  return result;
}

/// Fails unless all inputs have the same number of positions.
static void checkSizes(Node &node, ArrayRef<ScanInput> inputs) {
  auto getSize = [](const ScanInput &input) {
    return getDim(input.value, input.axis.axis);
  };
  for (const ScanInput &input : inputs)
    node.require(getSize(input) == getSize(inputs.front()),
                 "expects scan inputs of equal lengths but got " +
                     Twine(getSize(inputs.front())) + " and " +
                     Twine(getSize(input)));
}

ScanBatch::ScanBatch(Node &node, const GraphProto &body, ArrayRef<int> scanned,
                     size_t numStates, ArrayRef<int64_t> directions)
    : Repetition(node), body(body), scanned(scanned), numStates(numStates) {
  int64_t batchSize = -1;
  for (size_t i = 1; i < node.getNumInputs(); ++i) {
    Value operand = node.getInput(i);
    bool isState = i <= numStates;
    node.require(getRank(operand) >= (isState ? 1 : 2),
                 "expects input " + Twine(i) + " of rank " +
                     (isState ? "1" : "2") + " or more but got " +
                     quote(operand.getType()));
    if (batchSize < 0)
      batchSize = getDim(operand, 0);
    node.require(getDim(operand, 0) == batchSize,
                 "expects input " + Twine(i) + " with a batch of " +
                     Twine(batchSize) + " but got " + quote(operand.getType()));
    if (!isState)
      inputs.push_back({operand, {1, directions[i - 1 - numStates] == 1}});
  }
  checkSizes(node, inputs);
  readLengths(batchSize, getDim(inputs.front().value, 1));
  if (batchSize > kMaxCount)
    node.unsupported("2^31 or more iterations");
  count = batchSize;
  axes.resize(numStates + scanned.size());
}

void ScanBatch::readLengths(int64_t batchSize, int64_t numSteps) {
  Value operand = node.getOptionalInput(0);
  if (!operand)
    return;
  node.require(getShape(operand) == ArrayRef<int64_t>{batchSize},
               "expects " + Twine(batchSize) + " sequence lengths but got " +
                   quote(operand.getType()));
  DenseElementsAttr constant;
  if (matchPattern(operand, m_Constant(&constant)))
    for (const APInt &length : constant.getValues<APInt>())
      node.require(length.sge(0) && length.sle(numSteps),
                   "expects sequence lengths from 0 to " + Twine(numSteps) +
                       " but got " + Twine(length.getSExtValue()));
  lengths = node.max(operand, node.splatLike(0, operand));
  lengths =
      node.min(lengths, node.splatLike(static_cast<double>(numSteps), lengths));
  lengths = node.cast(lengths, node.getI32Type());
}

Step ScanBatch::buildStep(Value index, ValueRange /*carried*/) {
  SmallVector<Value> states;
  for (size_t i = 0; i < numStates; ++i)
    states.push_back(takePosition(node, node.getInput(i + 1), 0, index));
  SmallVector<ScanInput> sequences;
  for (const ScanInput &input : inputs)
    sequences.push_back(
        {takePosition(node, input.value, 0, index), {0, input.axis.isReverse}});
  Value length = lengths ? takePosition(node, lengths, 0, index) : Value();
  Scan scan(node, body, std::move(states), std::move(sequences), scanned,
            SmallVector<ScanAxis>(scanned.size()), length);
  return {/*condition=*/{}, /*carried=*/{}, /*parts=*/scan.build()};
}

/// Builds the Scan of opset 9 and later.
static SmallVector<Value> buildScan(Node &node, const GraphProto &body,
                                    ArrayRef<int> scanned, size_t numStates,
                                    size_t numInputs) {
  SmallVector<Value> operands = node.getAllInputs();
  SmallVector<ScanAxis> axes =
      makeAxes(node.getInts("scan_input_axes", numInputs, 0),
               getDirections(node, "scan_input_directions", numInputs));
  SmallVector<ScanInput> inputs;
  for (auto [operand, axis] :
       llvm::zip_equal(ArrayRef(operands).drop_front(numStates), axes))
    inputs.push_back(
        {operand,
         {node.normalizeAxis(axis.axis, getRank(operand)), axis.isReverse}});
  checkSizes(node, inputs);
  size_t numScans = body.output_size() - numStates;
  SmallVector<ScanAxis> outputs =
      makeAxes(node.getInts("scan_output_axes", numScans, 0),
               getDirections(node, "scan_output_directions", numScans));
  SmallVector<ScanAxis> used;
  for (int i : scanned)
    used.push_back(outputs[i - numStates]);
  operands.resize(numStates);
  return Scan(node, body, operands, inputs, scanned, used).build();
}

static void importScan(Node &node) {
  bool hasBatch = node.getOpset() < 9;
  int64_t numOperands =
      static_cast<int64_t>(node.getNumInputs()) - (hasBatch ? 1 : 0);
  int64_t numInputs = node.getInt("num_scan_inputs");
  node.require(numInputs >= 1 && numInputs <= numOperands,
               "expects 'num_scan_inputs' from 1 to " + Twine(numOperands) +
                   " but got " + Twine(numInputs));
  size_t numStates = numOperands - numInputs;
  const GraphProto &body =
      getBody(node, numOperands, std::max(numStates, node.getNumOutputs()));
  SmallVector<int> scanned;
  for (size_t i = numStates; i < node.getNumOutputs(); ++i)
    if (node.hasOutput(i))
      scanned.push_back(static_cast<int>(i));
  SmallVector<Value> results =
      hasBatch ? ScanBatch(node, body, scanned, numStates,
                           getDirections(node, "directions", numInputs))
                     .build()
               : buildScan(node, body, scanned, numStates, numInputs);
  for (auto [i, value] : llvm::enumerate(results))
    node.setResult(i < numStates ? i : scanned[i - numStates], value);
}

ArrayRef<OpEntry> ipu::onnx::getLoopOps() {
  static const OpEntry kOps[] = {
      {"Loop", 1, 0, -1, -1, importLoop, "see [Loops](#loops)"},
      {"Scan", 8, 1, -1, -1, importScan, "see [Loops](#loops)"},
  };
  return kOps;
}
