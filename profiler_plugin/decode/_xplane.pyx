# cython: language_level=3, cdivision=True
"""Bytes of an XSpace → columns, compiled. `_xplane_py.py` is the same in readable form.

Each message is read once by `read_field`, which never leaves the message; of events and stats, which are most of a
profile, what comes in the order that recorders write is taken first. A plane's dictionaries follow its lines, so its
fields are first listed, then read in the order stat names, event names, stats, lines. A damaged event ends its line, a
damaged line or plane keeps what came before the damage, and anything else that is damaged is left out.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t, uintptr_t
from libc.stdlib cimport free, qsort

from profiler_plugin.decode._pages cimport stop_pages
from profiler_plugin.decode._tables cimport *
from profiler_plugin.decode._wire cimport Field, read_field, take, varint

import numpy as np

from profiler_plugin.decode import trace
from profiler_plugin.decode.clock import LIMIT_PS as _LIMIT_PS
from profiler_plugin.decode.clock import line_starts, profile_start_ns
from profiler_plugin.decode.order import sort_events
from profiler_plugin.decode.remarks import Damage, impossible_times, reported

cdef enum:
    DOUBLE = 2
    UINT64 = 3
    INT64 = 4
    STR = 5
    BYTES = 6
    REF = 7
    REPORT_BYTES = 1 << 23  # how much is read between two reports of progress

cdef int64_t LIMIT_PS = _LIMIT_PS
cdef const char *OCCURRENCES = "num_occurrences"


cdef class Block:
    """Memory of the decoder, owned by the arrays made of it."""

    cdef void *data
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.data, self.size, 0, flags)

    def __dealloc__(self):
        free(self.data)


cdef array(void **data, size_t n, str dtype):
    """The first `n` items as an array that owns the memory."""
    cdef Block block = Block()
    cdef size_t size = n * np.dtype(dtype).itemsize
    if n == 0:
        return np.empty(0, dtype)
    resize(data, size, 1)
    block.data = data[0]
    block.size = <Py_ssize_t>size
    data[0] = NULL
    return np.frombuffer(block, dtype)


cdef list columns(Ints *rows, int width):
    """The columns of rows laid end to end."""
    cdef object cells = array(<void **>&rows.cell, rows.n, "int64").reshape(-1, width)
    return [np.ascontiguousarray(cells[:, column]) for column in range(width)]


cdef int last_of_each_id(const void *left, const void *right) noexcept nogil:
    """Order of dictionary entries: by id, and of those with one id the last, which holds, first."""
    cdef const int64_t *a = <const int64_t *>left
    cdef const int64_t *b = <const int64_t *>right
    if a[0] != b[0]:
        return -1 if a[0] < b[0] else 1
    return -1 if a[1] > b[1] else 1


cdef inline int32_t named(IdMap *names, int64_t id) noexcept nogil:
    """The code of a name that a value refers to, that of the empty text where there is none."""
    return max(find_id(names, id), 0) if id >= 0 else 0


cdef inline bint push_number(
    StatRows *rows, int64_t owner, IdMap *names, const uint8_t *at, const uint8_t *end
) except -1 nogil:
    """Whether it is a stat as most are, added then: its key and one number, or reference to a name."""
    cdef int64_t metadata_id = 0, value = 0
    at = take(at, end, 0x08, &metadata_id)
    if at == end or not (at[0] == 0x18 or at[0] == 0x20 or at[0] == 0x38):
        return False
    if varint(at + 1, end, <uint64_t *>&value) != end:
        return False
    cdef uint8_t kind = at[0] >> 3
    if kind == REF:
        kind = STR
        value = named(names, value)
    push_stat(rows, owner, max(find_id(names, metadata_id), 0), kind, value)
    return True


cdef class Decoder:
    cdef Py_buffer buffer
    cdef const uint8_t *data
    cdef const uint8_t *end
    cdef const uint8_t *next_report
    cdef object progress
    cdef bint reporting
    cdef int32_t only  # name of the lines that are read, -1 for all

    cdef Ints planes  # id, name, first and last line, first and last metadata
    cdef Ints lines  # plane, id, display id, name, display name, start in ns, first and last event, sorted
    cdef Ints metadata  # plane, id, name, display name
    cdef Ints remarks  # field of XSpace, begin, end
    cdef EventRows events
    cdef StatRows plane_stats
    cdef StatRows metadata_stats
    cdef StatRows event_stats
    cdef Texts texts
    cdef int64_t impossible

    # of the plane being read
    cdef Ints fields  # tag, begin, end
    cdef Ints entries  # id, begin, end
    cdef IdMap names  # stat metadata id → code
    cdef IdMap rows  # event metadata id → row of metadata
    cdef int32_t occurrences_key

    cdef int64_t damage_at  # -1 while all is sound
    cdef int64_t damaged_places
    cdef uint64_t missing

    def __cinit__(self, data, progress, bytes only):
        PyObject_GetBuffer(data, &self.buffer, PyBUF_SIMPLE)
        self.data = <const uint8_t *>self.buffer.buf
        self.end = self.data + self.buffer.len
        self.next_report = self.data
        self.progress = progress
        self.reporting = progress is not None
        self.damage_at = -1
        self.texts.seed = self.names.seed = self.rows.seed = <uint64_t>hash(b"seed")
        self.text(self.data, self.data)
        self.only = -1 if only is None else self.text(<const uint8_t *>only, <const uint8_t *>only + len(only))

    def __dealloc__(self):
        PyBuffer_Release(&self.buffer)
        free(self.planes.cell)
        free(self.lines.cell)
        free(self.metadata.cell)
        free(self.remarks.cell)
        free(self.fields.cell)
        free(self.entries.cell)
        free_ids(&self.names)
        free_ids(&self.rows)
        free_events(&self.events)
        free_stats(&self.plane_stats)
        free_stats(&self.metadata_stats)
        free_stats(&self.event_stats)
        free_texts(&self.texts)

    cdef int damaged(self, const uint8_t *at, const uint8_t *end) except -1 nogil:
        """Note damage at `at`, in a message that ends at `end`."""
        if self.missing and end == self.end:
            return 0  # the same cut, seen from within
        if self.damage_at < 0 or at - self.data < self.damage_at:
            self.damage_at = at - self.data
        self.damaged_places += 1
        return 0

    cdef int report(self, const uint8_t *at) except -1 nogil:
        self.next_report = at + REPORT_BYTES if self.end - at > REPORT_BYTES else self.end
        if self.reporting:
            with gil:
                self.progress((at - self.data) / <double>(self.end - self.data))
        return 0

    cdef int32_t text(self, const uint8_t *begin, const uint8_t *end) except -1 nogil:
        return intern(&self.texts, begin, end - begin)

    cdef int space(self) except -1 nogil:
        cdef const uint8_t *at = self.data
        cdef const uint8_t *here
        cdef Field field
        # About what recorders write. Room that is not used is never touched, and given back at the end.
        reserve_events(&self.events, (self.end - self.data) // 24 + 16)
        reserve_stats(&self.event_stats, (self.end - self.data) // 12 + 16)
        while at != NULL and at < self.end:
            here = at
            at = read_field(at, self.end, &field)
            if at == NULL and field.missing:
                self.damaged(self.end, self.end)
                self.missing = field.missing
            elif at == NULL:
                self.damaged(here, self.end)
                break
            if field.tag == 0x0A:
                self.plane(field.begin, field.end)
            elif at != NULL and (field.tag == 0x12 or field.tag == 0x1A or field.tag == 0x22):
                push(&self.remarks, field.tag >> 3)
                push(&self.remarks, field.begin - self.data)
                push(&self.remarks, field.end - self.data)
        stop_pages(&self.events.pages)
        stop_pages(&self.event_stats.pages)
        return 0

    cdef int plane(self, const uint8_t *at, const uint8_t *end) except -1 nogil:
        cdef int64_t plane_row = self.planes.n // 6
        cdef int64_t first_line = self.lines.n // 9
        cdef int64_t first_metadata = self.metadata.n // 4
        cdef int64_t plane_id = 0
        cdef int32_t name = 0
        cdef const uint8_t *here
        cdef Field field
        cdef size_t row
        self.fields.n = self.entries.n = 0
        clear_ids(&self.names)
        clear_ids(&self.rows)
        self.occurrences_key = -1

        while at != NULL and at < end:
            here = at
            at = read_field(at, end, &field)
            if at == NULL:
                self.damaged(here, end)
                if not (field.missing and field.tag == 0x1A):
                    break
            if field.tag == 0x08:
                plane_id = <int64_t>field.value
            elif field.tag == 0x12:
                name = self.text(field.begin, field.end)
            elif field.tag == 0x1A or field.tag == 0x22 or field.tag == 0x2A or field.tag == 0x32:
                push(&self.fields, field.tag)
                push(&self.fields, field.begin - self.data)
                push(&self.fields, field.end - self.data)

        for row in range(0, self.fields.n, 3):
            if self.fields.cell[row] == 0x2A:
                self.stat_name(self.data + self.fields.cell[row + 1], self.data + self.fields.cell[row + 2])
        for row in range(0, self.fields.n, 3):
            if self.fields.cell[row] == 0x22:
                self.entry(self.data + self.fields.cell[row + 1], self.data + self.fields.cell[row + 2])
        if self.entries.n:
            qsort(self.entries.cell, self.entries.n // 3, 3 * sizeof(int64_t), last_of_each_id)
        for row in range(0, self.entries.n, 3):
            self.event_name(
                plane_row,
                self.entries.cell[row],
                self.data + self.entries.cell[row + 1],
                self.data + self.entries.cell[row + 2],
            )
        for row in range(0, self.fields.n, 3):
            if self.fields.cell[row] == 0x32:
                self.stat(
                    &self.plane_stats,
                    plane_row,
                    self.data + self.fields.cell[row + 1],
                    self.data + self.fields.cell[row + 2],
                )
        for row in range(0, self.fields.n, 3):
            if self.fields.cell[row] == 0x1A:
                self.line(plane_row, self.data + self.fields.cell[row + 1], self.data + self.fields.cell[row + 2])

        push(&self.planes, plane_id)
        push(&self.planes, name)
        push(&self.planes, first_line)
        push(&self.planes, <int64_t>(self.lines.n // 9))
        push(&self.planes, first_metadata)
        push(&self.planes, <int64_t>(self.metadata.n // 4))
        return 0

    cdef int stat_name(self, const uint8_t *at, const uint8_t *end) except -1 nogil:
        """An entry of stat_metadata: id and name."""
        cdef const uint8_t *here
        cdef const uint8_t *inside
        cdef Field field, inner
        cdef int64_t key = 0
        cdef const uint8_t *begin = at
        cdef const uint8_t *stop = at
        while at < end:
            here = at
            at = read_field(at, end, &field)
            if at == NULL:
                return self.damaged(here, end)
            if field.tag == 0x08:
                key = <int64_t>field.value
            elif field.tag == 0x12:
                inside = field.begin
                while inside < field.end:
                    here = inside
                    inside = read_field(inside, field.end, &inner)
                    if inside == NULL:
                        return self.damaged(here, field.end)
                    if inner.tag == 0x12:
                        begin = inner.begin
                        stop = inner.end
        return put_id(&self.names, key, self.text(begin, stop))

    cdef int entry(self, const uint8_t *at, const uint8_t *end) except -1 nogil:
        """List an entry of event_metadata by its id."""
        cdef const uint8_t *begin = at
        cdef const uint8_t *here
        cdef Field field
        cdef int64_t key = 0
        while at < end:
            here = at
            at = read_field(at, end, &field)
            if at == NULL:
                return self.damaged(here, end)
            if field.tag == 0x08:
                key = <int64_t>field.value
        push(&self.entries, key)
        push(&self.entries, begin - self.data)
        return push(&self.entries, end - self.data)

    cdef int event_name(self, int64_t plane_row, int64_t key, const uint8_t *at, const uint8_t *end) except -1 nogil:
        """The metadata row of a listed entry, unless it is damaged or its id is taken."""
        cdef int64_t metadata_row = self.metadata.n // 4
        cdef size_t stats_before = self.metadata_stats.n
        cdef int32_t name = 0, display_name = 0
        cdef bint sound = True
        cdef const uint8_t *inside
        cdef const uint8_t *here
        cdef Field field, inner
        while at < end:
            at = read_field(at, end, &field)
            if field.tag != 0x12:
                continue
            inside = field.begin
            while sound and inside < field.end:
                here = inside
                inside = read_field(inside, field.end, &inner)
                if inside == NULL:
                    sound = False
                    self.damaged(here, field.end)
                elif inner.tag == 0x12:
                    name = self.text(inner.begin, inner.end)
                elif inner.tag == 0x22:
                    display_name = self.text(inner.begin, inner.end)
                elif inner.tag == 0x2A:
                    sound = self.stat(&self.metadata_stats, metadata_row, inner.begin, inner.end)
        if not sound or find_id(&self.rows, key) >= 0:
            self.metadata_stats.n = stats_before
            return 0
        self.metadata_row(plane_row, key, name, display_name)
        return 0

    cdef int32_t metadata_row(
        self, int64_t plane_row, int64_t key, int32_t name, int32_t display_name
    ) except -1 nogil:
        cdef int32_t row = <int32_t>(self.metadata.n // 4)
        push(&self.metadata, plane_row)
        push(&self.metadata, key)
        push(&self.metadata, name)
        push(&self.metadata, display_name)
        put_id(&self.rows, key, row)
        return row

    cdef int line(self, int64_t plane_row, const uint8_t *at, const uint8_t *end) except -1 nogil:
        cdef int64_t line_row = self.lines.n // 9
        cdef int64_t first = self.events.n
        cdef int64_t line_id = 0, display_id = 0, timestamp_ns = 0
        cdef int32_t name = 0, display_name = 0
        cdef bint in_order = True
        cdef size_t last
        cdef const uint8_t *here
        cdef Field field
        while at < end:
            here = at
            at = read_field(at, end, &field)
            if at == NULL:
                self.damaged(here, end)
                break
            if field.tag == 0x22:
                if self.only >= 0 and name != self.only:
                    return 0  # nothing of the rest is touched
                if not self.event(plane_row, line_row, field.begin, field.end):
                    break
                last = self.events.n - 1
                if <int64_t>last > first and (
                    self.events.start[last] < self.events.start[last - 1]
                    or self.events.start[last] == self.events.start[last - 1]
                    and self.events.duration[last] > self.events.duration[last - 1]
                ):
                    in_order = False
                if at >= self.next_report:
                    self.report(at)
            elif field.tag == 0x08:
                line_id = <int64_t>field.value
            elif field.tag == 0x12:
                name = self.text(field.begin, field.end)
            elif field.tag == 0x18:
                timestamp_ns = <int64_t>field.value
            elif field.tag == 0x50:
                display_id = <int64_t>field.value
            elif field.tag == 0x5A:
                display_name = self.text(field.begin, field.end)
        if self.only >= 0 and name != self.only:
            return 0
        push(&self.lines, plane_row)
        push(&self.lines, line_id)
        push(&self.lines, display_id)
        push(&self.lines, name)
        push(&self.lines, display_name)
        push(&self.lines, timestamp_ns)
        push(&self.lines, first)
        push(&self.lines, <int64_t>self.events.n)
        push(&self.lines, in_order)
        return 0

    cdef bint event(self, int64_t plane_row, int64_t line_row, const uint8_t *at, const uint8_t *end) except -1 nogil:
        """False, and nothing added, if the event is damaged."""
        cdef size_t row = self.events.n
        cdef size_t stats_before = self.event_stats.n
        cdef int64_t metadata_id = 0, offset = 0, duration = 0, occurrences = 0
        cdef bint aggregated = False
        cdef int32_t shared
        cdef const uint8_t *here
        cdef Field field
        at = take(at, end, 0x08, &metadata_id)
        at = take(at, end, 0x10, &offset)
        at = take(at, end, 0x18, &duration)
        while at < end:
            here = at
            at = read_field(at, end, &field)
            if at == NULL:
                self.damaged(here, end)
                self.event_stats.n = stats_before
                return False
            if field.tag == 0x08:
                metadata_id = <int64_t>field.value
            elif field.tag == 0x10:
                offset = <int64_t>field.value
                aggregated = False
            elif field.tag == 0x18:
                duration = <int64_t>field.value
            elif field.tag == 0x22:
                if push_number(&self.event_stats, row, &self.names, field.begin, field.end):
                    continue
                if not self.stat(&self.event_stats, row, field.begin, field.end):
                    self.event_stats.n = stats_before
                    return False
            elif field.tag == 0x28:
                occurrences = <int64_t>field.value
                aggregated = True

        if aggregated:
            offset = 0
            if self.occurrences_key < 0:
                self.occurrences_key = self.text(<const uint8_t *>OCCURRENCES, <const uint8_t *>OCCURRENCES + 15)
            push_stat(&self.event_stats, row, self.occurrences_key, INT64, occurrences)
        if offset < -LIMIT_PS or offset > LIMIT_PS or duration < 0 or duration > LIMIT_PS:
            offset = min(max(offset, -LIMIT_PS), LIMIT_PS)
            duration = min(max(duration, <int64_t>0), LIMIT_PS)
            self.impossible += 1
        shared = find_id(&self.rows, metadata_id)
        if shared < 0:
            shared = self.metadata_row(plane_row, metadata_id, 0, 0)
        if row == self.events.room:
            more_events(&self.events)
        self.events.line[row] = <int32_t>line_row
        self.events.start[row] = offset
        self.events.duration[row] = duration
        self.events.metadata[row] = shared
        self.events.n = row + 1
        return True

    cdef bint stat(self, StatRows *rows, int64_t owner, const uint8_t *at, const uint8_t *end) except -1 nogil:
        """False, and nothing added, if the stat is damaged."""
        cdef int64_t metadata_id = 0, value = 0
        cdef uint8_t kind = INT64
        cdef int32_t key
        cdef const uint8_t *here
        cdef const uint8_t *begin = at
        cdef const uint8_t *stop = at
        cdef Field field
        while at < end:
            here = at
            at = read_field(at, end, &field)
            if at == NULL:
                self.damaged(here, end)
                return False
            if field.tag == 0x08:
                metadata_id = <int64_t>field.value
            elif field.tag == 0x11 or field.tag == 0x18 or field.tag == 0x20 or field.tag == 0x38:
                kind = <uint8_t>(field.tag >> 3)
                value = <int64_t>field.value
            elif field.tag == 0x2A or field.tag == 0x32:
                kind = <uint8_t>(field.tag >> 3)
                begin = field.begin
                stop = field.end
        key = find_id(&self.names, metadata_id)
        if kind == STR or kind == BYTES:
            value = self.text(begin, stop)
        elif kind == REF:
            kind = STR
            value = named(&self.names, value)
        push_stat(rows, owner, max(key, 0), kind, value)
        return True

    cdef void move_events(self, const int64_t *line_start) noexcept nogil:
        """From offsets on their lines to times since the start of the profile."""
        cdef size_t row
        for row in range(self.events.n):
            self.events.start[row] += line_start[self.events.line[row]]

    cdef object stats(self, StatRows *rows):
        return trace.Stats(
            array(<void **>&rows.owner, rows.n, "int32"),
            array(<void **>&rows.key, rows.n, "int32"),
            array(<void **>&rows.kind, rows.n, "uint8"),
            array(<void **>&rows.value, rows.n, "int64"),
        )

    cdef list said(self, int field):
        """The recorder's texts in one field of XSpace."""
        cdef size_t row
        return [
            PyBytes_FromStringAndSize(
                <const char *>self.data + self.remarks.cell[row + 1],
                self.remarks.cell[row + 2] - self.remarks.cell[row + 1],
            ).decode("utf-8", "replace")
            for row in range(0, self.remarks.n, 3)
            if self.remarks.cell[row] == field
        ]


