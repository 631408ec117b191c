import Foundation
import GRDB
import Logging
import Operations
import Storage
import Synchronization

/// A folder of its own for one test, gone with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "racha-store-\(UUID().uuidString.prefix(8))").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// A clock that the test moves.
final class TestClock: Sendable {
  private let time = Mutex(Instant(milliseconds: 1_800_000_000_000))

  var clock: Operations.Clock { Operations.Clock { self.time.withLock { $0 } } }

  func move(days: Int, seconds: Int = 0) {
    time.withLock { $0 = $0.adding(seconds: days * 86_400 + seconds) }
  }
}

/// Something to publish.
struct NumberWritten: Event, Hashable {
  var number: Int
  static let notes: Notes = ["number": "The number."]
  static let spec = EventSpec("numbers.written", by: .activity, requirements: [], "A number was written.")
}

let testSecret = [UInt8](repeating: 42, count: 32)

let numbersTable = Migration(1, "numbers") { database in
  try database.execute(
    sql: """
      CREATE TABLE numbers (
        number INTEGER PRIMARY KEY,
        parent INTEGER REFERENCES numbers (number) DEFERRABLE INITIALLY DEFERRED,
        CHECK (number >= 0)
      ) STRICT;
      """)
}

extension Store {
  /// A store with a table of numbers.
  static func numbers(
    _ path: String, service: ServiceName = .activity, migrations: [Migration] = [numbersTable], snapshot: Snapshot? = nil,
    limits: StoreLimits = StoreLimits(), clock: Operations.Clock = .system, onFatal: @escaping FatalError = Store.endProcess
  ) throws -> Store {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return try Store(
      path: path, service: service, migrations: migrations, secret: testSecret, snapshot: snapshot, limits: limits, clock: clock,
      logger: logger, onFatal: onFatal)
  }

  func insert(_ number: Int, parent: Int? = nil, failing error: (any Error)? = nil) async throws {
    try await write { transaction in
      try transaction.insert(number, parent: parent)
      if let error { throw error }
    }
  }

  func allNumbers() async throws -> [Int] {
    try await read { try Int.fetchAll($0, sql: "SELECT number FROM numbers ORDER BY number") }
  }

  func count(_ table: String) async throws -> Int {
    try await read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
  }

  /// The numbers published, in order, checked to be without gaps.
  func sentNumbers() async throws -> [Int] {
    try await log.events(after: 0, limit: .max, bytes: .max).enumerated().map { index, event in
      guard event.number == index + 1 else { throw Gap() }
      return try NumberWritten.decode(event.body).number
    }
  }
}

struct Gap: Error {}

extension Transaction {
  func insert(_ number: Int, parent: Int? = nil) throws {
    try database.cachedStatement(sql: "INSERT INTO numbers (number, parent) VALUES (?, ?)").execute(arguments: [number, parent])
  }
}

/// Holds up whoever waits until it is opened; for bodies, which run on threads that may block.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let reached: AsyncStream<Void>.Continuation
  private let arrivals: AsyncStream<Void>

  init() { (arrivals, reached) = AsyncStream.makeStream() }

  /// Blocks the thread until ``open()``.
  func pass() {
    reached.yield()
    semaphore.wait()
    semaphore.signal()
  }

  func open() { semaphore.signal() }

  /// Returns when somebody stands at the gate.
  func waitForArrival() async {
    for await _ in arrivals { return }
  }
}
