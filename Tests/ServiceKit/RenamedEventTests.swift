import Foundation
import GRDB
import InMemoryBus
import Logging
import Messaging
import Operations
import ServiceKit
import Storage
import Testing

@Suite("An event that was renamed")
struct RenamedEventTests {
  private struct NoteArchived: Event, Hashable {
    var text: String
    static let notes: Notes = ["text": "The text."]
    static let spec = EventSpec(
      "notes.archived", formerly: "notes.putAway", by: .social, requirements: [], "A note was archived.")
  }

  /// Logs the event under its former name, as an earlier build did, and behind it one under the present name.
  private func archive(_ former: String, _ present: String, _ store: Store) async throws {
    try await store.write { transaction in
      try transaction.database.execute(
        sql: "INSERT INTO outbox (name, at, body) VALUES ('notes.putAway', ?, ?)",
        arguments: [transaction.now.milliseconds, Data(NoteArchived(text: former).json)])
      try transaction.publish(NoteArchived(text: present))
    }
  }

  @Test("An event under its former name in the log takes effect, and is published under the present name only")
  func bothNames() async throws {
    let (effects, effect) = AsyncStream<String>.makeStream()
    let home = Home(path: "/tmp/racha-kit-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let exchange = MemoryExchange()
    func environment(_ service: ServiceName) -> ServiceEnvironment {
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      return ServiceEnvironment(settings: Settings([:]), home: home, bus: MemoryBus(service, on: exchange), logger: logger)
    }
    let publisher = try ServiceHost(Notebook.service(environment(.social)), environment(.social))
    var reader = ServiceDefinition(Contract(.rewards, operations: [], events: [], words: []), migrations: [])
    reader.subscribe(to: NoteArchived.self) { event, _, transaction in
      transaction.afterCommit { effect.yield(event.text) }
    }
    #expect(Set(reader.subscribedEvents.map { $0.name }) == ["notes.archived", "notes.putAway"])
    #expect(reader.stateEvents[.social] == ["notes.archived", "notes.putAway"])
    let subscriber = try ServiceHost(reader, environment(.rewards))
    try await archive("one", "two", publisher.store)
    let running = [publisher, subscriber].map { host in Task { try await host.run() } }
    defer { running.forEach { $0.cancel() } }
    var seen: [String] = []
    for await text in effects {
      seen.append(text)
      if text == "two" { try await archive("three", "four", publisher.store) }
      if text == "four" { break }
    }
    #expect(seen == ["one", "two", "three", "four"])
    let log = try await publisher.store.log.events(after: 0, limit: 10, bytes: 10_000)
    #expect(log.map(\.name) == ["notes.putAway", "notes.archived", "notes.putAway", "notes.archived"])
  }
}
