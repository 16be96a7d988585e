//===- PopXLSessionTest.cpp - PopXL's examples of sessions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the examples of PopXL's documentation that use sessions.
// docs/popxl-examples.md lists all examples.
//
//===----------------------------------------------------------------------===//

#include "../Host/HostTensorTestUtils.h"
#include "ipu-mlir/InitAll.h"
#include "ipu-mlir/Session/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {
class PopXLSessionTest : public ::testing::Test {
protected:
  PopXLSessionTest() {
    DialectRegistry registry;
    ipu::registerAllDialects(registry);
    registerExecutorDialects(registry);
    registry.insert<arith::ArithDialect, func::FuncDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Creates a session of `body` on `replicas` replicas of four tiles.
  std::unique_ptr<Session>
  create(const std::string &body, int replicas = 1,
         const SessionOptions &options = SessionOptions()) {
    std::string text =
        "module attributes {ipu.target = #ipu.target<\"gc200\", {tiles = 4 : "
        "i64, replicas = " +
        std::to_string(replicas) + " : i64}>} {\n" + body + "}\n";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return nullptr;
    FailureOr<std::unique_ptr<Session>> session =
        Session::create(*module, options);
    return succeeded(session) ? std::move(*session) : nullptr;
  }

  template <typename T>
  HostTensor tensor(StringRef type, const std::vector<T> &elements) {
    return makeTensor<T>(type, &context, elements);
  }

  RankedTensorType type(StringRef text) {
    return parseTensorType(text, &context);
  }

  template <typename T>
  static std::vector<T> get(Session &session, StringRef name) {
    llvm::Expected<HostTensor> tensor = session.getTensor(name);
    if (!tensor) {
      ADD_FAILURE() << llvm::toString(tensor.takeError());
      return {};
    }
    return getElements<T>(*tensor);
  }

  template <typename T>
  static std::vector<T> run(Session &session, const std::string &output,
                            const TensorMap &inputs = {}) {
    llvm::Expected<TensorMap> outputs = session.run(inputs);
    if (!outputs) {
      ADD_FAILURE() << llvm::toString(outputs.takeError());
      return {};
    }
    return getElements<T>((*outputs)[output]);
  }

  MLIRContext context;
};
} // namespace

using Bytes = std::vector<int8_t>;
using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;

/// Returns a program that adds tensors of `type` from two streams.
static std::string getAddition(const std::string &type) {
  return "pop.stream @a host_to_device : " + type +
         "\npop.stream @b host_to_device : " + type +
         "\npop.stream @o device_to_host : " + type + R"(
  func.func @main() {
    %a = pop.host_load @a : )" +
         type + "\n%b = pop.host_load @b : " + type +
         "\n%o = pop.add %a, %b : " + type +
         "\npop.host_store %o, @o : " + type + "\nreturn\n}\n";
}

