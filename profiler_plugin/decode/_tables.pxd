"""Growing C arrays and hash tables for the decoder. All raise MemoryError, and none holds Python objects."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, memset

from profiler_plugin.decode._pages cimport STEP, Pages, get_pages, stop_pages


cdef inline int out_of_memory() except -1 nogil:
    with gil:
        raise MemoryError("not enough memory to decode the profile")


cdef inline int resize(void **block, size_t items, size_t size) except -1 nogil:
    cdef void *moved
    if items > (<size_t>-1) // 2 // size:
        return out_of_memory()
    moved = realloc(block[0], items * size)
    if moved == NULL and items:
        return out_of_memory()
    block[0] = moved
    return 0


cdef inline size_t more(size_t room) noexcept nogil:
    """Pages beyond what is used stay untouched, so generous steps cost no memory."""
    return room + room // 2 + 256


# One growing column, or the rows of a small table laid end to end.
cdef struct Ints:
    int64_t *cell
    size_t n
    size_t room


cdef inline int push(Ints *ints, int64_t value) except -1 nogil:
    if ints.n == ints.room:
        resize(<void **>&ints.cell, more(ints.room), sizeof(int64_t))
        ints.room = more(ints.room)
    ints.cell[ints.n] = value
    ints.n += 1
    return 0


cdef struct EventRows:
    int32_t *line
    int64_t *start
    int64_t *duration
    int32_t *metadata
    size_t n
    size_t room  # rows whose memory is there
    Pages pages


cdef inline int reserve_events(EventRows *rows, size_t room) except -1 nogil:
    resize(<void **>&rows.line, room, sizeof(int32_t))
    resize(<void **>&rows.start, room, sizeof(int64_t))
    resize(<void **>&rows.duration, room, sizeof(int64_t))
    resize(<void **>&rows.metadata, room, sizeof(int32_t))
    rows.pages.column = [rows.line, rows.start, rows.duration, rows.metadata]
    rows.pages.width = [sizeof(rows.line[0]), sizeof(rows.start[0]), sizeof(rows.duration[0]), sizeof(rows.metadata[0])]
    rows.pages.reserved = room
    return 0


cdef inline int more_events(EventRows *rows) except -1 nogil:
    cdef size_t begin = rows.room
    if begin == rows.pages.reserved:
        stop_pages(&rows.pages)
        reserve_events(rows, more(begin))
    rows.room = min(begin + STEP, rows.pages.reserved)
    get_pages(&rows.pages, begin, rows.room)
    return 0


cdef inline void free_events(EventRows *rows) noexcept nogil:
    stop_pages(&rows.pages)
    free(rows.line)
    free(rows.start)
    free(rows.duration)
    free(rows.metadata)


cdef struct StatRows:
    int32_t *owner
    int32_t *key
    uint8_t *kind
    int64_t *value
    size_t n
    size_t room  # rows whose memory is there
    Pages pages


cdef inline int reserve_stats(StatRows *rows, size_t room) except -1 nogil:
    resize(<void **>&rows.owner, room, sizeof(int32_t))
    resize(<void **>&rows.key, room, sizeof(int32_t))
    resize(<void **>&rows.kind, room, sizeof(uint8_t))
    resize(<void **>&rows.value, room, sizeof(int64_t))
    rows.pages.column = [rows.owner, rows.key, rows.kind, rows.value]
    rows.pages.width = [sizeof(rows.owner[0]), sizeof(rows.key[0]), sizeof(rows.kind[0]), sizeof(rows.value[0])]
    rows.pages.reserved = room
    return 0


cdef inline int more_stats(StatRows *rows) except -1 nogil:
    cdef size_t begin = rows.room
    if begin == rows.pages.reserved:
        stop_pages(&rows.pages)
        reserve_stats(rows, more(begin))
    rows.room = min(begin + STEP, rows.pages.reserved)
    get_pages(&rows.pages, begin, rows.room)
    return 0


cdef inline int push_stat(StatRows *rows, int64_t owner, int32_t key, uint8_t kind, int64_t value) except -1 nogil:
    if rows.n == rows.room:
        more_stats(rows)
    rows.owner[rows.n] = <int32_t>owner
    rows.key[rows.n] = key
    rows.kind[rows.n] = kind
    rows.value[rows.n] = value
    rows.n += 1
    return 0


cdef inline void free_stats(StatRows *rows) noexcept nogil:
    stop_pages(&rows.pages)
    free(rows.owner)
    free(rows.key)
    free(rows.kind)
    free(rows.value)


# Id → row or code. Small ids, the rule, index an array; the others are hashed (open addressing, value -1 is empty).
cdef enum:
    DENSE = 4096


cdef struct IdMap:
    int32_t *dense  # DENSE entries, value + 1, so that zero is absent
    bint dirty  # whether any is not
    int64_t *key
    int32_t *value
    size_t used
    size_t room  # a power of two
    uint64_t seed


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 32)) * 0x9E3779B97F4A7C15ULL
    return value ^ (value >> 29)


cdef inline void free_ids(IdMap *ids) noexcept nogil:
    free(ids.dense)
    free(ids.key)
    free(ids.value)


cdef inline int clear_ids(IdMap *ids) except -1 nogil:
    free(ids.key)
    free(ids.value)
    ids.key = NULL
    ids.value = NULL
    ids.used = ids.room = 0
    if ids.dense == NULL:
        ids.dense = <int32_t *>calloc(DENSE, sizeof(int32_t))
        return 0 if ids.dense != NULL else out_of_memory()
    if ids.dirty:
        memset(ids.dense, 0, DENSE * sizeof(int32_t))
        ids.dirty = False
    return 0


cdef inline size_t id_slot(IdMap *ids, int64_t id) noexcept nogil:
    cdef size_t slot = mix(<uint64_t>id ^ ids.seed) & (ids.room - 1)
    while ids.value[slot] >= 0 and ids.key[slot] != id:
        slot = (slot + 1) & (ids.room - 1)
    return slot


cdef inline int32_t find_id(IdMap *ids, int64_t id) noexcept nogil:
    """-1 if absent."""
    if 0 <= id < DENSE:
        return ids.dense[id] - 1
    return ids.value[id_slot(ids, id)] if ids.room else -1


cdef inline int grow_ids(IdMap *ids) except -1 nogil:
    cdef int64_t *key = ids.key
    cdef int32_t *value = ids.value
    cdef size_t row, slot, room = ids.room
    cdef size_t wider = max(room * 2, <size_t>1024)
    ids.key = NULL
    ids.value = NULL
    try:
        resize(<void **>&ids.key, wider, sizeof(int64_t))
        resize(<void **>&ids.value, wider, sizeof(int32_t))
        ids.room = wider
        for slot in range(wider):
            ids.value[slot] = -1
        for row in range(room):
            if value[row] >= 0:
                slot = id_slot(ids, key[row])
                ids.key[slot] = key[row]
                ids.value[slot] = value[row]
    finally:
        free(key)
        free(value)
    return 0


cdef inline int put_id(IdMap *ids, int64_t id, int32_t value) except -1 nogil:
    cdef size_t slot
    if 0 <= id < DENSE:
        ids.dense[id] = value + 1
        ids.dirty = True
        return 0
    if ids.used * 2 >= ids.room:
        grow_ids(ids)
    slot = id_slot(ids, id)
    ids.used += ids.value[slot] < 0
    ids.key[slot] = id
    ids.value[slot] = value
    return 0


# Every distinct text once, laid end to end in `blob`; a hash table finds the code of one seen before.
cdef struct Texts:
    uint8_t *blob
    size_t size
    size_t room
    Ints offset
    Ints length
    Ints digest
    int32_t *slot  # code + 1, so that zero is free
    size_t slots  # a power of two
    uint64_t seed


cdef inline uint64_t digest(const uint8_t *text, size_t length, uint64_t seed) noexcept nogil:
    cdef uint64_t word = 0, out = seed ^ length
    while length >= 8:
        memcpy(&word, text, 8)
        out = mix(out ^ word)
        text += 8
        length -= 8
    word = 0
    memcpy(&word, text, length)
    return mix(mix(out ^ word))


cdef inline int grow_slots(Texts *texts) except -1 nogil:
    cdef size_t slots = max(texts.slots * 2, <size_t>4096)
    cdef int32_t *slot = <int32_t *>calloc(slots, sizeof(int32_t))
    cdef size_t code, place
    if slot == NULL:
        return out_of_memory()
    for code in range(texts.offset.n):
        place = <uint64_t>texts.digest.cell[code] & (slots - 1)
        while slot[place]:
            place = (place + 1) & (slots - 1)
        slot[place] = <int32_t>code + 1
    free(texts.slot)
    texts.slot = slot
    texts.slots = slots
    return 0


cdef inline int32_t intern(Texts *texts, const uint8_t *text, size_t length) except -1 nogil:
    """The code of a text, its bytes copied if it is new. The first text has code 0."""
    cdef uint64_t key = digest(text, length, texts.seed)
    cdef size_t place
    cdef int32_t code
    if texts.offset.n * 2 >= texts.slots:
        grow_slots(texts)
    place = key & (texts.slots - 1)
    while texts.slot[place]:
        code = texts.slot[place] - 1
        if (
            <uint64_t>texts.digest.cell[code] == key
            and <size_t>texts.length.cell[code] == length
            and memcmp(texts.blob + texts.offset.cell[code], text, length) == 0
        ):
            return code
        place = (place + 1) & (texts.slots - 1)
    if texts.room - texts.size < length or texts.blob == NULL:
        resize(<void **>&texts.blob, texts.size + length + more(texts.room), 1)
        texts.room = texts.size + length + more(texts.room)
    memcpy(texts.blob + texts.size, text, length)
    code = <int32_t>texts.offset.n
    push(&texts.offset, <int64_t>texts.size)
    push(&texts.length, <int64_t>length)
    push(&texts.digest, <int64_t>key)
    texts.size += length
    texts.slot[place] = code + 1
    return code


cdef inline void free_texts(Texts *texts) noexcept nogil:
    free(texts.blob)
    free(texts.offset.cell)
    free(texts.length.cell)
    free(texts.digest.cell)
    free(texts.slot)
