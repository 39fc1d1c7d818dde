# cython: language_level=3, cdivision=True
"""Plain events of Chrome traces → columns, compiled. `chrome.py` and `kineto.py` say what comes out, and do the others.

    [{"ph": "X", "name": "load", …}, {"ph": "X", …}, {"ph": "b", …}, {"ph": "X", …}, {"ph": "X", "name": "lo
     └──────────── read here ─────────────────────┘  └─ by Python ┘  └─ read here ┘  └ by Python, which gets more text

Of an event all is first read into tokens, places in the text (`_json.pxd`). If every one is understood, a row and its stats
are written; else nothing is, and Python reads the event from its beginning. What is damaged or rare is not judged here.

Texts are numbered in the order in which Python numbers them.
"""

from cpython cimport array
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport Py_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp, memset

from profiler_plugin.decode._json cimport (
    ABSENT, DECIMAL, INTEGER, OTHER, TEXT, Token, closing, is_any_text, is_text, number, picoseconds, space, take_number,
    take_value,
)
from profiler_plugin.decode._tables cimport Ints, free_texts, intern, push
from profiler_plugin.decode._tables cimport Texts as Table

import json

import numpy as np

from profiler_plugin import kineto
from profiler_plugin.decode.clock import LIMIT_PS as _LIMIT_PS
from profiler_plugin.decode.columns import as_json
from profiler_plugin.decode.session_run import op_of
from profiler_plugin.decode.tables import Strings
from profiler_plugin.decode.texts import odd_bytes

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    bint PyUnicode_IS_ASCII(object text)

cdef enum:
    INT64 = 4
    STR = 5
    DOUBLE = 2

    MOST_ARGUMENTS = 64
    MOST_KEYS = 1 << 16
    LONGEST_KEY = 256  # bytes
    MOST_REMEMBERED = 1 << 24  # bytes of values that Python told

cdef enum:
    PH
    CAT
    NAME
    ID
    PID
    TID
    TS
    DUR
    TDUR
    SCOPE
    ARGS  # the last, whose value is read by itself
    FIELDS
    NO_FIELD

# What an argument means in PyTorch's traces.
cdef enum:
    NONE
    OURS  # a name that we give to something else
    CORRELATION
    DIMS
    EXTERNAL
    EXTERNAL_OLD
    DEVICE
    STREAM
    CONTEXT
    GRAPH
    OP_NAME  # of TensorFlow 1
    OP_TYPE
    SIZE  # of an allocation, with the next five
    ALLOCATED
    RESERVED
    ADDRESS
    MEMORY_KIND
    MEMORY_DEVICE
    DETAIL  # the first of those of a kernel that make up one text
    ROLES = DETAIL + 5

# What an event is in PyTorch's traces.
cdef enum:
    RARE
    HOST
    OP
    LAUNCH
    KERNEL

# Keys of stats that we give.
cdef enum:
    CAT_KEY
    ID_KEY
    TF_OP_KEY
    CORRELATION_KEY
    SHAPE_KEY
    CONTEXT_KEY
    DETAILS_KEY
    GRAPH_KEY
    ALLOCATOR_KEY
    ALLOCATED_KEY
    AVAILABLE_KEY
    RESERVED_KEY
    PEAK_KEY
    REQUESTED_KEY
    ALLOCATION_KEY
    ADDRESS_KEY

cdef int64_t NOBODY = -(1 << 62)  # no number of a process, as it has more than 18 digits
cdef int64_t LONGEST_US = _LIMIT_PS // 1000000


_FIELDS = {b"ph": PH, b"cat": CAT, b"name": NAME, b"id": ID, b"pid": PID, b"tid": TID, b"ts": TS, b"dur": DUR,
           b"tdur": TDUR, b"scope": SCOPE, b"args": ARGS}
