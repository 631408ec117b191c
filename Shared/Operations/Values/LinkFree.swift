/// Text that others chose, such as a username or the name of a device, for mails and notices that go out in our name.
///
/// Programs that show mails make links of whatever looks like one. So nothing here does, and nothing is long enough to be a message.
public enum LinkFree {
  public static let mostCharacters = 40
  /// Of a name, before blanks are put into it: as long as one may be, so that none ends before what tells it from others.
  public static let mostCharactersOfName = 60

  /// The text without what an address of the web or of a mailbox is held together by; a dot stays between digits and beside a blank.
  public static func text(_ text: String) -> String {
    let words = apart(text.prefix(mostCharacters * 2)) { _ in " " }.filter { !["www", "www."].contains($0.lowercased()) }
    return String(words.joined(separator: " ").prefix(mostCharacters))
  }

  /// A name by which its owner finds a thing again, such as a token: the same, but what holds addresses together stays, with a blank behind it.
  public static func name(_ text: String) -> String {
    apart(text.prefix(mostCharactersOfName)) { "\($0) " }.joined(separator: " ")
  }

  /// The words of the text with its joints replaced.
  private static func apart(_ text: Substring, _ joint: (Character) -> String) -> [Substring] {
    let characters = Array(text)
    var result = ""
    for (index, character) in characters.enumerated() {
      let before = index > 0 ? characters[index - 1] : " "
      let after = index + 1 < characters.count ? characters[index + 1] : " "
      result += holdsTogether(character) && !isApart(character, before, after) ? joint(character) : String(character)
    }
    return result.split(separator: " ")
  }

  private static func holdsTogether(_ character: Character) -> Bool {
    switch character {
    // The dots and slashes of other scripts, too, which browsers take for the plain ones (UTS 46, section 4).
    case ".", "\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}", "/", "\\", "\u{FF0F}", "\u{2044}", "\u{2215}", ":", "\u{FF1A}", "@",
      "\u{FF20}", "\u{FE6B}":
      true
    default: false
    }
  }

  private static func isApart(_ character: Character, _ before: Character, _ after: Character) -> Bool {
    guard character == "." || character == ":" || character == "/" else { return false }
    return after == " " || (character == "." && before == " ") || (character != "/" && before.isNumber && after.isNumber)
  }
}
