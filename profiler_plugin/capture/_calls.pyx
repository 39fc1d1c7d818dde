# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The call recorder of `_calls_py.py` as a C profile function: a clock reading and 16 bytes per call and return."""

import sys
import threading

from profiler_plugin.capture._call_names import builtin_name, code_name

from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

cdef extern from *:
    """
    #include <time.h>
    #include <pythread.h>
    #include <frameobject.h>

    static int64_t now_ns(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }

    /* Installs the function on every thread that exists. */
    static void set_profile_everywhere(Py_tracefunc func, PyObject *arg) {
    #if PY_VERSION_HEX >= 0x030C0000
        PyEval_SetProfileAllThreads(func, arg);
    #else
        PyThreadState *here = PyThreadState_Get();
        PyThreadState *t = PyInterpreterState_ThreadHead(PyThreadState_GetInterpreter(here));
        for (; t != NULL; t = PyThreadState_Next(t)) {
            PyThreadState_Swap(t);
            PyEval_SetProfile(func, arg);
        }
        PyThreadState_Swap(here);
    #endif
    }

    /* Unlike the identifiers of the operating system, not used again when a thread has ended. */
    static int64_t thread_key(void) { return (int64_t)PyThreadState_GetID(PyThreadState_Get()); }

    static PyObject *code_of(PyFrameObject *frame) { return (PyObject *)PyFrame_GetCode(frame); }

    /* What tells one C function from another for as long as it may be called; bound methods come and go. */
    static void *function_key(PyObject *f) {
        return PyCFunction_Check(f) ? (void *)((PyCFunctionObject *)f)->m_ml : (void *)Py_TYPE(f);
    }
    """
    ctypedef struct PyFrameObject:
        pass
    ctypedef int (*Py_tracefunc)(PyObject *, PyFrameObject *, int, PyObject *) except -1
    int64_t now_ns() nogil
    void set_profile_everywhere(Py_tracefunc func, PyObject *arg)
    void *function_key(PyObject *f)
    void PyEval_SetProfile(Py_tracefunc func, PyObject *arg)
    PyObject *code_of(PyFrameObject *frame)
    void Py_DECREF_raw "Py_DECREF"(PyObject *o)
    unsigned long PyThread_get_thread_native_id()
    int64_t thread_key()

cdef enum:
    CALL = 0
    RETURN = 3
    C_CALL = 4
    C_EXCEPTION = 5
    C_RETURN = 6

cdef struct Mark:
    int64_t time
    int32_t key  # -1: the innermost call returns

cdef class Thread:
    cdef int64_t ident
    cdef unsigned long native
    cdef Mark *marks
    cdef size_t count
    cdef size_t room

    def __dealloc__(self):
        free(self.marks)


