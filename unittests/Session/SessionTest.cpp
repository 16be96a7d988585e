//===- SessionTest.cpp - Sessions: transfers, contexts, errors ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Session/Session.h"
#include "../Executor/ProgramTestUtils.h"
#include "ipu-mlir/InitAll.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class SessionTest : public ProgramTest {
protected:
  SessionTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// Returns a program with a variable a = 3, a constant b = 1 and an input x.
  /// A run computes a += b and returns y = a + x. Each replica has its own x
  /// and y.
  std::string
  getProgram(int replicas = 1,
             const std::string &state = "dense<3.0> : tensor<2xf32>") {
    return R"(
#m = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
!b = memref<?xf32, strided<[1], offset: ?>>
!v = memref<2xf32, #m>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = )" +
           std::to_string(replicas) + R"( : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<2xf32>
  ipu.stream @y device_to_host replicated : tensor<2xf32>
  ipu.storage @a.storage : !v
  ipu.state @a in @a.storage : tensor<2xf32> = )" +
           state + R"(
  ipu.codelet @add(%x : !b, %y : !b, %z : !b) inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.add ins(%x, %y : !b, !b) outs(%z : !b)
  }
  func.func @main() {
    %a = ipu.var "a" of @a.storage : !v
    %b = ipu.var "b" init(dense<1.0> : tensor<2xf32>) : !v
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    ipu.host_load @x to %x : !v)" +
           getCost() + R"(
    ipu.compute_set "a+=b" {
      ipu.vertices @add ins(%a, %b : !v, !v) outs(%a : !v) access [#m, #m, #m]
    })" + getCost() +
           R"(
    ipu.compute_set "y" {
      ipu.vertices @add ins(%a, %x : !v, !v) outs(%y : !v) access [#m, #m, #m]
    })" + getCost() +
           "ipu.host_store %y to @y : !v" + getCost() + "return\n}\n}\n";
  }

  std::unique_ptr<Session> create(const std::string &text,
                                  SessionOptions options = SessionOptions()) {
    OwningOpRef<ModuleOp> module = parse(text);
    if (!module)
      return nullptr;
    options.engine = EngineKind::Interp;
    FailureOr<std::unique_ptr<Session>> session =
        Session::create(*module, options);
    return succeeded(session) ? std::move(*session) : nullptr;
  }

  HostTensor make(ArrayRef<int64_t> shape, ArrayRef<float> values) {
    HostTensor tensor{RankedTensorType::get(shape, Float32Type::get(&context)),
                      std::vector<char>(values.size() * sizeof(float))};
    std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
    return tensor;
  }

  static std::vector<float> getFloats(const HostTensor &tensor) {
    std::vector<float> values(tensor.data.size() / sizeof(float));
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    return values;
  }
  static std::vector<float> getFloats(llvm::Expected<HostTensor> tensor) {
    return getFloats(llvm::cantFail(std::move(tensor)));
  }
  static std::vector<float> getOutput(llvm::Expected<TensorMap> outputs) {
    return getFloats(llvm::cantFail(std::move(outputs)).at("y"));
  }
  template <typename T>
  static std::string getError(llvm::Expected<T> value) {
    return value ? "" : llvm::toString(value.takeError());
  }

  static void expectTransfers(const Session &session, int64_t toDevice,
                              int64_t toHost) {
    EXPECT_EQ(session.getTransfers().toDevice, toDevice);
    EXPECT_EQ(session.getTransfers().toHost, toHost);
  }
};
using Floats = std::vector<float>;
} // namespace

TEST_F(SessionTest, Signature) {
  std::unique_ptr<Session> session = create(getProgram(3));
  ASSERT_TRUE(session);
  ASSERT_EQ(session->getInputs().size(), 1u);
  EXPECT_EQ(session->getInputs()[0].name, "x");
  EXPECT_EQ(session->getInputs()[0].type.getShape(), ArrayRef<int64_t>({3, 2}));
  ASSERT_EQ(session->getOutputs().size(), 1u);
  EXPECT_EQ(session->getOutputs()[0].name, "y");
  ASSERT_EQ(session->getVariables().size(), 1u);
  EXPECT_EQ(session->getVariables()[0].name, "a");
  EXPECT_EQ(session->getVariables()[0].type.getShape(), ArrayRef<int64_t>(2));
}

