//: Kernels that add rows of several numbers in no order where they lie: the rows of a bucket, which
//: is a range of places, are put in the order of their places in shared memory.
//: Written for lazyarr; bucket_rows.py puts `before`, `lanes_of`, `find` and `mapped` in front.

//# rows
// Neighbouring numbers of a row, which are loaded at once if they are `aligned`.
struct __align__($value_bytes) Values { $value at[$vector]; };
struct __align__($number_bytes) Numbers { $number at[$vector]; };

static __device__ __forceinline__ Values read_values(const $value* from, const bool aligned) {
    if (aligned) return *(const Values*)from;
    Values values;
    #pragma unroll
    for (int k = 0; k < $vector; ++k) values.at[k] = from[k];
    return values;
}

// Put the rows of a list in the order of their places. The list has where they lie in tiles; then
// it has the rows, and `starts` where those of each place begin.
static __device__ __forceinline__ void put_in_order(
    const unsigned int size,
    const unsigned int* __restrict__ near,
    unsigned int* list,
    unsigned int* starts,
    unsigned int* ranks,
    unsigned int* warps) {
    const int warp = threadIdx.x / $warp, lane = threadIdx.x % $warp;
    unsigned int row[$each], place[$each], rank[$each];
    #pragma unroll
    for (int i = 0; i < $each; ++i) {
        const unsigned int k = $position;
        row[i] = k < size ? list[k] : ~0U;
    }
#if $dense
    for (int k = threadIdx.x; k < $warps * $places; k += $threads) ranks[k] = 0;
#else
    for (int k = threadIdx.x; k < $places; k += $threads) starts[k] = 0;
#endif
    #pragma unroll
    for (int i = 0; i < $each; ++i) place[i] = row[i] != ~0U ? near[row[i]] : ~0U;
    #pragma unroll
    for (int i = 0; i < $each; ++i) {
        if (row[i] != ~0U) row[i] = row[i] / $tile * $tile + (place[i] & $last_row);
        place[i] >>= $row_bits;
    }
    __syncthreads();
#if $dense
    // A warp ranks its rows in order.
    const unsigned int lower = (1U << lane) - 1;
    #pragma unroll
    for (int i = 0; i < $each; ++i) {
        const bool is_row = row[i] != ~0U;
        const unsigned int equal =
            lanes_of((int)place[i]) & __ballot_sync(0xffffffffU, is_row);
        unsigned int* const known = &ranks[warp * $places + place[i] % $places];
        const unsigned int earlier = *known;
        __syncwarp();
        if (is_row && (equal & lower) == 0) *known = earlier + __popc(equal);
        __syncwarp();
        rank[i] = earlier + __popc(equal & lower);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < $places; k += $threads) {
        unsigned int total = 0;
        #pragma unroll
        for (int j = 0; j < $warps; ++j) {
            const unsigned int here = ranks[j * $places + k];
            ranks[j * $places + k] = total;
            total += here;
        }
        starts[k] = total;
    }
#else
    #pragma unroll
    for (int i = 0; i < $each; ++i) {
        rank[i] = row[i] != ~0U ? atomicAdd(&starts[place[i]], 1U) : 0;
    }
#endif
    __syncthreads();
    unsigned int total = 0;
    #pragma unroll
    for (int j = 0; j < $own; ++j) {
        const int k = threadIdx.x * $own + j;
        if (k < $places) total += starts[k];
    }
    unsigned int front = before(total, warps);
    #pragma unroll
    for (int j = 0; j < $own; ++j) {
        const int k = threadIdx.x * $own + j;
        if (k >= $places) continue;
        const unsigned int length = starts[k];
        starts[k] = front;
        front += length;
    }
    if (threadIdx.x == 0) starts[$places] = size;
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < $each; ++i) {
        if (row[i] == ~0U) continue;
#if $dense
        rank[i] += ranks[warp * $places + place[i]];
#endif
        list[starts[place[i]] + rank[i]] = row[i];
    }
    __syncthreads();
#if !$dense
    // The additions to memory came in any order, but mostly in that of rows.
    #pragma unroll 1
    for (int k = threadIdx.x; k < $places; k += $threads) {
        const unsigned int begin = starts[k], end = starts[k + 1];
        for (unsigned int next = begin + 1; next < end; ++next) {
            const unsigned int own = list[next];
            unsigned int there = next;
            for (; there > begin; --there) {
                const unsigned int earlier = list[there - 1];
                if (earlier < own) break;
                list[there] = earlier;
            }
            if (there < next) list[there] = own;
        }
    }
    __syncthreads();
#endif
}

