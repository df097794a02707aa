#pragma once

/// Marks symbols that a program may use from a shared library; all others are hidden in it.
#define GRBDA_EXPORT [[gnu::visibility("default")]]
