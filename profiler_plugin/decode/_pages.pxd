"""Memory for the next rows of a table, which the system gives on a thread of its own while earlier rows are written.

To give a page takes the system about as long as the decoder takes to fill it. Nobody reads or writes what is in pages
that are got ahead, so it matters to nothing but time how far the thread is. Where there is no Linux, pages come as
they are written.
"""

cdef extern from *:
    """
    #include <stddef.h>

    enum {
        COLUMNS = 4,
        STEP = 1 << 14,    /* rows that get memory at a time */
        AHEAD = 2 * STEP,  /* rows beyond those that are written next */
        FEW = 4 * STEP,    /* rows that are not worth a thread */
    };

    #ifdef __linux__
    #include <pthread.h>
    #include <sys/mman.h>
    #include <unistd.h>
    #ifndef MADV_POPULATE_WRITE
    #define MADV_POPULATE_WRITE 23
    #endif

    typedef struct {
        void *column[COLUMNS];
        size_t width[COLUMNS];  /* bytes of an item */
        size_t reserved;        /* rows */
        pthread_t thread;
        int runs;
        pthread_mutex_t lock;   /* of what follows */
        pthread_cond_t changed;
        size_t got, wanted;     /* rows that have memory, and that shall */
        int ends;
    } Pages;

    static size_t least(size_t a, size_t b) {
        return a < b ? a : b;
    }

    static void populate(const Pages *pages, size_t begin, size_t end) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        for (int i = 0; i < COLUMNS; i++) {
            size_t up = (size_t)pages->column[i] + page - 1;
            size_t from = (up + begin * pages->width[i]) / page * page;
            size_t to = (up + end * pages->width[i]) / page * page;
            if (from < to)
                madvise((void *)from, to - from, MADV_POPULATE_WRITE);
        }
    }

    static void *populate_ahead(void *argument) {
        Pages *pages = argument;
        pthread_mutex_lock(&pages->lock);
        while (!pages->ends) {
            size_t begin = pages->got, end = least(begin + STEP, pages->wanted);
            if (begin >= end) {
                pthread_cond_wait(&pages->changed, &pages->lock);
                continue;
            }
            pages->got = end;
            pthread_mutex_unlock(&pages->lock);
            populate(pages, begin, end);
            pthread_mutex_lock(&pages->lock);
        }
        pthread_mutex_unlock(&pages->lock);
        return NULL;
    }

    /* Memory for the rows from `begin` to `end`, which are written next. */
    static void get_pages(Pages *pages, size_t begin, size_t end) {
        size_t got = begin;
        if (!pages->runs && begin >= FEW) {
            pthread_mutex_init(&pages->lock, NULL);
            pthread_cond_init(&pages->changed, NULL);
            pages->got = pages->wanted = begin;
            pages->ends = 0;
            pages->runs = pthread_create(&pages->thread, NULL, populate_ahead, pages) == 0;
        }
        if (pages->runs) {
            pthread_mutex_lock(&pages->lock);
            got = pages->got;
            if (pages->got < end)
                pages->got = end;
            pages->wanted = least(end + AHEAD, pages->reserved);
            pthread_cond_signal(&pages->changed);
            pthread_mutex_unlock(&pages->lock);
        }
        if (got < end)
            populate(pages, got, end);
    }

    /* From here on nothing is got ahead. */
    static void stop_pages(Pages *pages) {
        if (!pages->runs)
            return;
        pthread_mutex_lock(&pages->lock);
        pages->ends = 1;
        pthread_cond_signal(&pages->changed);
        pthread_mutex_unlock(&pages->lock);
        pthread_join(pages->thread, NULL);
        pages->runs = 0;
    }

    #else
    typedef struct {
        void *column[COLUMNS];
        size_t width[COLUMNS], reserved;
    } Pages;

    #define get_pages(pages, begin, end) ((void)0)
    #define stop_pages(pages) ((void)0)
    #endif
    """
    enum:
        STEP

    ctypedef struct Pages:
        void *column[4]
        size_t width[4]
        size_t reserved

    void get_pages(Pages *pages, size_t begin, size_t end) noexcept nogil
    void stop_pages(Pages *pages) noexcept nogil
