import Foundation
import GRDB
import InMemoryBus
import Logging
import Messaging
import Operations
import ServiceKit
import Storage

/// A small service for the tests of what all services share: notes, published to whoever subscribes.
enum Notebook {
  struct Note: Document, Hashable {
    var text: String
    static let notes: Notes = ["text": Operations.Note("The text.", length: 1...20)]
  }

  struct NoteAdded: Event, Hashable {
    var text: String
    static let notes: Notes = ["text": "The text."]
    static let spec = EventSpec("notes.added", by: .social, requirements: [], "A note was added.")
  }

  struct Count: Document, Hashable {
    var count: Int
    static let notes: Notes = ["count": "How many."]
  }

  enum Refusal: String, FailureCode {
    case full = "notebook_full"
    var status: Int { 409 }
  }

  enum AddNote: AccountOperation {
    typealias Input = Note
    typealias Output = Count
    static let spec = OperationSpec(
      "notes.add", of: .social, nil, by: .account, effect: .create, inDoubt: .allowed,
      failures: [Refusal.full.kind], requirements: [], "Add.")
  }

  /// The same for everyone, so that what it does for callers without a name can be seen.
  enum SignNote: OpenOperation {
    typealias Input = Note
    typealias Output = Count
    static let spec = OperationSpec(
      "notes.sign", of: .social, nil, by: .anyone, effect: .create, takesIdempotencyKey: true, requirements: [], "Sign.")
  }

  enum CountNotes: OpenOperation {
    typealias Input = Empty
    typealias Output = Count
    static let spec = OperationSpec("notes.count", of: .social, nil, by: .anyone, effect: .read, requirements: [], "Count.")
  }

  enum Publish: AccountOperation {
    typealias Input = Empty
    typealias Output = Empty
    static let spec = OperationSpec(
      "notes.publish", of: .social, nil, by: .verifiedAccount, effect: .write, takesIdempotencyKey: false, requirements: [],
      "Publish.")
  }

  enum Burn: AccountOperation {
    typealias Input = Empty
    typealias Output = Empty
    static let spec = OperationSpec(
      "notes.burn", of: .social, nil, by: .administrator, effect: .write, takesIdempotencyKey: false, requirements: [], "Burn.")
  }

  /// Not part of the contract: tests serve it as they need it.
  enum Sell: AccountOperation {
    typealias Input = Note
    typealias Output = Empty
    static let spec = OperationSpec(
      "notes.sell", of: .social, nil, by: .partnerOwner, effect: .write, takesIdempotencyKey: false, requirements: [], "Sell.")
  }

  /// Likewise.
  enum Deliver: AccountOperation {
    typealias Input = Empty
    typealias Output = Empty
    static let spec = OperationSpec(
      "notes.deliver", of: .social, nil, by: .partnerClerk, effect: .write, takesIdempotencyKey: false, requirements: [],
      "Deliver.")
  }

  /// Not part of the contract: tests serve it as they need it.
  enum LoseNote: OpenOperation {
    typealias Input = Empty
    typealias Output = Empty
    static let spec = OperationSpec("notes.lose", of: .social, nil, by: .anyone, effect: .write, requirements: [], "Lose.")
  }

  static let contract = Contract(
    .social, operations: [AddNote.self, SignNote.self, CountNotes.self, Publish.self, Burn.self], events: [NoteAdded.self],
    words: [])

  static let migrations = [
    Migration(1, "notes") { try $0.execute(sql: "CREATE TABLE notes (text TEXT NOT NULL CHECK (text != 'crash')) STRICT") }
  ]

  static func service(_ environment: ServiceEnvironment) -> ServiceDefinition {
    var service = ServiceDefinition(contract, migrations: migrations)
    service.serve(AddNote.self) { (input: Note, _, transaction: Transaction) in
      let count = try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM notes") ?? 0
      guard count < 5 else { throw Refusal.full }
      try transaction.database.execute(sql: "INSERT INTO notes VALUES (?)", arguments: [input.text])
      try transaction.publish(NoteAdded(text: input.text))
      return Count(count: count + 1)
    }
    service.serve(SignNote.self) { (input: Note, _, transaction: Transaction) in
      try transaction.database.execute(sql: "INSERT INTO notes VALUES (?)", arguments: [input.text])
      return Count(count: try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM notes") ?? 0)
    }
    service.serve(CountNotes.self) { (_, _, database: Database) in
      Count(count: try Int.fetchOne(database, sql: "SELECT count(*) FROM notes") ?? 0)
    }
    service.serve(Publish.self) { (_, _) in Empty() }
    service.serve(Burn.self) { (_, _) in Empty() }
    return service
  }

  /// Runs the service over a bus in memory for as long as the body takes.
  ///
  /// - Parameter change: what the service does beyond that.
  static func running<T>(
    change: (inout ServiceDefinition) -> Void = { _ in }, _ body: (ServiceClientStub) async throws -> T
  ) async throws -> T {
    let home = Home(path: "/tmp/racha-kit-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let exchange = MemoryExchange()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: home, bus: MemoryBus(.social, on: exchange), logger: logger)
    var service = service(environment)
    change(&service)
    let host = try ServiceHost(service, environment)
    let running = Task { try await host.run() }
    defer { running.cancel() }
    return try await body(ServiceClientStub(bus: MemoryBus(.gateway, on: exchange)))
  }
}

/// Sends requests as the gateway would.
struct ServiceClientStub {
  let bus: MemoryBus

  func send<O: Operations.Operation>(
    _ operation: O.Type, _ input: O.Input, as caller: Caller = Caller(kind: .anonymous), key: String? = nil
  ) async throws -> O.Output {
    let header = RequestHeader(
      id: ID<RequestHeader>().description, operation: O.spec.name, caller: caller, deadline: Instant.now.adding(seconds: 10),
      idempotencyKey: key)
    return try await bus.request(Request(header: header, body: input.json), to: .social).output(O.Output.self)
  }
}
