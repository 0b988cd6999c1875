//: Functions that the CUDA C++ of generated kernels calls. Written for lazyarr; a section's remarks
//: name the public sources of algorithms and constants. The printer puts those used in front of a
//: kernel, in the order of this file.

//# half_to_float
__device__ __forceinline__ float half_to_float(unsigned short half) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(half));
    return wide;
}

//# float_to_half
__device__ __forceinline__ unsigned short float_to_half(float value) {
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}

//# double_to_half
__device__ __forceinline__ unsigned short double_to_half(double value) {
    unsigned short half;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(half) : "d"(value));
    return half;
}

//# wave
//: Sine and cosine of float32, with one copy of what large arguments need: most of the code, and
//: compiling it for each element of a thread takes longest. Quarter turns are taken off with pi / 2
//: in three parts (W. J. Cody, W. Waite, "Software manual for the elementary functions", 1980), and
//: off large arguments by digits of 2 / pi (M. Payne, R. Hanek, "Radian reduction for trigonometric
//: functions", SIGNUM 18, 1983). tools/polynomials.py computes the constants, and
//: tools/function_errors.py the errors: at most 1.54 units in the last place.
__device__ __forceinline__ float wave(float rest, int turns) {
    const bool odd = turns & 1;
    const float square = rest * rest;
    const float first = odd ? 1.0f : rest;
    float high = odd ? fmaf(__int_as_float(0x37ccf406), square, __int_as_float(0xbab60614))
                     : __int_as_float(0xb94ca9ff);
    high = fmaf(high, square, __int_as_float(odd ? 0x3d2aaaa5 : 0x3c0883bc));
    high = fmaf(high, square, __int_as_float(odd ? 0xbf000000 : 0xbe2aaaa3));
    const float value = fmaf(high, fmaf(square, first, 0.0f), first);
    return turns & 2 ? fmaf(value, -1.0f, 0.0f) : value;
}

// The quarter turns in x are the fraction of x * 2 / pi: of the digits of 2 / pi, those count that
// neither give whole turns of the circle nor lie below what a float holds.
__device__ __noinline__ float wave_of_large(float x, int quarters) {
    if (fabsf(x) == __int_as_float(0x7f800000)) {
        return x * 0.0f;
    }
    const unsigned int digits[6] = {0x3c439041u, 0xdb629599u, 0xf534ddc0u,
                                    0xfc2757d1u, 0x4e441529u, 0xa2f9836eu};
    const unsigned int bits = (unsigned int)__float_as_int(x);
    const unsigned int mantissa = bits << 8 | 0x80000000u;
    const int exponent = (int)(bits >> 23 & 255u) - 128;
    unsigned long long sum = 0;
    unsigned int low = 0, middle = 0, high = 0;
    #pragma unroll 1
    for (int k = 0; k <= 6 - exponent / 32; ++k) {
        sum = (sum >> 32) + (k < 6 ? (unsigned long long)digits[k] * mantissa : 0);
        low = middle;
        middle = high;
        high = (unsigned int)sum;
    }
    const int shift = exponent % 32;
    high = __funnelshift_l(middle, high, shift);
    middle = __funnelshift_l(low, middle, shift);
    const unsigned int top = __funnelshift_l(middle, high, 2);
    const bool beyond = top >> 31;  // the nearest whole quarter is the next one
    const int turns = (int)(high >> 30) + beyond;
    unsigned long long part = (unsigned long long)top << 32 | middle << 2;
    part = beyond ? ~part : part;
    const float rest = (float)((double)(long long)part
                               * __longlong_as_double(0x3bf921fb54442d18LL));
    const bool negative = bits >> 31;
    return wave(negative != beyond ? -rest : rest, (negative ? -turns : turns) + quarters);
}

__device__ __forceinline__ float wave_of(float x, int quarters) {
    if (fabsf(x) >= 105615.0f) {
        return wave_of_large(x, quarters);
    }
    const int turns = __float2int_rn(x * __int_as_float(0x3f22f983));
    const float whole = (float)turns;
    float rest = fmaf(whole, __int_as_float(0xbfc90fda), x);
    rest = fmaf(whole, __int_as_float(0xb3a22168), rest);
    rest = fmaf(whole, __int_as_float(0xa7c234c5), rest);
    return wave(rest, turns + quarters);
}

//# sine
__device__ __forceinline__ float sine(float x) { return wave_of(x, 0); }

//# cosine
__device__ __forceinline__ float cosine(float x) { return wave_of(x, 1); }

