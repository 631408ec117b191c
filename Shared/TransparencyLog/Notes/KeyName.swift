/// Names of keys, which stand in signature lines and verifier keys (c2sp.org/signed-note, “Format”).
enum KeyName {
  /// Not empty, no space of Unicode, no plus, no control character.
  static func isValid(_ name: String) -> Bool {
    !name.isEmpty
      && name.unicodeScalars.allSatisfy { $0 != "+" && $0.value >= 0x20 && !$0.properties.isWhitespace }
  }

  /// Whether two names are the same bytes.
  static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
