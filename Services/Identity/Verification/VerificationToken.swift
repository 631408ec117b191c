import Crypto
import Foundation
import IdentityContract
import Operations
import ServiceKit

/// The secret of a verification link: the link's id, and a code that only the holder of identity's key can make for it.
///
/// It is bound to purpose, account and address, so that no link serves for another.
struct VerificationToken: Sendable {
  private let linkID: VerificationLinkID
  private let code: [UInt8]

  /// The token of a link.
  static func text(_ link: VerificationLinkRecord, key: SecretKey) -> String {
    Base64URL.encode(link.id.bytes + key.code(for: message(link)))
  }

  /// Reads a token; nil if no token looks like that.
  init?(_ text: String) {
    guard let bytes = Base64URL.decode(text), bytes.count == 48, let linkID = VerificationLinkID(bytes: bytes[..<16]) else {
      return nil
    }
    self.linkID = linkID
    code = Array(bytes[16...])
  }

  /// Which link it claims to be of.
  var claimedLink: VerificationLinkID { linkID }

  /// Whether it is the link's, in constant time.
  func isOf(_ link: VerificationLinkRecord, key: SecretKey) -> Bool { key.isCode(code, for: Self.message(link)) }

  private static func message(_ link: VerificationLinkRecord) -> [UInt8] {
    Array("verify e-mail".utf8) + [0] + link.id.bytes + link.accountID.bytes + Array(link.emailNormalized.utf8)
  }
}
