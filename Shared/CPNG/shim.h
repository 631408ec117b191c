#pragma once
#include <png.h>
// For malloc_trim, which Glibc does not show to Swift.
#include <malloc.h>
