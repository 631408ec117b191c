import ActivityContract
import Operations

/// Says which of two writes of a field is the later one, whatever the order in which they come (ACT-17).
struct WriteStamp: Comparable, Hashable, Sendable {
  /// When it was made; never ahead of this service's clock at its coming.
  let at: Instant
  /// Which change it was; nil for what was written online. Of two writes of the same millisecond the one of the greater name is the
  /// later one, so that all orders of arrival agree.
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

/// Names an offline change for its account.
struct ChangeName: Comparable, Hashable, Sendable {
  let id: ChangeID
  let device: DeviceID

  static func < (left: ChangeName, right: ChangeName) -> Bool { (left.id, left.device) < (right.id, right.device) }
}
