// What is kept of a chunk that is done, in a file of its own, until all are and the run's files are
// written. It is a NeXus file of images like images.h5, so that they can be looked at meanwhile.
#pragma once

#include <string>
#include <vector>

#include "io/files/image_file.h"
#include "run/store/run_json.h"
#include "run/store/run_output.h"

namespace firm {

struct ChunkResult {
  ChunkFacts facts;
  std::string identity;  // what it is the result of
  std::string stop;      // the rules by which it ended
  std::string history;   // its lines

  bool converged() const { return facts.summary.termination.converged; }
};

// Replaces the file once it is complete.
void write_chunk(const std::string& path, const ImageGrid& grid, const ChunkResult& result,
                 const std::vector<Variable>& variables, const RunImages& images);
// Without the images. Throws firm::Error when the file is damaged.
ChunkResult read_chunk(const std::string& path);

// Rules that decide only when to stop, as text: a chunk that has not converged goes on under
// others.
std::string stop_text(const SolveOptions& options);

// All chunks as one run: rounds are the most of any, times, exchanges, bytes and objectives add up,
// residuals, errors and the certificate are those of the whole, and the termination is that of the
// first chunk that has not converged, else of the last.
Summary join_chunks(const std::vector<ChunkResult>& results);

// The images of all chunks, read from their files when they are asked for.
RunImages join_images(const std::vector<std::string>& paths,
                      const std::vector<ChunkResult>& results,
                      const std::vector<Variable>& variables, const ImageGrid& grid);

}  // namespace firm
