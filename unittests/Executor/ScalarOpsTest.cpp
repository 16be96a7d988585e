//===- ScalarOpsTest.cpp - Scalar ops on both engines ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTestUtils.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// Builds a program with one codelet, `out = op(a, b, c)`, for each scalar op.
class ScalarProgram {
public:
  ScalarProgram() { head << "module {\n"; }

  /// Adds `op` on arguments of one type. `before` are ops that it needs.
  void add(const std::string &op, const std::string &type,
           const std::string &result, const std::string &before = "") {
    load(type);
    std::string number = std::to_string(count++), in = getBuffer(type),
                out = getBuffer(result), var = getVar(type),
                outVar = getVar(result);
    head << "// " << op << "\nipu.codelet @c" << number << "(%a : " << in
         << ", %b : " << in << ", %c : " << in << ", %y : " << out
         << ") inputs 3 cost <vector, supervisor = 1, worker = 1, cycles = 1, "
            "per = 1> {\nlinalg.generic {indexing_maps = [#d, #d, #d, #d], "
            "iterator_types = [\"parallel\"]} ins(%a, %b, %c : "
         << in << ", " << in << ", " << in << ") outs(%y : " << out
         << ") {\n^bb0(%p : " << type << ", %q : " << type << ", %r : " << type
         << ", %o : " << result << "):\n"
         << before << "%v = " << op << "\nlinalg.yield %v : " << result
         << "\n}\n}\nipu.stream @\"" << op << " #" << number
         << "\" device_to_host : tensor<" << kSize << "x" << result << ">\n";
    body << "%y" << number << " = ipu.var \"y\" : " << outVar
         << "\nipu.compute_set \"c\" {\nipu.vertices @c" << number << " ins(%a"
         << type << ", %b" << type << ", %c" << type << " : " << var << ", "
         << var << ", " << var << ") outs(%y" << number << " : " << outVar
         << ") access [#m, #m, #m, #m]\n}" << getCost() << "ipu.host_store %y"
         << number << " to @\"" << op << " #" << number << "\" : " << outVar
         << getCost();
  }
  std::string getText() {
    return "#d = affine_map<(d0) -> (d0)>\n#m = #ipu.map<[" +
           std::to_string(kSize) + "], grid = [7], blocks = [p0 * " +
           std::to_string((kSize + 6) / 7) + " : " +
           std::to_string((kSize + 6) / 7) + "]>\n" + head.str() +
           "func.func @main() {\n" + body.str() + "func.return\n}\n}\n";
  }

private:
  static constexpr int64_t kSize = 3001;
  static std::string getBuffer(const std::string &type) {
    return "memref<?x" + type + ", strided<[1], offset: ?>>";
  }
  static std::string getVar(const std::string &type) {
    return "memref<" + std::to_string(kSize) + "x" + type + ", #m>";
  }
  void load(const std::string &type) {
    if (!loaded.insert({type, true}).second)
      return;
    for (std::string name : {"a", "b", "c"}) {
      name += type;
      head << "ipu.stream @" << name << " host_to_device : tensor<" << kSize
           << "x" << type << ">\n";
      body << "%" << name << " = ipu.var \"v\" : " << getVar(type)
           << "\nipu.host_load @" << name << " to %" << name << " : "
           << getVar(type) << getCost();
    }
  }

  std::ostringstream head, body;
  std::map<std::string, bool> loaded;
  unsigned count = 0;
};

class ScalarOpsTest : public ProgramTest {
protected:
  void check(ScalarProgram &program) {
    OwningOpRef<ModuleOp> module = parse(program.getText());
    ASSERT_TRUE(module) << program.getText();
    FailureOr<ExecuteResult> interp = run(*module, EngineKind::Interp);
    FailureOr<ExecuteResult> jit = run(*module, EngineKind::Jit);
    ASSERT_TRUE(succeeded(interp) && succeeded(jit));
    expectSame(*interp, *jit);
  }

  /// Adds the op of a row of CodeletScalarOps.def, for all of its types.
  void addArithmetic(const std::string &name, unsigned arity,
                     ArrayRef<const char *> types);
  template <typename Op>
  void addCompare(const std::string &name, ArrayRef<const char *> types);
  template <typename Op>
  void addCasts(const std::string &name);

