#ifndef C_GATEWAY_WORDS_H
#define C_GATEWAY_WORDS_H

#include <CEmbeddedFile.h>

extern const EmbeddedFile gateway_words_en, gateway_words_es;

#endif