//# exponential
//: Of float64: 2**n * exp(r) with r = x - n ln 2, as W. J. Cody and W. Waite split it. The same
//: steps as exp_or of matmul.cuh, so that a kernel behind a product has the same bits as one that
//: is fused with it. tools/polynomials.py computes the constants, and tools/function_errors.py the
//: errors: below one unit in the last place.
__device__ __forceinline__ double exponential(double x) {
    const double shifted = fma(x, __longlong_as_double(0x3ff71547652b82feLL), 6755399441055744.0);
    const double turns = shifted - 6755399441055744.0;
    double rest = fma(turns, __longlong_as_double(0xbfe62e42fefa39efLL), x);
    rest = fma(turns, __longlong_as_double(0xbc7abc9e3b39803fLL), rest);
    double result = fma(__longlong_as_double(0x3e5ad7f6d7911672LL), rest,
                        __longlong_as_double(0x3e928ad72d147d89LL));
    result = fma(result, rest, __longlong_as_double(0x3ec71df2552af8d3LL));
    result = fma(result, rest, __longlong_as_double(0x3efa0199a0c611a8LL));
    result = fma(result, rest, __longlong_as_double(0x3f2a01a012a57cd8LL));
    result = fma(result, rest, __longlong_as_double(0x3f56c16c1842a147LL));
    result = fma(result, rest, __longlong_as_double(0x3f81111111127be4LL));
    result = fma(result, rest, __longlong_as_double(0x3fa555555555087cLL));
    result = fma(result, rest, __longlong_as_double(0x3fc55555555554faLL));
    result = fma(result, rest, __longlong_as_double(0x3fe000000000000aLL));
    result = fma(result, rest, 1.0);
    result = fma(result, rest, 1.0);
    const int whole = (int)__double_as_longlong(shifted);
    if (fabs(x) < 708.0) {
        const long long word = __double_as_longlong(result) + ((long long)whole << 52);
        return __longlong_as_double(word);
    }
    if (!(fabs(x) < 746.0)) {
        return x < 0.0 ? 0.0 : x + __longlong_as_double(0x7ff0000000000000LL);
    }
    // What may overflow, or lose bits at the other end, is scaled in two steps: one rounding.
    const int half = whole / 2;
    result *= __longlong_as_double((long long)(half + 1023) << 52);
    return result * __longlong_as_double((long long)(whole - half + 1023) << 52);
}

//# remainder_of_doubles
//: The library's function is a long loop with branches: one copy does for all of a thread's
//: elements. Float32's is shorter, and calls of it take up to a sixth of a kernel's time.
__device__ __noinline__ double remainder_of(double x, double y) { return fmod(x, y); }

//# quotient
//: Of float32 the result is that of a division of float32: no quotient of two lies so near the
//: middle between two that the first rounding would matter.
__device__ __noinline__ double quotient(double x, double y) { return x / y; }

//# divisor
//: A quotient whose remainder is exact can be corrected to the rounded one by an inverse that is
//: rounded itself (P. Markstein, Computation of elementary functions on the IBM RISC System/6000
//: processor, 1990); it is that near because what rounding took from the inverse is added. Sizes
//: are such that nothing on the way under- or overflows.
struct divisor { double by, inverse, rest; unsigned int sizes; };

__device__ __forceinline__ divisor divisor_of(double by) {
    const long long word = __double_as_longlong(by);
    const unsigned int size = (unsigned int)(word >> 32) & 0x7fffffffu;
    const bool ones = (word & 0xfffffffffffffLL) == 0xfffffffffffffLL;
    const double inverse = quotient(1.0, by);
    const double rest = fma(-inverse, by, 1.0) * inverse;
    return {by, inverse, rest, size - 0x20b00000u < 0x3e800000u && !ones ? 0x3c000000u : 0u};
}

__device__ __forceinline__ double divided(double x, const divisor& d) {
    const unsigned int size = (unsigned int)(__double_as_longlong(x) >> 32) & 0x7fffffffu;
    const double near = fma(x, d.inverse, x * d.rest);
    double result = fma(fma(-near, d.by, x), d.inverse, near);
    if (size - 0x23300000u >= d.sizes) {
        result = x == 0.0 && d.sizes ? x * d.inverse : quotient(x, d.by);
    }
    return result;
}

//# philox
//: Philox4x32-10 and its constants are those of J. Salmon et al., "Parallel random numbers: as easy
//: as 1, 2, 3", SC11 (2011), doi:10.1145/2063384.2063405.
//: Of 32-bit numbers, whose products have 64 bits: one instruction of a GPU. With all rounds
//: written out, kernels that store random numbers take 1.04 to 1.1 of the time.
struct words { unsigned long long first, second; };

