import Operations
import Synchronization

/// The gateway's subscription state: nothing is stored, and the cursors live as long as the process.
///
/// See ``EventHandlers`` for where a starting gateway begins.
final class EventMemory: EventSubscription {
  typealias Effect = @Sendable (LoggedEvent) throws -> Void

  /// By the event's name.
  private let effects: [String: Effect]
  private let cursors = Mutex<[ServiceName: LogHead]>([:])
  /// The position of each log when the last page of its snapshot was read.
  private let snapshots = Mutex<[ServiceName: Int64]>([:])

  /// The events that have an effect.
  var names: Set<String> { Set(effects.keys) }

  init(_ effects: [String: Effect]) { self.effects = effects }

  func cursor(of publisher: ServiceName) async -> LogHead? { cursors.withLock { $0[publisher] } }

  func apply(_ page: EventPage, after number: Int64, of publisher: ServiceName, epoch: String) async throws -> Int64 {
    for event in page.events {
      let known = cursors.withLock { $0[publisher] }
      if let known, known.epoch == epoch, event.number <= known.number { continue }
      try effects[event.name]?(event)
      cursors.withLock { $0[publisher] = LogHead(epoch: epoch, number: event.number) }
    }
    cursors.withLock { cursors in
      let reached = cursors[publisher].map { $0.epoch == epoch ? $0.number : 0 } ?? 0
      cursors[publisher] = LogHead(epoch: epoch, number: max(reached, page.through))
    }
    return page.through
  }

  func apply(_ page: SnapshotPage, of publisher: ServiceName, isLast: Bool, from head: LogHead) async throws {
    for event in page.events { try effects[event.name]?(event) }
    cursors.withLock { $0[publisher] = isLast ? head : nil }
    snapshots.withLock { $0[publisher] = page.head.number }
  }

  func enter(_ epoch: String, after end: LogHead, of publisher: ServiceName) async -> LogHead? {
    let snapshot = snapshots.withLock { $0[publisher] ?? 0 }
    return cursors.withLock { cursors in
      guard let cursor = cursors[publisher], cursor.epoch == end.epoch, max(cursor.number, snapshot) <= end.number else {
        return nil
      }
      cursors[publisher] = LogHead(epoch: epoch, number: cursor.number)
      return cursors[publisher]
    }
  }
}
