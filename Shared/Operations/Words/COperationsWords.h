#ifndef C_OPERATIONS_WORDS_H
#define C_OPERATIONS_WORDS_H

#include <CEmbeddedFile.h>

extern const EmbeddedFile operations_words_en, operations_words_es;

#endif
