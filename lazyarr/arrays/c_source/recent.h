/* Expressions that were built last, so that what reads an array can be found before that is written to. Each
   has a place in a ring, and leaves it when it is freed; none is kept alive. */

static Array *recent[RECENT];
static unsigned int next_recent;

/* Give an array a place, unless it has one. */
static inline void
note_recent(Array *array)
{
    if (array->place) {
        return;
    }
    for (int k = 1; k < LOOKED_AT && recent[next_recent % RECENT] != NULL; k++) {
        next_recent++;
    }
    unsigned int place = next_recent++ % RECENT;
    if (recent[place] != NULL) {
        recent[place]->place = 0;
    }
    recent[place] = array;
    array->place = (int)place + 1;
}

static inline void
forget_recent(Array *array)
{
    if (array->place) {
        recent[array->place - 1] = NULL;
        array->place = 0;
    }
}
