import Images
import SocialContract

/// What is sent in a message: a text, a photo or both.
struct MessageContent: Sendable {
  var text: ChatText?
  var photo: Picture?

  /// The bytes counted for its sender.
  var bytes: Int { (text?.bytes ?? 0) + (photo?.bytes.count ?? 0) }
}

extension ChatText {
  /// The bytes counted for its sender.
  var bytes: Int { description.utf8.count }
}
