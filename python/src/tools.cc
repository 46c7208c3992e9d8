#include "module.h"

namespace firm::python {
namespace {

// (frames, slices, beamlets): a view of values that are read, which it owns.
template <typename Read>
py::array scan_values(const ScanFile& scan, const Read& read) {
  auto* block = new Block();
  const py::capsule owner(block, [](void* pointer) { delete static_cast<Block*>(pointer); });
  {
    const py::gil_scoped_release released;
    *block = read();
  }
  const auto slices = static_cast<py::ssize_t>(block->columns());
  const auto beamlets = static_cast<py::ssize_t>(scan.beamlets());
  const auto frames = static_cast<py::ssize_t>(block->rows()) / beamlets;
  constexpr py::ssize_t kFloat = sizeof(float);
  return {py::dtype::of<float>(),
          {frames, slices, beamlets},
          {kFloat * beamlets * slices, kFloat, kFloat * slices},
          block->data(),
          owner};
}

py::dict axis_dict(const FloatArray& data, std::vector<double> theta, std::optional<double> middle,
                   std::optional<double> width, bool logarithms) {
  AxisRequest request;
  request.arrays.data = view_of(data);
  request.arrays.theta = std::move(theta);
  request.middle = middle;
  request.width = width;
  request.logarithms = logarithms;
  FoundAxis axis;
  {
    const py::gil_scoped_release released;
    axis = find_axis(request);
  }
  py::dict result;
  result["found"] = axis.found;
  result["axis"] = axis.axis;
  result["uncertainty"] = axis.uncertainty;
  result["contrast"] = axis.contrast;
  result["warnings"] = axis.warnings;
  return result;
}

}  // namespace

void add_tools(py::module_& m) {
  py::class_<ScanFile>(m, "ScanFile")
      .def(py::init([](const std::string& path, const std::string& element,
                       const std::string& angles, const std::string& axes,
                       const std::string& angle_unit) {
             return std::make_unique<ScanFile>(path, ScanChoice{element, angles, axes, angle_unit});
           }),
           py::arg("path"), py::arg("element"), py::arg("angles"), py::arg("axes"),
           py::arg("angle_unit"))
      .def_property_readonly("format", &ScanFile::format)
      .def_property_readonly("elements", &ScanFile::elements)
      .def_property_readonly("element", &ScanFile::element)
      .def_property_readonly("units", &ScanFile::units)
      .def_property_readonly("angles", &ScanFile::angles)
      .def_property_readonly("slices", &ScanFile::slices)
      .def_property_readonly("beamlets", &ScanFile::beamlets)
      .def_property_readonly("spacing", &ScanFile::spacing)
      .def_property_readonly("rotation_axis", &ScanFile::rotation_axis)
      .def(
          "values",
          [](const ScanFile& scan, std::size_t first, std::size_t count) {
            return scan_values(scan, [&] { return scan.values(first, count); });
          },
          py::arg("first"), py::arg("count"))
      .def("flat",
           [](const ScanFile& scan) { return scan_values(scan, [&] { return scan.flat(); }); })
      .def("dark",
           [](const ScanFile& scan) { return scan_values(scan, [&] { return scan.dark(); }); });
  m.def(
      "inspect",
      [](const std::string& path, const std::string& element, const std::string& angles,
         const std::string& axes, const std::string& angle_unit, const std::string& monitor,
         PythonObserver& watch) {
        const py::gil_scoped_release released;
        return inspect_scan({path, {element, angles, axes, angle_unit}, monitor}, watch.observer());
      },
      py::arg("path"), py::arg("element"), py::arg("angles"), py::arg("axes"),
      py::arg("angle_unit"), py::arg("monitor"), py::arg("observer"));
  m.def(
      "simulate",
      [](const std::string& directory, const Pairs& options, PythonObserver& watch) {
        const py::gil_scoped_release released;
        return simulate_study(directory, options, watch.observer());
      },
      py::arg("directory"), py::arg("options"), py::arg("observer"));
  m.def("find_axis", &axis_dict, py::arg("data"), py::arg("theta"), py::arg("middle"),
        py::arg("width"), py::arg("logarithms"));
  m.def(
      "align",
      [](const std::string& study, const std::string& out, const std::string& refine, int threads,
         PythonObserver& watch) {
        const py::gil_scoped_release released;
        return to_json(align_study({study, out, refine, threads}, watch.observer()));
      },
      py::arg("study"), py::arg("out"), py::arg("refine"), py::arg("threads"), py::arg("observer"));
  m.def(
      "calibrate",
      [](const std::string& study, const std::string& out, int threads, PythonObserver& watch) {
        const py::gil_scoped_release released;
        return to_json(calibrate_study({study, out, threads}, watch.observer()), out);
      },
      py::arg("study"), py::arg("out"), py::arg("threads"), py::arg("observer"));
  m.def("attenuation_coefficient", &attenuation_coefficient, py::arg("formula"), py::arg("kev"));
  m.def("describe_options", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> rows;
    for (const OptionText& o : describe_options({})) rows.emplace_back(o.key, o.value, o.help);
    return rows;
  });
  m.def("method_names", &method_names);
}

}  // namespace firm::python
