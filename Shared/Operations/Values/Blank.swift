extension Character {
  /// Whether the character is invisible: white space, or without width such as U+200B or U+FEFF; but not the marks that change the writing
  /// direction of what follows, since those are for rules to refuse.
  public var isBlank: Bool {
    isWhitespace
      || unicodeScalars.allSatisfy { scalar in
        !scalar.turnsDirection
          && (scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format)
      }
  }
}

extension StringProtocol {
  /// The text without blank characters at its ends; empty if it has no others.
  public var trimmed: String {
    guard let start = firstIndex(where: { !$0.isBlank }), let end = lastIndex(where: { !$0.isBlank }) else { return "" }
    return String(self[start...end])
  }

  /// Whether the text has no visible character.
  public var isBlank: Bool { allSatisfy(\.isBlank) }
}
