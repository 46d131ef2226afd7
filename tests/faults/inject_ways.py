"""What inject.py tries: kinds of calls with their ways of failing, scenarios, and compiles."""

import errno as E

# In the order of `enum kind` in inject.c.
KINDS = ("open read pread write pwrite rename unlink mmap malloc ftruncate fallocate send recv accept spawn pidfd wait fsync "
         "stat fstat access readlink readdir socketpair pipe epoll_ctl lock dup close mkstemp getsockopt compress "
         "decompress context").split()
ONCE, FROM, SHORT = 0, 1, 2
HOW = {ONCE: "once", FROM: "from then on", SHORT: "short"}
WAYS = {  # (how, errno)
    "open": [(ONCE, E.EMFILE), (ONCE, E.EIO), (FROM, E.EMFILE), (ONCE, E.EINTR)],
    "read": [(ONCE, E.EIO), (ONCE, E.EINTR), (SHORT, 0), (FROM, E.EIO)],
    "pread": [(ONCE, E.EIO), (SHORT, 0), (FROM, E.EIO)],
    "write": [(ONCE, E.ENOSPC), (ONCE, E.EINTR), (SHORT, 0), (FROM, E.ENOSPC)],
    "pwrite": [(ONCE, E.ENOSPC), (ONCE, E.EIO), (SHORT, 0), (FROM, E.ENOSPC)],
    "rename": [(ONCE, E.EIO), (FROM, E.ENOSPC)],
    "unlink": [(ONCE, E.EIO), (FROM, E.EROFS)],
    "mmap": [(ONCE, E.ENOMEM), (FROM, E.ENOMEM)],
    "malloc": [(ONCE, E.ENOMEM)],
    "ftruncate": [(ONCE, E.EIO), (FROM, E.ENOSPC)],
    "fallocate": [(ONCE, E.ENOSPC), (FROM, E.ENOSPC)],
    "send": [(ONCE, E.EAGAIN), (ONCE, E.EPIPE), (ONCE, E.EINTR), (SHORT, 0)],
    "recv": [(ONCE, E.EAGAIN), (ONCE, E.ECONNRESET), (ONCE, E.EINTR), (SHORT, 0)],
    "accept": [(ONCE, E.EMFILE), (ONCE, E.ECONNABORTED), (ONCE, E.EINTR)],
    "spawn": [(ONCE, E.EAGAIN), (ONCE, E.ENOMEM), (FROM, E.E2BIG)],
    "pidfd": [(ONCE, E.EMFILE), (FROM, E.ENOSYS)],
    "wait": [(ONCE, E.EINTR)],
    "fsync": [(ONCE, E.EIO), (FROM, E.EIO)],
    "stat": [(ONCE, E.EIO), (ONCE, E.ENOMEM), (FROM, E.EACCES)],
    "fstat": [(ONCE, E.EIO), (FROM, E.EIO)],
    "access": [(ONCE, E.EIO), (FROM, E.EACCES)],
    "readlink": [(ONCE, E.EIO), (FROM, E.ENOMEM)],
    "readdir": [(ONCE, E.EIO), (FROM, E.EMFILE)],
    "socketpair": [(ONCE, E.EMFILE), (FROM, E.ENFILE)],
    "pipe": [(ONCE, E.EMFILE), (FROM, E.ENFILE)],
    "epoll_ctl": [(ONCE, E.ENOMEM), (ONCE, E.ENOSPC)],
    "lock": [(ONCE, E.EAGAIN), (ONCE, E.ENOLCK), (FROM, E.ENOLCK)],
    "dup": [(ONCE, E.EMFILE)],
    "close": [(ONCE, E.EIO)],
    "mkstemp": [(ONCE, E.EMFILE), (ONCE, E.ENOSPC)],
    "getsockopt": [(ONCE, E.ENOBUFS)],
    "compress": [(ONCE, 0), (FROM, 0)],
    "decompress": [(ONCE, 0), (FROM, 0)],
    "context": [(ONCE, E.ENOMEM), (FROM, E.ENOMEM)],
}
# How far "from then on" goes, where a call that fails for ever keeps sqlite trying for ten seconds.
FROM_UNTIL = {"lock": 6}
# What may end the server: memory that it can't do without, and libuv's own calls.
MAY_END = {"malloc", "mmap", "epoll_ctl", "context"}
# What may cost the connection to a client whose compiler has begun.
MAY_LOSE_CLIENT = {"read", "send", "recv", "any"}
# What may leave a temporary file: it can't be removed.
MAY_LITTER = {"unlink", "any"}
# What sqlite takes for a damaged file system, so that the store is set aside: reads that go on failing with EIO.
MAY_SET_ASIDE = {("pread", FROM, E.EIO), ("any", FROM, E.EIO)}

# cold: nothing is stored. warm: a hit. stale, appears: a stored entry that doesn't hold any more. text, textwarm: by
# preprocessed text. reread: a hit of a server that has just started. start: the server's start, and a cold compile.
SCENARIOS = "cold warm stale appears text textwarm reread start".split()

C_SOURCE = '#include "h.h"\nint f(int n) { int unused; char a[N]; a[n] = 0; return a[n / 2] + N; }\n'
C_TREE = {"source": ("f.c", C_SOURCE), "header": "second/h.h", "appears": "first/h.h", "text": "#define N %d\n",
          "folders": ["first"]}
C_WORDS = "-Wall -I first -I second -c f.c -o f.o -MD -MF f.d".split()
NO_TEXT = "cold warm stale appears reread start".split()
COMPILES = {
    # a program of our own: a try takes a tenth of the time that it takes with gcc (tiny_compiler.c)
    "tiny": {**C_TREE, "command": ["bin/gcc", *C_WORDS], "scenarios": NO_TEXT},
    "gcc": {**C_TREE, "command": ["gcc", *C_WORDS]},
    "clang": {**C_TREE, "command": ["clang", *C_WORDS]},
    "outputs": {**C_TREE, "command": ["gcc", "-g", "-gsplit-dwarf", "-fstack-usage", *C_WORDS]},
    # rustc refuses two files for one module
    "rustc": {"source": ("f.rs", "mod h;\npub fn f() -> u32 { let unused = 1; h::N }\n"), "header": "h.rs", "appears": "h/mod.rs",
              "text": "pub const N: u32 = %d;\n", "folders": ["h"],
              "scenarios": NO_TEXT,
              "command": "rustc --crate-name f --crate-type lib --emit=dep-info,metadata,link --out-dir . f.rs".split()},
}
