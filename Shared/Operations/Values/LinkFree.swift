/// Text that users chose, such as a username or the name of a device, for mails and notices that go out in our name.
///
/// Mail programs turn anything that looks like an address into a link. So this text contains nothing of that kind, and is too short to be a
/// message.
public enum LinkFree {
  public static let maxCharacters = 40
  /// Most characters of a name, before blanks are inserted: as many as a name may have, so that none is cut off before the part that
  /// distinguishes it from others.
  public static let maxCharactersOfName = 60

  /// The text without the characters that join the parts of a web or mail address, such as dots, slashes and at signs; a dot stays between
  /// digits and next to a blank.
  public static func text(_ text: String) -> String {
    let words = apart(text.prefix(maxCharacters * 2)) { _ in " " }.filter { !["www", "www."].contains($0.asciiLowercased) }
    return String(words.joined(separator: " ").prefix(maxCharacters))
  }

  /// A name by which its owner recognizes a thing, such as a token. Unlike in ``text(_:)``, joining characters stay, followed by a blank.
  public static func name(_ text: String) -> String {
    apart(text.prefix(maxCharactersOfName)) { "\($0) " }.joined(separator: " ")
  }

  /// The words of the text with its joining characters replaced. It works by scalars, as programs that detect links do.
  private static func apart(_ text: Substring, _ joint: (Unicode.Scalar) -> String) -> [Substring] {
    let scalars = Array(text.unicodeScalars)
    var result = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      let before = index > 0 ? scalars[index - 1] : " "
      let after = index + 1 < scalars.count ? scalars[index + 1] : " "
      if holdsTogether(scalar), !isApart(scalar, before, after) {
        result.append(contentsOf: joint(scalar).unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result).split(at: " ", omitsEmpty: true)
  }

  private static func holdsTogether(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    // Includes the dots and slashes of other scripts, which browsers treat like the plain ones (UTS 46, section 4).
    case ".", "\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}", "/", "\\", "\u{FF0F}", "\u{2044}", "\u{2215}", ":", "\u{FF1A}", "@",
      "\u{FF20}", "\u{FE6B}":
      true
    default: false
    }
  }

  private static func isApart(_ scalar: Unicode.Scalar, _ before: Unicode.Scalar, _ after: Unicode.Scalar) -> Bool {
    guard scalar == "." || scalar == ":" || scalar == "/" else { return false }
    return after == " " || (scalar == "." && before == " ") || (scalar != "/" && isDigit(before) && isDigit(after))
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
