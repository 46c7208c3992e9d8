#include "core/parallel.h"

#include <omp.h>

namespace firm {

int thread_count(int requested) { return requested > 0 ? requested : omp_get_max_threads(); }

}  // namespace firm
