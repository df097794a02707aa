#pragma once

/// On what a program may use of a shared library; all else stays hidden in it.
#define GRBDA_EXPORT [[gnu::visibility("default")]]
