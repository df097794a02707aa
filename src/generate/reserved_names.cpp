#include "reserved_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace grbda::generated {

bool is_system_header(std::string name) {
    constexpr auto headers = std::to_array<std::string_view>(
        {"aio",         "aliases",   "alloca",    "ar",           "argp",        "argz",      "assert",
         "bits",        "byteswap",  "complex",   "cpio",         "crypt",       "ctype",     "dirent",
         "dlfcn",       "elf",       "endian",    "envz",         "err",         "errno",     "error",
         "execinfo",    "fcntl",     "features",  "fenv",         "float",       "fmtmsg",    "fnmatch",
         "fpu_control", "fstab",     "fts",       "ftw",          "gconv",       "getopt",    "glob",
         "grp",         "gshadow",   "iconv",     "ieee754",      "ifaddrs",     "inttypes",  "iso646",
         "langinfo",    "lastlog",   "libgen",    "libintl",      "limits",      "link",      "locale",
         "malloc",      "math",      "mcheck",    "memory",       "mm_malloc",   "mntent",    "monetary",
         "mqueue",      "ndbm",      "netdb",     "nl_types",     "nss",         "obstack",   "omp",
         "paths",       "poll",      "printf",    "proc_service", "pthread",     "pty",       "pwd",
         "quadmath",    "re_comp",   "regex",     "regexp",       "resolv",      "sched",     "search",
         "semaphore",   "setjmp",    "sgtty",     "shadow",       "signal",      "spawn",     "stab",
         "stdalign",    "stdarg",    "stdatomic", "stdbit",       "stdbool",     "stdckdint", "stddef",
         "stdint",      "stdio",     "stdio_ext", "stdlib",       "stdnoreturn", "string",    "strings",
         "stropts",     "syscall",   "sysexits",  "syslog",       "tar",         "termio",    "termios",
         "tgmath",      "thread_db", "threads",   "time",         "trace",       "ttyent",    "uchar",
         "ucontext",    "ulimit",    "unistd",    "unwind",       "utime",       "utmp",      "utmpx",
         "values",      "varargs",   "wait",      "wchar",        "wctype",      "wordexp"});
    static_assert(std::is_sorted(headers.begin(), headers.end()));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::string_view intrinsics = "intrin";  // immintrin, emmintrin, …
    const bool ends = name.size() >= intrinsics.size() &&
                      name.compare(name.size() - intrinsics.size(), intrinsics.size(), intrinsics) == 0;
    return ends || std::binary_search(headers.begin(), headers.end(), std::string_view(name));
}

}  // namespace grbda::generated
