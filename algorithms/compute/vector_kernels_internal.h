// The source of every table of vector kernels: included by one file for each instruction set,
// compiled with that set's flags. Uses nothing inline from elsewhere, since the linker might keep
// the copy of it that only some CPUs can run.

#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "algorithms/compute/vector_kernels.h"

namespace spuna::algorithms {
namespace {

using Float8 [[gnu::vector_size(32)]] = float;
using Float16 [[gnu::vector_size(64)]] = float;
using Double8 [[gnu::vector_size(64)]] = double;

inline Double8 LoadDoubles(const float* values) {
#if defined(__AVX512F__)
  return static_cast<Double8>(_mm512_cvtps_pd(_mm256_loadu_ps(values)));
#else
  Float8 floats;
  __builtin_memcpy(&floats, values, sizeof(floats));
  return __builtin_convertvector(floats, Double8);
#endif
}

inline Double8 Load8(const double* values) {
  Double8 doubles;
  __builtin_memcpy(&doubles, values, sizeof(doubles));
  return doubles;
}

// One order of summation whatever the registers.
inline double SumOfLanes(const Double8& lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

// To kRows rows at once: their sums do not wait for each other.
template <std::size_t kRows>
inline void DistancesToSome(const float* query, const float* const* rows, std::size_t dimension,
                            double* distances) {
  Double8 lanes[kRows] = {};
  std::size_t i = 0;
  for (; i + 8 <= dimension; i += 8) {
    const Double8 values = LoadDoubles(query + i);
    for (std::size_t r = 0; r < kRows; ++r) {
      const Double8 difference = values - LoadDoubles(rows[r] + i);
      lanes[r] += difference * difference;
    }
  }
  for (std::size_t lane = 0; i < dimension; ++i, ++lane) {
    for (std::size_t r = 0; r < kRows; ++r) {
      const double difference = static_cast<double>(query[i]) - static_cast<double>(rows[r][i]);
      lanes[r][lane] += difference * difference;
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) distances[r] = SumOfLanes(lanes[r]);
}

void SquaredDistances(const float* query, const float* const* rows, std::size_t num_rows,
                      std::size_t dimension, double* distances) {
  std::size_t r = 0;
  for (; r + 4 <= num_rows; r += 4) DistancesToSome<4>(query, rows + r, dimension, distances + r);
  for (; r < num_rows; ++r) DistancesToSome<1>(query, rows + r, dimension, distances + r);
}

double SquaredNorm(const float* row, std::size_t dimension) {
  Double8 lanes{};
  std::size_t i = 0;
  for (; i + 8 <= dimension; i += 8) {
    const Double8 values = LoadDoubles(row + i);
    lanes += values * values;
  }
  for (std::size_t lane = 0; i < dimension; ++i, ++lane) {
    lanes[lane] += static_cast<double>(row[i]) * row[i];
  }
  return SumOfLanes(lanes);
}

void Center(const float* row, const float* center, float scale, std::size_t dimension,
            float* centered) {
  for (std::size_t i = 0; i < dimension; ++i) centered[i] = row[i] * scale - center[i];
}

void StandardizeRow(const float* row, const double* mean, const double* inverse, double largest,
                    std::size_t dimension, float* standardized) {
  std::size_t i = 0;
  for (; i + 8 <= dimension; i += 8) {
    Double8 value = (LoadDoubles(row + i) - Load8(mean + i)) * Load8(inverse + i);
    value = value < largest ? value : Double8{} + largest;
    value = value > -largest ? value : Double8{} - largest;
    const Float8 floats = __builtin_convertvector(value, Float8);
    __builtin_memcpy(standardized + i, &floats, sizeof(floats));
  }
  for (; i < dimension; ++i) {
    double value = (row[i] - mean[i]) * inverse[i];
    value = value < largest ? value : largest;
    value = value > -largest ? value : -largest;
    standardized[i] = static_cast<float>(value);
  }
}

// The interval that holds a squared distance, from its product.
struct Interval {
  float lower;
  float upper;
};

inline Interval IntervalOf(float product, float bank_norm, float query_norm, ProductError error) {
  const float norms = bank_norm + query_norm;
  const float value = norms + product;
  const float slack = error.relative * norms + error.absolute;
  return {value - slack, value + slack};
}

// The bits of the number, or of 0 if it is negative.
inline std::uint32_t BitsOf(float upper) {
  return upper > 0 ? __builtin_bit_cast(std::uint32_t, upper) : 0;
}

// The plain way, for any row.
inline std::size_t AppendOneByOne(const float* products, const float* bank_norms, std::size_t begin,
                                  std::size_t end, std::uint32_t first, float query_norm,
                                  ProductError error, float limit, const CandidateArrays& list,
                                  std::size_t length) {
  for (std::size_t j = begin; j < end; ++j) {
    const Interval interval = IntervalOf(products[j], bank_norms[j], query_norm, error);
    // Written always, kept or overwritten by the next: no branch to mispredict.
    list.lower[length] = interval.lower;
    list.upper_bits[length] = BitsOf(interval.upper);
    list.row[length] = first + static_cast<std::uint32_t>(j);
    length += interval.lower <= limit ? 1 : 0;
  }
  return length;
}

std::size_t AppendNear(const float* products, const float* bank_norms, std::size_t count,
                       std::uint32_t first, float query_norm, ProductError error, float limit,
                       const CandidateArrays& list, std::size_t length) {
  std::size_t j = 0;
#if defined(__AVX512F__)
  const __m512 query_norms = _mm512_set1_ps(query_norm);
  const __m512 relative = _mm512_set1_ps(error.relative);
  const __m512 absolute = _mm512_set1_ps(error.absolute);
  const __m512 limits = _mm512_set1_ps(limit);
  const __m512i offsets = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (; j + 16 <= count; j += 16) {
    const __m512 norms = _mm512_add_ps(_mm512_loadu_ps(bank_norms + j), query_norms);
    const __m512 value = _mm512_add_ps(norms, _mm512_loadu_ps(products + j));
    const __m512 slack = _mm512_add_ps(_mm512_mul_ps(relative, norms), absolute);
    const __m512 lower = _mm512_sub_ps(value, slack);
    const __mmask16 near = _mm512_cmp_ps_mask(lower, limits, _CMP_LE_OQ);
    if (near == 0) continue;
    const __m512 upper = _mm512_max_ps(_mm512_add_ps(value, slack), _mm512_setzero_ps());
    const __m512i rows = _mm512_add_epi32(
        _mm512_set1_epi32(static_cast<int>(first + static_cast<std::uint32_t>(j))), offsets);
    // Compressed in the register: a compressing store is slow on some CPUs.
    _mm512_storeu_ps(list.lower + length, _mm512_maskz_compress_ps(near, lower));
    _mm512_storeu_si512(list.upper_bits + length,
                        _mm512_maskz_compress_epi32(near, _mm512_castps_si512(upper)));
    _mm512_storeu_si512(list.row + length, _mm512_maskz_compress_epi32(near, rows));
    length += static_cast<std::size_t>(__builtin_popcount(near));
  }
#elif defined(__AVX2__)
  const __m256 query_norms = _mm256_set1_ps(query_norm);
  const __m256 relative = _mm256_set1_ps(error.relative);
  const __m256 absolute = _mm256_set1_ps(error.absolute);
  const __m256 limits = _mm256_set1_ps(limit);
  for (; j + 8 <= count; j += 8) {
    const __m256 norms = _mm256_add_ps(_mm256_loadu_ps(bank_norms + j), query_norms);
    const __m256 value = _mm256_add_ps(norms, _mm256_loadu_ps(products + j));
    const __m256 slack = _mm256_add_ps(_mm256_mul_ps(relative, norms), absolute);
    const __m256 lower = _mm256_sub_ps(value, slack);
    auto near = static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(lower, limits, _CMP_LE_OQ)));
    for (; near != 0; near &= near - 1) {
      const std::size_t i = j + static_cast<std::size_t>(__builtin_ctz(near));
      length = AppendOneByOne(products, bank_norms, i, i + 1, first, query_norm, error, limit, list,
                              length);
    }
  }
#else
  // Most rows are too far: they are compared many at once before one is looked at alone.
  constexpr std::size_t kGlance = 16;
  for (; j + kGlance <= count; j += kGlance) {
    unsigned num_near = 0;
    for (std::size_t g = j; g < j + kGlance; ++g) {
      num_near += IntervalOf(products[g], bank_norms[g], query_norm, error).lower <= limit ? 1 : 0;
    }
    if (num_near == 0) continue;
    length = AppendOneByOne(products, bank_norms, j, j + kGlance, first, query_norm, error, limit,
                            list, length);
  }
#endif
  return AppendOneByOne(products, bank_norms, j, count, first, query_norm, error, limit, list,
                        length);
}

std::size_t KeepNear(const CandidateArrays& list, std::size_t length, float limit) {
  std::size_t kept = 0;
  std::size_t i = 0;
#if defined(__AVX512F__)
  const __m512 limits = _mm512_set1_ps(limit);
  for (; i + 16 <= length; i += 16) {
    const __m512 lower = _mm512_loadu_ps(list.lower + i);
    const __m512i upper_bits = _mm512_loadu_si512(list.upper_bits + i);
    const __m512i rows = _mm512_loadu_si512(list.row + i);
    const __mmask16 near = _mm512_cmp_ps_mask(lower, limits, _CMP_LE_OQ);
    _mm512_storeu_ps(list.lower + kept, _mm512_maskz_compress_ps(near, lower));
    _mm512_storeu_si512(list.upper_bits + kept, _mm512_maskz_compress_epi32(near, upper_bits));
    _mm512_storeu_si512(list.row + kept, _mm512_maskz_compress_epi32(near, rows));
    kept += static_cast<std::size_t>(__builtin_popcount(near));
  }
#endif
  for (; i < length; ++i) {
    const bool near = list.lower[i] <= limit;
    list.lower[kept] = list.lower[i];
    list.upper_bits[kept] = list.upper_bits[i];
    list.row[kept] = list.row[i];
    kept += near ? 1 : 0;
  }
  return kept;
}

std::uint32_t Select(const std::uint32_t* values, std::size_t count, std::size_t num_least,
                     std::size_t num_most) {
  std::uint32_t low = values[0];
  std::uint32_t high = values[0];
  for (std::size_t i = 0; i < count; ++i) {
    low = values[i] < low ? values[i] : low;
    high = values[i] > high ? values[i] : high;
  }
  // Counting is so fast that halving the range beats moving values about.
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    std::uint32_t num = 0;
    for (std::size_t i = 0; i < count; ++i) num += values[i] <= middle ? 1 : 0;
    if (num < num_least) {
      low = middle + 1;
    } else {
      high = middle;
      if (num <= num_most) break;
    }
  }
  return high;
}

void StepOfAdam(const float* __restrict gradient, std::size_t count, const AdamStep& step,
                float* __restrict mean, float* __restrict square, float* __restrict parameters) {
  const AdamStep s = step;
  for (std::size_t i = 0; i < count; ++i) {
    mean[i] += s.mean_part * (gradient[i] - mean[i]);
    square[i] += s.square_part * (gradient[i] * gradient[i] - square[i]);
    parameters[i] =
        parameters[i] * s.shrink - s.rate * mean[i] / (__builtin_sqrtf(square[i]) + s.smallest);
  }
}

void AddRectified(const float* activations, float weight, std::size_t count, double* sums) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const Double8 values = LoadDoubles(activations + i);
    const Double8 sum = Load8(sums + i) + (values > 0 ? values : Double8{}) * weight;
    __builtin_memcpy(sums + i, &sum, sizeof(sum));
  }
  for (; i < count; ++i) {
    const float activation = activations[i] > 0 ? activations[i] : 0.0F;
    sums[i] += static_cast<double>(activation) * weight;
  }
}

