/// The passwords that are tried first, since most people who choose badly choose one of them (requirement ID-20).
///
/// `common-passwords.txt` holds one a line, in lower case; case makes no difference. Beside the bare favourites it has their
/// usual disguises (`Password1!`, `P@ssw0rd`), which the rules about kinds of characters let through. What people put behind a
/// favourite to satisfy such rules makes no difference either: punctuation, and digits that are few or in a row.
struct CommonPasswords: Sendable {
  /// More digits at the end, which are no row, are a secret of their own. A year has four.
  static let mostDigits = 4

  let all: Set<String>

  /// The list in the program.
  static let embedded = CommonPasswords(text: PackageResources.common_passwords_txt)

  init(text: [UInt8]) {
    all = Set(text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
  }

  func contains(_ password: String) -> Bool {
    let password = password.lowercased()
    let bare = CommonPasswords.withoutPunctuation(password[...])
    let core = CommonPasswords.withoutPunctuation(CommonPasswords.withoutDigits(bare))
    return all.contains(password) || all.contains(String(bare)) || all.contains(String(core))
  }

  private static func withoutPunctuation(_ text: Substring) -> Substring {
    guard let last = text.lastIndex(where: { $0.isLetter || $0.isNumber }) else { return "" }
    return text[...last]
  }

  private static func withoutDigits(_ text: Substring) -> Substring {
    let rest = text.lastIndex { !("0"..."9").contains($0) }.map { text[...$0] } ?? ""
    return isUsual(text[rest.endIndex...].compactMap(\.wholeNumberValue)) ? rest : text
  }

  /// Whether many choose those digits: few, all the same, or counting up or down.
  private static func isUsual(_ digits: [Int]) -> Bool {
    let steps = Set(zip(digits, digits.dropFirst()).map { ($1 - $0 + 10) % 10 })
    return digits.count <= mostDigits || steps == [0] || steps == [1] || steps == [9]
  }
}