TEST_F(SessionTest, DefaultValues) {
  std::string program = getProgram(2);
  std::string stream =
      "ipu.stream @x host_to_device replicated : tensor<2xf32>";
  program.insert(program.find(stream) + stream.size(),
                 " {default_value = dense<[10.0, 20.0]> : tensor<2xf32>}");
  std::unique_ptr<Session> session = create(program);
  ASSERT_TRUE(session);
  EXPECT_TRUE(session->getInputs()[0].hasDefault);
  Session::Context attached(*session);
  EXPECT_EQ(getOutput(session->run()), Floats({14, 24, 14, 24}));
  EXPECT_EQ(getOutput(session->run({{"x", make({2, 2}, {1, 2, 3, 4})}})),
            Floats({6, 7, 8, 9}));
  EXPECT_EQ(getOutput(session->run()), Floats({16, 26, 16, 26}));
}

/// Variables are transferred only when this is necessary.
TEST_F(SessionTest, Seeds) {
  SessionOptions options;
  options.seed = 5 + (uint64_t(7) << 32);
  std::unique_ptr<Session> session = create(R"(
#m = #ipu.map<[2], grid = [1], blocks = [p0 * 2 : 2]>
!v = memref<2xi32, #m>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.stream @seed host_to_device : tensor<2xui32> {seed}
  ipu.stream @y device_to_host : tensor<2xui32>
  func.func @main() {
    %x = ipu.var "x" : !v
    ipu.host_load @seed to %x : !v)" + getCost() +
                                                "ipu.host_store %x to @y : !v" +
                                                getCost() + "return\n}\n}\n",
                                            options);
  ASSERT_TRUE(session);
  ASSERT_EQ(session->getInputs().size(), 1u);
  EXPECT_TRUE(session->getInputs()[0].hasDefault);
  EXPECT_TRUE(session->getInputs()[0].isSeed);

  using Words = std::array<uint32_t, 2>;
  auto getWords = [](const HostTensor &tensor) {
    Words words;
    std::memcpy(words.data(), tensor.data.data(), sizeof(words));
    return words;
  };
  auto run = [&](const TensorMap &inputs) {
    return llvm::cantFail(session->run(inputs)).at("y");
  };
  Session::Context attached(*session);
  HostTensor first = run({}), second = run({});
  EXPECT_EQ(getWords(first), (Words{5, 7}));
  EXPECT_NE(getWords(second), getWords(first));
  EXPECT_NE(getWords(run({})), getWords(second));

  // A given seed is used as it is, and repeated runs derive theirs from it.
  TensorMap inputs = {{"seed", first}};
  EXPECT_EQ(getWords(run(inputs)), getWords(first));
  EXPECT_EQ(getWords(session->getInputsOfRun(inputs, 0).at("seed")),
            getWords(first));
  EXPECT_EQ(getWords(session->getInputsOfRun(inputs, 1).at("seed")),
            getWords(second));
  EXPECT_EQ(getWords(llvm::cantFail(session->runRepeatedly(2, inputs)).at("y")),
            getWords(second));
}

TEST_F(SessionTest, Transfers) {
  std::unique_ptr<Session> session = create(getProgram());
  ASSERT_TRUE(session);
  TensorMap inputs = {{"x", make({2}, {10, 20})}};
  // Before the session is attached, there are only the copies of the host.
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({3, 3}));
  EXPECT_EQ(getFloats(session->getTensor("b")), Floats({1, 1}));
  ASSERT_FALSE(llvm::errorToBool(session->writeTensor("a", make({2}, {5, 6}))));
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({5, 6}));
  expectTransfers(*session, 0, 0);
  {
    Session::Context attached(*session);
    expectTransfers(*session, 1, 0);
    EXPECT_EQ(getFloats(session->getTensor("a")), Floats({5, 6}));
    expectTransfers(*session, 1, 0);
    EXPECT_EQ(getOutput(session->run(inputs)), Floats({16, 27}));
    expectTransfers(*session, 1, 0);
    // Constants are never transferred. Variables are transferred once after a
    // run.
    EXPECT_EQ(getFloats(session->getTensor("b")), Floats({1, 1}));
    expectTransfers(*session, 1, 0);
    TensorMap both = llvm::cantFail(session->getTensors({"a", "b"}));
    EXPECT_EQ(getFloats(both.at("a")), Floats({6, 7}));
    EXPECT_EQ(getFloats(session->getTensor("a")), Floats({6, 7}));
    expectTransfers(*session, 1, 1);
    // A written value is on the host and on the device.
    ASSERT_FALSE(
        llvm::errorToBool(session->writeTensor("a", make({2}, {0, 1}))));
    expectTransfers(*session, 2, 1);
    EXPECT_EQ(getFloats(session->getTensor("a")), Floats({0, 1}));
    expectTransfers(*session, 2, 1);
    EXPECT_EQ(getOutput(session->run(inputs)), Floats({11, 22}));
    // Writing a variable does not update the copies of other variables.
    ASSERT_FALSE(
        llvm::errorToBool(session->writeTensor("a", make({2}, {7, 7}))));
    EXPECT_EQ(getFloats(session->getTensor("a")), Floats({7, 7}));
    expectTransfers(*session, 3, 2);
    EXPECT_EQ(getOutput(session->runRepeatedly(3, inputs)), Floats({20, 30}));
  }
  expectTransfers(*session, 3, 3);
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({10, 10}));
  // The variables keep their values.
  Session::Context again(*session);
  EXPECT_EQ(getOutput(session->run(inputs)), Floats({21, 31}));
  EXPECT_EQ(session->getProfile().steps.size(), 4u);
}

