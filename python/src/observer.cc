#include "module.h"

namespace firm::python {
namespace {

template <typename T>
py::object or_none(const std::optional<T>& value) {
  return value ? py::cast(*value) : py::none();
}

// The keys of history.jsonl, where it has them.
py::dict record_dict(const RoundRecord& r, int limit) {
  py::dict record;
  record["round"] = r.round;
  record["limit"] = limit;
  record["seconds"] = r.seconds;
  record["objective"] = r.objective;
  record["step_norm"] = r.step_norm;
  record["constraint_violation"] = or_none(r.violation);
  record["kkt"] = r.kkt;
  record["residuals"] = r.residuals;
  record["error_to_truth"] = or_none(r.error);
  record["end"] = r.end;
  return record;
}

}  // namespace

PythonObserver::PythonObserver(py::object on_round, py::object on_event, py::object on_progress)
    : on_round_(std::move(on_round)),
      on_event_(std::move(on_event)),
      on_progress_(std::move(on_progress)) {}

template <typename... Arguments>
void PythonObserver::call(const py::object& function, Arguments&&... arguments) {
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!function.is_none()) function(std::forward<Arguments>(arguments)...);
  } catch (py::error_already_set& e) {
    if (!e.matches(PyExc_KeyboardInterrupt)) throw;
    interrupted_ = true;
  }
}

Observer PythonObserver::observer() {
  Observer observer;
  observer.on_round = [this](const RoundRecord& r, int limit) {
    const py::gil_scoped_acquire held;
    solving_ = true;
    call(on_round_, record_dict(r, limit));
  };
  observer.interrupted = [this] {
    const py::gil_scoped_acquire held;
    call(py::none());
    return interrupted_;
  };
  observer.on_event = [this](const std::string& line) {
    const py::gil_scoped_acquire held;
    call(on_event_, line);
  };
  // Before the first round there is no state to keep: Ctrl-C leaves at once. After it, results are
  // written.
  observer.progress = [this](const std::string& step, double fraction) {
    const py::gil_scoped_acquire held;
    call(on_progress_, step, fraction);
    if (!interrupted_ || solving_) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  };
  return observer;
}

ArrayView view_of(const FloatArray& array) {
  constexpr py::ssize_t kFloat = sizeof(float);
  return {array.data(),
          static_cast<std::size_t>(array.shape(0)),
          static_cast<std::size_t>(array.shape(1)),
          static_cast<std::size_t>(array.shape(2)),
          array.strides(0) / kFloat,
          array.strides(1) / kFloat,
          array.strides(2) / kFloat};
}

std::shared_ptr<const void> owner_of(const std::vector<py::object>& objects) {
  auto* kept = new std::vector<py::object>(objects);
  return {kept, [](const void* pointer) {
            const py::gil_scoped_acquire held;
            delete static_cast<const std::vector<py::object>*>(pointer);
          }};
}

}  // namespace firm::python