/// Returns a program that adds a constant to a variable. `update` may change
/// the variable.
static std::string getTensorAddition(const std::string &update = "") {
  return R"(
  pop.variable @a : tensor<i8> = dense<3> : tensor<i8>
  pop.stream @o device_to_host : tensor<i8>
  func.func @main() {
    %r = pop.get_variable @a : !pop.ref<i8>
    %a = pop.read %r : !pop.ref<i8>
    %b = pop.constant dense<1> : tensor<i8> loc("b")
    %o = pop.add %a, %b : tensor<i8>
    pop.host_store %o, @o : tensor<i8>
    )" + update +
         "\nreturn\n}\n";
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST_F(PopXLSessionTest, SimpleAddition) {
  std::unique_ptr<Session> session = create(getAddition("tensor<2x2xf32>"));
  ASSERT_TRUE(session);
  ASSERT_EQ(session->getInputs().size(), 2u);
  EXPECT_EQ(session->getInputs()[1].name, "b");
  EXPECT_EQ(session->getInputs()[1].type, type("tensor<2x2xf32>"));
  HostTensor a = tensor<float>("tensor<2x2xf32>", {1, 2, 3, 4});
  HostTensor b = tensor<float>("tensor<2x2xf32>", {0.5, -2, 0.25, 8});
  EXPECT_NE(getMessage(session->run({{"a", a}, {"b", b}})), "success")
      << "a session has to be attached";
  Session::Context attached(*session);
  EXPECT_EQ(run<float>(*session, "o", {{"a", a}, {"b", b}}),
            (Floats{1.5, 0, 3.25, 12}));
  // run() returns all outputs by their names; there is one output. The inputs
  // have other values.
  llvm::Expected<TensorMap> outputs = session->run({{"a", b}, {"b", b}});
  ASSERT_TRUE(static_cast<bool>(outputs));
  ASSERT_EQ(outputs->size(), 1u);
  EXPECT_EQ(outputs->begin()->second.type, type("tensor<2x2xf32>"));
  EXPECT_EQ(getElements<float>((*outputs)["o"]), (Floats{1, -4, 0.5, 16}));
}

TEST_F(PopXLSessionTest, StreamsHaveDimensionsOfTransfersAndReplicas) {
  for (int transfers : {1, 4})
    for (int replicas : {1, 16}) {
      std::string one = "2x4xi32";
      std::string loop = R"(
  pop.stream @x host_to_device : tensor<2x4xi32>
  pop.stream @y device_to_host : tensor<2x4xi32>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant )" +
                         std::to_string(transfers) + R"( : index
    scf.for %i = %c0 to %n step %c1 {
      %x = pop.host_load @x : tensor<2x4xi32>
      %y = pop.add %x, %x : tensor<2x4xi32>
      pop.host_store %y, @y : tensor<2x4xi32>
    }
    return
  }
)";
      std::string text =
          "module attributes {pop.host_transfers = " +
          std::to_string(transfers) +
          " : i64, ipu.target = #ipu.target<\"gc200\", {tiles = 4 : i64, "
          "replicas = " +
          std::to_string(replicas) + " : i64}>} {" + loop + "}";
      OwningOpRef<ModuleOp> module =
          parseSourceString<ModuleOp>(text, &context);
      ASSERT_TRUE(module);
      FailureOr<std::unique_ptr<Session>> session = Session::create(*module);
      ASSERT_TRUE(succeeded(session));
      std::string shape = (transfers > 1 ? "4x" : std::string()) +
                          (replicas > 1 ? "16x" : "") + one;
      EXPECT_EQ((*session)->getInputs()[0].type,
                this->type("tensor<" + shape + ">"));
      Ints x(transfers * replicas * 8), y;
      std::iota(x.begin(), x.end(), -7);
      for (int32_t value : x)
        y.push_back(2 * value);
      Session::Context attached(**session);
      EXPECT_EQ(
          run<int32_t>(**session, "y",
                       {{"x", tensor<int32_t>("tensor<" + shape + ">", x)}}),
          y);
      // Inputs with too few host transfers, or for another number of replicas.
      std::vector<std::pair<std::string, int>> wrong = {
          {"3x" + (transfers > 1 ? shape.substr(2) : shape), 3 * replicas}};
      if (replicas > 1)
        wrong.emplace_back((transfers > 1 ? "4x15x" : "15x") + one,
                           transfers * (replicas - 1));
      for (const auto &[shape, tensors] : wrong)
        EXPECT_NE(getMessage((*session)->run(
                      {{"x", tensor<int32_t>("tensor<" + shape + ">",
                                             Ints(8 * tensors))}})),
                  "success")
            << shape;
    }
}

TEST_F(PopXLSessionTest, RepeatNeedsARun) {
  std::unique_ptr<Session> session =
      create(getTensorAddition("pop.add_ %r, %b : !pop.ref<i8>, tensor<i8>"));
  ASSERT_TRUE(session);
  Session::Context attached(*session);
  EXPECT_NE(getMessage(session->runRepeatedly(0)), "success");
  EXPECT_NE(getMessage(session->runRepeatedly(-1)), "success");
  EXPECT_EQ(get<int8_t>(*session, "a"), (Bytes{3}));
  llvm::Expected<TensorMap> outputs = session->runRepeatedly(5);
  ASSERT_TRUE(static_cast<bool>(outputs));
  EXPECT_EQ(getElements<int8_t>((*outputs)["o"]), (Bytes{8}));
  EXPECT_EQ(get<int8_t>(*session, "a"), (Bytes{8}));
}

