//: Kernels that add rows in no order where each place has a few: rows are put into slots of their
//: places, slots are put in order, and rows are added up by them. Written for lazyarr;
//: placed_sums.py puts the functions `placed` and `add_list` in front, and launches them.

//# slot
// Each row takes the next slot of its place, in the order in which the additions to memory happen
// to come. Rows of a place whose slots are taken are linked: numbered from 1; 0 is the end. Nothing
// is done where `needed` points to 0. Of places in order the sums are left to other kernels:
// `other` says whether they are, and whether rows have to be put in order for them.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long rows,
    const long long count,
    const unsigned int* __restrict__ needed,
    const $place* __restrict__ places,
    const unsigned int* __restrict__ mixed,
    unsigned int* sizes,
    unsigned int* heads,
    unsigned int* __restrict__ slots,
    unsigned int* __restrict__ links,
    unsigned int* other,
    unsigned long long* far) {
    if (needed && !*needed) return;
    if (mixed && !*mixed) {
        if (blockIdx.x == 0 && threadIdx.x == 0) other[0] = 1;
        return;
    }
    const long long at = (long long)blockIdx.x * $piece + threadIdx.x;
    unsigned int own[$counted], taken[$counted];
    #pragma unroll
    for (int i = 0; i < $counted; ++i) {
        const long long row = at + i * $threads;
        own[i] = row < rows ? placed(places[row], count, far) : 0;
    }
    #pragma unroll
    for (int i = 0; i < $counted; ++i) {
        taken[i] = at + i * $threads < rows ? atomicAdd(&sizes[own[i]], 1U) : 0;
    }
    #pragma unroll
    for (int i = 0; i < $counted; ++i) {
        const long long row = at + i * $threads;
        if (row >= rows) continue;
        if (taken[i] < $slots) {
            slots[own[i] * $slots + taken[i]] = (unsigned int)row;
        } else {
            links[row] = atomicExch(&heads[own[i]], (unsigned int)row + 1);
        }
    }
}

//# in_order
struct __align__(16) Four { unsigned int at[4]; };

// The rows in the slots of a place, those of unused ones behind all others.
static __device__ __forceinline__ void read_slots(
    const unsigned int* slots, const unsigned int size, unsigned int (&rows)[$slots]) {
    #pragma unroll
    for (int k = 0; k < $slots; k += 4) {
        Four four = {{0, 0, 0, 0}};
        if (k < size) four = *(const Four*)(slots + k);
        #pragma unroll
        for (int j = 0; j < 4; ++j) rows[k + j] = k + j < size ? four.at[j] : 0xffffffffU;
    }
}

static __device__ __forceinline__ void exchange(unsigned int& one, unsigned int& two) {
    const unsigned int first = one < two ? one : two, last = one < two ? two : one;
    one = first;
    two = last;
}

// Put rows in order, in registers. Where the upper half of the slots is not used, the lower one is
// all of them.
static __device__ __forceinline__ void put_in_order(unsigned int (&rows)[$slots], bool is_half) {
$exchanges_of_halves
    if (is_half) return;
$exchanges_of_all
}

//# order
// A thread puts the slots of a place in order.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long count,
    const unsigned int* __restrict__ needed,
    const unsigned int* __restrict__ sizes,
    unsigned int* __restrict__ slots,
    const unsigned int* __restrict__ other) {
    if (other[0] || (needed && !*needed)) return;
    const long long place = (long long)blockIdx.x * $threads + threadIdx.x;
    const unsigned int size = place < count ? sizes[place] : 0;
    if (size < 2) return;
    unsigned int rows[$slots];
    read_slots(slots + place * $slots, size, rows);
    put_in_order(rows, size <= $slots / 2);
    #pragma unroll
    for (int k = 0; k < $slots; k += 4) {
        const Four four = {{rows[k], rows[k + 1], rows[k + 2], rows[k + 3]}};
        if (k < size) *(Four*)(slots + place * $slots + k) = four;
    }
}

//# slotted
// Add up one column of the rows of a place that has more than its slots; false if a thread cannot
// hold them.
static __device__ __noinline__ bool add_all(
    const unsigned int* slots,
    unsigned int row,
    const unsigned int* __restrict__ links,
    const $value* __restrict__ values,
    const long long step,
    const long long column,
    $number& total) {
    unsigned int list[$of_list];
    if ($slots > $of_list) return false;
    int size = 0;
    while (size < $slots || row) {
        unsigned int next = size < $slots ? slots[size] : row - 1;
        if (size >= $slots) row = links[row - 1];
        if (size == $of_list) return false;
        int k = size++;
        for (; k && list[k - 1] > next; --k) list[k] = list[k - 1];
        list[k] = next;
    }
    $number sum = total;
    for (int k = 0; k < size; ++k) sum += ($number)values[list[k] * step + column];
    total = sum;
    return true;
}

// A thread adds up one column of the rows of a place. Where a place has more rows than it can hold,
// all sums are left to other kernels, as `other` says.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
    const unsigned int* __restrict__ needed,
    const unsigned int* __restrict__ sizes,
    const unsigned int* __restrict__ heads,
    const unsigned int* __restrict__ slots,
    const unsigned int* __restrict__ links,
    const $value* __restrict__ values,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    unsigned int* other) {
    if (other[0] || (needed && !*needed)) return;
    const unsigned int total = (unsigned int)(count * width), across = (unsigned int)width;
    const unsigned int own = blockIdx.x * $threads + threadIdx.x;
    if (own >= total) return;
    const unsigned int place = across == 1 ? own : own / across;
    const unsigned int column = step ? own - place * across : 0;
    const unsigned int size = sizes[place];
    const unsigned int* const own_slots = slots + (long long)place * $slots;
    $number sum = start[own * lead];
    if (size > $slots) {
        if (!add_all(own_slots, heads[place], links, values, step, column, sum)) {
            other[0] = other[1] = 1;
            return;
        }
    } else if (size) {
        unsigned int rows[$slots];
        read_slots(own_slots, size, rows);
#if $sorts
        put_in_order(rows, size <= $slots / 2);
#endif
        #pragma unroll
        for (int k = 0; k < $slots; k += 8) {
            if (k >= size) break;
            $number next[8];
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                next[j] = k + j < size ? ($number)values[rows[k + j] * step + column] : 0;
            }
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                if (k + j < size) sum += next[j];
            }
        }
    }
    out[own] = sum;
}
