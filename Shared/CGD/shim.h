#pragma once
#include <gd.h>
#include <stdarg.h>

static void racha_gd_ignore(int priority, const char *format, va_list arguments) {
  (void)priority;
  (void)format;
  (void)arguments;
}

/// Keeps gd from writing to the standard error what it thinks of pictures that people send.
static inline void racha_gd_silence(void) { gdSetErrorMethod(racha_gd_ignore); }
