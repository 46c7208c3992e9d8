#include "module.h"

namespace firm::python {
namespace {

// A site's arrays, as Python passes them.
struct PythonArrays {
  FloatArray data;
  std::optional<FloatArray> white;
  std::optional<FloatArray> dark;
  std::vector<double> theta;
  std::string units;

  SiteArrays arrays() const {
    SiteArrays a;
    std::vector<py::object> owned = {data};
    a.data = view_of(data);
    if (white) a.white = view_of(*white);
    if (dark) a.dark = view_of(*dark);
    if (white) owned.push_back(*white);
    if (dark) owned.push_back(*dark);
    a.theta = theta;
    a.units = units;
    a.owner = owner_of(owned);
    return a;
  }
};

RunRequest request_of(const std::string& study, const std::string& text,
                      const std::map<std::string, PythonArrays>& arrays, const Pairs& settings,
                      const std::string& truth) {
  RunRequest request{study, text, {}, settings, truth};
  for (const auto& [name, site] : arrays) request.arrays[name] = site.arrays();
  return request;
}

Existing existing_of(const std::string& text) {
  if (text == "overwrite") return Existing::kOverwrite;
  if (text == "resume") return Existing::kResume;
  return Existing::kRefuse;
}

// A run in memory, and whether Ctrl-C has ended it.
struct KeptRun {
  Run run;
  bool interrupted = false;
};

std::unique_ptr<KeptRun> run_in_memory(const RunRequest& request, PythonObserver& watch) {
  const py::gil_scoped_release released;
  Run run(request, watch.observer());
  return std::make_unique<KeptRun>(KeptRun{std::move(run), watch.interrupted()});
}

// (slices, rows, columns), a view of the solution that keeps the run alive and cannot be written.
py::array image_view(const py::object& self, const std::string& name) {
  const Run& run = self.cast<const KeptRun&>().run;
  const Solution& s = run.solution();
  run.units(name);  // throws if there is no such image
  const auto at = std::find(s.names.begin(), s.names.end(), name) - s.names.begin();
  const auto slices = static_cast<py::ssize_t>(s.slices());
  const auto rows = static_cast<py::ssize_t>(run.study().image_rows);
  const auto columns = static_cast<py::ssize_t>(run.study().image_columns);
  const auto pixel = static_cast<py::ssize_t>(s.images.columns() * sizeof(float));
  py::array view(py::dtype::of<float>(), {slices, rows, columns},
                 {static_cast<py::ssize_t>(sizeof(float)), pixel * columns, pixel},
                 s.images.data() + at * slices, self);
  view.attr("flags").attr("writeable") = false;
  return view;
}

// Moves a block of pixels x slices into an array (slices, rows, columns), which owns it.
py::array array_of(StoredImages images) {
  auto* block = new Block(std::move(images.values));
  const py::capsule owner(block, [](void* pointer) { delete static_cast<Block*>(pointer); });
  const auto slices = static_cast<py::ssize_t>(block->columns());
  const auto rows = static_cast<py::ssize_t>(images.rows);
  const auto columns = static_cast<py::ssize_t>(images.columns);
  const py::ssize_t pixel = slices * static_cast<py::ssize_t>(sizeof(float));
  return {py::dtype::of<float>(),
          {slices, rows, columns},
          {static_cast<py::ssize_t>(sizeof(float)), pixel * columns, pixel},
          block->data(),
          owner};
}

py::tuple stored_images(const std::string& path, const std::string& name) {
  StoredImages images;
  {
    const py::gil_scoped_release released;
    images = read_stored_images(path, name);
  }
  const std::string quantity = images.quantity;
  const std::string units = images.units;
  return py::make_tuple(array_of(std::move(images)), quantity, units);
}

py::dict directory_run(const RunRequest& request, const std::string& out,
                       const std::string& existing, std::optional<std::uint64_t> max_memory,
                       bool separate, PythonObserver& watch) {
  DirectoryRun run;
  {
    const py::gil_scoped_release released;
    run = run_in_directory({request, out, existing_of(existing), max_memory, separate},
                           watch.observer());
  }
  py::dict result;
  result["complete"] = run.complete;
  result["interrupted"] = watch.interrupted();
  result["warnings"] = run.warnings;
  return result;
}

void save(const KeptRun& self, const std::string& directory, bool overwrite) {
  const py::gil_scoped_release released;
  self.run.save(directory, overwrite ? Existing::kOverwrite : Existing::kRefuse);
}

void draw(const KeptRun& self, const std::string& path) {
  const py::gil_scoped_release released;
  self.run.draw(path);
}

}  // namespace

void add_runs(py::module_& m) {
  py::class_<PythonArrays>(m, "Arrays")
      .def(py::init([](FloatArray data, std::optional<FloatArray> white,
                       std::optional<FloatArray> dark, std::vector<double> theta,
                       std::string units) {
             return PythonArrays{std::move(data), std::move(white), std::move(dark),
                                 std::move(theta), std::move(units)};
           }),
           py::arg("data"), py::arg("white"), py::arg("dark"), py::arg("theta"), py::arg("units"));
  py::class_<RunRequest>(m, "Request")
      .def(py::init(&request_of), py::arg("study"), py::arg("text"), py::arg("arrays"),
           py::arg("settings"), py::arg("truth"));
  py::class_<PythonObserver>(m, "Observer")
      .def(py::init<py::object, py::object, py::object>(), py::arg("on_round"), py::arg("on_event"),
           py::arg("on_progress"));
  py::class_<KeptRun>(m, "Run")
      .def_readonly("interrupted", &KeptRun::interrupted)
      .def_property_readonly("names", [](const KeptRun& r) { return r.run.solution().names; })
      .def("image", &image_view, py::arg("name"))
      .def("quantity", [](const KeptRun& r, const std::string& n) { return r.run.quantity(n); })
      .def("units", [](const KeptRun& r, const std::string& n) { return r.run.units(n); })
      .def("summary", [](const KeptRun& r) { return r.run.summary(); })
      .def("history", [](const KeptRun& r) { return r.run.history(); })
      .def("warnings", [](const KeptRun& r) { return r.run.warnings(); })
      .def_property_readonly("pixel_size",
                             [](const KeptRun& r) { return r.run.study().pixel_size; })
      .def("save", &save, py::arg("directory"), py::arg("overwrite"))
      .def("draw", &draw, py::arg("path"));
  m.def("run_in_memory", &run_in_memory, py::arg("request"), py::arg("observer"));
  m.def("run_in_directory", &directory_run, py::arg("request"), py::arg("out"), py::arg("existing"),
        py::arg("max_memory"), py::arg("separate"), py::arg("observer"));
  m.def("stored_images", &stored_images, py::arg("path"), py::arg("name"));
  py::class_<StudyOutline>(m, "Outline")
      .def_readonly("name", &StudyOutline::name)
      .def_readonly("rows", &StudyOutline::rows)
      .def_readonly("columns", &StudyOutline::columns)
      .def_readonly("slices", &StudyOutline::slices)
      .def_readonly("pixel_size", &StudyOutline::pixel_size)
      .def_readonly("sites", &StudyOutline::sites);
  m.def("read_outline", &read_outline, py::arg("study"));
  m.def("stored_image_names", &stored_image_names, py::arg("path"));
}

}  // namespace firm::python
