#pragma once
#include <curl/curl.h>

// Swift cannot call C functions with variable arguments, so each kind of option has a function of its own.

static inline CURLcode racha_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode racha_curl_set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode racha_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

// Where the transfer takes the bytes that it sends; `context` is the last argument of `reader`.
static inline CURLcode racha_curl_set_reader(CURL *easy, curl_read_callback reader, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, reader);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_READDATA, context) : code;
}

// Where the transfer puts the bytes that it receives, and those of the heads of answers; `context` is the last argument of `writer`.
static inline CURLcode racha_curl_set_writer(CURL *easy, curl_write_callback writer, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, writer);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_WRITEDATA, context) : code;
}

static inline CURLcode racha_curl_set_head_writer(CURL *easy, curl_write_callback writer, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, writer);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_HEADERDATA, context) : code;
}

// Asked about once a second while the transfer runs; anything but 0 ends it with CURLE_ABORTED_BY_CALLBACK.
static inline CURLcode racha_curl_set_progress(CURL *easy, curl_xferinfo_callback progress, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L) : code;
}

static inline CURLcode racha_curl_get_number(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
