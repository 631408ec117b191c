import CCommonPasswords
import Operations

/// The passwords that are tried first, since most people who choose badly choose one of them (requirement ID-20).
///
/// `List/common-passwords.txt` holds one a line, in lower case; case makes no difference. Beside the bare favourites it has their
/// usual disguises (`Password1!`, `P@ssw0rd`), which the rules about kinds of characters let through. What else people do to a
/// favourite to satisfy such rules makes no difference either; see ``PasswordReadings``.
///
/// The list is the 10,000 most used passwords of public leaks, by the frequency list of zxcvbn (PyPI `zxcvbn` 4.5.0, MIT licence,
/// © 2012-2016 Dan Wheeler and Dropbox, Inc., © 2016 Daniel Wolf), and 5,644 favourites with their usual disguises, composed from the
/// words, names, keyboard rows and endings that studies of leaked passwords agree on.
struct CommonPasswords: Sendable {
  let all: Set<String>

  /// The list in the program.
  static let embedded = CommonPasswords(text: [UInt8](common_passwords))

  init(text: [UInt8]) {
    all = Set(text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
  }

  func contains(_ password: PasswordReadings) -> Bool {
    password.isRow || !all.isDisjoint(with: password.plain) || !all.isDisjoint(with: password.undisguised)
  }
}
