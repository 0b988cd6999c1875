//: Products of stacks of matrices, of which the second ones have few columns. Written for lazyarr;
//: thin_products.py launches them.

//# thin
// A thread computes a row of the result. Slices of the left rows, `$depth` wide, come to shared
// memory by neighbouring threads; so do those of all right matrices that the rows meet.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const int total,
    const int rows,
    const int columns,
    const int inner,
    const long long left_row,
    const long long right_stack,
    const long long right_inner,
    const long long right_column,
    const $type* __restrict__ left,
    const $type* __restrict__ right,
    $type* __restrict__ out) {
    __shared__ $type left_slice[$threads * ($depth + 1)];
    __align__(16) __shared__ $type right_slices[$matrices * $depth * $columns];
    const int first = blockIdx.x * $threads, row = first + (int)threadIdx.x;
    const int here = total - first < $threads ? total - first : $threads;
    const int first_matrix = first / rows;
    const int matrices = (first + here - 1) / rows - first_matrix + 1;
    const int own = (row < total ? row : total - 1) / rows - first_matrix;
    const $type* const from = left + first * left_row;
    $type sums[$columns] = {};
    for (int done = 0; done < inner; done += $depth) {
        #pragma unroll
        for (int i = (int)threadIdx.x; i < $threads * $depth / $width; i += $threads) {
            const int line = i / ($depth / $width), at = i % ($depth / $width) * $width;
            $type* const to = left_slice + line * ($depth + 1) + at;
            Lanes lanes = {};
            if (line < here && done + at < inner) {
                lanes = *(const Lanes*)(from + line * left_row + done + at);
            }
            #pragma unroll
            for (int e = 0; e < $width; ++e) to[e] = lanes.lane[e];
        }
        for (int i = (int)threadIdx.x; i < matrices * $depth * $columns; i += $threads) {
            const int column = i % $columns, k = done + i / $columns % $depth;
            const bool inside = column < columns && k < inner;
            const long long matrix = first_matrix + i / ($columns * $depth);
            const long long at = matrix * right_stack + k * right_inner + column * right_column;
            right_slices[i] = inside ? right[at] : 0;
        }
        __syncthreads();
        const $type* const factors = right_slices + own * $depth * $columns;
        const int deep = inner - done;
        #pragma unroll
        for (int k = 0; k < $depth; ++k) {
            if (k >= deep) break;
            const $type factor = left_slice[threadIdx.x * ($depth + 1) + k];
            #pragma unroll
            for (int j = 0; j < $columns; ++j) {
                sums[j] = $fma(factor, factors[k * $columns + j], sums[j]);
            }
        }
        __syncthreads();
    }
    // The results of a block lie side by side.
    #pragma unroll
    for (int j = 0; j < $columns; ++j) {
        if (j < columns) left_slice[threadIdx.x * columns + j] = sums[j];
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < here * columns; i += $threads) {
        out[(long long)first * columns + i] = left_slice[i];
    }
}
