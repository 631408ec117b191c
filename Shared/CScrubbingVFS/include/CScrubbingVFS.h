#ifndef C_SCRUBBING_VFS_H
#define C_SCRUBBING_VFS_H

#include <stdint.h>

struct sqlite3;

/// The name under which the virtual file system is registered.
#define SCRUBBING_VFS_NAME "scrubbing"

/// Databases of so many pages and more are written as they are: from there on, pages that are none of a b-tree may begin as one does.
#define SCRUBBING_MAX_PAGES (1 << 25)

/// Registers the virtual file system; a second call does nothing.
///
/// It is the operating system's but for one thing: what is written to a database's main file, which is when a checkpoint copies pages out
/// of the write-ahead log, is written with zeroes in the unallocated part of each page of a b-tree. SQLite leaves there what it moved to
/// another page (`secure_delete` zeroes only what it deletes).
///
/// Returns SQLite's result code.
int scrubbing_register(void);

/// Whether the connection's database is written through the virtual file system.
int scrubbing_is_used(struct sqlite3 *database);

/// Zeroes the unallocated parts of up to `count` pages in the main file, from page `first` on (from 1), as they are in the file, and
/// brings what it changed to the disk. The connection has read from its database before, and has no transaction open.
///
/// It needs no journal: the bytes mean nothing, so a page of which only some were zeroed is as good as before.
///
/// `next` is the first page that was not looked at; 0 when the file has no more. `changed` is the number of pages written.
/// Returns SQLite's result code: `SQLITE_BUSY` while somebody checkpoints, `SQLITE_MISUSE` for a connection that does not use the virtual
/// file system, `SQLITE_TOOBIG` for a file of `SCRUBBING_MAX_PAGES` and more.
int scrubbing_scrub(struct sqlite3 *database, int64_t first, int count, int64_t *next, int *changed);

/// Zeroes the unallocated parts of one page in memory, where it is one of a b-tree (sqlite.org/fileformat2.html, section 1.6): what lies
/// between the cell pointers and the first cell, and the insides of freeblocks. Whatever does not fit is left as it is.
///
/// `usable` is the page's size without the reserved bytes at its end; `is_first` says that the file's header lies before the page's own.
/// Returns whether it changed anything.
int scrubbing_scrub_page(unsigned char *page, int usable, int is_first);

#endif
