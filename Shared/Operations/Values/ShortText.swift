/// What holds for every short text that people write and others see, such as a name, a title or a comment on one line.
///
/// Long texts, such as messages, may turn the writing direction: nobody takes one of them for another's name.
public enum ShortText {
  /// A user-perceived character may have any number of marks: so that a text's size is bounded too.
  public static let mostBytesPerCharacter = 16

  /// The rule of length that a text breaks; nil if it breaks none.
  ///
  /// - Parameter mostCharacters: as people count them.
  public static func brokenLength(_ text: some StringProtocol, most mostCharacters: Int) -> FieldRule? {
    brokenLength(text, most: mostCharacters, mostBytes: mostCharacters * mostBytesPerCharacter)
  }

  /// The same with a bound of its own for the bytes.
  public static func brokenLength(_ text: some StringProtocol, most mostCharacters: Int, mostBytes: Int) -> FieldRule? {
    if text.prefix(mostCharacters + 1).count > mostCharacters { return FieldRule("too_long", ["most": .number(mostCharacters)]) }
    return text.utf8.count > mostBytes ? FieldRule("too_many_bytes", ["most": .number(mostBytes)]) : nil
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