//===----------------------------------------------------------------------===//
// Variables and constants
//===----------------------------------------------------------------------===//

TEST_F(PopXLSessionTest, TensorGetWrite) {
  std::unique_ptr<Session> session = create(getTensorAddition());
  ASSERT_TRUE(session);
  Session::Context attached(*session);
  EXPECT_EQ(run<int8_t>(*session, "o"), (Bytes{4}));
  llvm::Expected<TensorMap> tensors = session->getTensors({"a", "b"});
  ASSERT_TRUE(static_cast<bool>(tensors));
  EXPECT_EQ(getElements<int8_t>((*tensors)["a"]), (Bytes{3}));
  EXPECT_EQ(getElements<int8_t>((*tensors)["b"]), (Bytes{1}));
  EXPECT_EQ(
      getMessage(session->writeTensor("a", tensor<int8_t>("tensor<i8>", {5}))),
      "success");
  EXPECT_EQ(get<int8_t>(*session, "a"), (Bytes{5}));
  EXPECT_EQ(run<int8_t>(*session, "o"), (Bytes{6}));
  // Constants cannot be written.
  EXPECT_NE(
      getMessage(session->writeTensor("b", tensor<int8_t>("tensor<i8>", {5}))),
      "success");
}

TEST_F(PopXLSessionTest, TensorGetWriteAdvanced) {
  std::unique_ptr<Session> session = create(getTensorAddition());
  ASSERT_TRUE(session);
  const Session::Transfers &transfers = session->getTransfers();
  // The session is not attached, so that there is only the copy of the host.
  EXPECT_EQ(
      getMessage(session->writeTensor("a", tensor<int8_t>("tensor<i8>", {5}))),
      "success");
  EXPECT_EQ(get<int8_t>(*session, "a"), (Bytes{5}));
  EXPECT_EQ(transfers.toDevice, 0);
  EXPECT_EQ(transfers.toHost, 0);
  {
    Session::Context attached(*session);
    EXPECT_EQ(transfers.toDevice, 1);
    // The copy of the host is equal to the variable on the device.
    EXPECT_EQ(get<int8_t>(*session, "a"), (Bytes{5}));
    EXPECT_EQ(transfers.toHost, 0);
    EXPECT_EQ(run<int8_t>(*session, "o"), (Bytes{6}));
    // After a run, the copies are outdated. One transfer copies all variables.
    // Constants are never copied.
    EXPECT_EQ(get<int8_t>(*session, "b"), (Bytes{1}));
    EXPECT_EQ(transfers.toHost, 0);
    ASSERT_EQ(getMessage(session->getTensors({"a", "b"})), "success");
    EXPECT_EQ(transfers.toHost, 1);
    EXPECT_EQ(get<int8_t>(*session, "a"), (Bytes{5}));
    EXPECT_EQ(transfers.toHost, 1);
  }
  EXPECT_EQ(transfers.toDevice, 1);
  EXPECT_EQ(transfers.toHost, 2);
}

TEST_F(PopXLSessionTest, WeightsMoveWithTheContext) {
  for (bool keeps : {true, false}) {
    SessionOptions options;
    options.keepsWeights = keeps;
    std::unique_ptr<Session> session =
        create(getTensorAddition("pop.add_ %r, %b : !pop.ref<i8>, tensor<i8>"),
               1, options);
    ASSERT_TRUE(session);
    {
      Session::Context attached(*session);
      EXPECT_EQ(run<int8_t>(*session, "o"), (Bytes{4}));
      EXPECT_EQ(run<int8_t>(*session, "o"), (Bytes{5}));
    }
    EXPECT_EQ(get<int8_t>(*session, "a"), (Bytes{int8_t(keeps ? 5 : 3)}));
    Session::Context attached(*session);
    EXPECT_EQ(run<int8_t>(*session, "o"), (Bytes{int8_t(keeps ? 6 : 4)}));
  }
}

