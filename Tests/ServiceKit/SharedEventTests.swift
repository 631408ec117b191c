import Foundation
import InMemoryBus
import Logging
import Messaging
import Operations
import ServiceKit
import Storage
import Testing

@Suite("An event that two features of a service subscribe to")
struct SharedEventTests {
  /// Subscribes a feature to notes, under its name.
  private struct Reading: Feature {
    let name: String
    let effect: AsyncStream<String>.Continuation

    func register(in service: inout ServiceDefinition) {
      service.subscribe(to: Notebook.NoteAdded.self) { [name, effect] event, _, transaction in
        transaction.afterCommit { effect.yield("\(name) \(event.text)") }
      }
    }
  }

  @Test("An event takes effect once in each of the features that subscribe to it, in their order")
  func both() async throws {
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
    for name in ["first", "second"] { Reading(name: name, effect: effect).register(in: &reader) }
    let subscriber = try ServiceHost(reader, environment(.rewards))
    let running = [publisher, subscriber].map { host in Task { try await host.run() } }
    defer { running.forEach { $0.cancel() } }
    for text in ["one", "two", "last"] {
      try await publisher.store.write { try $0.publish(Notebook.NoteAdded(text: text)) }
    }
    var seen: [String] = []
    for await line in effects {
      seen.append(line)
      if line == "second last" { break }
    }
    #expect(seen == ["one", "two", "last"].flatMap { ["first \($0)", "second \($0)"] })
  }
}
