import Foundation
public import Operations

/// A word by which the owner finds activities (ACT-16): `at home`.
///
/// Normalised to lower case and Unicode form C, with single blanks inside and none around, so that each tag has one spelling.
public struct Tag: TextValue, Comparable {
  /// How many an activity may have.
  public static let maximum = 8
  /// Characters, as people see them.
  static let maxCharacters = 20

  public let description: String

  public init(text: String) throws(FieldRule) {
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw FieldRule("control_character") }
    let words = text.lowercased().precomposedStringWithCanonicalMapping.split(whereSeparator: \.isBlank)
    guard !words.isEmpty else { throw FieldRule("empty") }
    let tag = words.joined(separator: " ")
    if let rule = ShortText.brokenLength(tag, maximum: Tag.maxCharacters) { throw rule }
    description = tag
  }

  public static func < (left: Self, right: Self) -> Bool { left.description < right.description }

  public static let placeholder = Tag(trusted: "tag")

  public static let schema: JSON = [
    "type": "string", "minLength": 1, "maxLength": .integer(maxCharacters), "examples": ["at home"],
  ]

  private init(trusted: String) { description = trusted }
}
