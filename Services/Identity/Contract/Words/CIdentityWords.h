#ifndef C_IDENTITY_WORDS_H
#define C_IDENTITY_WORDS_H

#include <CEmbeddedFile.h>

extern const EmbeddedFile identity_words_en, identity_words_es;

#endif