TEST_F(SessionTest, NestedContexts) {
  std::unique_ptr<Session> session = create(getProgram());
  ASSERT_TRUE(session);
  EXPECT_FALSE(session->isAttached());
  {
    Session::Context outer(*session);
    EXPECT_TRUE(outer.isOwner());
    EXPECT_TRUE(session->isAttached());
    {
      Session::Context inner(*session);
      EXPECT_FALSE(inner.isOwner());
      EXPECT_TRUE(session->isAttached());
    }
    EXPECT_TRUE(session->isAttached());
    expectTransfers(*session, 1, 0);
  }
  EXPECT_FALSE(session->isAttached());
  expectTransfers(*session, 1, 1);
}

TEST_F(SessionTest, WeightsMayStayBehind) {
  SessionOptions options;
  options.keepsWeights = false;
  std::unique_ptr<Session> session = create(getProgram(), options);
  ASSERT_TRUE(session);
  {
    Session::Context attached(*session);
    ASSERT_EQ(getError(session->run({{"x", make({2}, {0, 0})}})), "");
  }
  expectTransfers(*session, 1, 0);
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({3, 3}));
}

TEST_F(SessionTest, BadInputs) {
  std::unique_ptr<Session> session = create(getProgram(2));
  ASSERT_TRUE(session);
  TensorMap good = {{"x", make({2, 2}, {1, 2, 3, 4})}};
  EXPECT_EQ(getError(session->run(good)),
            "expects the session to be attached to a device to run");
  Session::Context attached(*session);
  EXPECT_EQ(getError(session->run({})), "expects a value of input 'x'");
  TensorMap more = good;
  more["z"] = make({2}, {1, 2});
  EXPECT_EQ(getError(session->run(more)), "'z' is no input of the program");
  // No dimension for replicas, too many replicas, another shape, and another
  // type.
  for (HostTensor bad : {make({2}, {1, 2}), make({3, 2}, {1, 2, 3, 4, 5, 6}),
                         make({2, 1}, {1, 2}), make({1, 2, 2}, {1, 2, 3, 4})})
    EXPECT_NE(getError(session->run({{"x", bad}})).find("input 'x'"),
              std::string::npos);
  HostTensor integers = good["x"];
  integers.type = integers.type.clone(IntegerType::get(&context, 32));
  EXPECT_NE(getError(session->run({{"x", integers}})).find("input 'x'"),
            std::string::npos);
  EXPECT_EQ(getError(session->runRepeatedly(0, good)),
            "expects a positive number of runs but got 0");
  EXPECT_EQ(getError(session->runRepeatedly(-2, good)),
            "expects a positive number of runs but got -2");
  // The program did not run.
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({3, 3}));
  EXPECT_EQ(getOutput(session->run(good)), Floats({5, 6, 7, 8}));
}

