/// The rules for every short text that people write and others see, such as a name, a title or a comment on one line.
///
/// Long texts, such as messages, may change the writing direction: they are not mistaken for another's name.
public enum ShortText {
  /// A user-perceived character may have any number of marks, so the size in bytes is limited too.
  public static let maxBytesPerCharacter = 16

  /// The length rule that a text breaks; nil if it breaks none.
  ///
  /// - Parameter maxCharacters: the limit in user-perceived characters.
  public static func brokenLength(_ text: some StringProtocol, maximum maxCharacters: Int) -> FieldRule? {
    brokenLength(text, maximum: maxCharacters, maxBytes: maxCharacters * maxBytesPerCharacter)
  }

  /// The same with a separate limit in bytes.
  public static func brokenLength(_ text: some StringProtocol, maximum maxCharacters: Int, maxBytes: Int) -> FieldRule? {
    if text.prefix(maxCharacters + 1).count > maxCharacters { return FieldRule("too_long", ["max": .number(maxCharacters)]) }
    return text.utf8.count > maxBytes ? FieldRule("too_many_bytes", ["max": .number(maxBytes)]) : nil
  }

  /// Whether the text has a character that controls how it is shown: a control character, a line or paragraph separator, or a mark that
  /// changes the writing direction, by which a text can disguise itself as another.
  public static func hasControl(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: true
      case .format: scalar.turnsDirection
      default: false
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it embeds, overrides or isolates a writing direction for what follows (UAX 9, sections 2.1 to 2.5).
  var turnsDirection: Bool { (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) }
}
