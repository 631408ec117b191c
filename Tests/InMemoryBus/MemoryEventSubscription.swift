public import Operations

/// A subscription whose cursor lives as long as the process, for subscribers without a store.
///
/// The effect runs outside of any transaction: after one that throws, the same event comes again, and those before it do not.
public actor MemoryEventSubscription: EventSubscription {
  private var cursors: [ServiceName: LogHead] = [:]
  private var waiters: [ServiceName: [CheckedContinuation<Void, Never>]] = [:]
  private let effect: @Sendable (LoggedEvent, ServiceName) async throws -> Void

  /// - Parameter effect: what an event does, called one after another.
  public init(_ effect: @escaping @Sendable (LoggedEvent, ServiceName) async throws -> Void) { self.effect = effect }

  public func cursor(of publisher: ServiceName) -> LogHead? { cursors[publisher] }

  /// Returns once there is a cursor.
  public func hasBegun(with publisher: ServiceName) async {
    if cursors[publisher] != nil { return }
    await withCheckedContinuation { waiters[publisher, default: []].append($0) }
  }

  private func move(_ publisher: ServiceName, to head: LogHead) {
    cursors[publisher] = head
    for waiter in waiters.removeValue(forKey: publisher) ?? [] { waiter.resume() }
  }

  public func apply(_ page: EventPage, after number: Int64, of publisher: ServiceName, epoch: String) async throws {
    for event in page.events {
      let cursor = cursors[publisher]
      guard cursor?.epoch != epoch || event.number > cursor?.number ?? 0 else { continue }
      try await effect(event, publisher)
      move(publisher, to: LogHead(epoch: epoch, number: event.number))
    }
    let reached = cursors[publisher].map { $0.epoch == epoch ? $0.number : 0 } ?? 0
    move(publisher, to: LogHead(epoch: epoch, number: max(reached, page.through)))
  }

  public func apply(_ page: SnapshotPage, of publisher: ServiceName, isLast: Bool, from head: LogHead) async throws {
    for event in page.events { try await effect(event, publisher) }
    if isLast { move(publisher, to: head) }
  }
}