// @n counts how often the op of the fragment is executed, and o = x * exp(w).
TEST_F(PopXLSessionTest, OpsExecutedWhenWeightsAreLoaded) {
  std::string attribute =
      "{pop.execution_context = #pop<execution_context weights_from_host>}";
  std::unique_ptr<Session> session = create(R"(
    pop.variable @w : tensor<f32> = dense<0.0> : tensor<f32>
    pop.variable @n : tensor<f32> = dense<0.0> : tensor<f32>
    func.func @main() -> (tensor<f32> {pop.name = "o"}) {
      %w = pop.get_variable @w : !pop.ref<f32>
      %n = pop.get_variable @n : !pop.ref<f32>
      %one = pop.constant dense<1.0> : tensor<f32>
      %0 = pop.read %w )" + attribute + R"( : !pop.ref<f32>
      %1 = pop.exp %0 )" + attribute + R"( : tensor<f32>
      pop.add_ %n, %one )" + attribute + R"( : !pop.ref<f32>, tensor<f32>
      pop.copy_ %w, %one : !pop.ref<f32>, tensor<f32>
      return %1 : tensor<f32>
    })");
  ASSERT_TRUE(session);
  EXPECT_EQ(session->getVariables().size(), 2u);
  {
    Session::Context attached(*session);
    // Later runs do not execute the ops, and keep what these have computed.
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(run<float>(*session, "o"), std::vector<float>{1});
    EXPECT_EQ(get<float>(*session, "n"), std::vector<float>{1});
    EXPECT_EQ(get<float>(*session, "w"), std::vector<float>{1});
    EXPECT_EQ(run<float>(*session, "o"), std::vector<float>{1});
    EXPECT_EQ(getMessage(
                  session->writeTensor("w", tensor<float>("tensor<f32>", {0}))),
              "success");
    EXPECT_EQ(run<float>(*session, "o"), std::vector<float>{1});
    EXPECT_EQ(get<float>(*session, "n"), std::vector<float>{2});
  }
  Session::Context attached(*session);
  EXPECT_FLOAT_EQ(run<float>(*session, "o")[0], std::exp(1.0f));
  EXPECT_EQ(get<float>(*session, "n"), std::vector<float>{3});
}

TEST_F(PopXLSessionTest, NestedSessionContexts) {
  std::unique_ptr<Session> session =
      create(getTensorAddition("pop.add_ %r, %b : !pop.ref<i8>, tensor<i8>"));
  ASSERT_TRUE(session);
  EXPECT_FALSE(session->isAttached());
  {
    Session::Context outer(*session);
    EXPECT_TRUE(session->isAttached());
    EXPECT_EQ(run<int8_t>(*session, "o"), (Bytes{4}));
    {
      Session::Context inner(*session);
      EXPECT_TRUE(session->isAttached());
      EXPECT_FALSE(inner.isOwner());
      // No variable was copied to the device again.
      EXPECT_EQ(run<int8_t>(*session, "o"), (Bytes{5}));
    }
    EXPECT_TRUE(session->isAttached());
    EXPECT_EQ(run<int8_t>(*session, "o"), (Bytes{6}));
    EXPECT_EQ(session->getTransfers().toDevice, 1);
  }
  EXPECT_FALSE(session->isAttached());
  EXPECT_EQ(get<int8_t>(*session, "a"), (Bytes{6}));
}

//===----------------------------------------------------------------------===//
// Remote memory
//===----------------------------------------------------------------------===//

