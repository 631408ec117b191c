#ifndef C_ACTIVITY_WORDS_H
#define C_ACTIVITY_WORDS_H

#include <CEmbeddedFile.h>

extern const EmbeddedFile activity_words_en, activity_words_es;

#endif
