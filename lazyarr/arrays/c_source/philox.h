/* Random words, and numbers of them: Philox4x32-10 (J. Salmon et al.), as ops/random.py and random.md have it. What goes
   through a logarithm or a cosine is computed by the polynomials of Sun's fdlibm, to the same bits on every x86. */

#define PHILOX_ROUNDS 10
#define BLOCKS_AT_ONCE 8                     /* lanes of the loops below */
#define WORDS_AT_ONCE (2 * BLOCKS_AT_ONCE)   /* a block is two words */
#define LOW_HALF 0xffffffffu
#define PHILOX_FIRST 0xd2511f53u /* multipliers of a round, */
#define PHILOX_SECOND 0xcd9e8d57u
#define PHILOX_FIRST_STEP 0x9e3779b9u /* and what the halves of the key grow by from round to round */
#define PHILOX_SECOND_STEP 0xbb67ae85u

/* Without contractions of products and sums, which round otherwise: this processor's family has them from the next
   clone on. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define PLAIN_CLONES __attribute__((target_clones("default", "avx2")))
#define WITHOUT_ERRNO __attribute__((optimize("no-math-errno")))
#define PHILOX_BY_VECTORS
#else
#define PLAIN_CLONES
#define WITHOUT_ERRNO
#endif

/* Write the words of some blocks from one on: the low half of a counter is the number of its block, the high half
   that of the draw. The numbers of 32 bits are the lower halves of 64, whose upper halves mean nothing in between. */
static void
plain_words(npy_uint64 *restrict words, npy_uint64 first, npy_uint64 draw, npy_uint64 key)
{
    for (int k = 0; k < BLOCKS_AT_ONCE; k++) {
        npy_uint64 c0 = first + (npy_uint64)k, c1 = c0 >> 32, c2 = draw, c3 = draw >> 32, k0 = key, k1 = key >> 32;
        for (int round = 0; round < PHILOX_ROUNDS; round++) {
            npy_uint64 p0 = (c0 & LOW_HALF) * PHILOX_FIRST, p1 = (c2 & LOW_HALF) * PHILOX_SECOND;
            c0 = (p1 >> 32) ^ c1 ^ k0;
            c1 = p1;
            c2 = (p0 >> 32) ^ c3 ^ k1;
            c3 = p0;
            k0 += PHILOX_FIRST_STEP;
            k1 += PHILOX_SECOND_STEP;
        }
        words[2 * k] = (c0 & LOW_HALF) | c1 << 32;
        words[2 * k + 1] = (c2 & LOW_HALF) | c3 << 32;
    }
}

#ifdef PHILOX_BY_VECTORS
/* The same in two vectors of four lanes: compilers do not find the product of lower halves. */
__attribute__((target("avx2"))) static void
wide_words(npy_uint64 *restrict words, npy_uint64 first, npy_uint64 draw, npy_uint64 key)
{
    const __m256i low = _mm256_set1_epi64x(LOW_HALF), by_first = _mm256_set1_epi64x(PHILOX_FIRST);
    const __m256i by_second = _mm256_set1_epi64x(PHILOX_SECOND);
    __m256i c0[2], c1[2], c2[2], c3[2], k0 = _mm256_set1_epi64x((long long)key), k1 = _mm256_srli_epi64(k0, 32);
    for (int k = 0; k < 2; k++) {
        npy_uint64 block = first + 4 * (npy_uint64)k;
        c0[k] = _mm256_add_epi64(_mm256_set1_epi64x((long long)block), _mm256_set_epi64x(3, 2, 1, 0));
        c1[k] = _mm256_srli_epi64(c0[k], 32);
        c2[k] = _mm256_set1_epi64x((long long)draw);
        c3[k] = _mm256_srli_epi64(c2[k], 32);
    }
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        for (int k = 0; k < 2; k++) {
            __m256i p0 = _mm256_mul_epu32(c0[k], by_first), p1 = _mm256_mul_epu32(c2[k], by_second);
            c0[k] = _mm256_xor_si256(_mm256_srli_epi64(p1, 32), _mm256_xor_si256(c1[k], k0));
            c1[k] = p1;
            c2[k] = _mm256_xor_si256(_mm256_srli_epi64(p0, 32), _mm256_xor_si256(c3[k], k1));
            c3[k] = p0;
        }
        k0 = _mm256_add_epi64(k0, _mm256_set1_epi64x(PHILOX_FIRST_STEP));
        k1 = _mm256_add_epi64(k1, _mm256_set1_epi64x(PHILOX_SECOND_STEP));
    }
    for (int k = 0; k < 2; k++) {
        __m256i a = _mm256_or_si256(_mm256_and_si256(c0[k], low), _mm256_slli_epi64(c1[k], 32));
        __m256i b = _mm256_or_si256(_mm256_and_si256(c2[k], low), _mm256_slli_epi64(c3[k], 32));
        __m256i even = _mm256_unpacklo_epi64(a, b), odd = _mm256_unpackhi_epi64(a, b);
        _mm256_storeu_si256((__m256i *)(words + 8 * k), _mm256_permute2x128_si256(even, odd, 0x20));
        _mm256_storeu_si256((__m256i *)(words + 8 * k + 4), _mm256_permute2x128_si256(even, odd, 0x31));
    }
}
#endif