TEST_F(PopXLSessionTest, RemoteVariable) {
  std::unique_ptr<Session> session = create(R"(
  pop.remote_buffer @buffer : 1 x tensor<i32>
  pop.variable @remote_x : tensor<i32> = dense<1> : tensor<i32> {buffer = @buffer, row = 0 : i64}
  func.func @main() {
    %x = pop.remote_load @buffer[0] : tensor<i32>
    %c2 = pop.constant dense<2> : tensor<i32>
    %y = pop.add %x, %c2 : tensor<i32>
    pop.remote_store %y, @buffer[0] : tensor<i32>
    return
  }
)");
  ASSERT_TRUE(session);
  Session::Context attached(*session);
  EXPECT_EQ(get<int32_t>(*session, "remote_x"), (Ints{1}));
  ASSERT_EQ(getMessage(session->run()), "success");
  EXPECT_EQ(get<int32_t>(*session, "remote_x"), (Ints{3}));
  ASSERT_EQ(getMessage(session->writeTensor(
                "remote_x", tensor<int32_t>("tensor<i32>", {-7}))),
            "success");
  ASSERT_EQ(getMessage(session->run()), "success");
  EXPECT_EQ(get<int32_t>(*session, "remote_x"), (Ints{-5}));
}

/// Returns a program for two replicas, each with a part of a tensor of `size`
/// elements in `place`.
static std::string getShardedProgram(const std::string &value, int size,
                                     bool isRemote) {
  std::string whole = std::to_string(size) + "xf32";
  std::string part = std::to_string((size + 1) / 2) + "xf32";
  std::string text;
  if (isRemote)
    text += "pop.remote_buffer @buffer : 1 x tensor<" + part + ">\n";
  text += "pop.variable @v : tensor<" + whole + "> = dense<" + value +
          "> : tensor<" + whole +
          "> {sharding = #pop.replica_groups<stride = 1, size = 2>" +
          (isRemote ? ", buffer = @buffer, row = 0 : i64" : "") +
          "}\nfunc.func @main() {\n";
  if (isRemote)
    text += "%0 = pop.remote_load @buffer[0] : tensor<" + part + ">\n";
  else
    text += "%r = pop.get_variable @v : !pop.ref<" + part +
            ">\n%0 = pop.read %r : !pop.ref<" + part + ">\n";
  text += "%1 = pop.all_gather %0 : tensor<" + part + "> to tensor<" + whole +
          ">\n%c = pop.constant dense<3.0> : tensor<" + whole +
          ">\n%2 = pop.mul %1, %c : tensor<" + whole +
          ">\n%3 = pop.replica_slice %2 : tensor<" + whole + "> to tensor<" +
          part + ">\n";
  if (isRemote)
    text += "pop.remote_store %3, @buffer[0] : tensor<" + part + ">\n";
  else
    text += "pop.copy_ %r, %3 : !pop.ref<" + part + ">, tensor<" + part + ">\n";
  return text + "return\n}\n";
}

TEST_F(PopXLSessionTest, ShardedVariablesAreReadWhole) {
  for (bool isRemote : {false, true}) {
    std::unique_ptr<Session> session =
        create(getShardedProgram("[1.0, -2.0, 0.5]", 3, isRemote), 2);
    ASSERT_TRUE(session);
    EXPECT_EQ(session->getVariables()[0].type, type("tensor<3xf32>"));
    Session::Context attached(*session);
    ASSERT_EQ(getMessage(session->run()), "success");
    EXPECT_EQ(get<float>(*session, "v"), (Floats{3, -6, 1.5}));
    ASSERT_EQ(getMessage(session->writeTensor(
                  "v", tensor<float>("tensor<3xf32>", {1, 10, -4}))),
              "success");
    ASSERT_EQ(getMessage(session->run()), "success");
    EXPECT_EQ(get<float>(*session, "v"), (Floats{3, 30, -12}));
  }
}

TEST_F(PopXLSessionTest, RemoteVariableReplicaGrouped) {
  std::unique_ptr<Session> session = create(R"(
  pop.remote_buffer @buffer : 1 x tensor<3xi32>
  pop.variable @v : tensor<3xi32> = dense<[[1, 2, 3], [-4, 5, -6]]> : tensor<2x3xi32> {groups = #pop.replica_groups<stride = 1, size = 1>, buffer = @buffer, row = 0 : i64}
  func.func @main() {
    %v = pop.remote_load @buffer[0] : tensor<3xi32>
    %c1 = pop.constant dense<1> : tensor<3xi32>
    %0 = pop.add %v, %c1 : tensor<3xi32>
    pop.remote_store %0, @buffer[0] : tensor<3xi32>
    return
  }
)",
                                            2);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->getVariables()[0].type, type("tensor<2x3xi32>"));
  Session::Context attached(*session);
  ASSERT_EQ(getMessage(session->run()), "success");
  EXPECT_EQ(get<int32_t>(*session, "v"), (Ints{2, 3, 4, -3, 6, -5}));
}