TEST_F(SessionTest, BadWrites) {
  std::unique_ptr<Session> session = create(getProgram());
  ASSERT_TRUE(session);
  Session::Context attached(*session);
  auto write = [&](const TensorMap &tensors) {
    return llvm::toString(session->writeTensors(tensors));
  };
  HostTensor good = make({2}, {8, 9});
  // Variables before the invalid one are not written either.
  EXPECT_EQ(write({{"a", good}, {"b", good}}), "'b' is a constant");
  EXPECT_EQ(write({{"a", good}, {"c", good}}), "'c' is no variable");
  EXPECT_NE(write({{"a", make({1, 2}, {8, 9})}}).find("variable 'a'"),
            std::string::npos);
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({3, 3}));
  expectTransfers(*session, 1, 0);
  EXPECT_EQ(getError(session->getTensor("c")),
            "'c' is no variable or constant");
  EXPECT_EQ(getError(session->getTensors({"a", "x"})),
            "'x' is no variable or constant");
}

TEST_F(SessionTest, GroupsOfReplicas) {
  std::string groups = "groups = #pop.replica_groups<stride = 2, size = 2>";
  std::string value =
      "dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> {" + groups;
  TensorMap inputs = {{"x", make({4, 2}, {0, 0, 10, 10, 20, 20, 30, 30})}};
  std::unique_ptr<Session> one = create(getProgram(4, value + "}"));
  std::unique_ptr<Session> all = create(
      getProgram(4, value + ", retrieval = #ipu<retrieval all_replicas>}"));
  ASSERT_TRUE(one && all);
  EXPECT_EQ(getFloats(one->getTensor("a")), Floats({1, 2, 3, 4}));
  EXPECT_EQ(getFloats(all->getTensor("a")), Floats({1, 2, 3, 4, 1, 2, 3, 4}));
  for (Session *session : {one.get(), all.get()}) {
    Session::Context attached(*session);
    EXPECT_EQ(getOutput(session->run(inputs)),
              Floats({2, 3, 14, 15, 22, 23, 34, 35}));
    // A value for each group is written, also if the host reads all replicas.
    ASSERT_FALSE(llvm::errorToBool(
        session->writeTensor("a", make({2, 2}, {5, 6, 7, 8}))));
    EXPECT_TRUE(llvm::errorToBool(
        session->writeTensor("a", make({4, 2}, {5, 6, 7, 8, 5, 6, 7, 8}))));
    EXPECT_EQ(getOutput(session->run(inputs)),
              Floats({6, 7, 18, 19, 26, 27, 38, 39}));
  }
  EXPECT_EQ(getFloats(one->getTensor("a")), Floats({6, 7, 8, 9}));
  EXPECT_EQ(getFloats(all->getTensor("a")), Floats({6, 7, 8, 9, 6, 7, 8, 9}));
  EXPECT_EQ(all->getVariables()[0].type.getShape(), ArrayRef<int64_t>({4, 2}));
}

/// A variable with a part on each replica, and a variable in streaming memory.
TEST_F(SessionTest, ShardedAndRemote) {
  std::string text = R"(
#m = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
!v = memref<2xf32, #m>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.stream @y device_to_host replicated : tensor<2xf32>
  ipu.storage @s.storage : !v
  ipu.state @s in @s.storage : tensor<3xf32> = dense<[1.0, 2.0, 3.0]> : tensor<3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  ipu.remote_buffer @b : 2 x tensor<2xf32>
  ipu.state @r in @b[1] : tensor<3xf32> = dense<[4.0, 5.0, 6.0]> : tensor<3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  func.func @main() {
    %s = ipu.var "s" of @s.storage : !v
    %t = ipu.var "t" : !v
    ipu.remote_exchange "load" {
      ipu.remote_load @b[1] to %t : !v
    })" + getCost() + R"(
    ipu.remote_exchange "store" {
      ipu.remote_store %s to @b[1] : !v
    })" + getCost() + R"(
    ipu.exchange "swap" {
      ipu.move %t to %s : !v to !v
    })" + getCost() + "ipu.host_store %s to @y : !v" +
                     getCost() + "return\n}\n}\n";
  for (bool check : {false, true}) {
    SessionOptions options;
    options.check = check;
    std::unique_ptr<Session> session = create(text, options);
    ASSERT_TRUE(session);
    Session::Context attached(*session);
    // The program swaps the two variables.
    EXPECT_EQ(getOutput(session->run()), Floats({4, 5, 6, 0}));
    EXPECT_EQ(getFloats(session->getTensor("s")), Floats({4, 5, 6}));
    EXPECT_EQ(getFloats(session->getTensor("r")), Floats({1, 2, 3}));
    ASSERT_FALSE(
        llvm::errorToBool(session->writeTensor("r", make({3}, {7, 8, 9}))));
    EXPECT_EQ(getOutput(session->runRepeatedly(3)), Floats({7, 8, 9, 0}));
    EXPECT_EQ(getFloats(session->getTensor("r")), Floats({4, 5, 6}));
  }
}

