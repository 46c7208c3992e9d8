// The Python module firm._firm: thin bindings of the public headers. python/firm/ wraps it.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "firm/firm.h"

namespace firm::python {

namespace py = pybind11;

// Numbers of any type and strides; converted to float32 only if they are of another type.
using FloatArray = py::array_t<float, py::array::forcecast>;
// Contiguous float32.
using PlainArray = py::array_t<float, py::array::c_style | py::array::forcecast>;

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Views (angles, slices, beamlets) of NumPy without a copy; the array lives as long as its owner.
ArrayView view_of(const FloatArray& array);
std::shared_ptr<const void> owner_of(const std::vector<py::object>& objects);

// Callbacks from Python: `on_round` takes a dict, `on_event` a text, `on_progress` a text and a
// number; each may be None. Ctrl-C ends the run, if it runs in the main thread of Python.
class PythonObserver {
 public:
  PythonObserver(py::object on_round, py::object on_event, py::object on_progress);

  // Refers to this object.
  Observer observer();
  bool interrupted() const { return interrupted_; }

 private:
  // Calls a function, which may be None. Ctrl-C during the call or before it is remembered.
  template <typename... Arguments>
  void call(const py::object& function, Arguments&&... arguments);

  py::object on_round_;
  py::object on_event_;
  py::object on_progress_;
  bool interrupted_ = false;
  bool solving_ = false;  // has seen a round
};

void add_errors(py::module_& m);
void add_projector(py::module_& m);
void add_runs(py::module_& m);
void add_tools(py::module_& m);

}  // namespace firm::python
