"""Tokens of JSON: places in a text, which ends with a NUL, and what is there. Whatever is odd is not taken.

    TEXT     "aten::mm"                     no escapes: what is between the quotes is the text
    INTEGER  -12                            of at most 18 digits
    DECIMAL  3.250  1e-3
    OTHER    [[8, 16]]  "a\\n"  true  null   where it ends; what is in it, and whether that is sound, is not looked at
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcmp

cdef extern from "Python.h":
    double PyOS_string_to_double(const char *text, char **end, void *overflow) except? -1.0

cdef enum:
    ABSENT  # 0
    TEXT
    INTEGER
    DECIMAL
    OTHER

cdef enum:
    DEEPEST = 64  # brackets within each other
    LONGEST_WORD = 5
    LONGEST = 1 << 14  # bytes of what is in brackets, or has escapes


cdef struct Token:
    const uint8_t *begin
    const uint8_t *end
    int kind
    int64_t number  # the value of an INTEGER, which of the texts told by Python that of an OTHER is


cdef inline const uint8_t *space(const uint8_t *at) noexcept nogil:
    """The next character that is none. The text ends with a NUL, which is one."""
    while at[0] == c" " or at[0] == c"\n" or at[0] == c"\t" or at[0] == c"\r":
        at += 1
    return at


cdef inline bint is_digit(uint8_t char) noexcept nogil:
    return c"0" <= char <= c"9"


cdef inline const uint8_t *closing(const uint8_t *at, const uint8_t *end, bint *escapes) noexcept nogil:
    """The quote that ends a text, NULL if there is none. `at` is behind the one that begins it."""
    escapes[0] = False
    while at < end and at[0] != c'"':
        if at[0] == c"\\":
            escapes[0] = True
            at += 1
        at += 1
    return at if at < end else NULL


cdef inline const uint8_t *take_number(const uint8_t *at, Token *token) noexcept nogil:
    """Past a number, NULL where there is none, or one too long."""
    cdef bint negative = at[0] == c"-"
    cdef uint64_t value = 0
    cdef const uint8_t *first
    at += negative
    first = at
    if not is_digit(at[0]):
        return NULL
    if at[0] == c"0":
        at += 1
    else:
        while is_digit(at[0]):
            value = value * 10 + (at[0] - c"0")
            at += 1
    if at[0] != c"." and at[0] != c"e" and at[0] != c"E":
        token.kind = INTEGER
        token.number = -<int64_t>value if negative else <int64_t>value
        return at if at - first <= 18 else NULL
    token.kind = DECIMAL
    if at[0] == c".":
        at += 1
        if not is_digit(at[0]):
            return NULL
        while is_digit(at[0]):
            at += 1
    if at[0] == c"e" or at[0] == c"E":
        at += 1
        at += at[0] == c"-" or at[0] == c"+"
        if not is_digit(at[0]):
            return NULL
        while is_digit(at[0]):
            at += 1
    return at


cdef inline const uint8_t *take_nested(const uint8_t *at, const uint8_t *end) noexcept nogil:
    """Past the bracket that closes the one at `at`, NULL if there is none. What is between them is not looked at."""
    cdef bint escapes
    cdef int depth = 0
    while at < end:
        if at[0] == c'"':
            at = closing(at + 1, end, &escapes)
            if at == NULL:
                return NULL
        elif at[0] == c"[" or at[0] == c"{":
            depth += 1
            if depth > DEEPEST:
                return NULL
        elif at[0] == c"]" or at[0] == c"}":
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return NULL


cdef inline const uint8_t *take_value(const uint8_t *at, const uint8_t *end, Token *token) noexcept nogil:
    """Past a value, NULL where none is understood."""
    cdef bint escapes
    token.begin = at
    if at[0] == c'"':
        at = closing(at + 1, end, &escapes)
        token.kind = OTHER if escapes else TEXT
        if at == NULL or (escapes and at - token.begin > LONGEST):
            return NULL
        at += 1
    elif at[0] == c"-" or is_digit(at[0]):
        at = take_number(at, token)
    elif at[0] == c"[" or at[0] == c"{":
        token.kind = OTHER
        at = take_nested(at, end if end - at < LONGEST else at + LONGEST)
    else:
        token.kind = OTHER
        while c"a" <= at[0] <= c"z" and at - token.begin < LONGEST_WORD:
            at += 1
        if at == token.begin:
            return NULL
    token.end = at
    return at


cdef inline bint picoseconds(const Token *token, int64_t *us, int64_t *ps) noexcept nogil:
    """A time as `chrome_times.py` reads it, rounded to the picosecond; False where that is less simple."""
    cdef const uint8_t *at = token.begin
    cdef int64_t digits = 0, rest = 0
    cdef bint more = False
    us[0] = ps[0] = 0
    if token.kind == INTEGER:
        us[0] = token.number
        return True
    if token.kind != DECIMAL or token.end - token.begin > 20:
        return False
    while is_digit(at[0]):
        us[0] = us[0] * 10 + (at[0] - c"0")
        at += 1
    if at[0] != c".":  # a sign, or an exponent
        return False
    at += 1
    while is_digit(at[0]):
        digits += 1
        if digits <= 6:
            ps[0] = ps[0] * 10 + (at[0] - c"0")
        elif digits == 7:
            rest = at[0] - c"0"
        else:
            more = more or at[0] != c"0"
        at += 1
    while digits < 6:
        ps[0] *= 10
        digits += 1
    if rest > 5 or (rest == 5 and (more or ps[0] & 1)):
        ps[0] += 1
        if ps[0] == 1000000:
            us[0] += 1
            ps[0] = 0
    return at == token.end


cdef inline double number(const Token *token) except? -1.0:
    """A DECIMAL. One division of numbers that doubles hold is exact."""
    cdef const uint8_t *at = token.begin
    cdef bint negative = at[0] == c"-"
    cdef int64_t value = 0
    cdef double one = 1
    if token.end - at <= 16:
        at += negative
        while is_digit(at[0]):
            value = value * 10 + (at[0] - c"0")
            at += 1
        at += at[0] == c"."
        while is_digit(at[0]):
            value = value * 10 + (at[0] - c"0")
            at += 1
            one *= 10
        if at == token.end:
            return (-<double>value if negative else <double>value) / one
    return PyOS_string_to_double(<const char *>token.begin, <char **>&at, NULL)


cdef inline bint is_text(const Token *token, bytes text) noexcept:
    return (
        token.kind == TEXT
        and token.end - token.begin == len(text) + 2
        and memcmp(token.begin + 1, <const uint8_t *>text, len(text)) == 0
    )


cdef inline bint is_any_text(const Token *token) noexcept nogil:
    return token != NULL and token.kind >= TEXT and token.begin[0] == c'"'
