import Foundation
import InMemoryBus
import Logging
import Messaging
import Operations
import ServiceKit
import Storage
import Synchronization
import Testing

@Suite("The trace of an event")
struct EventTraceTests {
  /// Keeps what is logged about events, and says when there is some.
  private struct Handler: LogHandler {
    let lines: AsyncStream<Logger.Metadata>.Continuation
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      if event.message == "event took effect" { lines.yield(event.metadata ?? [:]) }
    }
  }

  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

  @Test(
    "The trace of an event is logged where it takes effect, at debug level and for those that have one",
    arguments: [Logger.Level.debug, .info])
  func effect(level: Logger.Level) async throws {
    let (lines, line) = AsyncStream<Logger.Metadata>.makeStream()
    let (effects, effect) = AsyncStream<String>.makeStream()
    let home = Home(path: "/tmp/racha-kit-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let exchange = MemoryExchange()
    func environment(_ service: ServiceName) -> ServiceEnvironment {
      let logger = Logger(label: "test") { _ in Handler(lines: line, logLevel: level) }
      return ServiceEnvironment(settings: Settings([:]), home: home, bus: MemoryBus(service, on: exchange), logger: logger)
    }
    let publisher = try ServiceHost(Notebook.service(environment(.social)), environment(.social))
    var reader = ServiceDefinition(Contract(.rewards, operations: [], events: [], words: []), migrations: [])
    reader.subscribe(to: Notebook.NoteAdded.self) { event, _, transaction in
      transaction.afterCommit { effect.yield(event.text) }
    }
    let subscriber = try ServiceHost(reader, environment(.rewards))
    let running = [publisher, subscriber].map { host in Task { try await host.run() } }
    defer { running.forEach { $0.cancel() } }

    try await publisher.store.write { try $0.publish(Notebook.NoteAdded(text: "untraced")) }
    try await publisher.store.write(traceparent: "00-\(Self.trace)-00f067aa0ba902b7-01") {
      try $0.publish(Notebook.NoteAdded(text: "traced"))
    }
    try await publisher.store.write { try $0.publish(Notebook.NoteAdded(text: "last")) }
    for await text in effects where text == "last" { break }
    line.finish()
    var logged: [Logger.Metadata] = []
    for await metadata in lines { logged.append(metadata) }
    let expected: Logger.Metadata = [
      "event": "notes.added", "number": "2", "publisher": "social", "traceID": .string(Self.trace),
    ]
    #expect(logged == (level == .debug ? [expected] : []))
  }
}