cdef class Calls:
    """Records the calls of Python functions, and of C functions by them, on all threads."""

    cdef public int64_t dropped
    cdef int64_t left
    cdef bint running
    cdef int64_t end
    cdef list threads_
    cdef list called  # names, and the code objects that must stay alive for their addresses to mean them
    cdef list alive
    cdef Thread current
    cdef void **slots
    cdef int32_t *slot_keys
    cdef size_t capacity

    def __cinit__(self, int64_t limit):
        self.left = 2 * limit
        self.threads_, self.called, self.alive = [], [], []
        self.capacity = 1 << 12
        self.slots = <void **>calloc(self.capacity, sizeof(void *))
        self.slot_keys = <int32_t *>calloc(self.capacity, sizeof(int32_t))
        if self.slots == NULL or self.slot_keys == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.slots)
        free(self.slot_keys)

    def start(self):
        self.running = True
        # Threads that start later install the recorder with their first call.
        threading.setprofile(self._adopt)
        set_profile_everywhere(_on_event, <PyObject *>self)

    def stop(self):
        threading.setprofile(None)
        self.running = False
        self.end = now_ns()
        set_profile_everywhere(NULL, NULL)

    def threads(self):
        return [(<Thread>thread).native for thread in self.threads_]

    def names(self):
        return list(self.called)

    def lines(self, int64_t first_id, int64_t base_ns):
        found = []
        for thread in self.threads_:
            line = _encode(thread, self.end, first_id, base_ns)
            if line is not None:
                found.append(line)
        return found

    def _adopt(self, frame, event, arg):
        if self.running:
            PyEval_SetProfile(_on_event, <PyObject *>self)
        else:
            sys.setprofile(None)

    cdef Thread thread(self):
        cdef int64_t ident = thread_key()
        cdef Thread thread = self.current
        if thread is not None and thread.ident == ident:
            return thread
        for thread in self.threads_:
            if thread.ident == ident:
                self.current = thread
                return thread
        thread = Thread.__new__(Thread)
        thread.ident, thread.native = ident, PyThread_get_thread_native_id()
        self.threads_.append(thread)
        self.current = thread
        return thread

    cdef int32_t key(self, void *address, PyObject *called, bint code) except -2:
        cdef size_t at = (<uintptr_t>address >> 4) & (self.capacity - 1)
        while self.slots[at] != NULL:
            if self.slots[at] == address:
                return self.slot_keys[at]
            at = (at + 1) & (self.capacity - 1)
        cdef int32_t key = <int32_t>len(self.called)
        if 2 * key >= <int32_t>self.capacity:
            self.grow()
            return self.key(address, called, code)
        name = code_name(<object>called) if code else builtin_name(<object>called)
        if code:
            self.alive.append(<object>called)
        self.called.append(name)
        self.slots[at] = address
        self.slot_keys[at] = key
        return key

    cdef int grow(self) except -1:
        cdef void **slots = self.slots
        cdef int32_t *keys = self.slot_keys
        cdef size_t old = self.capacity, i, at
        self.slots = <void **>calloc(2 * old, sizeof(void *))
        self.slot_keys = <int32_t *>calloc(2 * old, sizeof(int32_t))
        if self.slots == NULL or self.slot_keys == NULL:
            raise MemoryError()
        self.capacity = 2 * old
        for i in range(old):
            if slots[i] != NULL:
                at = (<uintptr_t>slots[i] >> 4) & (self.capacity - 1)
                while self.slots[at] != NULL:
                    at = (at + 1) & (self.capacity - 1)
                self.slots[at] = slots[i]
                self.slot_keys[at] = keys[i]
        free(slots)
        free(keys)
        return 0

    cdef int mark(self, int32_t key) except -1:
        if self.left <= 0:
            if key >= 0:
                self.dropped += 1
            return 0
        self.left -= 1
        cdef Thread thread = self.thread()
        cdef size_t room
        cdef Mark *marks
        if thread.count == thread.room:
            room = 2 * thread.room if thread.room else 1 << 12
            marks = <Mark *>realloc(thread.marks, room * sizeof(Mark))
            if marks == NULL:
                raise MemoryError()
            thread.marks, thread.room = marks, room
        thread.marks[thread.count].key = key
        thread.marks[thread.count].time = now_ns()
        thread.count += 1
        return 0


cdef int _on_event(PyObject *recorder, PyFrameObject *frame, int what, PyObject *arg) except -1:
    cdef Calls calls = <Calls>recorder
    cdef PyObject *code
    if not calls.running:
        return 0
    if what == CALL:
        code = code_of(frame)
        try:
            calls.mark(calls.key(code, code, True))
        finally:
            Py_DECREF_raw(code)
    elif what == RETURN or what == C_RETURN or what == C_EXCEPTION:
        calls.mark(-1)
    elif what == C_CALL:
        calls.mark(calls.key(function_key(arg), arg, False))
    return 0


cdef inline uint8_t *_varint(uint8_t *out, int64_t value) noexcept nogil:
    while value > 0x7F:
        out[0] = <uint8_t>(value & 0x7F | 0x80)
        out += 1
        value >>= 7
    out[0] = <uint8_t>value
    return out + 1


cdef object _encode(Thread thread, int64_t end, int64_t first_id, int64_t base):
    """A call's event follows those of the calls before it: the order of starts."""
    cdef size_t n = thread.count, i, depth = 0
    cdef int64_t calls = 0, offset
    cdef int64_t *until
    cdef size_t *stack
    cdef uint8_t *out
    cdef uint8_t *at
    cdef uint8_t *body
    cdef uint8_t event[40]
    if n == 0:
        return None
    until = <int64_t *>malloc(n * sizeof(int64_t))
    stack = <size_t *>malloc(n * sizeof(size_t))
    out = <uint8_t *>malloc(n * 34)
    try:
        if until == NULL or stack == NULL or out == NULL:
            raise MemoryError()
        with nogil:
            for i in range(n):
                if thread.marks[i].key >= 0:
                    until[i] = end
                    stack[depth] = i
                    depth += 1
                    calls += 1
                elif depth:
                    depth -= 1
                    until[stack[depth]] = thread.marks[i].time
            at = out
            for i in range(n):
                if thread.marks[i].key < 0:
                    continue
                body = event
                body[0] = 0x08
                body = _varint(body + 1, first_id + thread.marks[i].key)
                body[0] = 0x10
                offset = thread.marks[i].time - base
                body = _varint(body + 1, (offset if offset > 0 else 0) * 1000)
                body[0] = 0x18
                body = _varint(body + 1, (until[i] - thread.marks[i].time) * 1000)
                at[0] = 0x22
                at[1] = <uint8_t>(body - event)
                memcpy(at + 2, event, body - event)
                at += 2 + (body - event)
        return (thread.native, calls, (<char *>out)[: at - out]) if calls else None
    finally:
        free(until)
        free(stack)
        free(out)
