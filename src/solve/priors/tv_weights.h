// Weights lambda_i of the total-variation prior, from one strength rho for all sites:
//
//     lambda_i = rho 2 h_i s_i / s^2
//
// h_i is the root mean square of the column norms of A_i, s_i the noise of the site and 1 / s^2 the
// weight of its data (s = s_i where the noise is known). 2 h_i s_i / s^2 is the size of the
// gradient of the data term at a pixel if the residual is noise, so rho has no unit. `other`, which
// has no data, takes the numbers of XRT.
#pragma once

#include <vector>

#include "model/problem.h"

namespace firm {

// ||A||_F / sqrt(pixels) of one image's matrix, with all weights 1, to about 1 %. Depends on
// nothing but the matrix.
double rms_column_norm(const ImageOperator& matrix, std::size_t pixels, int threads);

// Noise s_i of each hosted column: level * max(b) if level > 0, else that of the site. If the study
// does not know it: the guess (`guess`), or else 0.001 max(b), so that a strength given as a number
// acts on data without noise too; 0 if no value is above 0. `equal`: all slices of a variable have
// the root mean square of theirs.
std::vector<double> column_noise(const Problem& problem, double level, bool equal, bool guess);

// lambda of each hosted column at rho = 1, from its noise.
std::vector<double> unit_lambdas(const Problem& problem, const std::vector<double>& noise);

}  // namespace firm
