#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __launch_bounds__(...)
#define __shared__ static
#define __align__(n) alignas(n)
struct Place { int x; };
static Place threadIdx, blockIdx;
static int thread_count, finished;
// No power of two: all stacks would have their ends in the same lines of the cache.
static const int LARGEST = 1024, STACK = (1 << 16) + 65 * 64;
static jmp_buf scheduler, places[LARGEST];
static ucontext_t start;
static int where[LARGEST], parity[LARGEST];
static unsigned char slots[2][LARGEST][8];
static int within[LARGEST];
static inline void meet(int line, int warp = 1) {
    const int own = threadIdx.x;
    where[own] = line;
    within[own] = warp;
    if (!_setjmp(places[own])) _longjmp(scheduler, 1);
    threadIdx.x = own;
}
#define __syncthreads() meet(__LINE__, 0)
static bool votes[2][LARGEST];
static int voted[LARGEST];
static inline int any_of_block(bool value, int line) {
    const int own = threadIdx.x, side = voted[own];
    voted[own] ^= 1;
    votes[side][own] = value;
    meet(line, 0);
    bool any = false;
    for (int k = 0; k < thread_count; ++k) any |= votes[side][k];
    return any;
}
#define __syncthreads_or(value) any_of_block(value, __LINE__)
static inline void __threadfence() {}
static inline float sine(float x) { return sinf(x); }
static inline float cosine(float x) { return cosf(x); }
static inline double exponential(double x) { return exp(x); }
static inline double cospi(double x) { return cos(M_PI * x); }
static inline float cospif(float x) { return cosf((float)M_PI * x); }
static inline void prefetch(const void* place) { (void)*(volatile const char*)place; }
template <class Vector> static inline void store_passing(Vector* place, Vector value) { *place = value; }
template <class T> static inline T shuffle(T value, int other_lane, int line) {
    const int own = threadIdx.x, side = parity[own];
    parity[own] ^= 1;
    memcpy(slots[side][own], &value, sizeof value);
    meet(line);
    T other;
    memcpy(&other, slots[side][other_lane], sizeof other);
    return other;
}
static inline int lane_above(int distance, int lanes) {
    return threadIdx.x % lanes < distance ? threadIdx.x : threadIdx.x - distance;
}
static inline int lane_at(int number, int lanes) {
    return threadIdx.x / lanes * lanes + (unsigned int)number % lanes;
}
#define __shfl_xor_sync(mask, value, distance) shuffle(value, threadIdx.x ^ (distance), __LINE__)
#define __shfl_up_sync(mask, value, ...) SHUFFLED(value, lane_above, __VA_ARGS__, 32, 0)
#define __shfl_sync(mask, value, ...) SHUFFLED(value, lane_at, __VA_ARGS__, 32, 0)
#define SHUFFLED(value, find, number, lanes, ...) shuffle(value, find(number, lanes), __LINE__)
template <class T> static inline unsigned int match(T value, int line) {
    const int own = threadIdx.x, side = parity[own];
    parity[own] ^= 1;
    memcpy(&slots[side][own], &value, sizeof value);
    meet(line);
    unsigned int equal = 0;
    for (int k = 0; k < 32; ++k) {
        if (!memcmp(slots[side][own / 32 * 32 + k], &value, sizeof value)) equal |= 1U << k;
    }
    return equal;
}
#define __match_any_sync(mask, value) match(value, __LINE__)
static inline unsigned int ballot(bool value, int line) {
    const unsigned int equal = match(value, line);
    return value ? equal : ~equal;
}
#define __ballot_sync(mask, value) ballot(value, __LINE__)
static inline unsigned int least_of_warp(unsigned int value, int line) {
    const int own = threadIdx.x, side = parity[own];
    parity[own] ^= 1;
    memcpy(&slots[side][own], &value, sizeof value);
    meet(line);
    for (int k = 0; k < 32; ++k) {
        unsigned int other;
        memcpy(&other, slots[side][own / 32 * 32 + k], sizeof other);
        if (other < value) value = other;
    }
    return value;
}
#define __reduce_min_sync(mask, value) least_of_warp(value, __LINE__)
#define __syncwarp() meet(__LINE__)
#define __popc(x) __builtin_popcount(x)
#define __clz(x) __builtin_clz(x)
#define __umulhi(a, b) ((unsigned int)(((unsigned long long)(a) * (b)) >> 32))
template <class T> static inline T atomicAdd(T* counter, T value) {
    const T old = *counter;
    *counter += value;
    return old;
}
template <class T> static inline T atomicMax(T* place, T value) {
    const T old = *place;
    if (value > old) *place = value;
    return old;
}
template <class T> static inline T atomicMin(T* place, T value) {
    const T old = *place;
    if (value < old) *place = value;
    return old;
}
static inline unsigned int atomicOr(unsigned int* word, unsigned int value) {
    const unsigned int old = *word;
    *word |= value;
    return old;
}
static inline unsigned int atomicExch(unsigned int* word, unsigned int value) {
    const unsigned int old = *word;
    *word = value;
    return old;
}
static inline unsigned int atomicInc(unsigned int* counter, unsigned int most) {
    const unsigned int old = *counter;
    *counter = old >= most ? 0 : old + 1;
    return old;
}
template <class To, class From> static inline To bits(From from) {
    To to;
    static_assert(sizeof to == sizeof from, "");
    memcpy(&to, &from, sizeof to);
    return to;
}
#define __int_as_float(x) bits<float, int>((int)(x))
#define __float_as_int(x) bits<int, float>(x)
#define __longlong_as_double(x) bits<double, long long>((long long)(x))
#define __double_as_longlong(x) bits<long long, double>(x)
static inline void copy_ahead(unsigned char* to, const double* from, bool there) {
    if (there) memcpy(to, from, 16); else memset(to, 0, 16);
}
static inline void end_of_slice() {}
template <int left> static inline void await_slices() {}
// Of 16 x 8 results a lane has two in two rows; operands lie with four lanes beside one another.
static double rights[LARGEST][4], lefts[LARGEST][2];
template <class Pair>
static inline void multiply_add(double (&sums)[4], Pair right, Pair right4, double left, double left4) {
    const int own = threadIdx.x, first = own / 32 * 32, group = own % 32 / 4, place = own % 4;
    memcpy(rights[own], &right, 16);
    memcpy(rights[own] + 2, &right4, 16);
    lefts[own][0] = left;
    lefts[own][1] = left4;
    meet(__LINE__);
    for (int e = 0; e < 4; ++e) {
        for (int k = 0; k < 8; ++k) {
            const double a = rights[first + group * 4 + k % 4][k / 4 * 2 + e / 2];
            const double b = lefts[first + (place * 2 + e % 2) * 4 + k % 4][k / 4];
            sums[e] = fma(a, b, sums[e]);
        }
    }
    meet(__LINE__);
}
static inline double of(double x, int k) { return x; }
template <int n> static inline double of(const double (&x)[n], int k) { return x[k]; }
template <int n, class X, class Y>
static inline void divide_or(double (&found)[n], const X& x, const Y& y, bool& rare) {
    for (int k = 0; k < n; ++k) {
        found[k] = fabs(of(x, k)) < 1e200 && fabs(of(y, k)) > 1e-100 ? of(x, k) / of(y, k) : 77;
        rare |= found[k] == 77;
    }
}
template <int n, class X>
static inline void exp_or(double (&found)[n], const X& x, bool& rare) {
    for (int k = 0; k < n; ++k) {
        found[k] = fabs(of(x, k)) < 700 ? exp(of(x, k)) : 77;
        rare |= found[k] == 77;
    }
}
static inline float half_to_float(unsigned short half) { return (float)bits<_Float16>(half); }
static inline unsigned short float_to_half(float value) { return bits<unsigned short>((_Float16)value); }
static inline unsigned short double_to_half(double value) { return bits<unsigned short>((_Float16)value); }
