#ifndef C_SOCIAL_WORDS_H
#define C_SOCIAL_WORDS_H

#include <CEmbeddedFile.h>

extern const EmbeddedFile social_words_en, social_words_es;

#endif
