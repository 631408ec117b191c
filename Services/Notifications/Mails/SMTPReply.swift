import CCurl

/// Reads the outcome of an SMTP transfer: which of the ways to fail it was.
enum SMTPReply {
  /// - Parameters:
  ///   - code: how libcurl's transfer ended.
  ///   - reply: the server's last reply code, 0 if it gave none.
  /// - Returns: nil if the mail was taken.
  static func failure(_ code: CURLcode, reply: Int) -> MailFailure? {
    switch code {
    case CURLE_OK: nil
    case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR: .authentication
    // Broken off, so the last reply says nothing of the mail.
    case CURLE_ABORTED_BY_CALLBACK: .interrupted
    case CURLE_OPERATION_TIMEDOUT: .connection
    // 421 is the server's way of hanging up (RFC 5321, section 3.8), 454 of having no TLS now (RFC 3207, section 4).
    default: reply >= 400 && reply != 421 && reply != 454 ? .rejected(reply: reply) : .connection
    }
  }
}
