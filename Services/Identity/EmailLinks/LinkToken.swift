import IdentityContract
import Operations
import ServiceKit

/// A link that is mailed, or given away by its owner: it is kept without its secret, which ``LinkToken`` derives from it.
protocol EmailLink: Sendable {
  /// Marks the links' ids.
  associatedtype Mark

  var id: ID<Mark> { get }
  /// Purpose, link, account and address: what the secret is bound to, so that no link serves for another.
  var binding: [UInt8] { get }
}

/// The secret of a mailed link: the link's id, and a code that only the holder of identity's key can make for it.
struct LinkToken<Link: EmailLink>: Sendable {
  /// Which link it claims to be of.
  let claimedLink: ID<Link.Mark>
  private let code: [UInt8]

  /// The token of a link.
  static func text(_ link: Link, key: SecretKey) -> String {
    Base64URL.encode(link.id.bytes + key.code(for: link.binding))
  }

  /// Reads a token; nil if no token looks like that.
  init?(_ text: String) {
    guard let bytes = Base64URL.decode(text), bytes.count == 48, let link = ID<Link.Mark>(bytes: bytes[..<16]) else {
      return nil
    }
    claimedLink = link
    code = Array(bytes[16...])
  }

  /// Whether it is the link's, in constant time.
  func isOf(_ link: Link, key: SecretKey) -> Bool { key.isCode(code, for: link.binding) }
}
