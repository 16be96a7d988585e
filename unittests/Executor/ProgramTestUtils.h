//===- ProgramTestUtils.h - Execution of programs in tests ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_EXECUTOR_PROGRAMTESTUTILS_H
#define IPU_MLIR_UNITTESTS_EXECUTOR_PROGRAMTESTUTILS_H

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Executor/Check/ReplicaEqualReport.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include "ipu-mlir/Host/InputSpec.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <map>
#include <sstream>

namespace mlir::ipu {

/// Runs programs. Inputs are random bits, which depend only on the name of the
/// input.
class ProgramTest : public ::testing::Test {
protected:
  ProgramTest() : context(getRegistry()) {}

  static DialectRegistry getRegistry() {
    DialectRegistry registry;
    registerExecutorDialects(registry);
    // This dialect has the attributes for groups and partitions of replicas.
    registry.insert<pop::PopDialect>();
    return registry;
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// Returns the next number of SplitMix64.
  static uint64_t draw(uint64_t &state) {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// Returns random bits. One element in four has a special value.
  static HostTensor getRandomBits(StringRef name, RankedTensorType type) {
    HostTensor tensor{type, HostBytes(*getTensorBytes(type))};
    int64_t bytes = getElementBytes(type.getElementType());
    unsigned width = type.getElementType().getIntOrFloatBitWidth();
    uint64_t state = 1;
    for (char c : name)
      state = state * 31 + c;
    for (size_t at = 0; at < tensor.data.size(); at += bytes) {
      uint64_t bits = draw(state), kind = draw(state) % 32;
      uint64_t sign = uint64_t(1) << (width - 1);
      if (kind < 4)
        bits = kind * (sign / 2);
      else if (kind == 4)
        bits = ~uint64_t(0);
      else if (kind == 5)
        bits = 1;
      else if (kind == 6)
        bits = draw(state) % 40;
      else if (kind == 7)
        bits = sign - 1;
      if (width < 64)
        bits &= (uint64_t(1) << width) - 1;
      std::memcpy(tensor.data.data() + at, &bits, bytes);
    }
    return tensor;
  }

  FailureOr<ExecuteResult> run(ModuleOp module, EngineKind engine,
                               unsigned threads = 1, bool check = false) {
    ExecuteOptions options;
    options.check = check;
    options.checkReplicaEqual = checksReplicaEqual;
    options.replicaEqualReport = report;
    options.engine = engine;
    options.threads = threads;
    options.input = [&](StringRef name, RankedTensorType type) {
      auto it = inputs.find(name.str());
      if (it != inputs.end())
        return FailureOr<HostTensor>(HostTensor{type, it->second});
      if (!usesNumbers)
        return FailureOr<HostTensor>(getRandomBits(name, type));
      InputSpec spec;
      spec.generator = InputGenerator::Random;
      return FailureOr<HostTensor>(
          llvm::cantFail(generateInput(spec, name, type)));
    };
    return execute(module, options);
  }

  /// Expects that both results have the same outputs, bit for bit.
  static void expectSame(const ExecuteResult &a, const ExecuteResult &b) {
    ASSERT_EQ(a.outputs.size(), b.outputs.size());
    for (size_t i = 0; i < a.outputs.size(); ++i) {
      const HostTensor &x = a.outputs[i].tensor, &y = b.outputs[i].tensor;
      EXPECT_EQ(a.outputs[i].name, b.outputs[i].name);
      ASSERT_EQ(x.data.size(), y.data.size());
      int64_t bytes = getElementBytes(x.type.getElementType());
      unsigned shown = 0;
      for (size_t at = 0; at < x.data.size() && shown < 3; at += bytes) {
        StringRef p(x.data.data() + at, bytes), q(y.data.data() + at, bytes);
        if (p == q)
          continue;
        ++shown;
        ADD_FAILURE() << a.outputs[i].name << " differs at " << at / bytes
                      << ": " << llvm::toHex(p) << " and " << llvm::toHex(q);
      }
    }
  }

  template <typename T>
  static std::vector<T> getElements(const ExecuteResult &result, size_t i) {
    const HostBytes &data = result.outputs[i].tensor.data;
    std::vector<T> elements(data.size() / sizeof(T));
    std::memcpy(elements.data(), data.data(), data.size());
    return elements;
  }

  MLIRContext context;
  /// The options of the same meaning in LoadOptions.
  bool checksReplicaEqual = false;
  ReplicaEqualReport *report = nullptr;
  /// Whether inputs are numbers between -1 and 1 instead of random bits.
  bool usesNumbers = false;
  std::map<std::string, std::vector<char>> inputs;
};

/// Returns the text of the cost attribute of a step, for tests in which the
/// cost does not matter.
inline std::string getCost(unsigned ipus = 1, int64_t cycles = 1) {
  std::string all;
  for (unsigned i = 0; i < ipus; ++i)
    all += (i ? ", " : "") + std::to_string(cycles + i);
  return " cost <cycles = [" + all +
         "], total = 1, tile = 0, flops = 0, bytes = 0>\n";
}

} // namespace mlir::ipu

#endif // IPU_MLIR_UNITTESTS_EXECUTOR_PROGRAMTESTUTILS_H