// Philox4x32-10
__device__ __forceinline__ words philox(
    unsigned long long block, unsigned long long draw, unsigned long long key) {
    unsigned int c0 = block, c1 = block >> 32, c2 = draw, c3 = draw >> 32;
    unsigned int k0 = key, k1 = key >> 32;
    #pragma unroll 5
    for (int round = 0; round < 10; ++round) {
        const unsigned long long p0 = 0xd2511f53ULL * c0;
        const unsigned long long p1 = 0xcd9e8d57ULL * c2;
        c0 = (unsigned int)(p1 >> 32) ^ c1 ^ k0;
        c1 = (unsigned int)p1;
        c2 = (unsigned int)(p0 >> 32) ^ c3 ^ k1;
        c3 = (unsigned int)p0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return {c1 * 0x100000000ULL + c0, c3 * 0x100000000ULL + c2};
}

//# quotient_of_index
__device__ __forceinline__ int quotient_of_index(int index, int factor, int shift) {
    return (int)(__umulhi((unsigned int)index, (unsigned int)factor) >> shift);
}

//# positions_in
//: Bisection without branches (P.-V. Khuong, P. Morin, "Array layouts for comparison-based
//: searching", JEA 22, 2017), of several values at a time. Steps that are longer than the cache has
//: banks are odd, so that what the lanes of a warp look at lies in many of them. NaN lies behind
//: all numbers.
template <bool right, int count, class Element, class Number>
__device__ __forceinline__ void positions_in(
    const Element* __restrict__ sorted, const long long step, const int length,
    const Number* values, int* places) {
    bool has_nan = false;
    #pragma unroll
    for (int k = 0; k < count; ++k) {
        places[k] = 0;
        has_nan = has_nan || values[k] != values[k];
    }
    for (int left = length; left > 0;) {
        const int half = left > 32 ? (left - 1) / 2 | 1 : (left + 1) / 2;
        #pragma unroll
        for (int k = 0; k < count; ++k) {
            const Number other = sorted[(places[k] + half - 1) * step];
            if (right ? other <= values[k] : other < values[k]) places[k] += half;
        }
        left -= half;
    }
    if (!has_nan) return;
    for (int k = 0; k < count; ++k) {
        if (values[k] == values[k]) continue;
        int place = right ? length : 0;
        for (int left = length - place; left > 0;) {
            const int half = (left + 1) / 2;
            const Number other = sorted[(place + half - 1) * step];
            if (other == other) place += half;
            left -= half;
        }
        places[k] = place;
    }
}

//# prefetch
//: A hint, of a line of 128 bytes: whether it is followed changes no result.
__device__ __forceinline__ void prefetch(const void* place) {
#if __CUDA_ARCH__ >= 800
    asm volatile("prefetch.global.L2::evict_last [%0];" : : "l"(place));
#else
    asm volatile("prefetch.global.L2 [%0];" : : "l"(place));
#endif
}

//# load_some
template <class Vector, class Element, class Count>
__device__ __forceinline__ Vector load_some(const Element* place, Count left) {
    const int width = sizeof(Vector) / sizeof(Element);
    Vector vector = {};
    if (left >= width) {
        vector = *(const Vector*)place;
    } else {
        #pragma unroll
        for (int k = 0; k < width - 1; ++k) {
            if (k < left) vector.lane[k] = place[k];
        }
    }
    return vector;
}

//# store_some
template <class Vector, class Element, class Count>
__device__ __forceinline__ void store_some(Element* place, Count left, Vector value) {
    const int width = sizeof(Vector) / sizeof(Element);
    if (left >= width) {
        *(Vector*)place = value;
    } else {
        #pragma unroll
        for (int k = 0; k < width - 1; ++k) {
            if (k < left) place[k] = value.lane[k];
        }
    }
}

//# store_passing
template <class Vector>
__device__ __forceinline__ void store_passing(Vector* place, Vector value) {
    const int parts = sizeof(Vector) / 16;
    union { Vector whole; unsigned int word[parts][4]; } split = {value};
    #pragma unroll
    for (int k = 0; k < parts; ++k) {
        asm volatile("st.global.cs.v4.b32 [%0], {%1, %2, %3, %4};"
                     : : "l"((char*)place + 16 * k), "r"(split.word[k][0]), "r"(split.word[k][1]),
                         "r"(split.word[k][2]), "r"(split.word[k][3]) : "memory");
    }
}
