#include "module.h"

#include <utility>

#include "firm/version.h"

namespace firm::python {
namespace {

const char* kind_of(const Error& error) {
  switch (error.kind()) {
    case Error::Kind::kUsage:
      return "usage";
    case Error::Kind::kData:
      return "data";
    case Error::Kind::kNetwork:
      break;
  }
  return "network";
}

}  // namespace

// Makes firm.Error, with the text of the command line and the attributes kind and exit_code.
void add_errors(py::module_& m) {
  static PyObject* type = PyErr_NewExceptionWithDoc(
      "firm.Error",
      "Wrong input: a file, a study, an option, the network. The text is that of the command "
      "line:\n"
      "where, field, what was expected, what was found.\n\n"
      "Attributes\n----------\n"
      "kind : str\n    'usage', 'data' or 'network'.\n"
      "exit_code : int\n    Exit code of the command line for this error.",
      PyExc_RuntimeError, nullptr);
  m.attr("Error") = py::handle(type);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const Error& e) {
      py::object error = py::reinterpret_borrow<py::object>(type)(e.what());
      error.attr("kind") = kind_of(e);
      error.attr("exit_code") = e.exit_code();
      PyErr_SetObject(type, error.ptr());
    }
  });
}

}  // namespace firm::python

PYBIND11_MODULE(_firm, m) {
  m.doc() = "Bindings of the library of FIRM; use the package firm.";
  m.attr("__version__") = firm::kVersion;
  firm::python::add_errors(m);
  firm::python::add_projector(m);
  firm::python::add_runs(m);
  firm::python::add_tools(m);
}
