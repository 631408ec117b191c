/// What holds for every text of several lines that people write to others, such as a message, a report or an appeal.
///
/// It may turn the writing direction, as texts of several languages do: nobody takes one of them for another's name.
public enum LongText {
  /// Not only white space, not too long, and no control character but tabs and line breaks.
  ///
  /// - Parameters:
  ///   - maxCharacters: as people count them.
  ///   - maxBytes: a character can be made of any number of code points; this bounds what the text weighs.
  /// - Throws: the rule that it breaks.
  public static func check(_ text: String, maxCharacters: Int, maxBytes: Int) throws(FieldRule) {
    guard !text.isBlank else { throw FieldRule("empty") }
    if let rule = ShortText.brokenLength(text, maximum: maxCharacters, maxBytes: maxBytes) { throw rule }
    let hasControl = text.unicodeScalars.contains { scalar in
      scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\r" && scalar != "\t"
    }
    if hasControl { throw FieldRule("control_character") }
  }

  /// JSON Schema counts code points where people count characters, so only the outer bound can be said there.
  public static func schema(maxBytes: Int, example: String) -> JSON {
    ["type": "string", "minLength": 1, "maxLength": .integer(maxBytes), "examples": [.string(example)]]
  }
}
