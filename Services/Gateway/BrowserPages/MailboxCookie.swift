import Crypto
import Foundation
import NIOHTTP1
import Operations

/// The cookie that keeps the code in the browser, so that the code appears in the URL only once.
enum MailboxCookie {
  private static let name = "racha_mailbox"

  /// What sets it, for the mailbox alone and until the browser ends.
  static func value(_ code: String, isEncrypted: Bool) -> String {
    "\(name)=\(code); Path=\(MailboxPage.path); HttpOnly; SameSite=Strict\(isEncrypted ? "; Secure" : "")"
  }

  /// Whether the request has the code in it (RFC 6265, section 4.2).
  static func holds(_ code: String, _ headers: HTTPHeaders) -> Bool {
    headers["Cookie"].contains { value in
      value.split(at: ";").contains { pair in
        let parts = pair.withoutBlanks.split(at: "=", maxSplits: 1)
        return parts.count == 2 && parts[0].isSame(as: name) && isSame(parts[1], code)
      }
    }
  }

  /// Compares in a time that does not depend on where they differ.
  static func isSame(_ given: some StringProtocol, _ code: String) -> Bool {
    // Hashes are compared, whose values nobody can choose: the time of the comparison reveals nothing.
    SHA256.hash(data: Data(given.utf8)) == SHA256.hash(data: Data(code.utf8))
  }
}
