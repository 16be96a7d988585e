//===- ScalarOpsTest.cpp - Scalar ops on both engines ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTestUtils.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// A program with one codelet for each scalar op: `out = op(a, b, c)`.
class ScalarProgram {
public:
  ScalarProgram() { head << "module {\n"; }

  void addUnary(const std::string &op, const std::string &type) {
    add(op + " %p : " + type, type, type);
  }
  void addBinary(const std::string &op, const std::string &type) {
    add(op + " %p, %q : " + type, type, type);
  }
  void addCast(const std::string &op, const std::string &from,
               const std::string &to) {
    add(op + " %p : " + from + " to " + to, from, to);
  }
  void add(const std::string &op, const std::string &type,
           const std::string &result) {
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
         << ", %o : " << result << "):\n%v = " << op
         << "\nlinalg.yield %v : " << result << "\n}\n}\nipu.stream @\"" << op
         << " #" << number << "\" device_to_host : tensor<" << kSize << "x"
         << result << ">\n";
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
};
} // namespace

static const char *const kFloats[] = {"f8E4M3FN", "f8E5M2", "f16",
                                      "bf16",     "f32",    "f64"};
static const char *const kIntegers[] = {"i1", "i8", "i16", "i32", "i64"};

static unsigned getWidth(const std::string &type) {
  return std::stoi(type.substr(type.find_first_of("0123456789")));
}

TEST_F(ScalarOpsTest, FloatArithmetic) {
  ScalarProgram program;
  for (const char *type : kFloats) {
    for (const char *op :
         {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf",
          "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"})
      program.addBinary(op, type);
    for (const char *op :
         {"arith.negf", "math.sqrt", "math.absf", "math.floor", "math.ceil",
          "math.trunc", "math.round", "math.roundeven"})
      program.addUnary(op, type);
    program.add(std::string("math.fma %p, %q, %r : ") + type, type, type);
  }
  check(program);
}

TEST_F(ScalarOpsTest, FloatComparisons) {
  ScalarProgram program;
  for (const char *type : kFloats)
    for (const char *predicate :
         {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq",
          "ugt", "uge", "ult", "ule", "une", "uno", "true"})
      program.add(std::string("arith.cmpf ") + predicate + ", %p, %q : " + type,
                  type, "i1");
  check(program);
}

TEST_F(ScalarOpsTest, IntegerArithmetic) {
  ScalarProgram program;
  for (const char *type : kIntegers) {
    for (const char *op :
         {"arith.addi", "arith.subi", "arith.muli", "arith.divsi",
          "arith.divui", "arith.remsi", "arith.remui", "arith.andi",
          "arith.ori", "arith.xori", "arith.shli", "arith.shrsi", "arith.shrui",
          "arith.maxsi", "arith.maxui", "arith.minsi", "arith.minui"})
      program.addBinary(op, type);
    program.addUnary("math.absi", type);
    for (const char *predicate :
         {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
      program.add(std::string("arith.cmpi ") + predicate + ", %p, %q : " + type,
                  type, "i1");
  }
  program.add("arith.select %p, %q, %r : i1", "i1", "i1");
  check(program);
}

TEST_F(ScalarOpsTest, Conversions) {
  ScalarProgram program;
  for (const char *from : kFloats) {
    for (const char *to : kFloats) {
      if (getWidth(from) < getWidth(to))
        program.addCast("arith.extf", from, to);
      if (getWidth(from) > getWidth(to))
        program.addCast("arith.truncf", from, to);
    }
    for (const char *to : kIntegers) {
      program.addCast("arith.fptosi", from, to);
      program.addCast("arith.fptoui", from, to);
      program.addCast("arith.sitofp", to, from);
      program.addCast("arith.uitofp", to, from);
      if (getWidth(from) == getWidth(to)) {
        program.addCast("arith.bitcast", from, to);
        program.addCast("arith.bitcast", to, from);
      }
    }
  }
  for (const char *from : kIntegers)
    for (const char *to : kIntegers) {
      if (getWidth(from) < getWidth(to)) {
        program.addCast("arith.extsi", from, to);
        program.addCast("arith.extui", from, to);
      }
      if (getWidth(from) > getWidth(to))
        program.addCast("arith.trunci", from, to);
    }
  check(program);
}
