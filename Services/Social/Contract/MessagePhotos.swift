public import Operations

extension FeatureContract {
  static let messagePhotos = FeatureContract(operations: [SendMessagePhoto.self, GetMessagePhoto.self, RemoveMessagePhoto.self])
}

/// A photo that was sent as a message (SOC-4): where it is read, and how large it is. It never changes.
public struct MessagePhoto: Document, Hashable {
  public var url: MessagePhotoURL
  public var width: Int
  public var height: Int

  public init(url: MessagePhotoURL, width: Int, height: Int) {
    self.url = url
    self.width = width
    self.height = height
  }

  public static let notes: Notes = [
    "url": "The path of the picture, for the two accounts of the conversation; the same path never has another picture.",
    "width": Note("Pixels.", range: 1...2048), "height": Note("Pixels.", range: 1...2048),
  ]
}

/// Where a message's photo is read: `/v1/messages/{messageID}/photo`, relative to the gateway's address.
public struct MessagePhotoURL: TextValue {
  public let description: String

  public init(message: ID<ChatMessage>) { description = "/v1/messages/\(message)/photo" }

  public init(text: String) throws(FieldRule) {
    guard let name = TextParts.middle(of: text, between: "/v1/messages/", and: "/photo"),
      let message = try? ID<ChatMessage>(text: name)
    else { throw FieldRule("not_a_photo_url") }
    self.init(message: message)
  }

  public static let placeholder = MessagePhotoURL(message: .placeholder)
  public static let schema: JSON = ["type": "string", "format": "uri-reference"]
}

/// Sends a friend a photo as a message: a PNG, JPEG or WebP of at most 65,536 bytes (``ContentLimits/photoBytes``) and 2,048 pixels each
/// way (SOC-4). A retry with the same idempotency key sends it only once.
///
/// The server encodes the picture again, so that nothing else in the file reaches the friend.
public enum SendMessagePhoto: AccountOperation {
  public struct Input: Document {
    public var accountID: AccountID
    public var content: Base64Bytes
    public var text: ChatText?

    public init(accountID: AccountID, content: Base64Bytes, text: ChatText? = nil) {
      self.accountID = accountID
      self.content = content
      self.text = text
    }

    public static let notes: Notes = [
      "accountID": "The friend's account.",
      "content": Note("The picture's file, at most \(ContentLimits.current.photoBytes) bytes."),
      "text": "A text to send with it, if any.",
    ]
  }

  public typealias Output = ChatMessage

  public static let spec = OperationSpec(
    "messagePhotos.send", of: .social, .post("/v1/conversations/{accountID}/photos"), by: .verifiedAccount, effect: .create,
    failures: MessageFailure.ofSending, raw: .body("content", "image/*"), requirements: ["SOC-4"], "Sends a photo to a friend.")
}

/// Reads the photo of a message, for the two of its conversation (SOC-4).
public enum GetMessagePhoto: AccountOperation {
  public struct Input: Document {
    public var messageID: ID<ChatMessage>

    public init(messageID: ID<ChatMessage>) { self.messageID = messageID }

    public static let notes: Notes = ["messageID": "The message."]
  }

  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "messagePhotos.get", of: .social, .get("/v1/messages/{messageID}/photo"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], raw: .answer(["image/jpeg", "image/png", "image/webp"]), requirements: ["SOC-4"],
    "Returns the photo of a message in one of the caller's conversations; `not_found` without one.")
}

/// Removes the photo of the caller's own message for both, whenever it was sent (SOC-4), which frees its space. The message is marked as
/// edited, or as removed where it has no text. Without a photo it does nothing.
public enum RemoveMessagePhoto: AccountOperation {
  public struct Input: Document {
    public var messageID: ID<ChatMessage>

    public init(messageID: ID<ChatMessage>) { self.messageID = messageID }

    public static let notes: Notes = ["messageID": "The message."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "messagePhotos.remove", of: .social, .delete("/v1/messages/{messageID}/photo"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-4"], "Removes the caller's own photo from its message.")
}
