#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>

// The functions of libcurl that are used here, under their own names. It is loaded when the first is called: with it come TLS, Kerberos, LDAP
// and some twenty more libraries, which take 5 MB of each process, and most have nothing to fetch or to mail for a long time.

#undef curl_easy_setopt
#undef curl_easy_getinfo

static struct {
  CURLcode (*global_init)(long flags);
  CURL *(*easy_init)(void);
  void (*easy_cleanup)(CURL *easy);
  CURLcode (*easy_perform)(CURL *easy);
  CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
  CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
  const char *(*easy_strerror)(CURLcode code);
  CURLHcode (*easy_header)(CURL *easy, const char *name, size_t index, unsigned int origin, int request, struct curl_header **header);
  struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
  void (*slist_free_all)(struct curl_slist *list);
} curl;

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find(void *library, const char *name, void *function) {
  return (*(void **)function = dlsym(library, name)) != NULL;
}

static void load(void) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  is_loaded = library != NULL && find(library, "curl_global_init", &curl.global_init) &&
              find(library, "curl_easy_init", &curl.easy_init) && find(library, "curl_easy_cleanup", &curl.easy_cleanup) &&
              find(library, "curl_easy_perform", &curl.easy_perform) && find(library, "curl_easy_setopt", &curl.easy_setopt) &&
              find(library, "curl_easy_getinfo", &curl.easy_getinfo) && find(library, "curl_easy_strerror", &curl.easy_strerror) &&
              find(library, "curl_easy_header", &curl.easy_header) && find(library, "curl_slist_append", &curl.slist_append) &&
              find(library, "curl_slist_free_all", &curl.slist_free_all);
}

static int loaded(void) {
  pthread_once(&once, load);
  return is_loaded;
}

// Seen by nobody but the program itself: libcurl's own calls are its own.
#define OWN __attribute__((visibility("hidden")))

OWN CURLcode curl_global_init(long flags) { return loaded() ? curl.global_init(flags) : CURLE_FAILED_INIT; }

OWN CURL *curl_easy_init(void) { return loaded() ? curl.easy_init() : NULL; }

OWN void curl_easy_cleanup(CURL *easy) {
  if (easy != NULL) curl.easy_cleanup(easy);
}

OWN CURLcode curl_easy_perform(CURL *easy) { return curl.easy_perform(easy); }

// Numbers and pointers are passed alike.
OWN CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...) {
  va_list values;
  va_start(values, option);
  void *value = va_arg(values, void *);
  va_end(values);
  return curl.easy_setopt(easy, option, value);
}

OWN CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...) {
  va_list values;
  va_start(values, info);
  void *value = va_arg(values, void *);
  va_end(values);
  return curl.easy_getinfo(easy, info, value);
}

OWN const char *curl_easy_strerror(CURLcode code) { return loaded() ? curl.easy_strerror(code) : "libcurl.so.4 cannot be loaded"; }

OWN CURLHcode curl_easy_header(
  CURL *easy, const char *name, size_t index, unsigned int origin, int request, struct curl_header **header) {
  return curl.easy_header(easy, name, index, origin, request, header);
}

OWN struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
  return loaded() ? curl.slist_append(list, text) : NULL;
}

OWN void curl_slist_free_all(struct curl_slist *list) {
  if (list != NULL) curl.slist_free_all(list);
}
