import Operations
import Synchronization

/// The recent callers, by the identities that the ROUTER gave their connections, and the transit times of their requests.
///
/// Two generations: when the young one reaches half the limit, it becomes the old one and the former old one is forgotten.
struct Callers {
  private let half: Int
  private var young: [[UInt8]: Transit] = [:]
  private var old: [[UInt8]: Transit] = [:]

  /// - Parameter bound: the largest number of callers remembered.
  init(bound: Int) { half = max(1, bound / 2) }

  var all: Set<[UInt8]> { Set(young.keys).union(old.keys) }

  /// The caller with that identity, which has just called.
  mutating func caller(_ identity: [UInt8]) -> Transit {
    if let known = young[identity] { return known }
    let transit = old.removeValue(forKey: identity) ?? Transit()
    if young.count >= half { (old, young) = (young, [:]) }
    young[identity] = transit
    return transit
  }
}

/// How much longer than necessary the messages of one connection were on their way.
///
/// Sender and receiver each have a monotonic clock. The difference between the clocks is unknown but constant, except for a small drift. So
/// the least difference seen lately stands for a message that did not wait.
final class Transit: Sendable {
  /// How long the least difference counts, in milliseconds: at least this long, at most twice. Clocks drift by some 6 ms in that time.
  static let window: Int64 = 60_000

  struct State {
    var minimum: Int64?
    var former: Int64?
    var windowEnd: Int64 = 0

    /// - Returns: milliseconds that the message waited on its way.
    mutating func delay(sent: Int64, received: Int64) -> Int64 {
      if received >= windowEnd {
        former = received < windowEnd + Transit.window ? minimum : nil
        minimum = nil
        windowEnd = received + Transit.window
      }
      let difference = received - sent
      minimum = min(minimum ?? difference, difference)
      return difference - min(minimum ?? difference, former ?? difference)
    }
  }

  private let state = Mutex(State())

  /// - Parameters:
  ///   - sent: milliseconds on the sender's clock.
  ///   - received: milliseconds on our own.
  func delay(sent: Int64, received: Int64) -> Int64 { state.withLock { $0.delay(sent: sent, received: received) } }
}
