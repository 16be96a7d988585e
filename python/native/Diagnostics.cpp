//===- Diagnostics.cpp - Diagnostics and exceptions -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "ipu-mlir/Support/LocationName.h"
#include "mlir/IR/Location.h"
#include <pybind11/stl.h>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::python;
namespace py = pybind11;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static StringRef getName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  llvm_unreachable("covered switch");
}

static Message makeMessage(Diagnostic &diagnostic) {
  Location loc = diagnostic.getLocation();
  Message message;
  message.severity = getName(diagnostic.getSeverity()).str();
  message.text = diagnostic.str();
  if (StringAttr name = getLocationName(loc))
    message.name = name.str();
  // A walk visits a callee before its caller.
  loc->walk([&](Location part) {
    if (auto position = dyn_cast<FileLineColLoc>(part))
      message.positions.emplace_back(position.getFilename().str(),
                                     position.getLine(), position.getColumn());
    return WalkResult::advance();
  });
  for (Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(makeMessage(note));
  return message;
}

static std::string printPlace(const Message::Position &position) {
  auto [file, line, column] = position;
  std::string text = file + ":" + std::to_string(line);
  return column > 0 ? text + ":" + std::to_string(column) : text;
}

std::string Message::print() const {
  std::string text;
  if (!positions.empty())
    text = printPlace(positions.front()) + ": ";
  text += severity + ": " + this->text;
  for (const Message &note : notes)
    text += "\n" + note.print();
  return text;
}

MessageCollector::MessageCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        messages.push_back(makeMessage(diagnostic));
        return success();
      }) {}

unsigned MessageCollector::countErrors() const {
  return llvm::count_if(messages, [](const Message &message) {
    return message.severity == "error";
  });
}

bool MessageCollector::hasErrors() const {
  return countErrors() > 0 || !reports.getMessages().empty();
}

std::vector<Message> MessageCollector::take() {
  std::vector<Message> taken = std::move(messages);
  messages.clear();
  for (const std::string &report : reports.getMessages())
    taken.push_back({"error", report, {}, {}, {}});
  return taken;
}

//===----------------------------------------------------------------------===//
// Exceptions
//===----------------------------------------------------------------------===//

namespace {
struct ExceptionInfo {
  const char *name;
  ErrorKind base;
  const char *doc;
};
} // namespace

static constexpr ExceptionInfo kExceptions[] = {
    {"Error", ErrorKind::Base, "An error that diagnostics describe."},
    {"CompileError", ErrorKind::Base,
     "A text is not valid, or a program cannot be compiled or loaded."},
    {"RunError", ErrorKind::Base, "A run failed."},
    {"ExpectationError", ErrorKind::Run,
     "Only expectations of a run did not hold."},
    {"Stopped", ErrorKind::Run, "A run was stopped."},
};

/// The exceptions of the module, by ErrorKind. They are never destroyed.
static PyObject *exceptions[std::size(kExceptions)];

void python::bindDiagnostics(py::module_ &module) {
  py::class_<Message>(module, "Diagnostic")
      .def_readonly("severity", &Message::severity)
      .def_readonly("message", &Message::text)
      .def_property_readonly("file",
                             [](const Message &message) {
                               return std::get<0>(message.getPosition());
                             })
      .def_property_readonly("line",
                             [](const Message &message) {
                               return std::get<1>(message.getPosition());
                             })
      .def_property_readonly("column",
                             [](const Message &message) {
                               return std::get<2>(message.getPosition());
                             })
      .def_readonly("positions", &Message::positions)
      .def_readonly("name", &Message::name)
      .def_readonly("notes", &Message::notes)
      .def("__str__", &Message::print)
      .def("__repr__", [](const Message &message) {
        return "<Diagnostic " + message.print() + ">";
      });
  for (auto [number, info] : llvm::enumerate(kExceptions)) {
    PyObject *base =
        number == 0 ? PyExc_Exception : exceptions[size_t(info.base)];
    std::string name =
        py::str(module.attr("__name__")).cast<std::string>() + "." + info.name;
    PyObject *type =
        PyErr_NewExceptionWithDoc(name.c_str(), info.doc, base, nullptr);
    if (!type)
      throw py::error_already_set();
    exceptions[number] = type;
    module.add_object(info.name, py::handle(type).inc_ref());
  }
}

/// Adds where `message` is, and its notes, to the notes of `exception`.
static void addNotes(py::object &exception, const Message &message) {
  auto add = [&](const std::string &note) { exception.attr("add_note")(note); };
  for (const Message::Position &position : message.positions)
    add("  at " + printPlace(position));
  for (const Message &note : message.notes)
    add("note: " + note.text +
        (note.positions.empty()
             ? ""
             : " (" + printPlace(note.positions.front()) + ")"));
}

void python::raiseError(ErrorKind kind, std::vector<Message> messages,
                        const std::string &text) {
  std::string errors;
  for (const Message &message : messages)
    if (message.severity == "error")
      errors += (errors.empty() ? "" : "\n") + message.text;
  py::handle type(exceptions[size_t(kind)]);
  py::object exception = type(errors.empty() ? text : errors);
  for (const Message &message : messages)
    if (message.severity == "error")
      addNotes(exception, message);
  exception.attr("diagnostics") = std::move(messages);
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

void python::raiseValueError(llvm::Error error) {
  throw py::value_error(llvm::toString(std::move(error)));
}
