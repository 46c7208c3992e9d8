#include <cmath>
#include <mutex>

#include "module.h"

namespace firm::python {
namespace {

using ContiguousFloats = py::array_t<float, py::array::c_style>;

// A projector that threads of Python can share: one call at a time.
class SharedProjector {
 public:
  SharedProjector(const Geometry& geometry, const ProjectorOptions& options)
      : projector_(make_projector(geometry, options)) {}

  const Geometry& geometry() const { return projector_->geometry(); }
  std::string kernel() const { return projector_->kernel(); }

  void forward(const ContiguousFloats& x, ContiguousFloats& y) {
    apply(x, geometry().pixels(), y, geometry().rays(),
          [this](const Block& in, Block& out) { projector_->forward(in, out); });
  }
  void adjoint(const ContiguousFloats& y, ContiguousFloats& x) {
    apply(y, geometry().rays(), x, geometry().pixels(),
          [this](const Block& in, Block& out) { projector_->adjoint(in, out); });
  }
  double norm() {
    const py::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    return std::sqrt(spectral_norm(*projector_).lambda_max);
  }

 private:
  template <typename Product>
  void apply(const ContiguousFloats& in, std::size_t in_rows, ContiguousFloats& out,
             std::size_t out_rows, const Product& product) {
    const auto columns = static_cast<std::size_t>(in.size()) / in_rows;
    if (static_cast<std::size_t>(in.size()) != in_rows * columns ||
        static_cast<std::size_t>(out.size()) != out_rows * columns) {
      throw py::value_error("the arrays have other sizes than the projector");
    }
    // The projector only reads `in`.
    const Block from = Block::view(const_cast<float*>(in.data()), in_rows, columns);
    Block to = Block::view(out.mutable_data(), out_rows, columns);
    const py::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    product(from, to);
  }

  std::mutex mutex_;
  std::unique_ptr<Projector> projector_;
};

std::unique_ptr<SharedProjector> make(std::vector<double> angles, std::pair<int, int> image,
                                      double pixel_size, int beamlets, double spacing, double axis,
                                      std::vector<double> shifts, const std::string& kernel,
                                      int threads, int columns) {
  Geometry g;
  g.image_rows = image.first;
  g.image_columns = image.second;
  g.pixel_size = pixel_size;
  g.angles = std::move(angles);
  g.beamlets = beamlets;
  g.spacing = spacing;
  g.rotation_axis = axis;
  g.shifts = std::move(shifts);
  return std::make_unique<SharedProjector>(g, ProjectorOptions{kernel, threads, columns});
}

}  // namespace

void add_projector(py::module_& m) {
  py::class_<SharedProjector>(m, "Projector")
      .def(py::init(&make), py::arg("angles"), py::arg("image"), py::arg("pixel_size"),
           py::arg("beamlets"), py::arg("spacing"), py::arg("axis"), py::arg("shifts"),
           py::arg("kernel"), py::arg("threads"), py::arg("columns"))
      .def("forward", &SharedProjector::forward, py::arg("x").noconvert(), py::arg("y").noconvert())
      .def("adjoint", &SharedProjector::adjoint, py::arg("y").noconvert(), py::arg("x").noconvert())
      .def("norm", &SharedProjector::norm)
      .def_property_readonly("kernel", &SharedProjector::kernel);
  m.def("kernel_names", &kernel_names);
}

}  // namespace firm::python
