/// Texts composed of parts: addresses that name something, and positions in lists.
public enum TextParts {
  /// The part of a text between two fixed parts, such as the id in `/v1/messages/{messageID}/photo`; nil if it does not begin and end with
  /// them. Compared by bytes: one character may hold the end of one part and the beginning of the next.
  public static func middle(of text: String, between before: String, and behind: String) -> String? {
    guard text.utf8.count >= before.utf8.count + behind.utf8.count, text.begins(with: before), text.ends(with: behind) else {
      return nil
    }
    return String(decoding: text.utf8.dropFirst(before.utf8.count).dropLast(behind.utf8.count), as: UTF8.self)
  }

  /// Both halves of a position `first/second` in a list.
  ///
  /// - Throws: ``PageCursor/invalid`` if there are not two parts.
  public static func pair(_ text: String) throws(FieldRule) -> (first: String, second: String) {
    let parts = text.split(at: "/").map(String.init)
    guard parts.count == 2 else { throw PageCursor.invalid }
    return (parts[0], parts[1])
  }
}