static void
philox_words(npy_uint64 *restrict words, npy_uint64 first, npy_uint64 draw, npy_uint64 key)
{
#ifdef PHILOX_BY_VECTORS
    if (__builtin_cpu_supports("avx2")) {
        wide_words(words, first, draw, key);
        return;
    }
#endif
    plain_words(words, first, draw, key);
}

static inline double
double_of_bits(npy_uint64 bits)
{
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static inline npy_uint64
bits_of_double(double number)
{
    npy_uint64 bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

#define TWO_TO_52 0x4330000000000000u /* the bits of 2**52, whose last ones count units, */
#define TWO_TO_84 0x4530000000000000u /* and of 2**84, whose last ones count 2**32 */

/* Return the number in [0, 1) of the upper 53 bits of a word. The halves are exact, and so is their sum: vectors of
   integers have no conversion. */
static inline double
unit_of(npy_uint64 word)
{
    npy_uint64 count = word >> 11;
    double low = double_of_bits((count & LOW_HALF) | TWO_TO_52) - 0x1p52;
    double high = double_of_bits((count >> 32) | TWO_TO_84) - 0x1p84;
    return (high + low) * 0x1p-53;
}

/* Return the logarithm of a number in (0, 1] that is a multiple of 2**-53. */
static inline double
log_of_unit(double x)
{
    npy_uint64 bits = bits_of_double(x) + ((npy_uint64)(0x3ff00000 - 0x3fe6a09e) << 32);
    double k = double_of_bits(TWO_TO_52 + (bits >> 52)) - (0x1p52 + 1023);
    double f = double_of_bits((bits & (((npy_uint64)1 << 52) - 1)) + ((npy_uint64)0x3fe6a09e << 32)) - 1;
    double half = 0.5 * f * f, s = f / (2 + f), z = s * s, w = z * z;
    double odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    double even = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01
                       + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    double rest = s * (half + (odd + even)) + k * 1.90821492927058770002e-10;
    return rest - half + f + k * 6.93147180369123816490e-01;
}

/* Write the numbers of some words that are evenly distributed over [0, 1). */
PLAIN_CLONES static void
units_of_words(double *restrict units, const npy_uint64 *restrict words)
{
    for (int k = 0; k < WORDS_AT_ONCE; k++) {
        units[k] = unit_of(words[k]);
    }
}

/* Write numbers of the exponential distribution of mean 1: -log(1 - u). */
PLAIN_CLONES static void
exponentials_of_words(double *restrict out, const npy_uint64 *restrict words)
{
    for (int k = 0; k < WORDS_AT_ONCE; k++) {
        out[k] = -log_of_unit(1 - unit_of(words[k]));
    }
}

/* Replace numbers by their square roots. */
WITHOUT_ERRNO static void
take_roots(double *numbers)
{
    for (int k = 0; k < BLOCKS_AT_ONCE; k++) {
        numbers[k] = sqrt(numbers[k]);
    }
}

/* Write normal numbers, by Box and Muller: the cosine and the sine of the angle that the second word of a block
   says, each times the radius that the first one does. The angle is that of a quadrant, which is exact, and at most
   an eighth of the circle on either side of it. */
PLAIN_CLONES static void
normals_of_words(double *restrict out, const npy_uint64 *restrict words)
{
    double radius[BLOCKS_AT_ONCE], first[BLOCKS_AT_ONCE], second[BLOCKS_AT_ONCE];
    for (int k = 0; k < BLOCKS_AT_ONCE; k++) {
        radius[k] = -2 * log_of_unit(1 - unit_of(words[2 * k]));
    }
    take_roots(radius);
    for (int k = 0; k < BLOCKS_AT_ONCE; k++) {
        double quarters = 4 * unit_of(words[2 * k + 1]), shifted = quarters + 0x1.8p52;
        npy_uint64 quarter = bits_of_double(shifted);
        double x = (quarters - (shifted - 0x1.8p52)) * 1.57079632679489661923, z = x * x, half = 0.5 * z;
        double sine = x + z * x * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03
                      + z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06
                      + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
        double tail = z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03
                      + z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07
                      + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
        double whole = 1 - half, cosine = whole + ((1 - whole) - half + tail);
        npy_uint64 exchanged = -(quarter & 1); /* all bits, or none */
        npy_uint64 a = bits_of_double(cosine), b = bits_of_double(sine), both = (a ^ b) & exchanged;
        a ^= both ^ ((quarter + 1) & 2) << 62;
        b ^= both ^ (quarter & 2) << 62;
        first[k] = radius[k] * double_of_bits(a);
        second[k] = radius[k] * double_of_bits(b);
    }
    for (int k = 0; k < BLOCKS_AT_ONCE; k++) {
        out[2 * k] = first[k];
        out[2 * k + 1] = second[k];
    }
}

/* Return the upper half of a product. */
static inline npy_uint64
multiplied_high(npy_uint64 a, npy_uint64 b)
{
    npy_uint64 a0 = a & LOW_HALF, a1 = a >> 32, b0 = b & LOW_HALF, b1 = b >> 32;
    npy_uint64 first = a1 * b0 + (a0 * b0 >> 32), second = a0 * b1 + (first & LOW_HALF);
    return a1 * b1 + (first >> 32) + (second >> 32);
}
