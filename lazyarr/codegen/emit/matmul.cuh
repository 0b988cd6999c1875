//: Products of matrices of float64 on tensor cores, and what is computed of their elements.
//: Written for lazyarr; cuda_matmul.py describes the algorithm.

//# copy_ahead
__device__ __forceinline__ void copy_ahead(unsigned char* to, const double* from, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from),
                     "r"(there ? 16 : 0) : "memory");
}
__device__ __forceinline__ void end_of_slice() {
    asm volatile("cp.async.commit_group;" : : : "memory");
}
template <int left> __device__ __forceinline__ void await_slices() {
    asm volatile("cp.async.wait_group %0;" : : "n"(left) : "memory");
}

//# multiply_add
template <class Pair>
__device__ __forceinline__ void multiply_add(
    double (&sums)[4], Pair right, Pair right4, double left, double left4) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(right.lane[0]), "d"(right.lane[1]), "d"(right4.lane[0]), "d"(right4.lane[1]),
          "d"(left), "d"(left4));
#else
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        const double other = (k < 2 ? right : right4).lane[k % 2];
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
            "{%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(sums[k % 2 * 2]), "+d"(sums[k % 2 * 2 + 1])
            : "d"(other), "d"(k < 2 ? left : left4));
    }
#endif
}

//# product_tile
// Leaves a tile of a product in shared memory, each row's pairs of elements in their own order.
template <class Pair, int rows, int columns, int depth, int stages>
__device__ __forceinline__ void product_tile(
    unsigned char* shared, const double* __restrict__ left, const double* __restrict__ right,
    const int m, const int n, const int k, const long long left_stride,
    const long long right_stride, const int first_row, const int first_column) {
    const int down = rows / 32, threads = $warp * down * (columns / 64);
    const int left_bytes = rows * depth * 8, right_bytes = depth * columns * 8;
    const unsigned int thread = threadIdx.x, lane = thread % $warp, warp = thread / $warp;
    const unsigned int group = lane / 4, place = lane % 4;
    const unsigned int warp_row = warp % down * 32, warp_column = warp / down * 64;
    unsigned char* const left_slices = shared;
    unsigned char* const right_slices = shared + stages * left_bytes;

    // What this thread copies: a pair of some rows on the left, and of some rows on the right.
    // Beyond a matrix it copies zeros.
    const int pairs = columns / 2, lines = threads / pairs, apart = threads / 8;
    const int left_row = thread / 8, left_pair = thread % 8;
    const int right_row = thread / pairs, right_pair = thread % pairs;
    const int row = first_row + left_row, column = first_column + 2 * right_pair;
    const double* left_from = left + row * left_stride + 2 * left_pair;
    const double* right_from = right + right_row * right_stride + column;
    unsigned char* const left_to =
        left_slices + left_row * 128 + (left_pair ^ left_row % 4 * 2) * 16;
    unsigned char* const right_to =
        right_slices + right_row * columns * 8 + (right_pair ^ right_row % 4 * 2) * 16;
    int copied = 0;
    auto copy = [&](int slot) {
        #pragma unroll
        for (int i = 0; i < rows / apart; ++i) {
            copy_ahead(left_to + slot * left_bytes + i * apart * 128,
                       left_from + i * apart * left_stride,
                       row + i * apart < m && copied + 2 * left_pair < k);
        }
        #pragma unroll
        for (int i = 0; i < depth / lines; ++i) {
            copy_ahead(right_to + slot * right_bytes + i * lines * columns * 8,
                       right_from + i * lines * right_stride,
                       column < n && copied + right_row + i * lines < k);
        }
        left_from += depth;
        right_from += depth * right_stride;
        copied += depth;
    };

    // What it multiplies: half of a slice of its warp.
    struct Half { double left[4][2]; Pair right[4][2]; };
    const unsigned int left_at = (warp_row + group) * 128 + group % 4 * 32 + place * 8;
    const unsigned int right_at = place * columns * 8 + warp_column * 8 + (group ^ place * 2) * 16;
    auto load = [&](Half& half, int slot, int which) {
        #pragma unroll
        for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int h = 0; h < 2; ++h) {
                const unsigned int at = (left_at + slot * left_bytes) ^ (2 * which + h) * 32;
                half.left[i][h] = *(const double*)(left_slices + at + i * 8 * 128);
                half.right[i][h] = *(const Pair*)(right_slices + right_at + slot * right_bytes
                                                  + (8 * which + 4 * h) * columns * 8 + i * 128);
            }
        }
    };
    double sums[4][4][4] = {};
    auto multiply = [&](const Half& half) {
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                multiply_add(sums[i][j], half.right[j][0], half.right[j][1],
                             half.left[i][0], half.left[i][1]);
            }
        }
    };

    #pragma unroll 1
    for (int slot = 0; slot < stages; ++slot) {
        if (copied < k) copy(slot);
        end_of_slice();
    }
    await_slices<stages - 1>();
    __syncthreads();
    Half even, odd;
    load(even, 0, 0);
    int slot = 0;
    #pragma unroll 1
    for (int done = 0; done < k; done += depth) {
        load(odd, slot, 1);
        multiply(even);
        await_slices<stages - 2>();
        __syncthreads();
        if (copied < k) copy(slot);
        end_of_slice();
        slot = slot == stages - 1 ? 0 : slot + 1;
        load(even, slot, 0);  // after the last slice what is there already, and not used
        multiply(odd);
    }
    await_slices<0>();
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        #pragma unroll
        for (int h = 0; h < 2; ++h) {
            unsigned char* const row = shared + (warp_row + i * 8 + 2 * place + h) * columns * 8;
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                const unsigned int pair = (warp_column / 2 + j * 8 + group) ^ place * 2;
                *(Pair*)(row + pair * 16) = Pair{{sums[i][j][h], sums[i][j][2 + h]}};
            }
        }
    }
    __syncthreads();
}

