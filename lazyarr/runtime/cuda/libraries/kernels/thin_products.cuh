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
    // A thread loads the same vector of some rows, and the same element of some right matrices.
    const int line = (int)threadIdx.x / ($depth / $width);
    const int at = (int)threadIdx.x % ($depth / $width) * $width;
    const $type* const from = left + (first + line) * left_row + at;
    const int matrix = (int)threadIdx.x / ($depth * $columns);
    const int place = (int)threadIdx.x % ($depth * $columns);
    const int column = place % $columns, inner_place = place / $columns;
    const $type* const factor_from = right + (first_matrix + matrix) * right_stack +
        inner_place * right_inner + column * right_column;
    $type sums[$columns] = {};
    Lanes ahead[$depth / $width];
    #pragma unroll
    for (int i = 0; i < $depth / $width; ++i) {
        ahead[i] = Lanes{};
        if (line + i * $lines < here && at < inner) {
            ahead[i] = *(const Lanes*)(from + i * $lines * left_row);
        }
    }
    for (int done = 0; done < inner; done += $depth) {
        #pragma unroll
        for (int i = 0; i < $depth / $width; ++i) {
            $type* const to = left_slice + (line + i * $lines) * ($depth + 1) + at;
            #pragma unroll
            for (int e = 0; e < $width; ++e) to[e] = ahead[i].lane[e];
        }
        const bool is_inside = column < columns && done + inner_place < inner;
        for (int i = (int)threadIdx.x, m = 0; i < matrices * $depth * $columns;
             i += $threads, m += $threads / ($depth * $columns)) {
            right_slices[i] = is_inside ? factor_from[m * right_stack + done * right_inner] : 0;
        }
        __syncthreads();
        // The next slices come while this one is multiplied; behind the end they are zeros.
        #pragma unroll
        for (int i = 0; i < $depth / $width; ++i) {
            ahead[i] = Lanes{};
            if (line + i * $lines < here && done + $depth + at < inner) {
                ahead[i] = *(const Lanes*)(from + i * $lines * left_row + done + $depth);
            }
        }
        const $type* const factors = right_slices + own * $depth * $columns;
        #pragma unroll
        for (int k = 0; k < $depth; ++k) {
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