TEST_F(SessionTest, TheProgramIsFrozen) {
  OwningOpRef<ModuleOp> module = parse(getProgram());
  ASSERT_TRUE(module);
  FailureOr<std::unique_ptr<Session>> session = Session::create(*module);
  ASSERT_TRUE(succeeded(session));
  module->getBody()->clear();
  module = nullptr;
  Session::Context attached(**session);
  EXPECT_EQ(getOutput((*session)->run({{"x", make({2}, {1, 2})}})),
            Floats({5, 6}));
}

/// With host transfers, the first dimension may be larger. Each run starts with
/// the first tensor.
TEST_F(SessionTest, HostTransfers) {
  std::string text = getProgram(2);
  std::string attribute = "module attributes {ipu.host_transfers = 2 : i64, ";
  text.replace(text.find("module attributes {"), 19, attribute);
  std::unique_ptr<Session> session = create(text);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->getInputs()[0].type.getShape(),
            ArrayRef<int64_t>({2, 2, 2}));
  Session::Context attached(*session);
  TensorMap inputs = {{"x", make({3, 2, 2}, Floats(12, 1))}};
  for (float a : {4, 5})
    EXPECT_EQ(getOutput(session->run(inputs)),
              Floats({a + 1, a + 1, a + 1, a + 1, 0, 0, 0, 0}));
  EXPECT_NE(getError(session->run({{"x", make({1, 2, 2}, Floats(4))}})), "");
  EXPECT_NE(getError(session->run({{"x", make({2, 3, 2}, Floats(12))}})), "");
  EXPECT_NE(getError(session->run({{"x", make({2, 2}, Floats(4))}})), "");
}

