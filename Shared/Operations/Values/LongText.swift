/// The rules for every text of several lines that people write to others, such as a message, a report or an appeal.
///
/// Such a text may change the writing direction, as texts in several languages do: it is not mistaken for another's name.
public enum LongText {
  /// Checks that the text is not blank, not too long, and without control characters except tabs and line breaks.
  ///
  /// - Parameters:
  ///   - maxCharacters: the limit in user-perceived characters.
  ///   - maxBytes: the limit in bytes, since a character can consist of any number of code points.
  /// - Throws: the rule that the text breaks.
  public static func check(_ text: String, maxCharacters: Int, maxBytes: Int) throws(FieldRule) {
    guard !text.isBlank else { throw FieldRule("empty") }
    if let rule = ShortText.brokenLength(text, maximum: maxCharacters, maxBytes: maxBytes) { throw rule }
    let hasControl = text.unicodeScalars.contains { scalar in
      scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\r" && scalar != "\t"
    }
    if hasControl { throw FieldRule("control_character") }
  }

  /// JSON Schema counts code points where people count characters, so only the outer limit can be stated there.
  public static func schema(maxBytes: Int, example: String) -> JSON {
    ["type": "string", "minLength": 1, "maxLength": .integer(maxBytes), "examples": [.string(example)]]
  }
}