  ScalarProgram program;
};
} // namespace

static const char *const kFloats[] = {"f8E4M3FN", "f8E5M2", "f16",
                                      "bf16",     "f32",    "f64"};
static const char *const kIntegers[] = {"i1", "i8", "i16", "i32", "i64"};

void ScalarOpsTest::addArithmetic(const std::string &name, unsigned arity,
                                  ArrayRef<const char *> types) {
  static const char *const kOperands[] = {" %p", " %p, %q", " %p, %q, %r"};
  for (const char *type : types)
    program.add(name + kOperands[arity - 1] + " : " + type, type, type);
}

template <typename Op>
void ScalarOpsTest::addCompare(const std::string &name,
                               ArrayRef<const char *> types) {
  using Predicate = decltype(Op().getPredicate());
  for (uint64_t i = 0;; ++i) {
    StringRef predicate = arith::stringifyEnum(static_cast<Predicate>(i));
    if (predicate.empty())
      return;
    for (const char *type : types)
      program.add(name + " " + predicate.str() + ", %p, %q : " + type, type,
                  "i1");
  }
}

/// Converts indices from or to i64, because buffers cannot have index elements.
template <typename Op>
void ScalarOpsTest::addCasts(const std::string &name) {
  SmallVector<std::string> types(std::begin(kFloats), std::end(kFloats));
  types.append(std::begin(kIntegers), std::end(kIntegers));
  types.push_back("index");
  for (const std::string &from : types)
    for (const std::string &to : types) {
      if (!Op::areCastCompatible(parseType(from, &context),
                                 parseType(to, &context)))
        continue;
      std::string signature = " : " + from + " to " + to;
      if (from == "index")
        program.add(name + " %i" + signature, "i64", to,
                    "%i = arith.index_cast %p : i64 to index\n");
      else if (to == "index")
        program.add("arith.index_cast %i : index to i64", from, "i64",
                    "%i = " + name + " %p" + signature + "\n");
      else
        program.add(name + " %p" + signature, from, to);
    }
}

TEST_F(ScalarOpsTest, Names) {
#define IPU_SCALAR_OP(DIALECT, OP, NAME, JIT)                                  \
  EXPECT_EQ(DIALECT::OP##Op::getOperationName(), NAME);
#define IPU_RANDOM_OP(OP, NAME, NOTE)                                          \
  EXPECT_EQ(OP##Op::getOperationName(), NAME);
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
}

TEST_F(ScalarOpsTest, FloatArithmetic) {
#define IPU_FLOAT_OP(DIALECT, OP, NAME, ARITY, JIT, VALUE, NOTE)               \
  addArithmetic(NAME, ARITY, kFloats);
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
  check(program);
}

TEST_F(ScalarOpsTest, IntegerArithmetic) {
#define IPU_INTEGER_OP(DIALECT, OP, NAME, ARITY, JIT, VALUE, NOTE)             \
  addArithmetic(NAME, ARITY, kIntegers);
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
  check(program);
}

TEST_F(ScalarOpsTest, Comparisons) {
#define IPU_COMPARE_OP(DIALECT, OP, NAME, KIND, JIT, VALUE, NOTE)              \
  addCompare<DIALECT::OP##Op>(NAME, k##KIND##s);
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
  check(program);
}

TEST_F(ScalarOpsTest, Selections) {
#define IPU_SELECT_OP(DIALECT, OP, NAME, JIT, VALUE, NOTE)                     \
  for (std::string type : kFloats)                                             \
    program.add(NAME " %s, %q, %r : " + type, type, type,                      \
                "%s = arith.cmpf olt, %p, %q : " + type + "\n");               \
  for (std::string type : kIntegers)                                           \
    program.add(NAME " %s, %q, %r : " + type, type, type,                      \
                "%s = arith.cmpi slt, %p, %q : " + type + "\n");
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
  check(program);
}

TEST_F(ScalarOpsTest, Casts) {
#define IPU_CAST_OP(DIALECT, OP, NAME, JIT, VALUE, NOTE)                       \
  addCasts<DIALECT::OP##Op>(NAME);
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
  check(program);
}
