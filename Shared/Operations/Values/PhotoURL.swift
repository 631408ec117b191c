/// The address of an account's photo with its version: `/v1/accounts/{accountID}/photo?version={tag}`.
///
/// It changes with the photo, so that a client fetches each photo once and caches it (SOC-2, SOC-5, SOC-7). It is relative to the gateway's
/// address.
public struct PhotoURL: TextValue {
  public let description: String

  /// - Parameter tag: identifies exactly the photo's bytes: 32 hexadecimal digits in lower case.
  public init(account: AccountID, tag: String) { description = "/v1/accounts/\(account)/photo?version=\(tag)" }

  public init(text: String) throws(FieldRule) {
    let tag = String(decoding: text.utf8.suffix(PhotoURL.tagBytes), as: UTF8.self)
    guard tag.utf8.count == PhotoURL.tagBytes, PhotoURL.isTag(tag),
      let name = TextParts.middle(of: text, between: "/v1/accounts/", and: "/photo?version=\(tag)"),
      let account = try? AccountID(text: name)
    else { throw FieldRule("not_a_photo_url") }
    self.init(account: account, tag: tag)
  }

  private static let tagBytes = 32

  private static func isTag(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  public static let placeholder = PhotoURL(account: .placeholder, tag: String(repeating: "0", count: 32))
  public static let schema: JSON = ["type": "string", "format": "uri-reference"]
}