// Add the rows of places to what is there: neighbouring threads take the numbers of a row.
static __device__ __forceinline__ void add_rows(
    const unsigned int own_places,
    const unsigned int* list,
    const unsigned int* starts,
    const $value* __restrict__ values,
    const $number* from,
    const long long lead,
    $number* out,
    const bool aligned$values) {
    const unsigned int total = own_places * $across;
    for (unsigned int first = threadIdx.x; first < total; first += $threads * $sums) {
        unsigned int k[$sums], end[$sums], column[$sums];
        Numbers sum[$sums];
        #pragma unroll
        for (int j = 0; j < $sums; ++j) {
            const unsigned int own = first + j * $threads;
            const unsigned int place = own / $across;
            column[j] = own % $across * $vector;
            k[j] = own < total ? starts[place] : 0;
            end[j] = own < total ? starts[place + 1] : 0;
            #pragma unroll
            for (int i = 0; i < $vector; ++i) sum[j].at[i] = 0;
            if (own >= total) continue;
            const $number* const there = from + own * $vector * lead;
            if (aligned && lead) {
                sum[j] = *(const Numbers*)there;
            } else {
                #pragma unroll
                for (int i = 0; i < $vector; ++i) sum[j].at[i] = there[i * lead];
            }
        }
        bool goes_on = true;
        while (goes_on) {
            Values next[$sums][$batch];
            #pragma unroll
            for (int j = 0; j < $sums; ++j) {
                #pragma unroll
                for (int i = 0; i < $batch; ++i) {
                    if (k[j] + i < end[j]) {
                        const unsigned int row = list[k[j] + i];
                        next[j][i] = read_values(values + (row * $width + column[j]), aligned);
                    }
                }
            }
            goes_on = false;
            #pragma unroll
            for (int j = 0; j < $sums; ++j) {
                #pragma unroll
                for (int i = 0; i < $batch; ++i) {
                    if (k[j] + i < end[j]) {
                        #pragma unroll
                        for (int n = 0; n < $vector; ++n) {
                            sum[j].at[n] += ($number)mapped(next[j][i].at[n]$arguments);
                        }
                    }
                }
                k[j] += $batch;
                if (k[j] < end[j]) goes_on = true;
            }
        }
        #pragma unroll
        for (int j = 0; j < $sums; ++j) {
            const unsigned int own = first + j * $threads;
            if (own >= total) continue;
            $number* const there = out + own * $vector;
            if (aligned) {
                *(Numbers*)there = sum[j];
            } else {
                #pragma unroll
                for (int i = 0; i < $vector; ++i) there[i] = sum[j].at[i];
            }
        }
    }
}

// A block takes a bucket. Its threads list the rows of its tiles in their order, and add them when
// the list is full, and at the end. Where that is more than `most` times, all sums are left to
// other kernels, as `other` says. Nothing is done where `needed` points to 0.
extern "C" __global__ void __launch_bounds__($threads, $occupancy) kernel(
    const long long rows,
    const long long count,
    const long long lead,
    const long long most,
    const unsigned int* __restrict__ needed,
    const unsigned int* __restrict__ table,
    const unsigned int* __restrict__ near,
    const $value* __restrict__ values,
    const $number* start,
    $number* out,
    volatile unsigned int* other$parameters) {
    if (needed && !*needed) return;
    $constants
    __shared__ unsigned int list[$room];
    __shared__ unsigned int starts[$places + 1];
#if $dense
    __shared__ unsigned int ranks[$warps * $places];
#else
    unsigned int* const ranks = 0;
#endif
    __shared__ unsigned int warps[$warps];
    __shared__ unsigned int total;
    __shared__ bool is_other;
    if (threadIdx.x == 0) is_other = *other != 0;
    __syncthreads();
    if (is_other) return;
    const unsigned int size = (unsigned int)rows, bucket = blockIdx.x;
    const long long lowest = (long long)bucket * $places;
    const unsigned int own_places =
        count - lowest < $places ? (unsigned int)(count - lowest) : $places;
    const $number* const own_start = start + lowest * $width * lead;
    $number* const own_out = out + lowest * $width;
    const bool aligned =
        (unsigned long long)values % sizeof(Values) == 0 &&
        ((unsigned long long)own_start | (unsigned long long)own_out) % sizeof(Numbers) == 0;
    unsigned int in_list = 0, begin, end;
    int times = 0;
    find(table, bucket, threadIdx.x, size, &begin, &end);
    for (unsigned int base = 0; base <= (size - 1) / $tile; base += $threads) {
        const unsigned int length = end - begin;
        const unsigned int first = (base + threadIdx.x) * $tile + begin;
        // Where the next rows lie is loaded while these are listed.
        find(table, bucket, base + $threads + threadIdx.x, size, &begin, &end);
        const unsigned int behind = before(length, warps);
        if (threadIdx.x == $threads - 1) total = behind + length;
        __syncthreads();
        const bool is_last = base + $threads > (size - 1) / $tile;
        for (unsigned int done = 0; true;) {
            const unsigned int left = total - done, fit = $room - in_list;
            const unsigned int taken = left < fit ? left : fit;
            for (unsigned int k = 0; k < length; ++k) {
                const unsigned int there = behind + k - done;
                if (there < taken) list[in_list + there] = first + k;
            }
            done += taken;
            in_list += taken;
            __syncthreads();
            if (in_list < $room && (!is_last || (times && !in_list))) break;
            if (times > most) {
                if (threadIdx.x == 0) other[0] = other[1] = 1;
                return;
            }
            put_in_order(in_list, near, list, starts, ranks, warps);
            add_rows(
                own_places, list, starts, values, times ? own_out : own_start, times ? 1 : lead,
                own_out, aligned$arguments);
            __syncthreads();
            ++times;
            in_list = 0;
        }
    }
}
