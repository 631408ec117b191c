import Operations
import Synchronization

/// Remembers verified tokens, about the most recently used.
///
/// Two generations: when the young one is half the bound, or as old as a token can become, it becomes the old one and the former old one is
/// forgotten; a token found in the old one moves to the young. So expired tokens are not kept for longer than they were valid.
final class TokenCache: Sendable {
  private struct Generations {
    var young: [String: Identification] = [:]
    var old: [String: Identification] = [:]
    /// When the young one began.
    var began: Instant
  }

  private let half: Int
  private let lifetimeSeconds: Int
  private let clock: Clock
  private let generations: Mutex<Generations>

  /// - Parameters:
  ///   - bound: the maximum number of tokens remembered.
  ///   - lifetimeSeconds: how long a verified token is good for at most.
  init(bound: Int, lifetimeSeconds: Int, clock: Clock) {
    half = max(1, bound / 2)
    self.lifetimeSeconds = lifetimeSeconds
    self.clock = clock
    generations = Mutex(Generations(began: clock.now))
  }

  var count: Int { generations.withLock { $0.young.count + $0.old.count } }

  subscript(token: String) -> Identification? {
    generations.withLock { generations in
      if let found = generations.young[token] { return found }
      guard let found = generations.old.removeValue(forKey: token) else { return nil }
      insert(token, found, &generations)
      return found
    }
  }

  func insert(_ token: String, _ identification: Identification) {
    generations.withLock { insert(token, identification, &$0) }
  }

  func remove(_ token: String) {
    generations.withLock { generations in
      generations.young[token] = nil
      generations.old[token] = nil
    }
  }

  private func insert(_ token: String, _ identification: Identification, _ generations: inout Generations) {
    let now = clock.now
    if generations.young.count >= half || now >= generations.began.adding(seconds: lifetimeSeconds) {
      generations.old = generations.young
      generations.young = [:]
      generations.began = now
    }
    generations.young[token] = identification
  }
}