_DETAILS = ("grid", "block", "registers per thread", "shared memory", "est. achieved occupancy %")
_ROLES = {b"correlation": CORRELATION, b"Input Dims": DIMS, b"External id": EXTERNAL, b"external id": EXTERNAL_OLD,
          b"device": DEVICE, b"stream": STREAM, b"context": CONTEXT, b"graph id": GRAPH, b"name": OP_NAME,
          b"op": OP_TYPE, b"Bytes": SIZE, b"Total Allocated": ALLOCATED, b"Total Reserved": RESERVED, b"Addr": ADDRESS,
          b"Device Type": MEMORY_KIND, b"Device Id": MEMORY_DEVICE}
_ROLES |= {name.encode(): DETAIL + place for place, name in enumerate(_DETAILS)}
_KEYS = (b"cat", b"id", b"tf_op", b"correlation_id", b"shape", b"context_id", b"kernel_details", b"cuda_graph_id",
         b"allocator_name", b"bytes_allocated", b"bytes_available", b"bytes_reserved", b"peak_bytes_in_use",
         b"requested_bytes", b"allocation_bytes", b"addr")
_ROLES |= {name: OURS for name in _KEYS[: GRAPH_KEY + 1] if name != b"id"}
_ACTIVITIES = {"cpu_op": OP, "kernel": KERNEL, "concurrent_kernel": KERNEL, "user_annotation": RARE, "gpu_memcpy": RARE,
               "gpu_memset": RARE, "gpu_user_annotation": RARE, **{name: LAUNCH for name in kineto.LAUNCHES}}
_decode = json.JSONDecoder(strict=False, parse_float=str.encode).decode


cdef struct Argument:
    int32_t key
    Token value


cdef inline int add_int(array.array column, int32_t value) except -1:
    cdef Py_ssize_t rows = Py_SIZE(column)
    array.resize_smart(column, rows + 1)
    column.data.as_ints[rows] = value
    return 0


cdef inline int add_long(array.array column, int64_t value) except -1:
    cdef Py_ssize_t rows = Py_SIZE(column)
    array.resize_smart(column, rows + 1)
    (<int64_t *>column.data.as_voidptr)[rows] = value
    return 0


cdef class Texts:
    """The compiled twin of `texts.py`."""

    cdef Table table

    def __cinit__(self):
        self.table.seed = <uint64_t>hash(b"seed")
        intern(&self.table, <const uint8_t *>b"", 0)

    def __dealloc__(self):
        free_texts(&self.table)

    cpdef int32_t code(self, str text) except -1:
        cdef bytes data
        try:
            data = text.encode()
        except UnicodeEncodeError:
            data = odd_bytes(text)
        return intern(&self.table, data, len(data))

    def strings(self):
        length = np.array(<int64_t[: self.table.length.n]>self.table.length.cell)
        blob = memoryview(PyBytes_FromStringAndSize(<const char *>self.table.blob, self.table.size))
        return Strings(blob, np.cumsum(length) - length, length)