def decode(data, str host, progress=None, bytes only=None):
    """Columns of the XSpace in `data`, and where it is damaged. `progress` is called with the share read so far.

    Where `only` is given, lines of another name are left out, damaged or not.
    """
    cdef Decoder decoder = Decoder(data, progress, only)
    with nogil:
        decoder.space()
    return finish(decoder, host)


cdef tuple finish(Decoder decoder, str host):
    """The tables of all that was read. The arrays take the decoder's memory over."""
    strings = trace.Strings(
        memoryview(array(<void **>&decoder.texts.blob, decoder.texts.size, "uint8")).toreadonly(),
        array(<void **>&decoder.texts.offset.cell, decoder.texts.offset.n, "int64"),
        array(<void **>&decoder.texts.length.cell, decoder.texts.length.n, "int64"),
    )
    plane_stats = decoder.stats(&decoder.plane_stats)
    event_stats = decoder.stats(&decoder.event_stats)
    planes, lines, metadata = columns(&decoder.planes, 6), columns(&decoder.lines, 9), columns(&decoder.metadata, 4)
    timestamp_ns, begin, end, in_order = lines[5:]

    starts = line_starts(
        timestamp_ns, end > begin, profile_start_ns(plane_stats, strings.find("profile_start_time"))
    )
    size = decoder.events.n
    decoder.move_events(<const int64_t *><uintptr_t>starts.ctypes.data)
    events = [
        array(<void **>&decoder.events.line, size, "int32"),
        array(<void **>&decoder.events.start, size, "int64"),
        array(<void **>&decoder.events.duration, size, "int64"),
        array(<void **>&decoder.events.metadata, size, "int32"),
    ]
    if not in_order.all():
        sort_events(in_order == 0, *events, event_stats)

    notes = reported(decoder.said(2), decoder.said(3)) + impossible_times(decoder.impossible)
    host_trace = trace.HostTrace(
        host=host,
        planes=trace.Planes(planes[0], *narrow(planes[1:])),
        lines=trace.Lines(
            *narrow(lines[:1]), *lines[1:3], *narrow(lines[3:5]), starts, begin, end
        ),
        metadata=trace.Metadata(*narrow(metadata[:1]), metadata[1], *narrow(metadata[2:])),
        events=trace.Events(*events),
        plane_stats=plane_stats,
        metadata_stats=decoder.stats(&decoder.metadata_stats),
        event_stats=event_stats,
        strings=strings,
        hostnames=tuple(decoder.said(4)),
        notes=tuple(notes),
    )
    if not decoder.damaged_places:
        return host_trace, None
    return host_trace, Damage(decoder.damage_at, decoder.damaged_places, decoder.missing)


cdef list narrow(list wide):
    return [column.astype(np.int32) for column in wide]
