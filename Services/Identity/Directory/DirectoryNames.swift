import IdentityContract
import Operations
import ServiceKit

/// The names by which an account is found: where in them something can begin, and which of these positions counts for a search.
struct DirectoryNames: Sendable, Hashable {
  /// How well a position answers a search that finds it; the lower, the better.
  enum Rank: Int, Sendable, CaseIterable, Comparable {
    /// The username or the nickname begins there.
    case name
    /// A word in one of them does.
    case word
    /// Neither.
    case inside

    static func < (one: Rank, other: Rank) -> Bool { one.rawValue < other.rawValue }
  }

  /// A position, in the order in which positions are shown.
  struct Suffix: Sendable, Hashable {
    let rank: Rank
    /// What follows there, not beyond ``maxFollowing`` scalars.
    let key: String
    /// How many scalars are before it.
    let offset: Int
  }

  /// How much of what follows a position is in the key of the table; the rest of a longer search is compared afterwards.
  static let maxFollowing = 12
  /// Scalars of a folded nickname; what is beyond is not searched. One with 30 characters seldom has more.
  private static let maxOfNickname = 60

  /// Both names, folded, a line break between them; as it is kept.
  let text: String
  private let scalars: [Unicode.Scalar]

  init(_ username: Username, _ nickname: Nickname?) {
    var scalars = DirectoryText(username.description).scalars
    if let nickname { scalars += ["\n"] + DirectoryText(nickname.description).scalars.prefix(DirectoryNames.maxOfNickname) }
    self.scalars = scalars
    text = String(String.UnicodeScalarView(scalars))
  }

  /// As it was kept.
  init(text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars)
  }

  /// Every position where a search can find them.
  var suffixes: [Suffix] { scalars.indices.filter { !isBlank($0) }.map(suffix) }

  /// The position that is shown for a search, of all that it finds the first; nil if it finds none.
  func first(_ search: DirectoryText) -> Suffix? {
    scalars.indices.filter { !isBlank($0) && scalars[$0...].starts(with: search.scalars) }.map(suffix).min { one, other in
      if one.rank != other.rank { return one.rank < other.rank }
      if one.key.utf8.elementsEqual(other.key.utf8) { return one.offset < other.offset }
      return one.key.utf8.lexicographicallyPrecedes(other.key.utf8)
    }
  }

  /// What of a text is in the key.
  static func key(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars.prefix(maxFollowing).prefix { $0 != "\n" }))
  }

  private func suffix(_ index: Int) -> Suffix {
    Suffix(rank: rank(index), key: DirectoryNames.key(scalars[index...]), offset: index)
  }

  private func isBlank(_ index: Int) -> Bool { scalars[index] == " " || scalars[index] == "\n" }

  private func rank(_ index: Int) -> Rank {
    guard index > 0, scalars[index - 1] != "\n" else { return .name }
    let before = scalars[index - 1].properties
    return before.isAlphabetic || before.numericType != nil ? .inside : .word
  }
}
