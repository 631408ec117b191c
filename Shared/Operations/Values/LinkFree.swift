/// Text that others chose, such as a username or the name of a device, for mails and notices that go out in our name.
///
/// Programs that show mails make links of whatever looks like one. So nothing here does, and nothing is long enough to be a message.
public enum LinkFree {
  public static let mostCharacters = 40

  /// The text without what an address of the web or of a mailbox is held together by; a dot stays between digits and before a blank.
  public static func text(_ text: String) -> String {
    let characters = Array(text.prefix(mostCharacters * 2))
    var result = ""
    for (index, character) in characters.enumerated() {
      let before = index > 0 ? characters[index - 1] : " "
      let after = index + 1 < characters.count ? characters[index + 1] : " "
      result.append(holdsTogether(character) && !isApart(character, before, after) ? " " : character)
    }
    let words = result.split(separator: " ").map { $0.lowercased() == "www" ? "" : String($0) }.filter { !$0.isEmpty }
    return String(words.joined(separator: " ").prefix(mostCharacters))
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
    return after == " " || (character == "." && before.isNumber && after.isNumber)
  }
}