/// The number of transfers of a stream takes precedence over the number of the
/// module, also if it is 1.
TEST_F(SessionTest, HostTransfersOfAStream) {
  std::string text = getProgram(2);
  std::string attribute = "module attributes {ipu.host_transfers = 3 : i64, ";
  text.replace(text.find("module attributes {"), 19, attribute);
  std::string x = "@x host_to_device replicated : tensor<2xf32>";
  text.insert(text.find(x) + x.size(), " {transfers = 2 : i64}");
  std::string y = "@y device_to_host replicated : tensor<2xf32>";
  text.insert(text.find(y) + y.size(), " {transfers = 1 : i64}");
  std::unique_ptr<Session> session = create(text);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->getInputs()[0].type.getShape(),
            ArrayRef<int64_t>({2, 2, 2}));
  EXPECT_EQ(session->getOutputs()[0].type.getShape(),
            ArrayRef<int64_t>({2, 2}));
  Session::Context attached(*session);
  TensorMap inputs = {{"x", make({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}};
  for (float a : {4, 5})
    EXPECT_EQ(getOutput(session->run(inputs)),
              Floats({a + 1, a + 2, a + 3, a + 4}));
  EXPECT_NE(getError(session->run({{"x", make({1, 2, 2}, Floats(4))}})), "");
  EXPECT_NE(getError(session->run({{"x", make({2, 2}, Floats(4))}})), "");
}

TEST_F(SessionTest, NoSessionWithoutValues) {
  OwningOpRef<ModuleOp> module = parse(getProgram());
  ASSERT_TRUE(module);
  SessionOptions options;
  options.engine = EngineKind::None;
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(failed(Session::create(*module, options)));
  EXPECT_EQ(message, "a session needs an engine that computes values");
}

// The host subtracts the sum of the tensors of the replicas from the variable,
// which the device loads in the next run.
TEST_F(SessionTest, HostProgram) {
  std::unique_ptr<Session> session = create(R"(
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<2xf32>
  pop.stream @w host_to_device broadcast : tensor<2xf32>
  pop.stream @g device_to_host : tensor<2xf32>
  pop.stream @y device_to_host : tensor<2xf32>
  func.func @main() {
    %x = pop.host_load @x : tensor<2xf32>
    %w = pop.host_load @w : tensor<2xf32>
    pop.host_store %x, @g : tensor<2xf32>
    pop.host_store %w, @y : tensor<2xf32>
    return
  }
  module @host_program {
    pop.variable @w : tensor<2xf32> = dense<8.0> : tensor<2xf32>
    pop.stream @g host_to_device : tensor<2xf32>
    pop.stream @factor host_to_device broadcast : tensor<f32>
    func.func @main() {
      %g = pop.host_load @g : tensor<2xf32>
      %f = pop.host_load @factor : tensor<f32>
      %r = pop.get_variable @w : !pop.ref<2xf32>
      %s = pop.all_reduce add %g : tensor<2xf32>
      %p = pop.mul %s, %f : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      pop.sub_ %r, %p : !pop.ref<2xf32>, tensor<2xf32>
      return
    }
  }
})");
  ASSERT_TRUE(session);
  auto getNames = [](ArrayRef<SessionTensor> tensors) {
    std::vector<std::string> names;
    for (const SessionTensor &tensor : tensors)
      names.push_back(tensor.name);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(getNames(session->getInputs()), Names({"x", "factor"}));
  EXPECT_EQ(getNames(session->getOutputs()), Names({"y"}));
  EXPECT_EQ(getNames(session->getVariables()), Names({"w"}));
  EXPECT_EQ(getFloats(session->getTensor("w")), Floats({8, 8}));

  Session::Context attached(*session);
  ASSERT_TRUE(attached.isOwner());
  TensorMap inputs = {{"x", make({2, 2}, {1, 2, 3, 4})},
                      {"factor", make({}, {0.5f})}};
  EXPECT_EQ(getOutput(session->run(inputs)), Floats({8, 8, 8, 8}));
  EXPECT_EQ(getFloats(session->getTensor("w")), Floats({6, 5}));
  EXPECT_EQ(getOutput(session->run(inputs)), Floats({6, 5, 6, 5}));
  EXPECT_EQ(getFloats(session->getTensor("w")), Floats({4, 2}));
  llvm::cantFail(session->writeTensor("w", make({2}, {1, 2})));
  EXPECT_EQ(getOutput(session->run(inputs)), Floats({1, 2, 1, 2}));
  llvm::cantFail(session->restoreTensors({{"w", make({2}, {5, 6})}}));
  EXPECT_EQ(getFloats(session->getTensor("w")), Floats({5, 6}));

  // The device does not run if an input of the host is wrong.
  inputs["factor"] = make({1}, {0.5f});
  EXPECT_EQ(getError(session->run(inputs)),
            "input 'factor' expects tensor<f32> but got tensor<1xf32>");
  inputs.erase("factor");
  EXPECT_EQ(getError(session->run(inputs)),
            "expects a value of input 'factor'");
  inputs["w"] = make({2}, {1, 2});
  EXPECT_EQ(getError(session->run(inputs)), "'w' is no input of the program");
  EXPECT_EQ(llvm::toString(session->writeTensor("w", make({3}, {1, 2, 3}))),
            "variable 'w' expects tensor<2xf32> but got tensor<3xf32>");
}

//===----------------------------------------------------------------------===//
// Explicit transfers
//===----------------------------------------------------------------------===//

TEST_F(SessionTest, ExplicitTransfers) {
  std::unique_ptr<Session> session = create(getProgram());
  ASSERT_TRUE(session);
  EXPECT_EQ(llvm::toString(session->weightsToHost()),
            "expects the session to be attached to a device to copy variables "
            "to the host");
  EXPECT_EQ(llvm::toString(session->weightsFromHost()),
            "expects the session to be attached to a device to copy variables "
            "from the host");
  ASSERT_TRUE(succeeded(session->attach()));
  ASSERT_TRUE(succeeded(session->attach()));
  expectTransfers(*session, 1, 0);
  TensorMap zeros = {{"x", make({2}, {0, 0})}};
  EXPECT_EQ(getOutput(session->run(zeros)), Floats({4, 4}));
  llvm::cantFail(session->weightsToHost());
  expectTransfers(*session, 1, 1);
  // The copies of the host are up to date.
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({4, 4}));
  expectTransfers(*session, 1, 1);
  // The values of the host replace what the device computed.
  EXPECT_EQ(getOutput(session->run(zeros)), Floats({5, 5}));
  llvm::cantFail(session->weightsFromHost());
  expectTransfers(*session, 2, 1);
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({4, 4}));
  EXPECT_EQ(getOutput(session->run(zeros)), Floats({5, 5}));
}

