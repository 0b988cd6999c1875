//: Kernels that add rows in no order: rows that lie in the order of ranges of places, which are
//: powers of two and called buckets, are put in the order of their places in shared memory, a
//: chunk of a bucket at a time, and added up. Written for lazyarr; bucket_sums.py puts the
//: functions `placed`, `before`, `lanes_of` and `find_range` in front, and launches them.

//# bucket
#if !$dense
// Two counters share a word. Padding keeps the words of neighbouring threads in different banks.
static __device__ __forceinline__ unsigned int padded(unsigned int word) {
    return word + word / $warp;
}

static __device__ __forceinline__ unsigned int counter(
    const unsigned int* counters, unsigned int place) {
    return counters[padded(place / 2)] >> (place % 2 * 16) & 0xffffU;
}
#endif

// A block takes a bucket. Where one has more rows than `most`, all sums are left to other kernels,
// as `other` says. Nothing is done where `needed` points to 0.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
    const long long low,
    const long long most,
    const unsigned int* __restrict__ needed,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    const unsigned long long* __restrict__ items,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    unsigned int* other,
    unsigned long long* far) {
    if (needed && !*needed) return;
    __shared__ int smaller[2][$warps];
    __shared__ unsigned int warps[$warps];
#if $staged
    __shared__ unsigned short list[$chunk];
    __shared__ $value staged[$chunk];
#else
    __shared__ unsigned int list[$chunk];
#endif
#if $dense
    __shared__ unsigned int ranks[$warps * $digits];
    __shared__ unsigned int starts[$digits + 1];
#else
    __shared__ unsigned int counters[$words + $words / $warp];
    __shared__ unsigned short chunk_places[$chunk];
#endif
    const ordered all = {places, values, items, rows, count, step, far, true};
    const int lane = threadIdx.x % $warp, warp = threadIdx.x / $warp;
    const unsigned int before_lane = (1U << lane) - 1;
    const unsigned int across = (unsigned int)width, last = (1U << low) - 1;
    const long long buckets = ((count - 1) >> low) + 1;
    for (long long bucket = blockIdx.x; bucket < buckets; bucket += blocks) {
        const long long lowest = bucket << low;
        long long range[2];
        find_range(all, lowest, lowest + last + 1, smaller, range);
        if (range[1] - range[0] > most) {
            if (threadIdx.x == 0) other[0] = other[1] = 1;
            return;
        }
        const unsigned int own_places = count - lowest > last ? last + 1 : count - lowest;
        for (long long first = range[0]; first == range[0] || first < range[1]; first += $chunk) {
            const int size = range[1] - first < $chunk ? (int)(range[1] - first) : $chunk;
            unsigned int place[$each], word[$each], rank[$each];
            #pragma unroll
            for (int i = 0; i < $each; ++i) {
                const int k = $position;
                const unsigned long long item = k < size ? items[first + k] : ~0ULL;
                place[i] = (unsigned int)(item >> 32) & last;
                word[i] = (unsigned int)item;
            }
#if $dense
            // Each warp ranks its rows in order. What lies beyond the end comes last.
            for (int k = threadIdx.x; k < $warps * $digits; k += $threads) ranks[k] = 0;
            __syncthreads();
            #pragma unroll
            for (int i = 0; i < $each; ++i) {
                const unsigned int equal = lanes_of((int)place[i]);
                unsigned int* const known = &ranks[warp * $digits + place[i]];
                const unsigned int earlier = *known;
                __syncwarp();
                if ((equal & before_lane) == 0) *known = earlier + __popc(equal);
                __syncwarp();
                rank[i] = earlier + __popc(equal & before_lane);
            }
            __syncthreads();
            unsigned int total = 0;
            #pragma unroll
            for (int k = 0; k < $warps; ++k) {
                const unsigned int here = ranks[k * $digits + threadIdx.x];
                ranks[k * $digits + threadIdx.x] = total;
                total += here;
            }
            starts[threadIdx.x] = before(total, warps);
            __syncthreads();
            #pragma unroll
            for (int i = 0; i < $each; ++i) {
                rank[i] += starts[place[i]] + ranks[warp * $digits + place[i]];
            }
#else
            // Rows are counted as the additions to memory happen to come.
            const unsigned int words = (last + 1) / 2, each = (words + $threads - 1) / $threads;
            for (unsigned int k = threadIdx.x; k < words + words / $warp; k += $threads) {
                counters[k] = 0;
            }
            __syncthreads();
            #pragma unroll
            for (int i = 0; i < $each; ++i) {
                const int k = $position;
                rank[i] = 0;
                if (k < size) {
                    const int shift = place[i] % 2 * 16;
                    const unsigned int known =
                        atomicAdd(&counters[padded(place[i] / 2)], 1U << shift);
                    rank[i] = known >> shift & 0xffffU;
                    chunk_places[k] = (unsigned short)place[i];
                }
            }
            __syncthreads();
            unsigned int total = 0;
            for (unsigned int j = 0; j < each; ++j) {
                const unsigned int k = threadIdx.x * each + j;
                const unsigned int pair = k < words ? counters[padded(k)] : 0;
                total += (pair & 0xffffU) + (pair >> 16);
            }
            unsigned int front = before(total, warps);
            for (unsigned int j = 0; j < each; ++j) {
                const unsigned int k = threadIdx.x * each + j;
                if (k >= words) break;
                const unsigned int pair = counters[padded(k)];
                const unsigned int middle = front + (pair & 0xffffU);
                counters[padded(k)] = front | middle << 16;
                front = middle + (pair >> 16);
            }
            __syncthreads();
            #pragma unroll
            for (int i = 0; i < $each; ++i) rank[i] += counter(counters, place[i]);
#endif
            #pragma unroll
            for (int i = 0; i < $each; ++i) {
                const int k = $position;
                if (k >= size) continue;
#if $staged
                list[rank[i]] = (unsigned short)k;
                staged[k] = value_in(all, word[i], 0);
#else
                list[rank[i]] = word[i];
#endif
            }
            __syncthreads();
#if !$dense
            // The rows of each place are put in order: few by a thread, others by a warp that looks
            // at the places of the chunk again.
            // Warps go on alone.
            for (unsigned int base = warp * $warp; base < own_places; base += $threads) {
                const unsigned int own = base + lane;
                unsigned int begin = 0, end = 0;
                if (own < own_places) {
                    begin = counter(counters, own);
                    end = own < last ? counter(counters, own + 1) : size;
                }
                if (end - begin <= $short) {
                    for (unsigned int j = begin + 1; j < end; ++j) {
                        const unsigned int moved = list[j];
                        unsigned int k = j;
                        for (; k > begin && list[k - 1] > moved; --k) list[k] = list[k - 1];
                        list[k] = moved;
                    }
                }
                unsigned int votes = __ballot_sync(0xffffffffU, end - begin > $short);
                for (; votes; votes &= votes - 1) {
                    const int source = __popc((votes & -votes) - 1);
                    unsigned int next = __shfl_sync(0xffffffffU, begin, source);
                    for (int k = lane; k - lane < size; k += $warp) {
                        const bool is_here = k < size && chunk_places[k] == base + source;
                        const unsigned int equal = __ballot_sync(0xffffffffU, is_here);
                        if (is_here) {
#if $staged
                            list[next + __popc(equal & before_lane)] = (unsigned short)k;
#else
                            list[next + __popc(equal & before_lane)] =
                                (unsigned int)items[first + k];
#endif
                        }
                        next += __popc(equal);
                    }
                }
            }
            __syncthreads();
#endif
            for (unsigned int own = threadIdx.x; own < own_places * across; own += $threads) {
                const unsigned int own_place = across == 1 ? own : own / across;
                const unsigned int column = own - own_place * across;
#if $dense
                unsigned int k = starts[own_place];
                const unsigned int end = own_place < last ? starts[own_place + 1] : size;
#else
                unsigned int k = counter(counters, own_place);
                const unsigned int end = own_place < last ? counter(counters, own_place + 1) : size;
#endif
                if (k == end && first > range[0]) continue;
                const long long target = lowest * width + own;
                $number sum = first == range[0] ? start[target * lead] : out[target];
                for (; k < end; k += $batch) {
                    $number next[$batch];
                    #pragma unroll
                    for (int j = 0; j < $batch; ++j) {
                        const unsigned int row = list[k + j < end ? k + j : k];
#if $staged
                        next[j] = ($number)staged[row];
#else
                        next[j] = ($number)value_in(all, row, column);
#endif
                    }
                    #pragma unroll
                    for (int j = 0; j < $batch; ++j) {
                        if (k + j < end) sum += next[j];
                    }
                }
                out[target] = sum;
            }
            __syncthreads();
        }
    }
}
