#ifndef C_COMMON_PASSWORDS_H
#define C_COMMON_PASSWORDS_H

#include <CEmbeddedFile.h>

extern const EmbeddedFile common_passwords;

#endif
