import Operations

/// The usernames that nobody may register, because others would take their bearer for one of those who run the system.
///
/// `reserved-usernames.txt` holds one a line, without separators. Disguises are reserved too: full stops and underscores anywhere,
/// digits at the end, and digits that stand for letters, as in `4dmin.2` or `r_o_o_t` (a username begins with a letter, so
/// not all of them can occur).
struct ReservedUsernames: Sendable {
  let all: Set<String>

  /// The list in the program.
  static let embedded = ReservedUsernames(text: PackageResources.reserved_usernames_txt)

  init(text: [UInt8]) {
    all = Set(text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
  }

  func contains(_ username: Username) -> Bool {
    let bare = username.description.filter { $0 != "." && $0 != "_" }
    var stem = bare[...]
    while let last = stem.last, last.isNumber { stem.removeLast() }
    return [bare, String(stem)].contains { name in
      // A 1 stands for an i or for an l.
      ["i", "l"].contains { one in all.contains(ReservedUsernames.letters(name, one)) }
    }
  }

  private static func letters(_ name: String, _ one: Character) -> String {
    String(name.map { $0 == "1" ? one : lookalikes[$0] ?? $0 })
  }

  private static let lookalikes: [Character: Character] = ["0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b"]
}
