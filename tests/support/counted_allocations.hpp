#pragma once

/// Calls of operator new by this thread since it started, in a program that is linked with
/// counted_allocations.cpp: a measure of work that does not depend on the load of the machine.
long counted_allocations();
