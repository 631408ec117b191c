#pragma once
// How memory is kept and returned, which Glibc does not show to Swift.
#include <malloc.h>