TEST_F(SessionTest, DetachesWithOrWithoutCopies) {
  std::unique_ptr<Session> session = create(getProgram());
  ASSERT_TRUE(session);
  TensorMap zeros = {{"x", make({2}, {0, 0})}};
  EXPECT_TRUE(succeeded(session->detach(/*copiesWeights=*/true)));
  expectTransfers(*session, 0, 0);
  ASSERT_TRUE(succeeded(session->attach()));
  EXPECT_EQ(getOutput(session->run(zeros)), Floats({4, 4}));
  EXPECT_TRUE(succeeded(session->detach(/*copiesWeights=*/false)));
  EXPECT_FALSE(session->isAttached());
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({3, 3}));
  ASSERT_TRUE(succeeded(session->attach()));
  EXPECT_EQ(getOutput(session->run(zeros)), Floats({4, 4}));
  EXPECT_TRUE(succeeded(session->detach(/*copiesWeights=*/true)));
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({4, 4}));
}

TEST_F(SessionTest, OtherInputsForEachRun) {
  std::unique_ptr<Session> session = create(getProgram());
  ASSERT_TRUE(session);
  Session::Context attached(*session);
  auto getInputs = [&](int64_t run) {
    return TensorMap{{"x", make({2}, {10.0f * run, 1})}};
  };
  EXPECT_EQ(getOutput(session->runRepeatedly(3, getInputs)), Floats({26, 7}));
  EXPECT_EQ(getError(session->runRepeatedly(0, getInputs)),
            "expects a positive number of runs but got 0");
}

//===----------------------------------------------------------------------===//
// Runs that fail or are stopped
//===----------------------------------------------------------------------===//

/// A program with a loop of `rounds` rounds that each add 1 to @a, a function
/// call and a branch, in which the expectation that x is 0 may fail.
static std::string getLoop(int rounds) {
  return R"(
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<2xf32>
  pop.stream @y device_to_host : tensor<2xf32>
  pop.variable @a : tensor<2xf32> = dense<3.0> : tensor<2xf32>
  func.func private @add(%v: tensor<2xf32>) -> tensor<2xf32> {
    %one = pop.constant dense<1.0> : tensor<f32>
    %0 = pop.add %v, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @main() {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rounds = arith.constant )" +
         std::to_string(rounds) + R"( : index
    %x = pop.host_load @x : tensor<2xf32>
    %a = pop.get_variable @a : !pop.ref<2xf32>
    scf.for %i = %zero to %rounds step %one {
      %v = pop.read %a : !pop.ref<2xf32>
      %w = func.call @add(%v) : (tensor<2xf32>) -> tensor<2xf32>
      pop.copy_ %a, %w : !pop.ref<2xf32>, tensor<2xf32>
    }
    pop.expect_eq %x, dense<0.0> : tensor<2xf32>
    %v = pop.read %a : !pop.ref<2xf32>
    pop.host_store %v, @y : tensor<2xf32>
    return
  }
})";
}

namespace {
struct EngineCase {
  EngineKind engine;
  bool check;
};

class SessionRunTest : public SessionTest,
                       public ::testing::WithParamInterface<EngineCase> {
protected:
  std::unique_ptr<Session> createLoop(int rounds, SessionOptions options = {}) {
    OwningOpRef<ModuleOp> module = parse(getLoop(rounds));
    if (!module)
      return nullptr;
    options.engine = GetParam().engine;
    options.check = GetParam().check;
    FailureOr<std::unique_ptr<Session>> session =
        Session::create(*module, options);
    return succeeded(session) ? std::move(*session) : nullptr;
  }
  TensorMap getInputs(float x) { return {{"x", make({2, 2}, {x, x, x, x})}}; }
};
} // namespace

TEST_P(SessionRunTest, RunsAfterAFailedRun) {
  int expectations = 0;
  SessionOptions options;
  options.expectationFailed = [&] { ++expectations; };
  std::unique_ptr<Session> session = createLoop(2, options);
  ASSERT_TRUE(session);
  ASSERT_TRUE(succeeded(session->attach()));
  EXPECT_EQ(getOutput(session->run(getInputs(0))), Floats({5, 5, 5, 5}));
  {
    ScopedDiagnosticHandler drop(&context,
                                 [](Diagnostic &) { return success(); });
    EXPECT_EQ(getError(session->run(getInputs(1))), "the run failed");
  }
  EXPECT_EQ(expectations, 2);
  // The loop ran before the failure.
  EXPECT_EQ(getOutput(session->run(getInputs(0))), Floats({9, 9, 9, 9}));
  llvm::cantFail(session->writeTensor("a", make({2}, {1, 2})));
  EXPECT_EQ(getOutput(session->run(getInputs(0))), Floats({3, 4, 3, 4}));
}

