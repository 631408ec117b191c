import Operations
import Synchronization

/// Who called lately, by the identities that the ROUTER gave their connections, and how long their requests are under way.
///
/// Two generations: when the young one is half the bound, it becomes the old one and the former old one is forgotten.
struct Callers {
  private let half: Int
  private var young: [[UInt8]: Transit] = [:]
  private var old: [[UInt8]: Transit] = [:]

  /// - Parameter bound: callers remembered at most.
  init(bound: Int) { half = max(1, bound / 2) }

  var all: Set<[UInt8]> { Set(young.keys).union(old.keys) }

  /// The caller of that identity, who has just called.
  mutating func caller(_ identity: [UInt8]) -> Transit {
    if let known = young[identity] { return known }
    let transit = old.removeValue(forKey: identity) ?? Transit()
    if young.count >= half { (old, young) = (young, [:]) }
    young[identity] = transit
    return transit
  }
}

/// How much longer than need be the messages of one connection were under way.
///
/// Sender and receiver each have a clock that never jumps; how far these are apart nobody knows, but it does not change, but for the
/// little by which one goes faster. So the least difference seen lately stands for a message that did not wait.
final class Transit: Sendable {
  /// How long the least difference counts, in milliseconds: at least that, at most twice. Clocks drift by some 6 ms in the time.
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
