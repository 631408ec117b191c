import IdentityContract
import Operations

/// Finds usernames near a wished one that cannot be had.
enum UsernameSuggestions {
  static let count = 3

  /// Usernames to try, the nearest first, all of them well formed, none reserved and none twice.
  ///
  /// - Parameters:
  ///   - wished: what was typed, of any form.
  ///   - others: texts to fall back on, such as the local part of the e-mail address.
  static func candidates(near wished: String, others: [String]) -> [Username] {
    var found: [Username] = []
    func add(_ text: String) {
      guard let username = try? Username(text: text), !found.contains(username), !ReservedUsernames.embedded.contains(username)
      else { return }
      found.append(username)
    }
    let stems = ([wished] + others).map { stem($0) }.filter { !$0.isEmpty && !isReserved($0) }
    for stem in stems.isEmpty ? ["user"] : stems {
      let short = String(stem.prefix(26))
      add(stem)
      for suffix in ["1", "2", "7", "_1", ".x", "2000"] { add(short + suffix) }
    }
    // So many that some are free, however popular the name is.
    for base in [stems.first ?? "user", "user"] where found.count < 40 {
      for number in 10..<40 { add(String(base.prefix(25)) + String(number * number)) }
    }
    return found
  }

  /// Whether nobody may have the name, so that what is made of it misleads too.
  private static func isReserved(_ text: String) -> Bool {
    guard let username = try? Username(text: text) else { return false }
    return ReservedUsernames.embedded.contains(username)
  }

  /// The text with everything replaced that a username cannot have.
  static func stem(_ text: String) -> String {
    var stem = ""
    for scalar in text.lowercased().prefix(60).unicodeScalars {
      switch scalar {
      case "a"..."z": stem.unicodeScalars.append(scalar)
      case "0"..."9", "_", ".": if !stem.isEmpty { stem.unicodeScalars.append(scalar) }
      case " ", "-", "+": if let last = stem.last, last != "." { stem += "." }
      default: stem += letters[scalar] ?? ""
      }
    }
    stem = String(stem.prefix(30))
    while let last = stem.last, last == "." || last == "_" { stem.removeLast() }
    // Too short to stand alone.
    return stem.isEmpty || stem.count > 2 ? stem : stem + "_1"
  }

  /// Letters of neighbouring alphabets in plain ones.
  private static let letters: [Unicode.Scalar: String] = {
    let families = [
      "a": "àáâãäåā", "ae": "æ", "c": "çćč", "d": "ðď", "e": "èéêëēę", "g": "ğ", "i": "ìíîïī", "l": "ł", "n": "ñńň",
      "o": "òóôõöøō",
      "oe": "œ", "r": "ř", "s": "śšş", "ss": "ß", "t": "ťþ", "u": "ùúûüūů", "y": "ýÿ", "z": "źžż",
    ]
    var letters: [Unicode.Scalar: String] = [:]
    for (plain, family) in families { for scalar in family.unicodeScalars { letters[scalar] = plain } }
    return letters
  }()
}
