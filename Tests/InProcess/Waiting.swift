import Dispatch
import GRDB
public import Operations
public import Storage

extension Store {
  /// Returns once that holds: it is asked now and after each commit of the store.
  ///
  /// - Throws: ``NotYet`` when the time is over.
  public func until(within limit: Duration = .seconds(60), _ holds: () async throws -> Bool) async throws {
    let commits = commits()
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { for await _ in commits { signal.yield() } }
      group.addTask {
        try await Task.sleep(for: limit)
        signal.finish()
      }
      if try await holds() { return }
      for await _ in signals { if try await holds() { return } }
      throw NotYet(service: service)
    }
  }

  /// Every event that is kept, oldest first.
  public func allEvents() async throws -> [LoggedEvent] {
    var (events, after): ([LoggedEvent], Int64) = ([], 0)
    while true {
      let page = try await log.events(after: after, named: nil, limit: 100_000, bytes: 64 << 20)
      events += page.events
      guard page.through > after else { return events }
      after = page.through
    }
  }

  /// What was waited for has not come about in the store.
  public struct NotYet: Error {
    let service: ServiceName
  }

  /// Returns when no row of an erased account is left.
  public func hasErased(_ account: AccountID) async throws {
    try await until { try await read { try $0.erasure(of: account)?.areRowsErased } == true }
  }

  /// Cleans the files of what was deleted, as the service's workers do.
  public func clean() async throws {
    try await scrubEarlierPages()
    while try await !cleanFiles() {
      // A reader that needs the log ends by itself, and nobody announces it.
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}

extension ServicesInProcess {
  /// One service subscribes to nothing of another.
  public struct NotSubscribed: Error {
    let subscriber: ServiceName
    let publisher: ServiceName
  }

  /// Waits until the subscriber has begun to receive from the publisher, and everything published so far has taken effect in it: what it does
  /// not subscribe to moves its cursor only now and then.
  ///
  /// Events that a test publishes without the state behind them are not in the snapshot with which a subscriber begins.
  public func hasReceived(_ subscriber: ServiceName, of publisher: ServiceName) async throws {
    guard let subscribed = subscriptions[subscriber]?[publisher] else {
      throw NotSubscribed(subscriber: subscriber, publisher: publisher)
    }
    let head = try await store(of: publisher).log.head()
    // What was erased had a name; and what is gone from the log may be a subscriber's to take from the snapshot.
    let names = subscribed.union(["events.erased"]).map { "'\($0)'" }.joined(separator: ", ")
    let last = try await store(of: publisher).read { database in
      let first = try Int64.fetchOne(database, sql: "SELECT min(number) FROM outbox") ?? head.number + 1
      return try Int64.fetchOne(database, sql: "SELECT max(number) FROM outbox WHERE name IN (\(names))") ?? first - 1
    }
    let subscription = store(of: subscriber).subscription { _, _, _ in }
    try await store(of: subscriber).until(within: .seconds(20)) {
      guard let cursor = try await subscription.cursor(of: publisher) else { return false }
      return cursor.epoch == head.epoch && cursor.number >= last
    }
  }

  /// Returns when the service has published that many events.
  public func untilPublished(_ count: Int64, by service: ServiceName) async throws {
    let store = store(of: service)
    try await store.until { try await store.log.head().number >= count }
  }

  /// Calls many times at once: nothing is written before so many of the calls wait to write, each of which has read by then what it reads
  /// before.
  ///
  /// - Parameters:
  ///   - waiting: how many of them come to write; the others end before.
  public func together(
    _ count: Int, waiting: Int? = nil, writingTo service: ServiceName, _ call: @escaping @Sendable (Int) async throws -> Void
  ) async throws {
    let store = store(of: service)
    let (isHeld, held) = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await store.write { _ in
          held.finish()
          release.wait()
        }
      }
      for await _ in isHeld {}
      defer { release.signal() }
      for number in 0..<count { group.addTask { try await call(number) } }
      let deadline = ContinuousClock.now + .seconds(60)
      // Nothing is committed meanwhile, and nobody announces who waits.
      while store.waitingWrites < waiting ?? count {
        guard ContinuousClock.now < deadline else { throw TooFew(waiting: store.waitingWrites) }
        try await Task.sleep(for: .milliseconds(1))
      }
      release.signal()
      try await group.waitForAll()
    }
  }

  /// Fewer calls than expected came to write.
  public struct TooFew: Error {
    let waiting: Int
  }
}