//===----------------------------------------------------------------------===//
// Groups of replicas
//===----------------------------------------------------------------------===//

namespace {
struct Grouping {
  /// The text after `groups = #pop.replica_groups`, or an empty text.
  std::string groups;
  /// The group of each of eight replicas.
  std::vector<int> groupOf;
};
} // namespace

static const std::vector<Grouping> &getGroupings() {
  static const std::vector<Grouping> groupings = {
      {"", {0, 0, 0, 0, 0, 0, 0, 0}},
      {"<stride = 1, size = 1>", {0, 1, 2, 3, 4, 5, 6, 7}},
      {"<stride = 1, size = 2>", {0, 0, 1, 1, 2, 2, 3, 3}},
      {"<stride = 4, size = 2>", {0, 1, 2, 3, 0, 1, 2, 3}},
      {"<stride = 1, size = 4>", {0, 0, 0, 0, 1, 1, 1, 1}},
      {"<[(1, 2), (4, 2)]>", {0, 0, 1, 1, 0, 0, 1, 1}},
      {"<[[0, 3], [1, 2], [4, 7], [5, 6]]>", {0, 1, 1, 0, 2, 3, 3, 2}},
  };
  return groupings;
}

/// Returns a program in which each replica adds its index to its variable of
/// `size` elements.
static std::string getGroupedProgram(const Grouping &grouping, int size,
                                     bool isRemote, bool readsAll) {
  int groups = *llvm::max_element(grouping.groupOf) + 1;
  std::string one = std::to_string(size) + "xi32";
  std::string values, attributes;
  for (int g = 0; g < groups; ++g) {
    values += g ? ", [" : "[";
    for (int i = 0; i < size; ++i)
      values += (i ? ", " : "") + std::to_string(100 * g + i);
    values += "]";
  }
  if (!grouping.groups.empty())
    attributes += "groups = #pop.replica_groups" + grouping.groups + ", ";
  if (isRemote)
    attributes += "buffer = @buffer, row = 1 : i64, ";
  attributes += std::string("retrieval = #pop<retrieval ") +
                (readsAll ? "all_replicas>" : "one_per_group>");
  std::string text;
  if (isRemote)
    text += "pop.remote_buffer @buffer : 2 x tensor<" + one + ">\n";
  text += "pop.variable @v : tensor<" + one + "> = dense<" +
          (groups > 1 ? "[" + values + "]" : values) + "> : tensor<" +
          (groups > 1 ? std::to_string(groups) + "x" : "") + one + "> {" +
          attributes + "}\nfunc.func @main() {\n";
  text += "%i = pop.replica_index : tensor<i32>\n";
  if (isRemote)
    text += "%0 = pop.remote_load @buffer[1] : tensor<" + one +
            ">\n%1 = pop.add %0, %i : (tensor<" + one +
            ">, tensor<i32>) -> tensor<" + one +
            ">\npop.remote_store %1, @buffer[1] : tensor<" + one + ">\n";
  else
    text += "%r = pop.get_variable @v : !pop.ref<" + one +
            ">\npop.add_ %r, %i : !pop.ref<" + one + ">, tensor<i32>\n";
  return text + "return\n}\n";
}

