// Projector: the discrete Radon transform A of one geometry, and its transpose.
//
//     forward:  y = A x      x: pixels x columns,  y: rays x columns
//     adjoint:  x = A^T y
//
// Blocks may have any number of columns. Results do not depend on the number of threads, bit for
// bit. The bytes of a column do not depend on the other columns either, nor on their number, among
// projectors of the same kernel and geometry that are made for three or more columns; nor among
// those made for one or two. Between the two groups results agree to rounding.
//
// All memory is taken when the projector is made, if its Blocks have as many columns as it is made
// for. One projector serves one call at a time: it owns scratch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firm/block.h"
#include "firm/geometry.h"

namespace firm {

struct ProjectorOptions {
  // "auto" takes the fastest kernel this processor can run, or the one that the environment
  // variable FIRM_KERNEL names; see kernel_names().
  std::string kernel = "auto";
  // Threads to use; 0 means all that the process may use.
  int threads = 0;
  // Columns for which scratch memory is set aside. A call with more columns works through them in
  // several passes; a call with fewer leaves part of it unused.
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

  // Name of the kernel that is active, for reports.
  virtual std::string kernel() const = 0;
  // Memory the projector holds: scratch, or a stored matrix.
  virtual std::size_t bytes() const = 0;

 private:
  virtual void do_forward(const Block& x, Block& y) = 0;
  virtual void do_adjoint(const Block& y, Block& x) = 0;

  Geometry geometry_;
};

// Throws firm::Error for a bad geometry or a kernel this processor does not have.
std::unique_ptr<Projector> make_projector(const Geometry& geometry,
                                          const ProjectorOptions& options = {});

// Kernels that can be forced on this processor: "reference" and one "strip-<target>" for each
// vector instruction set, best first.
std::vector<std::string> kernel_names();

}  // namespace firm
