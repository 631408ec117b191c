#pragma once
#include <maxminddb.h>
#include <stdbool.h>
#include <stdlib.h>

// Swift sees neither 128-bit numbers nor, therefore, the union in which libmaxminddb hands out values.

// Opens a database for reading; NULL where there is none in that file. It is never closed: the process reads from it until it ends.
static inline const MMDB_s *racha_maxmind_open(const char *path) {
  MMDB_s *database = malloc(sizeof(MMDB_s));
  if (database == NULL) return NULL;
  if (MMDB_open(path, MMDB_MODE_MMAP, database) == MMDB_SUCCESS) return database;
  free(database);
  return NULL;
}

// What the database has of an address; `found_entry` is false where that is nothing.
static inline MMDB_lookup_result_s racha_maxmind_look_up(const MMDB_s *database, const char *address) {
  int resolving = 0, reading = MMDB_SUCCESS;
  MMDB_lookup_result_s result = MMDB_lookup_string(database, address, &resolving, &reading);
  if (resolving != 0 || reading != MMDB_SUCCESS) result.found_entry = false;
  return result;
}

// The text at a path of keys; NULL where there is none. It is not terminated and lives as long as the database.
static inline const char *racha_maxmind_text(MMDB_lookup_result_s result, const char *const *path, unsigned *length) {
  MMDB_entry_data_s data;
  if (!result.found_entry || MMDB_aget_value(&result.entry, &data, path) != MMDB_SUCCESS) return NULL;
  if (!data.has_data || data.type != MMDB_DATA_TYPE_UTF8_STRING) return NULL;
  *length = data.data_size;
  return data.utf8_string;
}

// The number at a path of keys; whether there is one.
static inline bool racha_maxmind_number(MMDB_lookup_result_s result, const char *const *path, double *number) {
  MMDB_entry_data_s data;
  if (!result.found_entry || MMDB_aget_value(&result.entry, &data, path) != MMDB_SUCCESS) return false;
  if (!data.has_data || data.type != MMDB_DATA_TYPE_DOUBLE) return false;
  *number = data.double_value;
  return true;
}