TEST_F(PopXLSessionTest, ReplicationAndRetrieval) {
  const int size = 3;
  for (const Grouping &grouping : getGroupings())
    for (bool isRemote : {false, true})
      for (bool readsAll : {false, true}) {
        SCOPED_TRACE(grouping.groups + (isRemote ? " remote" : "") +
                     (readsAll ? " all" : ""));
        std::unique_ptr<Session> session =
            create(getGroupedProgram(grouping, size, isRemote, readsAll), 8);
        ASSERT_TRUE(session);
        int groups = 0;
        Ints before, after;
        for (int r = 0; r < 8; ++r) {
          bool isLeast = grouping.groupOf[r] == groups;
          groups += isLeast;
          if (!isLeast && !readsAll)
            continue;
          for (int i = 0; i < size; ++i) {
            before.push_back(100 * grouping.groupOf[r] + i);
            after.push_back(before.back() + r);
          }
        }
        int leading = readsAll ? 8 : groups;
        EXPECT_EQ(session->getVariables()[0].type,
                  type("tensor<" +
                       (leading > 1 ? std::to_string(leading) + "x" : "") +
                       "3xi32>"));
        EXPECT_EQ(get<int32_t>(*session, "v"), before);
        Session::Context attached(*session);
        EXPECT_EQ(get<int32_t>(*session, "v"), before);
        ASSERT_EQ(getMessage(session->run()), "success");
        EXPECT_EQ(get<int32_t>(*session, "v"), after);
      }
}

TEST_F(PopXLSessionTest, WritesHaveADimensionOfGroups) {
  const Grouping &pairs = getGroupings()[2];
  std::unique_ptr<Session> session = create(
      getGroupedProgram(pairs, 1, /*isRemote=*/false, /*readsAll=*/true), 8);
  ASSERT_TRUE(session);
  Session::Context attached(*session);
  // The tensor has eight replicas, or no dimension of groups, instead of four
  // groups.
  EXPECT_NE(getMessage(session->writeTensor(
                "v", tensor<int32_t>("tensor<8x1xi32>", Ints(8, 7)))),
            "success");
  EXPECT_NE(getMessage(session->writeTensor(
                "v", tensor<int32_t>("tensor<1xi32>", Ints(1, 7)))),
            "success");
  EXPECT_EQ(get<int32_t>(*session, "v"),
            (Ints{0, 0, 100, 100, 200, 200, 300, 300}));
  ASSERT_EQ(getMessage(session->writeTensor(
                "v", tensor<int32_t>("tensor<4x1xi32>", {5, -5, 6, -6}))),
            "success");
  EXPECT_EQ(get<int32_t>(*session, "v"), (Ints{5, 5, -5, -5, 6, 6, -6, -6}));
  ASSERT_EQ(getMessage(session->run()), "success");
  EXPECT_EQ(get<int32_t>(*session, "v"), (Ints{5, 6, -3, -2, 10, 11, 0, 1}));
}

TEST_F(PopXLSessionTest, ShardedGroupsAreReadByGroup) {
  // Groups of four replicas. The value of each group is sharded over pairs of
  // its replicas.
  std::string variable = R"(
  pop.variable @v : tensor<3xf32> = dense<[[1.0, 2.0, 3.0], [-4.0, 5.0, 6.5]]> : tensor<2x3xf32> {groups = #pop.replica_groups<stride = 2, size = 4>, sharding = #pop.replica_groups<stride = 2, size = 2>, retrieval = #pop<retrieval RETRIEVAL>}
  func.func @main() {
    %r = pop.get_variable @v : !pop.ref<2xf32>
    %c2 = pop.constant dense<2.0> : tensor<f32>
    pop.mul_ %r, %c2 : !pop.ref<2xf32>, tensor<f32>
    return
  }
)";
  for (bool readsAll : {false, true}) {
    std::string text = variable;
    text.replace(text.find("RETRIEVAL"), 9,
                 readsAll ? "all_replicas" : "one_per_group");
    std::unique_ptr<Session> session = create(text, 8);
    ASSERT_TRUE(session);
    Floats first = {2, 4, 6}, second = {-8, 10, 13}, all;
    for (int r = 0; r < (readsAll ? 8 : 2); ++r)
      llvm::append_range(all, r % 2 ? second : first);
    EXPECT_EQ(session->getVariables()[0].type,
              type(readsAll ? "tensor<8x3xf32>" : "tensor<2x3xf32>"));
    Session::Context attached(*session);
    ASSERT_EQ(getMessage(session->run()), "success");
    EXPECT_EQ(get<float>(*session, "v"), all);
  }
}
