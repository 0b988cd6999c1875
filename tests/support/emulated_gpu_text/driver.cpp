static void** arguments;
// A thread goes on with the next block: to make a coroutine takes two calls of the system.
static void body() {
    const int own = threadIdx.x;
    for (;;) {
        kernel(CALL);
        ++finished;
        where[own] = -1;
        if (!_setjmp(places[own])) _longjmp(scheduler, 1);
        threadIdx.x = own;
    }
}
static volatile int current, next_block, begun, warp, first, end;
extern "C" const long stacks_bytes = (long)LARGEST * STACK;
// The caller's stacks serve all kernels: what a library has for itself stays until the process ends.
extern "C" int run(int blocks, int threads, void** given, char* stacks) {
    arguments = given;
    thread_count = threads;
    getcontext(&start);
    for (next_block = 0; next_block < blocks; ++next_block) {
        blockIdx.x = next_block;
        finished = 0;
        for (current = 0; current < threads; ++current) {
            threadIdx.x = current;
            parity[current] = voted[current] = 0;
            if (!_setjmp(scheduler)) {
                if (next_block) _longjmp(places[current], 1);
                start.uc_stack.ss_sp = stacks + (size_t)current * STACK;
                start.uc_stack.ss_size = STACK;
                start.uc_link = 0;
                makecontext(&start, body, 0);
                setcontext(&start);
            }
        }
#ifdef WARPS
        // A warp goes on alone until it waits for the block: 1: the first goes first, -1: the last;
        // -2: of lanes, too.
        for (begun = 0; finished < threads; begun = 1) {
            if (begun && finished) return 1;
            for (int k = 1; begun && k < threads; ++k) if (where[k] != where[0]) return 2;
            for (warp = 0; warp < (threads + 31) / 32; ++warp) {
                first = 32 * (WARPS > 0 ? warp : (threads + 31) / 32 - 1 - warp);
                end = first + 32 < threads ? first + 32 : threads;
                if (where[first] == -1 || (!begun && !within[first])) continue;
                do {
                    for (int k = first + 1; k < end; ++k) if (where[k] != where[first]) return 3;
                    for (int k = first; k < end; ++k) {
                        current = WARPS > -2 ? k : first + end - 1 - k;
                        if (!_setjmp(scheduler)) _longjmp(places[current], 1);
                    }
                } while (where[first] != -1 && within[first]);
            }
        }
#else
        while (finished < threads) {
            if (finished) return 1;
            for (int k = 1; k < threads; ++k) if (where[k] != where[0]) return 2;
            for (current = 0; current < threads; ++current) {
                if (!_setjmp(scheduler)) _longjmp(places[current], 1);
            }
        }
#endif
    }
    return 0;
}
