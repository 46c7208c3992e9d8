// Projector: the discrete Radon transform A of one geometry, and its transpose.
//
//     forward:  y = A x      x: pixels x columns,  y: rays x columns
//     adjoint:  x = A^T y
//
// Blocks may have any number of columns. Results are bit-identical for any number of threads. A
// column's result is also independent of the other columns and of their number, bit for bit, with
// one exception: projectors made for one or two columns and projectors made for three or more (same
// kernel and geometry) agree only to rounding.
//
// A projector owns scratch memory, so it serves one call at a time. It allocates only when it is
// made, as long as Blocks have the number of columns that it was made for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firm/block.h"
#include "firm/geometry.h"

namespace firm {

struct ProjectorOptions {
  // "auto" selects the kernel that the environment variable FIRM_KERNEL names, else the fastest one
  // this processor can run. For the names see kernel_names().
  std::string kernel = "auto";
  // Threads to use; 0 means all that the process may use.
  int threads = 0;
  // Columns to allocate scratch memory for. A call with more columns takes several passes; a call
  // with fewer leaves part of the scratch unused.
  int columns = 1;
};

class Projector {
 public:
  explicit Projector(Geometry geometry);
  virtual ~Projector() = default;
  Projector(const Projector&) = delete;
  Projector& operator=(const Projector&) = delete;

  const Geometry& geometry() const { return geometry_; }

  void forward(const Block& x, Block& y);
  void adjoint(const Block& y, Block& x);

  // Name of the active kernel, for reports.
  virtual std::string kernel() const = 0;
  // Bytes of memory the projector holds: scratch, or a stored matrix.
  virtual std::size_t bytes() const = 0;

 private:
  virtual void do_forward(const Block& x, Block& y) = 0;
  virtual void do_adjoint(const Block& y, Block& x) = 0;

  Geometry geometry_;
};

// Makes a projector. Throws firm::Error for an invalid geometry or a kernel this processor cannot
// run.
std::unique_ptr<Projector> make_projector(const Geometry& geometry,
                                          const ProjectorOptions& options = {});

// Names of the kernels this processor can run, for ProjectorOptions::kernel: "reference" and one
// "strip-<target>" for each vector instruction set, best first.
std::vector<std::string> kernel_names();

}  // namespace firm
