import Synchronization

/// Remembers verified tokens, about the most recently used.
///
/// Two generations: when the young one is half the bound, it becomes the old one and the former old one is forgotten; a token
/// found in the old one moves to the young.
final class TokenCache: Sendable {
  private struct Generations {
    var young: [String: Identification] = [:]
    var old: [String: Identification] = [:]
  }

  private let half: Int
  private let generations = Mutex(Generations())

  /// - Parameter bound: tokens remembered at most.
  init(bound: Int) { half = max(1, bound / 2) }

  var count: Int { generations.withLock { $0.young.count + $0.old.count } }

  subscript(token: String) -> Identification? {
    generations.withLock { generations in
      if let found = generations.young[token] { return found }
      guard let found = generations.old.removeValue(forKey: token) else { return nil }
      TokenCache.insert(token, found, half, &generations)
      return found
    }
  }

  func insert(_ token: String, _ identification: Identification) {
    generations.withLock { TokenCache.insert(token, identification, half, &$0) }
  }

  func remove(_ token: String) {
    generations.withLock { generations in
      generations.young[token] = nil
      generations.old[token] = nil
    }
  }

  private static func insert(_ token: String, _ identification: Identification, _ half: Int, _ generations: inout Generations) {
    if generations.young.count >= half {
      generations.old = generations.young
      generations.young = [:]
    }
    generations.young[token] = identification
  }
}
