#ifndef C_RESERVED_USERNAMES_H
#define C_RESERVED_USERNAMES_H

#include <CEmbeddedFile.h>

extern const EmbeddedFile reserved_usernames;

#endif