TEST_P(SessionRunTest, StopsBeforeTheNextStep) {
  std::unique_ptr<Session> session = createLoop(1000);
  ASSERT_TRUE(session);
  ASSERT_TRUE(succeeded(session->attach()));
  llvm::cantFail(session->writeTensor("a", make({2}, {0, 0})));
  // Everywhere in the first iterations.
  for (int limit = 0; limit < 40; ++limit) {
    int steps = 0;
    RunCallbacks callbacks;
    callbacks.isStopped = [&] { return steps++ == limit; };
    session->setCallbacks(callbacks);
    llvm::Expected<TensorMap> outputs = session->run(getInputs(0));
    ASSERT_FALSE(outputs);
    bool isStopped = false;
    llvm::handleAllErrors(outputs.takeError(), [&](const StoppedError &error) {
      isStopped = true;
      EXPECT_EQ(error.message(), "the run was stopped");
    });
    EXPECT_TRUE(isStopped);
    EXPECT_EQ(steps, limit + 1);
    EXPECT_TRUE(session->isAttached());
  }
  session->setCallbacks({});
  Floats a = getFloats(session->getTensor("a"));
  EXPECT_LT(a[0], 500);
  EXPECT_EQ(getOutput(session->run(getInputs(0)))[0], a[0] + 1000);
}

// One of several runs is stopped.
TEST_P(SessionRunTest, StopsRepeatedRuns) {
  int runs = 0;
  SessionOptions options;
  options.isStopped = [&] { return runs > 2; };
  std::unique_ptr<Session> session = createLoop(2, options);
  ASSERT_TRUE(session);
  ASSERT_TRUE(succeeded(session->attach()));
  EXPECT_EQ(getError(session->runRepeatedly(5,
                                            [&](int64_t) {
                                              ++runs;
                                              return getInputs(0);
                                            })),
            "the run was stopped");
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(getFloats(session->getTensor("a")), Floats({7, 7}));
}

INSTANTIATE_TEST_SUITE_P(
    Engines, SessionRunTest,
    ::testing::Values(EngineCase{EngineKind::Interp, false},
                      EngineCase{EngineKind::Interp, true},
                      EngineCase{EngineKind::Jit, false}),
    [](const ::testing::TestParamInfo<EngineCase> &info) {
      if (info.param.check)
        return "Check";
      return info.param.engine == EngineKind::Jit ? "Jit" : "Interp";
    });

//===----------------------------------------------------------------------===//
// Adopted bytes
//===----------------------------------------------------------------------===//

// The session never writes bytes of someone else, and keeps them alive.
TEST_F(SessionTest, AdoptedBytes) {
  std::vector<float> values = {1, 2};
  int alive = 0;
  auto adopt = [&](std::vector<float> &floats) {
    ++alive;
    std::shared_ptr<const void> owner(&floats, [&](const void *) { --alive; });
    HostTensor tensor = make({2}, {0, 0});
    tensor.data =
        HostBytes::adopt(ArrayRef(reinterpret_cast<const char *>(floats.data()),
                                  floats.size() * sizeof(float)),
                         owner);
    return tensor;
  };
  std::vector<float> input = {10, 20};
  {
    std::unique_ptr<Session> session = create(getProgram());
    ASSERT_TRUE(session);
    llvm::cantFail(session->writeTensor("a", adopt(values)));
    EXPECT_EQ(alive, 1);
    Session::Context attached(*session);
    EXPECT_EQ(getOutput(session->run({{"x", adopt(input)}})), Floats({12, 23}));
    EXPECT_EQ(getOutput(session->run({{"x", make({2}, {0, 0})}})),
              Floats({3, 4}));
    HostTensor tensor = llvm::cantFail(session->getTensor("a"));
    EXPECT_EQ(getFloats(tensor), Floats({3, 4}));
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(values, Floats({1, 2}));
  EXPECT_EQ(input, Floats({10, 20}));

  HostTensor copied = adopt(values);
  HostTensor shared = copied;
  EXPECT_TRUE(copied.data.isShared());
  copied.data[0] = 1;
  EXPECT_FALSE(copied.data.isShared());
  EXPECT_TRUE(shared.data.isShared());
  EXPECT_EQ(values, Floats({1, 2}));
  EXPECT_EQ(alive, 1);
}