//# tile_pair
template <class Pair, int columns>
__device__ __forceinline__ Pair tile_pair(const unsigned char* shared, int row, int pair) {
    return *(const Pair*)(shared + row * columns * 8 + (pair ^ row / 2 % 4 * 2) * 16);
}

//# small_product
template <class T, int n> struct __align__(n * sizeof(T)) lanes_of { T lane[n]; };
__device__ __forceinline__ float with_product(float a, float b, float sum) {
    return fmaf(a, b, sum);
}
__device__ __forceinline__ double with_product(double a, double b, double sum) {
    return fma(a, b, sum);
}
// Leaves sums of products of some rows and some vectors of columns, in the order of the terms.
template <int rows, int row_step, int vectors, int width, int vector_step, int terms, int pitch,
          class T>
__device__ __forceinline__ void small_product(
    const T* __restrict__ left, const T* __restrict__ right, T* __restrict__ sums) {
    const int each = 16 / sizeof(T);
    #pragma unroll
    for (int i = 0; i < rows * vectors * width; ++i) sums[i] = 0;
    #pragma unroll 2
    for (int first = 0; first + each <= terms; first += each) {
        lanes_of<T, each> factors[rows];
        #pragma unroll
        for (int i = 0; i < rows; ++i) {
            factors[i] = *(const lanes_of<T, each>*)(left + i * row_step + first);
        }
        #pragma unroll
        for (int k = 0; k < each; ++k) {
            #pragma unroll
            for (int v = 0; v < vectors; ++v) {
                const lanes_of<T, width> others = *(const lanes_of<T, width>*)(
                    right + (first + k) * pitch + v * vector_step);
                #pragma unroll
                for (int i = 0; i < rows; ++i) {
                    #pragma unroll
                    for (int j = 0; j < width; ++j) {
                        T& sum = sums[(i * vectors + v) * width + j];
                        sum = with_product(factors[i].lane[k], others.lane[j], sum);
                    }
                }
            }
        }
    }
    #pragma unroll
    for (int k = terms / each * each; k < terms; ++k) {
        #pragma unroll
        for (int v = 0; v < vectors; ++v) {
            const lanes_of<T, width> others = *(const lanes_of<T, width>*)(
                right + k * pitch + v * vector_step);
            #pragma unroll
            for (int i = 0; i < rows; ++i) {
                #pragma unroll
                for (int j = 0; j < width; ++j) {
                    T& sum = sums[(i * vectors + v) * width + j];
                    sum = with_product(left[i * row_step + k], others.lane[j], sum);
                }
            }
        }
    }
}

