extension Character {
  /// Whether nothing of it is seen: white space, and characters without width such as U+200B or U+FEFF; but not the marks that turn the
  /// writing direction of what follows, since those are for rules to refuse.
  public var isBlank: Bool {
    isWhitespace
      || unicodeScalars.allSatisfy { scalar in
        !scalar.turnsDirection
          && (scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format)
      }
  }
}

extension StringProtocol {
  /// The text without what is blank at its ends; empty if nothing else is in it.
  public var trimmed: String {
    guard let start = firstIndex(where: { !$0.isBlank }), let end = lastIndex(where: { !$0.isBlank }) else { return "" }
    return String(self[start...end])
  }

  /// Whether there is nothing to see in it.
  public var isBlank: Bool { allSatisfy(\.isBlank) }
}
