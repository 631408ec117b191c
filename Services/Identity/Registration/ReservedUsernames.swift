import CReservedUsernames
import Operations

/// Usernames that nobody may register, because their owner would be taken for a member of the staff.
///
/// `List/reserved-usernames.txt` holds one a line, without separators. These disguises are reserved too: full stops and underscores
/// anywhere, digits at the end, and digits that stand for letters, as in `4dmin.2` or `r_o_o_t` (a username begins with a letter, so not
/// all of them can occur). Of words of five letters or more also doubled letters, i for l and rn for m, as in `aadmin`, `admln` and
/// `rnoderator`. And several of the words in a row, with articles and the like between them, as in `equipo_racha` and `the.real.racha`.
struct ReservedUsernames: Sendable {
  let all: Set<String>
  /// What the longer ones look like.
  private let looks: Set<String>

  /// The list in the program.
  static let embedded = ReservedUsernames(text: [UInt8](reserved_usernames))

  init(text: [UInt8]) {
    all = Set(text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
    looks = Set(all.filter { ReservedUsernames.isLong($0) }.map { ReservedUsernames.look($0) })
  }

  func contains(_ username: Username) -> Bool {
    let bare = username.description.filter { $0 != "." && $0 != "_" }
    var stem = bare[...]
    while let last = stem.last, last.isNumber { stem.removeLast() }
    return [bare, String(stem)].contains { name in
      // A 1 stands for an i or for an l.
      ["i", "l"].contains { one in isComposed(ReservedUsernames.letters(name, one)) }
    }
  }

  /// Whether the name is a word, or consists of words, of which one at least is long where there are more.
  private func isComposed(_ name: String) -> Bool {
    guard !isReserved(name[...]) else { return true }
    // What the beginnings that consist of words hold: nothing, short words and articles, or a long one.
    var beginnings: [String.Index: Bool] = [name.startIndex: false]
    for start in name.indices {
      guard let hasLong = beginnings[start] else { continue }
      for end in name[start...].indices.dropFirst() + [name.endIndex] {
        let part = name[start..<end]
        let isWord = isReserved(part)
        guard isWord || ReservedUsernames.fillers.contains(String(part)) else { continue }
        beginnings[end] = hasLong || isWord && ReservedUsernames.isLong(part) || beginnings[end] == true
      }
    }
    return beginnings[name.endIndex] == true
  }

  private func isReserved(_ part: Substring) -> Bool {
    all.contains(String(part)) || ReservedUsernames.isLong(part) && looks.contains(ReservedUsernames.look(part))
  }

  /// Shorter ones look like too many names.
  private static func isLong(_ word: some StringProtocol) -> Bool { word.count >= 5 }

  /// The same for what is easily mistaken for one another.
  private static func look(_ word: some StringProtocol) -> String {
    var look = ""
    for letter in word where letter != look.last { look.append(letter) }
    return look.replacing("rn", with: "m").replacing("l", with: "i")
  }

  private static func letters(_ name: String, _ one: Character) -> String {
    String(name.map { $0 == "1" ? one : lookalikes[$0] ?? $0 })
  }

  private static let lookalikes: [Character: Character] = ["0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b"]

  /// What makes a name of another only more like it.
  private static let fillers: Set<String> = [
    "the", "real", "true", "only", "of", "by", "el", "la", "los", "las", "de", "del", "soy", "verdadero", "verdadera",
    "autentico",
    "autentica", "unico", "unica", "app",
  ]
}
