/// Texts that are put together of parts: addresses that name something, and positions in lists.
public enum TextParts {
  /// What stands between two fixed parts of a text, as the id in `/v1/messages/{messageID}/photo`; nil where it does not begin and end so.
  /// Counted by bytes: one character may hold the end of one part and the beginning of the next.
  public static func middle(of text: String, between before: String, and behind: String) -> String? {
    guard text.utf8.count >= before.utf8.count + behind.utf8.count, text.begins(with: before), text.ends(with: behind) else {
      return nil
    }
    return String(decoding: text.utf8.dropFirst(before.utf8.count).dropLast(behind.utf8.count), as: UTF8.self)
  }

  /// Both halves of a position `first/second` in a list.
  ///
  /// - Throws: ``PageCursor/invalid`` where there are not two.
  public static func pair(_ text: String) throws(FieldRule) -> (first: String, second: String) {
    let parts = text.split(at: "/").map(String.init)
    guard parts.count == 2 else { throw PageCursor.invalid }
    return (parts[0], parts[1])
  }
}
