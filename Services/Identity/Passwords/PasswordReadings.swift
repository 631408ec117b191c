/// The forms of a password that an attacker would guess: the password itself, and the rest without common additions to a known word.
///
/// These are case, punctuation anywhere, and leading and trailing digits that are few or in sequence. A name or a common password with
/// further words is a different password.
struct PasswordReadings: Hashable, Sendable {
  /// More digits, which are no row, are a secret of their own. A year has four.
  static let maxDigits = 4
  /// Of fewer letters and digits, the punctuation between them may be the secret.
  static let minCharacters = 4

  /// The text in lower case, and what is left of it.
  let plain: Set<String>
  /// The same with letters for the digits that look like them.
  let undisguised: Set<String>
  /// Whether it is hardly more than a long row of digits.
  let isRow: Bool

  init(_ text: String) {
    let text = text.lowercased()
    let bare = PasswordReadings.bare(text[...])
    let word = text.filter { $0.isLetter || $0.isNumber }
    let words = PasswordReadings.withoutDigits(word[...])
    let parts = PasswordReadings.withoutDigits(bare) + words.filter { $0.count >= PasswordReadings.minCharacters }
    plain = Set([text] + parts.map(String.init)).subtracting([""])
    undisguised = Set(
      plain.flatMap { reading in
        PasswordReadings.disguises.map { letters in String(reading.map { letters[$0] ?? $0 }) }
      })
    isRow = words.contains {
      $0.count < PasswordReadings.minCharacters && word.count - $0.count > PasswordReadings.maxDigits
    }
  }

  /// A 1 stands for either letter.
  private static let disguises: [[Character: Character]] = ["i", "l"].map { one in
    ["0": "o", "1": one, "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i"]
  }

  /// Without punctuation before and behind.
  private static func bare(_ text: Substring) -> Substring {
    func isPart(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    guard let first = text.firstIndex(where: isPart), let last = text.lastIndex(where: isPart) else { return "" }
    return text[first...last]
  }

  /// The text, and what is left without its digits behind, before, and on both sides, where many choose those.
  private static func withoutDigits(_ text: Substring) -> [Substring] {
    let front = withoutDigitsBefore(text)
    return [text, withoutDigitsBehind(text), front, withoutDigitsBehind(front)].map(bare)
  }

  private static func withoutDigitsBehind(_ text: Substring) -> Substring {
    let rest = text.lastIndex { !isDigit($0) }.map { text[...$0] } ?? text.prefix(0)
    return isUsual(text[rest.endIndex...]) ? rest : text
  }

  private static func withoutDigitsBefore(_ text: Substring) -> Substring {
    let rest = text.drop(while: isDigit)
    return isUsual(text[..<rest.startIndex]) ? rest : text
  }

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

  /// Whether many choose those digits: few, all the same, or counting up or down.
  private static func isUsual(_ digits: Substring) -> Bool {
    let values = digits.compactMap(\.wholeNumberValue)
    let steps = Set(zip(values, values.dropFirst()).map { ($1 - $0 + 10) % 10 })
    return values.count <= maxDigits || steps == [0] || steps == [1] || steps == [9]
  }
}
