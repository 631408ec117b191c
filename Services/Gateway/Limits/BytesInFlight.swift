import CoreMetrics
import ServiceKit
import Synchronization

/// Bytes held for clients: incoming, waiting or running requests, unread answers, and queued live messages. They are bounded in total and
/// for each address, so that no address can use up the room of all others.
///
/// Beyond the bound a request is refused with 503 (`overloaded`) and `Retry-After`, before its body is read or instead of the answer to a
/// call that only reads; a call that has changed something is always answered. A live stream that falls behind is cut, as is a connection
/// whose unread answers have no room.
final class BytesInFlight: Sendable {
  private let counts: Mutex<AddressCounts>
  private let gauge = Gauge(label: "gateway_in_flight_bytes")
  private let refused = Counter(label: "gateway_in_flight_refusals")

  init(_ limits: GatewayConfiguration.Limits) {
    counts = Mutex(AddressCounts(max: limits.bytesInFlight, maxPerAddress: limits.bytesInFlightPerAddress))
  }

  /// What is taken at the moment.
  var total: Int { counts.withLock { $0.total } }

  /// Takes the given number of bytes, or returns false if there is no room.
  ///
  /// - Parameters:
  ///   - address: nil for a proxy, whose connections belong to many clients.
  ///   - isForced: the bytes exist already and must not be lost, so they are counted even beyond the bound.
  fileprivate func take(_ bytes: Int, _ address: ClientAddress?, isForced: Bool) -> Bool {
    let total = counts.withLock { $0.take(bytes, address, isForced: isForced) ? $0.total : nil }
    guard let total else {
      refused.increment()
      return false
    }
    gauge.record(total)
    return true
  }

  fileprivate func give(_ bytes: Int, _ address: ClientAddress?) {
    let total = counts.withLock { counts in
      counts.give(bytes, address)
      return counts.total
    }
    gauge.record(total)
  }
}

/// The share of ``BytesInFlight`` that one connection takes. It is given back when the last reference to this object goes.
final class HeldBytes: Sendable {
  /// What the bytes are.
  enum Part: Int, CaseIterable {
    /// Of a line that has not ended.
    case line
    /// Requests that arrive, wait, or are being answered.
    case requests
    /// Answers that are not written yet.
    case answers
    /// Written, and not taken by the client.
    case unread
    /// Live messages that wait.
    case live
  }

  /// The bytes that each connection may hold uncounted, which is enough for nearly all: they are bounded by the number of connections, and
  /// small requests pass even when others have used up all the room.
  static let uncounted = 16_384
  /// Taken and given in such pieces, so that most changes concern the connection alone.
  private static let piece = 16_384
  /// The copies of a body: it is in a buffer that grows by doubling, and again in the message to the service, so each byte counts twice.
  static let copies = 2

  private struct State {
    var parts = [Int](repeating: 0, count: Part.allCases.count)
    var sum = 0
    var taken = 0
    var address: ClientAddress?
  }

  private let bytes: BytesInFlight
  private let state: Mutex<State>

  init(_ bytes: BytesInFlight, _ address: ClientAddress?) {
    self.bytes = bytes
    state = Mutex(State(address: address))
  }

  deinit {
    state.withLock { if $0.taken > 0 { bytes.give($0.taken, $0.address) } }
  }

  /// Counts more or fewer bytes, or returns false and changes nothing if there is no room.
  ///
  /// - Parameter isForced: the bytes exist already, and must not be lost.
  func change(_ part: Part, by count: Int, isForced: Bool = false) -> Bool {
    state.withLock { change(&$0, part, by: count, isForced: isForced) }
  }

  /// Sets the count of a part, or returns false and changes nothing if there is no room.
  func set(_ part: Part, to count: Int) -> Bool {
    state.withLock { state in
      let change = count - state.parts[part.rawValue]
      return change == 0 || self.change(&state, part, by: change, isForced: false)
    }
  }

  /// Counts the bytes that are written but unread, as far as they exceed the answer being written; returns false if there is no room.
  func setUnread(_ count: Int) -> Bool {
    state.withLock { state in
      let excess = max(0, count - state.parts[Part.answers.rawValue])
      let change = excess - state.parts[Part.unread.rawValue]
      return change == 0 || self.change(&state, .unread, by: change, isForced: false)
    }
  }

  /// What is counted at the moment.
  func count(_ part: Part) -> Int { state.withLock { $0.parts[part.rawValue] } }

  /// Gives back what was counted before.
  func release(_ part: Part, _ count: Int) {
    guard count > 0 else { return }
    // Less always has room.
    _ = change(part, by: -count)
  }

  /// What is held counts as that address's from now on.
  func move(to address: ClientAddress) {
    state.withLock { state in
      if state.taken > 0 {
        bytes.give(state.taken, state.address)
        // Forced, it always has room.
        _ = bytes.take(state.taken, address, isForced: true)
      }
      state.address = address
    }
  }

  private func change(_ state: inout State, _ part: Part, by count: Int, isForced: Bool) -> Bool {
    let sum = state.sum + count
    let excess = max(0, sum - HeldBytes.uncounted)
    let needed = (excess + HeldBytes.piece - 1) / HeldBytes.piece * HeldBytes.piece
    if needed > state.taken {
      guard bytes.take(needed - state.taken, state.address, isForced: isForced) else { return false }
    } else if needed < state.taken {
      bytes.give(state.taken - needed, state.address)
    }
    state.taken = needed
    state.sum = sum
    state.parts[part.rawValue] += count
    return true
  }
}
