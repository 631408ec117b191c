#ifndef C_REWARDS_WORDS_H
#define C_REWARDS_WORDS_H

#include <CEmbeddedFile.h>

extern const EmbeddedFile rewards_words_en, rewards_words_es;

#endif