cdef class PlainEvents:
    cdef object reader, line_of, spans, counters, kineto, memory
    cdef bint numbers_are_texts
    cdef frozenset flows
    cdef Texts texts
    cdef array.array event_line, event_name, start_us, start_ps, duration_ps
    cdef array.array owner, key, kind, value, doubles
    cdef array.array op_rows, op_from, op_to, launch_from, launch_to, kernels
    cdef dict lines, streams, activities, details, remembered
    cdef int64_t remembered_bytes
    cdef object last_line
    cdef bytes last_cat
    cdef int64_t last_process, last_thread
    cdef int last_activity

    cdef Table keys  # by number
    cdef Ints field_of
    cdef Ints role_of
    cdef Ints code_of  # -1 while no stat has that key
    cdef Ints last_event  # number of the last event that had it
    cdef Ints follows  # key that last came after it, as a guess
    cdef int32_t last_key

    # of the event being read
    cdef int64_t event_number
    cdef Token field[FIELDS]
    cdef Argument argument[MOST_ARGUMENTS]
    cdef int arguments
    cdef Token *role[ROLES]
    cdef list told
    cdef int64_t us, ps, length_ps  # start, and duration

    # of the text being read
    cdef object text
    cdef const uint8_t *data  # NULL if it is no UTF-8
    cdef const uint8_t *end
    cdef Py_ssize_t characters, bytes  # read so far

    def __init__(self, reader, frozenset flows):
        """`reader` reads the others; `flows` are categories that are passed over."""
        cdef bytes key
        columns, kineto = reader.columns, reader.kineto
        self.reader, self.kineto, self.spans, self.counters = reader, kineto, reader.spans, reader.counters
        self.line_of = kineto.line if kineto else reader.thread_line
        self.flows, self.numbers_are_texts = flows, reader.numbers_are_texts
        self.texts = columns.texts
        self.event_line, self.event_name = columns.event_line, columns.event_name
        self.start_us, self.start_ps, self.duration_ps = columns.start_us, columns.start_ps, columns.duration_ps
        self.owner, self.key, self.kind, self.value = columns.owner, columns.key, columns.kind, columns.value
        self.doubles = columns.doubles
        if kineto is not None:
            self.op_rows, self.kernels = kineto.op_rows, kineto.kernels
            self.op_from, self.op_to = kineto.ops.number, kineto.ops.leads_to
            self.memory = kineto.memory
            self.launch_from, self.launch_to = kineto.launches.number, kineto.launches.leads_to
        self.lines, self.streams, self.activities, self.details, self.remembered = {}, {}, {}, {}, {}
        self.told = []
        self.last_cat, self.last_activity = b"", HOST
        self.last_process = self.last_thread = NOBODY
        self.keys.seed = self.texts.table.seed
        for key in _KEYS:  # whose numbers are those of the enumeration then
            self.key_at(key, <const uint8_t *>key + len(key))

    def __dealloc__(self):
        free_texts(&self.keys)
        free(self.field_of.cell)
        free(self.role_of.cell)
        free(self.code_of.cell)
        free(self.last_event.cell)
        free(self.follows.cell)

    def read(self, str text, Py_ssize_t at):
        """Write the plain events at a place in the text; returns the place of what is none, or `at`."""
        cdef const uint8_t *here
        cdef const uint8_t *after
        if text is not self.text:
            self.open(text)
        if self.data == NULL:
            return at
        self.go_to(at)
        here = self.data + self.bytes
        while here[0] == c"{":
            after = self.event(here)
            if after == NULL or not self.write():
                break
            here = space(after)
            while here[0] == c",":
                here = space(here + 1)
        if PyUnicode_IS_ASCII(text):
            return here - self.data
        after = self.data + self.bytes
        while after < here:
            self.characters += after[0] & 0xC0 != 0x80
            after += 1
        self.bytes = here - self.data
        return self.characters

    cdef int open(self, str text) except -1:
        cdef Py_ssize_t size
        self.data = NULL
        self.text = text
        self.characters = self.bytes = 0
        try:
            self.data = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &size)
            self.end = self.data + size
        except UnicodeEncodeError:
            pass
        return 0

    cdef int go_to(self, Py_ssize_t at) except -1:
        """Places in the text count characters."""
        if PyUnicode_IS_ASCII(self.text):
            self.bytes = at
            return 0
        if at < self.characters:
            self.characters = self.bytes = 0
        while self.characters < at:
            self.bytes += 1
            while self.data[self.bytes] & 0xC0 == 0x80:
                self.bytes += 1
            self.characters += 1
        return 0

    cdef inline int32_t key_at(self, const uint8_t *begin, const uint8_t *end) except -2:
        """The number of a key, -1 if that is too long or there are too many."""
        cdef size_t length = end - begin
        cdef int32_t key = <int32_t>self.follows.cell[self.last_key] if self.follows.n else 0
        if self.follows.n and <size_t>self.keys.length.cell[key] == length:
            if memcmp(self.keys.blob + self.keys.offset.cell[key], begin, length) == 0:
                self.last_key = key
                return key
        if length > LONGEST_KEY or self.keys.offset.n >= MOST_KEYS:
            return -1
        key = intern(&self.keys, begin, end - begin)
        if <size_t>key == self.field_of.n:
            name = PyBytes_FromStringAndSize(<const char *>begin, end - begin)
            push(&self.field_of, _FIELDS.get(name, NO_FIELD))
            push(&self.role_of, _ROLES.get(name, NONE))
            push(&self.code_of, -1)
            push(&self.last_event, 0)
            push(&self.follows, 0)
        self.follows.cell[self.last_key] = key
        self.last_key = key
        return key

    cdef inline const uint8_t *take_key(self, const uint8_t *at, int32_t *key) except? NULL:
        """Past the key whose quote is at `at` and its colon, to the value; NULL if that is not plain."""
        cdef bint escapes
        cdef const uint8_t *end = closing(at + 1, self.end, &escapes)
        if end == NULL or escapes:
            return NULL
        key[0] = self.key_at(at + 1, end)
        end = space(end + 1)
        return space(end + 1) if key[0] >= 0 and end[0] == c":" else NULL

    cdef const uint8_t *event(self, const uint8_t *at) except? NULL:
        """Past the event at `at`, NULL if it is not plain."""
        cdef const uint8_t *end = self.end
        cdef int field
        cdef int32_t key
        cdef Token ignored
        cdef Token *token
        self.event_number += 1
        self.arguments = 0
        if self.told:
            self.told.clear()
        memset(self.field, 0, sizeof(self.field))  # ABSENT
        memset(self.role, 0, sizeof(self.role))
        at = space(at + 1)
        while at[0] == c'"':
            at = self.take_key(at, &key)
            if at == NULL:
                return NULL
            field = <int>self.field_of.cell[key]
            token = &ignored if field == NO_FIELD else &self.field[field]
            if field != NO_FIELD and token.kind != ABSENT:
                return NULL
            if field == ARGS:
                token.kind = OTHER
                at = self.take_arguments(at)
            else:
                at = take_value(at, end, token)
            if at == NULL or (field == NO_FIELD and not self.ask(token)):
                return NULL
            at = space(at)
            if at[0] == c"}":
                return at + 1
            if at[0] != c",":
                return NULL
            at = space(at + 1)
        return NULL

    cdef inline const uint8_t *take_arguments(self, const uint8_t *at) except? NULL:
        cdef int32_t key
        cdef Argument *argument
        if at[0] != c"{":
            return NULL
        at = space(at + 1)
        if at[0] == c"}":
            return at + 1
        while at[0] == c'"' and self.arguments < MOST_ARGUMENTS:
            at = self.take_key(at, &key)
            if at == NULL or self.last_event.cell[key] == self.event_number:
                return NULL
            self.last_event.cell[key] = self.event_number
            argument = &self.argument[self.arguments]
            argument.key = key
            at = take_value(at, self.end, &argument.value)
            if at == NULL:
                return NULL
            self.role[self.role_of.cell[key]] = &argument.value
            self.arguments += 1
            at = space(at)
            if at[0] == c"}":
                return at + 1
            if at[0] != c",":
                return NULL
            at = space(at + 1)
        return NULL

    cdef bint ask(self, Token *token) except -1:
        """Of an OTHER, what Python makes of it, as a text, or None for null; False where it is not sound."""
        cdef bytes raw
        if token.kind != OTHER:
            return True
        raw = self.characters_of(token)
        try:
            text = self.remembered[raw]
        except KeyError:
            try:
                value = _decode(raw.decode())
            except (ValueError, RecursionError):
                return False
            text = value if value is None or isinstance(value, str) else as_json(value)
            if self.remembered_bytes > MOST_REMEMBERED:
                self.remembered.clear()
                self.remembered_bytes = 0
            self.remembered[raw] = text
            self.remembered_bytes += 2 * len(raw)
        token.number = len(self.told)
        self.told.append(text)
        return True

    cdef bint write(self) except -1:
        """Write what was read; False, and nothing is written, if that is not a plain event."""
        cdef Token *phase = &self.field[PH]
        if phase.kind != TEXT or phase.end - phase.begin != 3:
            return False
        cdef uint8_t letter = phase.begin[1]
        if letter == c"s" or letter == c"t" or letter == c"f":
            return self.field[CAT].kind == TEXT and self.inside(&self.field[CAT]) in self.flows and self.ask_all()
        if self.kineto is None:
            return memchr(b"XiIRPBECNOD", letter, 11) != NULL and self.ask_all() and self.write_any(letter)
        if letter == c"X":
            return self.ask_all() and self.write_activity()
        return letter == c"i" and self.ask_all() and self.write_allocation()

    cdef bint ask_all(self) except -1:
        cdef int field, place
        for field in range(ARGS):
            if not self.ask(&self.field[field]):
                return False
        for place in range(self.arguments):
            if not self.ask(&self.argument[place].value):
                return False
        return True

    cdef str content(self, const Token *token):
        if token.kind == TEXT:
            return self.inside(token).decode()
        return "" if token.kind == ABSENT else self.told[token.number]

    cdef bint begins(self, const Token *token, bytes text) except -1:
        if token.kind != TEXT:
            return self.content(token).startswith(text.decode())
        return token.end - token.begin > len(text) and memcmp(token.begin + 1, <const uint8_t *>text, len(text)) == 0

    cdef bytes characters_of(self, const Token *token):
        return PyBytes_FromStringAndSize(<const char *>token.begin, token.end - token.begin)

    cdef bytes inside(self, const Token *token):
        """What is between the quotes."""
        return PyBytes_FromStringAndSize(<const char *>token.begin + 1, token.end - token.begin - 2)

    cdef bint timed(self, bint lasts) noexcept:
        """Whether name and times are as most are; `lasts` if it may take time."""
        cdef Token *name = &self.field[NAME]
        cdef int64_t length_us = 0, length_ps = 0
        if lasts and self.field[DUR].kind != ABSENT:
            if not picoseconds(&self.field[DUR], &length_us, &length_ps) or not 0 <= length_us < LONGEST_US:
                return False
        elif lasts and self.field[TDUR].kind != ABSENT:
            return False
        self.length_ps = length_us * 1000000 + length_ps
        if name.kind == INTEGER or name.kind == DECIMAL or (name.kind == OTHER and name.begin[0] != c'"'):
            return False
        return picoseconds(&self.field[TS], &self.us, &self.ps)

    cdef int64_t add_event(self, int32_t line, int32_t name) except -1:
        cdef Py_ssize_t row = Py_SIZE(self.event_line)
        add_int(self.event_line, line)
        add_int(self.event_name, name)
        add_long(self.start_us, self.us)
        add_int(self.start_ps, <int32_t>self.ps)
        add_long(self.duration_ps, self.length_ps)
        return row

    cdef int32_t code(self, const Token *token) except -1:
        """That of a text, 0 of none."""
        if token.kind == TEXT:
            return intern(&self.texts.table, token.begin + 1, token.end - token.begin - 2)
        return 0 if token.kind == ABSENT else self.texts.code(self.told[token.number])

    cdef int add_stat(self, int64_t row, int32_t key, const Token *token) except -1:
        if token.kind == INTEGER:
            return self.add(row, key, INT64, token.number)
        if token.kind == DECIMAL:
            self.add_double(number(token))
            return self.add(row, key, DOUBLE, 0)
        if token.kind == OTHER and self.told[token.number] is None:
            return 0
        return self.add(row, key, STR, self.code(token))

    cdef int add_double(self, double value) except -1:
        cdef Py_ssize_t rows = Py_SIZE(self.doubles)
        array.resize_smart(self.doubles, rows + 1)
        self.doubles.data.as_doubles[rows] = value
        return 0

    cdef int add(self, int64_t row, int32_t key, uint8_t kind, int64_t value) except -1:
        cdef Py_ssize_t rows = Py_SIZE(self.kind)
        cdef int32_t code = <int32_t>self.code_of.cell[key]
        if code < 0:
            code = intern(&self.texts.table, self.keys.blob + self.keys.offset.cell[key], self.keys.length.cell[key])
            self.code_of.cell[key] = code
        add_int(self.owner, <int32_t>row)
        add_int(self.key, code)
        array.resize_smart(self.kind, rows + 1)
        self.kind.data.as_uchars[rows] = kind
        return add_long(self.value, value)

    cdef object identity(self, const Token *token):
        """Number or name of a process or thread, None where it is neither."""
        if token.kind == INTEGER:
            return token.number
        if token.kind == TEXT:
            return self.inside(token).decode()
        return 0 if token.kind == ABSENT and self.kineto is None else None

    cdef object line(self):
        """The line of the thread, None if Python has to tell."""
        cdef Token *process = &self.field[PID]
        cdef Token *thread = &self.field[TID]
        cdef bint numbered = process.kind == INTEGER and thread.kind == INTEGER
        if numbered and process.number == self.last_process and thread.number == self.last_thread:
            return self.last_line
        pid, tid = self.identity(process), self.identity(thread)
        if pid is None or tid is None:
            return None
        found = self.lines.get((pid, tid))
        if found is None:
            found = self.lines[pid, tid] = self.line_of(pid, tid)
        if numbered:
            self.last_process, self.last_thread, self.last_line = process.number, thread.number, found
        return found

    # Chrome's traces, and all that are not PyTorch's: as `Reader` does with what is complete, instants, spans of a
    # thread, counters and objects.

    cdef bint write_any(self, uint8_t phase) except -1:
        cdef Token *cat = &self.field[CAT]
        cdef Token *id = &self.field[ID]
        cdef bint is_op = is_text(cat, b"Op"), line_first = memchr(b"BECNOD", phase, 6) != NULL
        cdef int place
        cdef int32_t code, key
        cdef int64_t row
        if not self.timed(phase == c"X") or cat.kind > TEXT or id.kind > DECIMAL:
            return False
        if is_op and not self.names_op():
            return False
        for place in range(self.arguments):
            key = self.argument[place].key
            if (key == CAT_KEY and cat.kind != ABSENT) or (key == ID_KEY and id.kind != ABSENT):
                return False
            if self.numbers_are_texts and not self.read_number(place):
                return False
        if line_first:
            line = self.line_for(phase)
            if line is None:
                return False
        code = self.code(&self.field[NAME])
        if not line_first:
            line = self.line()
            if line is None:
                return False
        row = self.add_event(line, code)
        if cat.kind == TEXT and cat.end - cat.begin > 2:
            self.add_stat(row, CAT_KEY, cat)
        if id.kind != ABSENT and not is_text(id, b""):
            self.add_stat(row, ID_KEY, id)
        if is_op:
            self.add_named_op(row)
        for place in range(self.arguments):
            self.add_stat(row, self.argument[place].key, &self.argument[place].value)
        if phase == c"B" or phase == c"E":
            self.spans.add(line, row, phase == c"B")
        elif phase == c"C":
            self.counters.sample(row)
        elif phase == c"N" or phase == c"D":
            name, number = self.identity(&self.field[NAME]), self.identity(id)
            self.spans.add(self.reader.object_key(self.identity(&self.field[PID]), name, number), row, phase == c"N")
        return True

    cdef object line_for(self, uint8_t phase):
        """The line of one of two ends, a sample or an object; None if Python has to tell."""
        cdef Token *id = &self.field[ID]
        if phase == c"B" or phase == c"E":
            return self.line()
        pid, name, number = self.identity(&self.field[PID]), self.identity(&self.field[NAME]), self.identity(id)
        if pid is None or number is None or self.field[PID].kind == ABSENT or self.field[NAME].kind != TEXT:
            return None
        if phase == c"C":
            asked = pid, name, None if id.kind == ABSENT else number
            line_of = self.reader.counter_line
        else:
            if id.kind == ABSENT or self.field[SCOPE].kind != ABSENT:
                return None
            asked = pid, self.content(&self.field[CAT])
            line_of = self.reader.object_line
        found = self.lines.get(asked + (phase,))
        if found is None:
            found = self.lines[asked + (phase,)] = line_of(*asked)
        return found

    cdef bint read_number(self, int place) noexcept:
        """An argument that is a number written as a text becomes the number; False where Python has to look at it."""
        cdef Token *token = &self.argument[place].value
        cdef Token inside
        cdef const uint8_t *at
        if token.kind == OTHER and token.begin[0] == c'"':
            return False
        if token.kind == TEXT:
            at = token.begin + 1
            while at < token.end - 1:
                if at[0] >= 0x80:  # digits of other scripts are digits to Python
                    return False
                at += 1
            if take_number(token.begin + 1, &inside) == token.end - 1 and inside.kind == INTEGER:
                token.kind = INTEGER
                token.number = inside.number
        return True

    cdef bint names_op(self) noexcept:
        """Whether the arguments say what ran, as texts."""
        cdef int place
        for place in range(self.arguments):
            if self.argument[place].key == TF_OP_KEY:
                return False
        return not self.numbers_are_texts and is_any_text(self.role[OP_NAME]) and is_any_text(self.role[OP_TYPE])

    cdef int add_named_op(self, int64_t row) except -1:
        op = op_of({"cat": "Op"}, {"name": self.content(self.role[OP_NAME]), "op": self.content(self.role[OP_TYPE])})
        return self.add(row, TF_OP_KEY, STR, self.texts.code(op)) if op else 0

    # PyTorch's traces: as `Kineto.complete` and `Kineto.instant` do.

    cdef bint write_activity(self) except -1:
        cdef Token *name = &self.field[NAME]
        cdef int activity = self.activity()
        cdef int32_t code
        cdef int64_t row
        if activity == RARE or not self.timed(True) or self.role[OURS] != NULL or not self.is_id(CORRELATION):
            return False
        if not self.is_id(EXTERNAL) or not self.is_id(EXTERNAL_OLD):
            return False
        if activity == KERNEL:
            return self.write_kernel()
        line = self.line()
        if line is None or self.begins(name, b"ProfilerStep#"):
            return False
        code = self.code(name)
        row = self.add_event(line, code)
        self.add_arguments(row, ROLES)
        if activity == OP:
            self.add_op(row, code)
        elif activity == LAUNCH:
            add_long(self.launch_from, self.id(CORRELATION))
            add_long(self.launch_to, self.external())
        return True

    cdef int activity(self) except -1:
        cdef Token *cat = &self.field[CAT]
        if cat.kind == ABSENT:
            return HOST
        if cat.kind != TEXT:
            return RARE
        if not is_text(cat, self.last_cat):
            self.last_cat = self.inside(cat)
            found = self.activities.get(self.last_cat)
            if found is None:
                found = self.activities[self.last_cat] = _ACTIVITIES.get(self.kineto.kind(self.last_cat.decode()), HOST)
            self.last_activity = found
        return self.last_activity

    cdef bint is_id(self, int role) noexcept:
        """Whether an argument is a whole number, or not there."""
        return self.role[role] == NULL or self.role[role].kind == INTEGER

    cdef int64_t id(self, int role) noexcept:
        return self.role[role].number if self.role[role] != NULL and self.role[role].number >= 0 else -1

    cdef int64_t external(self) noexcept:
        return self.id(EXTERNAL if self.role[EXTERNAL] != NULL else EXTERNAL_OLD)

    cdef int add_arguments(self, int64_t row, int dropped) except -1:
        """Category and arguments but those whose role is from `dropped` on; the renamed ones last."""
        cdef Argument *argument
        cdef int place
        cdef int64_t role
        if self.field[CAT].kind != ABSENT:
            self.add_stat(row, CAT_KEY, &self.field[CAT])
        for place in range(self.arguments):
            argument = &self.argument[place]
            role = self.role_of.cell[argument.key]
            if role != CORRELATION and role != DIMS and role < dropped:
                self.add_stat(row, argument.key, &argument.value)
        if self.role[CORRELATION] != NULL:
            self.add_stat(row, CORRELATION_KEY, self.role[CORRELATION])
        if self.role[DIMS] != NULL:
            self.add_stat(row, SHAPE_KEY, self.role[DIMS])
        return 0

    cdef int add_op(self, int64_t row, int32_t name) except -1:
        tf_op = self.kineto.tf_op.get(name)
        if tf_op is None:
            tf_op = self.kineto.tf_op[name] = self.texts.code(kineto.op_name(self.content(&self.field[NAME])))
        self.add(row, TF_OP_KEY, STR, tf_op)
        add_long(self.op_rows, row)
        add_long(self.op_from, self.external())
        return add_long(self.op_to, name)

    cdef bint write_kernel(self) except -1:
        cdef Token *device = self.role[DEVICE] if self.role[DEVICE] != NULL else &self.field[PID]
        cdef Token *stream = self.role[STREAM] if self.role[STREAM] != NULL else &self.field[TID]
        cdef Token *graph = self.role[GRAPH]
        cdef int64_t row
        if device.kind != INTEGER or stream.kind != INTEGER or not self.is_id(GRAPH):
            return False
        details = self.kernel_details()
        if details is None:
            return False
        line = self.streams.get((device.number, stream.number))
        if line is None:
            line = self.streams[device.number, stream.number] = self.kineto.kernel_stream(device.number, stream.number)
        row = self.add_event(line, self.code(&self.field[NAME]))
        self.add_arguments(row, DETAIL)
        if self.role[CONTEXT] != NULL:
            self.add_stat(row, CONTEXT_KEY, self.role[CONTEXT])
        self.add(row, DETAILS_KEY, STR, self.texts.code(details))
        if graph != NULL and graph.number:
            self.add_stat(row, GRAPH_KEY, graph)
        add_long(self.kernels, row)
        add_long(self.kernels, self.external())
        add_long(self.kernels, self.id(CORRELATION))
        return True

    cdef str kernel_details(self):
        cdef const Token *token
        cdef int place
        raw = []
        for place in range(DETAIL, ROLES):
            token = self.role[place]
            raw.append(b"" if token == NULL else self.characters_of(token))
        asked = tuple(raw)
        known = self.details.get(asked)
        if known is None:
            arguments = {name: _decode(text.decode()) for name, text in zip(_DETAILS, asked) if text}
            try:
                known = self.details[asked] = self.kineto.kernel_details(arguments)
            except TypeError:  # a grid that is none
                return None
        return known

    cdef bint write_allocation(self) except -1:
        """As `Memory.add` does, of numbers alone."""
        cdef int role
        cdef int64_t row, size, reserved, total = 0, peak = 0
        for role in range(SIZE, MEMORY_DEVICE + 1):
            if not self.is_id(role):
                return False
        if not is_text(&self.field[NAME], b"[memory]") or self.role[SIZE] == NULL or not self.timed(False):
            return False
        if self.field[PID].kind != INTEGER:  # others may be the recorder's marks
            return False
        line = self.line()
        if line is None:
            return False
        size = self.role[SIZE].number
        name = self.memory.allocator(
            0 if self.role[MEMORY_KIND] == NULL else self.role[MEMORY_KIND].number,
            0 if self.role[MEMORY_DEVICE] == NULL else self.role[MEMORY_DEVICE].number,
        )
        row = self.add_event(line, self.texts.code(kineto.ALLOCATION if size > 0 else kineto.DEALLOCATION))
        self.add(row, ALLOCATOR_KEY, STR, self.texts.code(name))
        if self.role[ALLOCATED] != NULL:
            total = self.role[ALLOCATED].number
            peak = self.memory.peak(name, total)
            self.add(row, ALLOCATED_KEY, INT64, total)
            reserved = 0 if self.role[RESERVED] == NULL else self.role[RESERVED].number
            if reserved:  # hosts reserve nothing
                self.add(row, AVAILABLE_KEY, INT64, max(reserved - total, 0))
        self.add(row, RESERVED_KEY, INT64, 0)
        if self.role[ALLOCATED] != NULL:
            self.add(row, PEAK_KEY, INT64, peak)
        self.add(row, REQUESTED_KEY, INT64, abs(size))
        self.add(row, ALLOCATION_KEY, INT64, abs(size))
        if self.role[ADDRESS] != NULL:
            self.add(row, ADDRESS_KEY, INT64, self.role[ADDRESS].number)
        self.memory.wrote(row, name, None if self.role[ALLOCATED] == NULL else self.role[ALLOCATED].number, size)
        return True
