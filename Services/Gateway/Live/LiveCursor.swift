/// How far one live connection has come, and what follows from the number of a message: the rule, without I/O.
struct LiveCursor: Sendable, Hashable {
  enum Step: Hashable {
    case deliver
    /// Delivered already.
    case passOver
    /// Something lies between: fetch what came after ``LiveCursor/last``.
    case fetch
  }

  /// Everything up to this number is delivered, or was deleted before it could be.
  private(set) var last: Int

  init(last: Int) { self.last = last }

  /// The step for a published message; one to deliver counts as delivered.
  ///
  /// - Parameter isForAll: whether the connection may see every message of the account; otherwise the backlog decides.
  mutating func step(_ number: Int, isForAll: Bool = true) -> Step {
    guard number > last else { return .passOver }
    guard isForAll, number == last + 1 else { return .fetch }
    last = number
    return .deliver
  }

  /// Takes a page of the backlog: what of it is to be delivered, and whether there is more.
  ///
  /// A cursor ahead of the newest number, as from another store's time, is set back to it.
  ///
  /// - Parameter nextAfter: where to go on if the page ended early, though it is not full; nil for most.
  mutating func take(
    _ messages: [LiveMessage], lastNumber: Int, limit: Int, nextAfter: Int? = nil
  ) -> (deliver: [LiveMessage], isComplete: Bool) {
    if last > lastNumber { last = lastNumber }
    let fresh = messages.filter { $0.number > last }
    if let newest = fresh.last { last = newest.number }
    if let nextAfter, nextAfter > last {
      last = nextAfter
      return (fresh, false)
    }
    let isComplete = messages.count < limit || last >= lastNumber
    if isComplete { last = max(last, lastNumber) }
    return (fresh, isComplete)
  }
}
