/// Where an account's photo is read, with the version that it has: `/v1/accounts/{accountID}/photo?version={tag}`.
///
/// It changes with the photo, so that a client fetches each once and keeps it (SOC-2, SOC-5, SOC-7). It is relative to the gateway's address.
public struct PhotoURL: TextValue {
  public let description: String

  /// - Parameter tag: names exactly the photo's bytes: 32 hexadecimal digits in lower case.
  public init(account: AccountID, tag: String) { description = "/v1/accounts/\(account)/photo?version=\(tag)" }

  public init(text: String) throws(FieldRule) {
    let bytes = Array(text.utf8)
    let (before, between, tag) = ("/v1/accounts/".utf8.count, "/photo?version=".utf8.count, 32)
    guard bytes.count > before + between + tag, PhotoURL.isTag(bytes.suffix(tag)),
      let account = try? AccountID(text: String(decoding: bytes[before..<bytes.count - between - tag], as: UTF8.self))
    else { throw FieldRule("not_a_photo_url") }
    let url = PhotoURL(account: account, tag: String(decoding: bytes.suffix(tag), as: UTF8.self))
    guard url.description == text else { throw FieldRule("not_a_photo_url") }
    self = url
  }

  private static func isTag(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  public static let placeholder = PhotoURL(account: .placeholder, tag: String(repeating: "0", count: 32))
  public static let schema: JSON = ["type": "string", "format": "uri-reference"]
}
