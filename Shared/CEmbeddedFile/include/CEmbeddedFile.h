#ifndef C_EMBEDDED_FILE_H
#define C_EMBEDDED_FILE_H

#include <stddef.h>

/// A file's bytes, which lie in the program.
///
/// The C compiler puts them there (`#embed`, C23, section 6.10.4): a megabyte takes it a second, a Swift literal of a tenth of that half a
/// minute. A file that is missing is an error, one that has changed is compiled anew.
typedef struct {
  const unsigned char *_Nonnull bytes;
  size_t count;
} __attribute__((swift_attr("@Sendable"))) EmbeddedFile;

#endif
