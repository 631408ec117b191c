#ifndef C_NOTIFICATIONS_WORDS_H
#define C_NOTIFICATIONS_WORDS_H

#include <CEmbeddedFile.h>

extern const EmbeddedFile notifications_words_en, notifications_words_es;

#endif