inline Float8 Load8(const float* values) {
  Float8 floats;
  __builtin_memcpy(&floats, values, sizeof(floats));
  return floats;
}

double SquaredNormInSpreads(const float* row, const float* center, const float* inverse,
                            std::size_t dimension, float* largest) {
  // Two sums side by side: one would wait for itself.
  Float8 sums[2] = {};
  Float8 outermost[2] = {};
  std::size_t i = 0;
  for (; i + 16 <= dimension; i += 16) {
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t at = i + 8 * k;
      const Float8 z = (Load8(row + at) - Load8(center + at)) * Load8(inverse + at);
      const Float8 size = z < 0 ? -z : z;
      sums[k] += z * z;
      outermost[k] = size > outermost[k] ? size : outermost[k];
    }
  }
  for (std::size_t lane = 0; i < dimension; ++i, lane = (lane + 1) % 8) {
    const float z = (row[i] - center[i]) * inverse[i];
    const float size = z < 0 ? -z : z;
    sums[0][lane] += z * z;
    if (size > outermost[0][lane]) outermost[0][lane] = size;
  }
  double sum = 0;
  *largest = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      sum += sums[k][lane];
      if (outermost[k][lane] > *largest) *largest = outermost[k][lane];
    }
  }
  return sum;
}

inline Float16 Load16(const float* values) {
  Float16 floats;
  __builtin_memcpy(&floats, values, sizeof(floats));
  return floats;
}