//# each
//: Without branches for what is rare, the code of several elements is computed side by side, step
//: by step.
#define EACH _Pragma("unroll") for (int k = 0; k < n; ++k)
__device__ __forceinline__ double of(double x, int k) { return x; }
template <int n>
__device__ __forceinline__ double of(const double (&x)[n], int k) { return x[k]; }
__device__ __forceinline__ unsigned int high_word(double x) {
    return (unsigned int)(__double_as_longlong(x) >> 32);
}
// Whether a number is zero, not finite, or so large or small that divisions need care.
__device__ __forceinline__ bool extreme(double x) {
    return high_word(x) * 2u - (100u << 21) >= 1800u << 21;
}

//# divide_or
//: An inverse by Newton's method, and a quotient corrected by its exact remainder: rounded as
//: divisions are (P. Markstein, Computation of elementary functions on the IBM RISC System/6000
//: processor, 1990), so that its bits are those of the operator.
template <int n, class X, class Y>
__device__ __forceinline__ void divide_or(
    double (&result)[n], const X& x, const Y& y, bool& rare) {
    double inverse[n], error[n];
    EACH asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse[k]) : "d"(of(y, k)));
    EACH error[k] = fma(-of(y, k), inverse[k], 1.0);
    EACH error[k] = fma(error[k], error[k], error[k]);
    EACH inverse[k] = fma(inverse[k], error[k], inverse[k]);
    EACH error[k] = fma(-of(y, k), inverse[k], 1.0);
    EACH inverse[k] = fma(inverse[k], error[k], inverse[k]);
    EACH result[k] = of(x, k) * inverse[k];
    EACH error[k] = fma(-of(y, k), result[k], of(x, k));
    EACH result[k] = fma(inverse[k], error[k], result[k]);
    EACH rare |= extreme(of(x, k)) || extreme(of(y, k)) || extreme(result[k]);
}

//# exp_or
//: The steps of exponential of helpers.cuh, for several elements at once: its bits.
template <int n, class X>
__device__ __forceinline__ void exp_or(double (&result)[n], const X& x, bool& rare) {
    double shifted[n], rest[n];
    EACH shifted[k] = fma(of(x, k), __longlong_as_double(0x3ff71547652b82feLL), 6755399441055744.0);
    EACH result[k] = shifted[k] - 6755399441055744.0;
    EACH rest[k] = fma(result[k], __longlong_as_double(0xbfe62e42fefa39efLL), of(x, k));
    EACH rest[k] = fma(result[k], __longlong_as_double(0xbc7abc9e3b39803fLL), rest[k]);
    EACH result[k] = fma(__longlong_as_double(0x3e5ad7f6d7911672LL), rest[k],
                         __longlong_as_double(0x3e928ad72d147d89LL));
    EACH result[k] = fma(result[k], rest[k], __longlong_as_double(0x3ec71df2552af8d3LL));
    EACH result[k] = fma(result[k], rest[k], __longlong_as_double(0x3efa0199a0c611a8LL));
    EACH result[k] = fma(result[k], rest[k], __longlong_as_double(0x3f2a01a012a57cd8LL));
    EACH result[k] = fma(result[k], rest[k], __longlong_as_double(0x3f56c16c1842a147LL));
    EACH result[k] = fma(result[k], rest[k], __longlong_as_double(0x3f81111111127be4LL));
    EACH result[k] = fma(result[k], rest[k], __longlong_as_double(0x3fa555555555087cLL));
    EACH result[k] = fma(result[k], rest[k], __longlong_as_double(0x3fc55555555554faLL));
    EACH result[k] = fma(result[k], rest[k], __longlong_as_double(0x3fe000000000000aLL));
    EACH result[k] = fma(result[k], rest[k], 1.0);
    EACH result[k] = fma(result[k], rest[k], 1.0);
    EACH {
        // Below -746 it is 0, and what lies between, or is not finite, is rare.
        const unsigned int high = high_word(of(x, k));
        const bool nothing = high >= 0xc0875000u && high < 0xfff00000u;
        rare |= high * 2u >= 0x40862000u * 2u && !nothing;
        const long long turns = __double_as_longlong(shifted[k]) & 0xffffffffLL;
        const double scaled = __longlong_as_double(__double_as_longlong(result[k]) + (turns << 52));
        result[k] = nothing ? 0.0 : scaled;
    }
}
