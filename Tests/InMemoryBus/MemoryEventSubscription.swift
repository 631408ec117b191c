public import Operations

/// A subscription whose cursor lives as long as the process, for subscribers without a store.
///
/// The effect runs outside of any transaction: after one that throws, the same event comes again, and those before it do not.
public actor MemoryEventSubscription: EventSubscription {
  private var cursors: [ServiceName: LogHead] = [:]
  private var snapshots: [ServiceName: Int64] = [:]
  private var waiters: [ServiceName: [(number: Int64, continuation: CheckedContinuation<Void, Never>)]] = [:]
  private let effect: @Sendable (LoggedEvent, ServiceName) async throws -> Void

  /// - Parameter effect: what an event does, called one after another.
  public init(_ effect: @escaping @Sendable (LoggedEvent, ServiceName) async throws -> Void) { self.effect = effect }

  public func cursor(of publisher: ServiceName) -> LogHead? { cursors[publisher] }

  /// Returns once there is a cursor.
  public func hasBegun(with publisher: ServiceName) async { await reaches(0, of: publisher) }

  /// Returns once the cursor is at that number or beyond.
  public func reaches(_ number: Int64, of publisher: ServiceName) async {
    if let cursor = cursors[publisher], cursor.number >= number { return }
    await withCheckedContinuation { waiters[publisher, default: []].append((number, $0)) }
  }

  private func move(_ publisher: ServiceName, to head: LogHead) {
    cursors[publisher] = head
    let all = waiters.removeValue(forKey: publisher) ?? []
    waiters[publisher] = all.filter { $0.number > head.number }
    for waiter in all where waiter.number <= head.number { waiter.continuation.resume() }
  }

  public func apply(_ page: EventPage, after number: Int64, of publisher: ServiceName, epoch: String) async throws -> Int64 {
    for event in page.events {
      let cursor = cursors[publisher]
      guard cursor?.epoch != epoch || event.number > cursor?.number ?? 0 else { continue }
      try await effect(event, publisher)
      move(publisher, to: LogHead(epoch: epoch, number: event.number))
    }
    let reached = cursors[publisher].map { $0.epoch == epoch ? $0.number : 0 } ?? 0
    move(publisher, to: LogHead(epoch: epoch, number: max(reached, page.through)))
    return page.through
  }

  public func apply(_ page: SnapshotPage, of publisher: ServiceName, isLast: Bool, from head: LogHead) async throws {
    for event in page.events { try await effect(event, publisher) }
    snapshots[publisher] = page.head.number
    if isLast { move(publisher, to: head) } else { cursors[publisher] = nil }
  }

  public func enter(_ epoch: String, after end: LogHead, of publisher: ServiceName) -> LogHead? {
    guard let cursor = cursors[publisher], cursor.epoch == end.epoch, max(cursor.number, snapshots[publisher] ?? 0) <= end.number
    else { return nil }
    move(publisher, to: LogHead(epoch: epoch, number: cursor.number))
    return cursors[publisher]
  }
}
