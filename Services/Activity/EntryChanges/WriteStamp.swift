import ActivityContract
import Operations

/// Decides which of two writes of a field is the later one, whatever the order in which they arrive (ACT-17).
struct WriteStamp: Comparable, Hashable, Sendable {
  /// When the write was made; never later than this service's clock on arrival.
  let at: Instant
  /// The offline change; nil for an online write. Of two writes in the same millisecond the one with the greater name is the later, so that
  /// all orders of arrival agree.
  let change: ChangeName?

  init(_ at: Instant, _ change: ChangeName? = nil) {
    self.at = at
    self.change = change
  }

  static func < (left: WriteStamp, right: WriteStamp) -> Bool {
    guard left.at == right.at else { return left.at < right.at }
    guard let other = right.change else { return false }
    guard let own = left.change else { return true }
    return own < other
  }
}

/// Identifies an offline change within its account.
struct ChangeName: Comparable, Hashable, Sendable {
  let id: ChangeID
  let device: DeviceID

  static func < (left: ChangeName, right: ChangeName) -> Bool { (left.id, left.device) < (right.id, right.device) }
}
