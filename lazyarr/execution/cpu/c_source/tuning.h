/* Tuning constants of recognised plans and small calls; not measured: they bound memory. */

#define MOST_RAW (1 << 16)   /* bytes that the C library allocates; the pool allocates more */
#define SETS 256             /* of the table of plans */
#define WAYS 8               /* plans of a set: a few programs beside each other */
#define MOST_ATTRIBUTES 8192 /* beyond that all are forgotten, and plans are entered again */
