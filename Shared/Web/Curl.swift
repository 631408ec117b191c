public import CCurl

/// The beginning of every transfer through libcurl.
public enum Curl {
  /// Prepares libcurl for the process, once (curl_global_init(3)).
  private static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// A new transfer; nil if libcurl cannot begin one. The caller releases it with `curl_easy_cleanup`.
  public static func begin() -> UnsafeMutableRawPointer? {
    _ = library
    return curl_easy_init()
  }

  /// Sets options of a transfer; stops at the first one that libcurl does not accept.
  ///
  /// - Parameter texts: options without a value are left out.
  public static func set(
    _ texts: [(CURLoption, String?)], _ numbers: [(CURLoption, Int)], on easy: UnsafeMutableRawPointer
  ) -> CURLcode {
    for (option, text) in texts {
      guard let text else { continue }
      let code = racha_curl_set_text(easy, option, text)
      guard code == CURLE_OK else { return code }
    }
    for (option, number) in numbers {
      let code = racha_curl_set_number(easy, option, number)
      guard code == CURLE_OK else { return code }
    }
    return CURLE_OK
  }
}
