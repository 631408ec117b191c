import Operations
import ServiceKit
import SocialContract
import Storage
import TransparencyLog
import Web

/// The witnesses that are asked to cosign checkpoints: settings `racha.register.witnesses`.
struct RegisterWitnesses: Sendable {
  struct One: Sendable, Hashable {
    /// Without a slash at the end.
    let url: String
    let key: VerifierKey
  }

  static let setting = "racha.register.witnesses"

  let all: [One]

  /// Reads the setting: URL and key of each, after one another, separated by blanks; what cannot be used is recorded.
  init(_ settings: Settings) {
    let words = settings.string(Self.setting, default: "").split(whereSeparator: \.isWhitespace).map(String.init)
    var all: [One] = []
    for start in stride(from: 0, to: words.count, by: 2) {
      guard start + 1 < words.count, ["http://", "https://"].contains(where: words[start].begins),
        let key = try? VerifierKey(words[start + 1]), key.type == Cosignature.type
      else {
        settings.refuse(Self.setting, "must be pairs of a URL and the key of a witness, separated by blanks")
        break
      }
      let url = words[start].ends(with: "/") ? String(words[start].dropLast()) : words[start]
      all.append(One(url: url, key: key))
    }
    self.all = all
  }
}