// Sixteen values of a row in spreads.
inline Float16 InSpreads16(const float* row, const RowSpreads& spreads, std::size_t at) {
  Float16 z = (Load16(row + at) - Load16(spreads.center + at)) * Load16(spreads.inverse + at);
  z = z < spreads.largest ? z : Float16{} + spreads.largest;
  return z > -spreads.largest ? z : Float16{} - spreads.largest;
}

inline float InSpreads(const float* row, const RowSpreads& spreads, std::size_t at) {
  float z = (row[at] - spreads.center[at]) * spreads.inverse[at];
  z = z < spreads.largest ? z : spreads.largest;
  return z > -spreads.largest ? z : -spreads.largest;
}

void ProductsInSpreads(const float* const* rows, std::size_t num_rows, const RowSpreads& spreads,
                       const float* weights, float* products) {
  for (std::size_t r = 0; r < num_rows; ++r) {
    // Two sums side by side: one would wait for itself.
    Float16 sums[2] = {};
    std::size_t i = 0;
    for (; i + 32 <= spreads.dimension; i += 32) {
      sums[0] += InSpreads16(rows[r], spreads, i) * Load16(weights + i);
      sums[1] += InSpreads16(rows[r], spreads, i + 16) * Load16(weights + i + 16);
    }
    Float16 sum = sums[0] + sums[1];
    for (std::size_t lane = 0; i < spreads.dimension; ++i, lane = (lane + 1) % 16) {
      sum[lane] += InSpreads(rows[r], spreads, i) * weights[i];
    }
    for (std::size_t width = 8; width > 0; width /= 2) {
      for (std::size_t lane = 0; lane < width; ++lane) sum[lane] += sum[lane + width];
    }
    products[r] = sum[0];
  }
}

void AddInSpreads(const float* const* rows, std::size_t num_rows, const RowSpreads& spreads,
                  const float* factors, float* sums) {
  std::size_t i = 0;
  for (; i + 16 <= spreads.dimension; i += 16) {
    Float16 sum = Load16(sums + i);
    for (std::size_t r = 0; r < num_rows; ++r) {
      sum += InSpreads16(rows[r], spreads, i) * factors[r];
    }
    __builtin_memcpy(sums + i, &sum, sizeof(sum));
  }
  for (; i < spreads.dimension; ++i) {
    for (std::size_t r = 0; r < num_rows; ++r) {
      sums[i] += InSpreads(rows[r], spreads, i) * factors[r];
    }
  }
}

constexpr VectorKernels MakeKernels(const char* instruction_set) {
  return {instruction_set,      SquaredDistances,  SquaredNorm, Center,     StandardizeRow,
          AppendNear,           KeepNear,          Select,      StepOfAdam, AddRectified,
          SquaredNormInSpreads, ProductsInSpreads, AddInSpreads};
}

}  // namespace
}  // namespace spuna::algorithms
