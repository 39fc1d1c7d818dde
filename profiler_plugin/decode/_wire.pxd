"""The protobuf wire format, field by field. Nothing here reads at or beyond `end`, whatever the bytes claim.

Every reader takes the place to read and returns the place after what it read, or NULL where the bytes are damaged. Fixed-width numbers are copied as they lie: little-endian machines only.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    VARINT = 0
    FIXED64 = 1
    LENGTH = 2
    GROUP = 3
    END_GROUP = 4
    FIXED32 = 5
    DEPTH = 100  # how deep groups may nest, as in the official parsers


cdef struct Field:
    uint32_t tag  # field number << 3 | wire type
    uint64_t value  # of VARINT, FIXED64 and FIXED32
    const uint8_t *begin  # of LENGTH: its bytes, cut at the end of what encloses them ...
    const uint8_t *end
    uint64_t missing  # ... and how many were cut


cdef inline const uint8_t *varint(const uint8_t *at, const uint8_t *end, uint64_t *value) noexcept nogil:
    cdef uint64_t out = 0
    cdef unsigned int shift = 0
    if at < end and at[0] < 0x80:
        value[0] = at[0]
        return at + 1
    while at < end and shift < 70:
        out |= <uint64_t>(at[0] & 0x7F) << shift
        shift += 7
        at += 1
        if at[-1] < 0x80:
            value[0] = out
            return at
    return NULL


cdef inline const uint8_t *take(const uint8_t *at, const uint8_t *end, uint8_t tag, int64_t *value) noexcept nogil:
    """Past the field of this tag, a number, if it comes next."""
    cdef const uint8_t *after
    if at == end or at[0] != tag:
        return at
    after = varint(at + 1, end, <uint64_t *>value)
    return at if after == NULL else after


cdef inline const uint8_t *small_varint(const uint8_t *at, const uint8_t *end, uint64_t *value) noexcept nogil:
    """A tag or a length: at most five bytes."""
    cdef const uint8_t *after = varint(at, end, value)
    if after == NULL or after - at > 5:
        return NULL
    return after


cdef inline const uint8_t *read_tag(const uint8_t *at, const uint8_t *end, uint32_t *tag) noexcept nogil:
    cdef uint64_t value = 0
    at = small_varint(at, end, &value)
    if at == NULL or value >> 32:
        return NULL
    tag[0] = <uint32_t>value
    return at


cdef inline const uint8_t *read_fixed(const uint8_t *at, const uint8_t *end, size_t size, uint64_t *value) noexcept nogil:
    if <size_t>(end - at) < size:
        return NULL
    value[0] = 0
    memcpy(value, at, size)
    return at + size


cdef inline const uint8_t *read_payload(const uint8_t *at, const uint8_t *end, Field *field) noexcept nogil:
    """What follows the tag of any field but a group."""
    cdef unsigned int wire = field.tag & 7
    cdef uint64_t length = 0
    field.missing = 0
    if wire == VARINT:
        return varint(at, end, &field.value)
    if wire == LENGTH:
        at = small_varint(at, end, &length)
        if at == NULL:
            return NULL
        field.begin = at
        if length > <uint64_t>(end - at):
            field.end = end
            field.missing = length - <uint64_t>(end - at)
            return NULL
        field.end = at + length
        return field.end
    if wire == FIXED64:
        return read_fixed(at, end, 8, &field.value)
    if wire == FIXED32:
        return read_fixed(at, end, 4, &field.value)
    return NULL


cdef inline const uint8_t *skip_group(const uint8_t *at, const uint8_t *end, uint32_t tag) noexcept nogil:
    """Past the end of the group opened by `tag`, and of the groups within."""
    cdef uint32_t[100] opened
    cdef int depth = 1
    cdef Field inner
    opened[0] = tag >> 3
    while depth > 0:
        at = read_tag(at, end, &inner.tag)
        if at == NULL:
            return NULL
        if inner.tag & 7 == GROUP:
            if depth == DEPTH:
                return NULL
            opened[depth] = inner.tag >> 3
            depth += 1
        elif inner.tag & 7 == END_GROUP:
            depth -= 1
            if opened[depth] != inner.tag >> 3:
                return NULL
        else:
            at = read_payload(at, end, &inner)
            if at == NULL:
                return NULL
    return at


cdef inline const uint8_t *read_field(const uint8_t *at, const uint8_t *end, Field *field) noexcept nogil:
    """The next field of a message. Unknown groups come back empty, to be passed over like any unknown tag."""
    field.missing = 0
    if end - at > 1 and at[0] >= 8 and at[0] & 0x87 == LENGTH and at[1] <= min(end - at - 2, 0x7F):  # as most are
        field.tag = at[0]
        field.begin = at + 2
        field.end = at + 2 + at[1]
        return field.end
    field.begin = field.end = at
    at = read_tag(at, end, &field.tag)
    if at == NULL or field.tag < 8:  # field number 0 does not exist; within unknown groups nobody minds
        field.tag = 0
        return NULL
    if field.tag & 7 == GROUP:
        return skip_group(at, end, field.tag)
    return read_payload(at, end, field)
