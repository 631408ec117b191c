import CoreMetrics
import ServiceKit
import Synchronization

/// Bytes that the gateway holds for its clients: requests that arrive, wait or are being answered, answers that nobody has read yet,
/// live messages that wait. Bounded in all and for each address, so that no one address can use up what there is for everybody.
///
/// Beyond the bound a request is refused with 503 (`overloaded`) and `Retry-After`, before its body is taken or instead of the answer to
/// a call that only reads; what has changed something is answered in any case. A live stream that falls behind is cut, as is a connection
/// whose unread answers have no room.
final class BytesInFlight: Sendable {
  private let counts: Mutex<AddressCounts>
  private let gauge = Gauge(label: "gateway_bytes_in_flight")
  private let refused = Counter(label: "gateway_bytes_in_flight_refused")

  init(_ limits: GatewayConfiguration.Limits) {
    counts = Mutex(AddressCounts(max: limits.bytesInFlight, maxPerAddress: limits.bytesInFlightPerAddress))
  }

  /// What is taken at the moment.
  var total: Int { counts.withLock { $0.total } }

  /// Takes so many, or says that there is no room.
  ///
  /// - Parameters:
  ///   - address: nil for a proxy, whose connections are many people's.
  ///   - isForced: they are there already, and what they hold must not be lost: counted, beyond the bound too.
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

/// What one connection takes of ``BytesInFlight``. It gives everything back when nothing refers to it any more.
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

  /// What each connection may hold uncounted, as nearly all ever do: the bound of connections bounds it, and small requests pass
  /// also where others have used up all there is.
  static let uncounted = 16_384
  /// Taken and given in such pieces, so that most changes concern the connection alone.
  private static let piece = 16_384
  /// A body lies in a buffer that grows by doubling, and then once more in the message for the service: so each of its bytes counts twice.
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

  /// Counts more or fewer bytes, or says that there is no room for more; then nothing is changed.
  ///
  /// - Parameter isForced: they are there already, and what they hold must not be lost.
  func change(_ part: Part, by count: Int, isForced: Bool = false) -> Bool {
    state.withLock { change(&$0, part, by: count, isForced: isForced) }
  }

  /// Counts so many from now on, or says that there is no room for them; then nothing is changed.
  func set(_ part: Part, to count: Int) -> Bool {
    state.withLock { state in
      let change = count - state.parts[part.rawValue]
      return change == 0 || self.change(&state, part, by: change, isForced: false)
    }
  }

  /// Counts what is written and not read, as far as it is more than the answer that is being written, or says that there is no room
  /// for it.
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
