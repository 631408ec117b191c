/// Bytes of an operation that HTTP clients send or receive as they are, such as a picture. On the bus and over JSON-RPC they are base64 in
/// an ordinary document.
///
///     public static let spec = OperationSpec(
///       "photos.put", of: .identity, .put("/v1/accounts/me/photo"), by: .account, effect: .write,
///       raw: .body("content", "image/*"), …)
public enum RawBytes: Hashable, Sendable {
  /// An HTTP body of that media type fills that field of the input, a ``Base64Bytes``; `image/*` stands for every image. The format is
  /// detected from the content, not from the header. JSON is accepted too.
  case body(_ field: String, _ mediaType: String)
  /// The output is a ``MediaFile`` of one of these types. The answer is its bytes, with its tag as `ETag`; a client caches them and
  /// revalidates them each time unless they are immutable.
  case answer(_ mediaTypes: [String])
}

/// A file as an answer: its bytes, their media type, and a tag that identifies exactly these bytes.
public struct MediaFile: Document, Hashable {
  public var mediaType: String
  public var tag: String
  public var content: Base64Bytes
  /// Whether the request names exactly these bytes, so that a client that has them need not ask again.
  public var isImmutable: Bool?
  /// Whether the file is public, so that shared caches may keep it for others.
  public var isPublic: Bool?

  public init(mediaType: String, tag: String, content: Base64Bytes, isImmutable: Bool? = nil, isPublic: Bool? = nil) {
    self.mediaType = mediaType
    self.tag = tag
    self.content = content
    self.isImmutable = isImmutable
    self.isPublic = isPublic
  }

  public static let notes: Notes = [
    "mediaType": Note("The media type of the bytes.", length: 1...100, example: "image/png"),
    "tag": Note("Identifies exactly these bytes; other bytes have another tag.", length: 1...100, example: "9f86d081884c7d65"),
    "content": "The bytes.",
    "isImmutable": "`true` if the requested address never has other bytes; absent otherwise.",
    "isPublic": "`true` if shared caches may keep the file; absent otherwise.",
  ]
}
