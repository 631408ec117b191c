/// What holds for every short text that people write and others see, such as a name, a title or a comment on one line.
///
/// Long texts, such as messages, may turn the writing direction: nobody takes one of them for another's name.
public enum ShortText {
  /// A user-perceived character may have any number of marks: so that a text's size is bounded too.
  public static let maxBytesPerCharacter = 16

  /// The rule of length that a text breaks; nil if it breaks none.
  ///
  /// - Parameter maxCharacters: as people count them.
  public static func brokenLength(_ text: some StringProtocol, maximum maxCharacters: Int) -> FieldRule? {
    brokenLength(text, maximum: maxCharacters, maxBytes: maxCharacters * maxBytesPerCharacter)
  }

  /// The same with a bound of its own for the bytes.
  public static func brokenLength(_ text: some StringProtocol, maximum maxCharacters: Int, maxBytes: Int) -> FieldRule? {
    if text.prefix(maxCharacters + 1).count > maxCharacters { return FieldRule("too_long", ["max": .number(maxCharacters)]) }
    return text.utf8.count > maxBytes ? FieldRule("too_many_bytes", ["max": .number(maxBytes)]) : nil
  }

  /// Whether it has a character that controls how it is shown: one of the classic ones, one that ends a line, or a mark that turns the
  /// writing direction, by which a text can disguise itself as another.
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
