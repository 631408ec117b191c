import Foundation
import GRDB
import Logging
import Operations
import Storage
import Synchronization
import Testing

private struct Refused: Error {}

@Suite("A request with an idempotency key", .timeLimit(.minutes(1)))
struct IdempotencyTests {
  let folder: TemporaryFolder
  let path: String
  let time = TestClock()

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  private func key(_ key: String = "k", caller: String = "ana", operation: String = "numbers.write", _ payload: String = "p")
    -> IdempotencyKey
  {
    IdempotencyKey(caller: caller, key: key, operation: operation, payload: Array(payload.utf8))
  }

  private func open() throws -> Store { try Store.numbers(path, clock: time.clock) }

  /// Writes another number each time it runs, and replies with it.
  private func write(_ key: IdempotencyKey, in store: Store) async throws -> String {
    let reply = try await store.write(idempotency: key) { transaction in
      let number = try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM numbers") ?? 0
      try transaction.insert(number)
      return Array("number \(number)".utf8)
    }
    return String(decoding: reply, as: UTF8.self)
  }

  private func code(_ body: () async throws -> Void) async -> String? {
    do { try await body() } catch { return Failure(error).code }
    return nil
  }

  @Test("A repeated request is answered as the first time, without another effect, also after a restart")
  func repetition() async throws {
    var store = try open()
    #expect(try await write(key(), in: store) == "number 0")
    #expect(try await write(key(), in: store) == "number 0")
    await store.close()
    store = try open()
    #expect(try await write(key(), in: store) == "number 0")
    #expect(try await store.allNumbers() == [0])
    await store.close()
  }

  private func insert(_ transaction: Transaction) throws {
    try transaction.insert(try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM numbers") ?? 0)
  }

  /// Prepares by writing one number and does it by writing another, as often as it runs.
  private func prepared(_ key: IdempotencyKey, in store: Store, refusing: Bool = false) async throws -> String {
    try await store.write(idempotency: key) {
      try await store.write { try insert($0) }
    } repeated: { reply in
      "again \(String(decoding: reply, as: UTF8.self))"
    } _: { _, transaction in
      try insert(transaction)
      if refusing { return ("refused", record: nil) }
      let record: [UInt8] = Array("record".utf8)
      return ("done", record: record)
    }
  }

  @Test("A repeated request of several transactions gets the recorded answer, and a refused one is tried again")
  func prepared() async throws {
    let store = try open()
    #expect(try await prepared(key(), in: store, refusing: true) == "refused")
    #expect(try await prepared(key(), in: store) == "done")
    #expect(try await prepared(key(), in: store) == "again record")
    #expect(try await store.allNumbers() == [0, 1, 2, 3])
    #expect(await code { _ = try await prepared(key("k", "other"), in: store) } == "idempotency_key_reused")
    #expect(try await store.allNumbers() == [0, 1, 2, 3])
    time.move(days: 7)
    #expect(try await prepared(key(), in: store) == "done")
    await store.close()
  }

  @Test("A repeated request of several transactions is answered as still running, also while the first prepares")
  func preparing() async throws {
    let store = try open()
    let published = try await store.write(idempotency: key()) {
      await code { _ = try await prepared(key(), in: store) }
    } repeated: { _ in
      nil
    } _: { published, _ in
      (published, record: [])
    }
    #expect(published == "still_running")
    #expect(try await store.allNumbers() == [])
    await store.close()
  }

  @Test("A key reused with another payload or operation is refused, and does not affect other keys and callers")
  func reuse() async throws {
    let store = try open()
    _ = try await write(key(), in: store)
    #expect(await code { _ = try await write(key("k", "other"), in: store) } == "idempotency_key_reused")
    #expect(await code { _ = try await write(key(operation: "numbers.erase"), in: store) } == "idempotency_key_reused")
    #expect(try await write(key("l"), in: store) == "number 1")
    #expect(try await write(key(caller: "ben"), in: store) == "number 2")
    await store.close()
  }

  @Test("A repeated request is answered as still running while the first one is")
  func running() async throws {
    let store = try open()
    let gate = Gate()
    async let first = store.write(idempotency: key()) { _ in
      gate.pass()
      return [1]
    }
    await gate.waitForArrival()
    #expect(await code { _ = try await write(key(), in: store) } == "still_running")
    gate.open()
    #expect(try await first == [1])
    #expect(try await store.write(idempotency: key()) { _ in [2] } == [1])
    await store.close()
  }

  @Test("Concurrent repetitions of a request take effect once")
  func concurrent() async throws {
    let store = try open()
    let outcomes = await withTaskGroup(of: String.self) { group in
      for _ in 0..<50 {
        group.addTask {
          do { return try await write(key(), in: store) } catch { return Failure(error).code }
        }
      }
      return await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(outcomes.isSubset(of: ["number 0", "still_running"]) && outcomes.contains("number 0"))
    #expect(try await store.allNumbers() == [0])
    await store.close()
  }

  @Test("A failed request leaves nothing, and can be repeated")
  func failure() async throws {
    let store = try open()
    await #expect(throws: Refused.self) {
      try await store.write(idempotency: key()) { transaction in
        try transaction.insert(7)
        throw Refused()
      }
    }
    #expect(try await store.count("idempotency_records") == 0)
    #expect(try await write(key(), in: store) == "number 0")
    await store.close()
  }

  @Test("A request's key is remembered for seven days")
  func age() async throws {
    var limits = StoreLimits()
    limits.rowsPerPurge = 2
    let store = try Store.numbers(path, limits: limits, clock: time.clock)
    for number in 0..<5 { _ = try await write(key("old \(number)"), in: store) }
    time.move(days: 7, seconds: -1)
    #expect(try await write(key("old 0"), in: store) == "number 0")
    _ = try await write(key("young"), in: store)
    try await store.housekeep()
    #expect(try await store.count("idempotency_records") == 6)
    time.move(days: 0, seconds: 1)
    // Not yet deleted, but no longer valid: it runs again, even with another payload.
    #expect(try await write(key("old 0", "other"), in: store) == "number 6")
    try await store.housekeep()
    #expect(try await store.count("idempotency_records") == 2)
    await store.close()
  }

  /// There is more room than is given.
  private struct Endless: Error {}

  /// Writes with a fresh key each time, until there is no room.
  ///
  /// - Returns: how many there was room for, and the refusal of the next.
  private func fill(_ store: Store, _ caller: (Int) -> (caller: String, owner: String?)) async throws -> (Int, Failure) {
    for number in 0..<1000 {
      let name = caller(number)
      let key = IdempotencyKey(
        caller: name.caller, owner: name.owner, key: "fill \(number)", operation: "numbers.write", payload: [])
      do {
        _ = try await store.write(idempotency: key) { transaction in
          try insert(transaction)
          return [UInt8](repeating: 7, count: 500)
        }
      } catch let failure as Failure {
        return (number, failure)
      }
    }
    throw Endless()
  }

  @Test(
    "A new request beyond its caller's allowance of bytes is refused without effect, and known ones are still answered")
  func allowance() async throws {
    var limits = StoreLimits()
    limits.idempotencyBytes = 200_000
    let store = try Store.numbers(path, limits: limits, clock: time.clock)
    #expect(try await write(key("first"), in: store) == "number 0")
    time.move(days: 1)
    let (count, refusal) = try await fill(store) { _ in ("ana", nil) }
    // Each is a little more than its reply of 500 bytes, and the bytes are counted by drawing lots.
    #expect((220...330).contains(count), "\(count)")
    #expect(refusal.code == "idempotency_allowance_exceeded" && refusal.status == 429)
    // What was recorded a day ago is forgotten first.
    #expect(refusal.retryAfterSeconds.map { (6 * 86_400...7 * 86_400).contains($0) } == true)
    #expect(try await store.allNumbers().count == count + 1)
    #expect(await code { _ = try await prepared(key("new"), in: store) } == "idempotency_allowance_exceeded")
    #expect(try await store.allNumbers().count == count + 1)
    #expect(try await write(key("first"), in: store) == "number 0")
    #expect(await code { _ = try await write(key("first", "other"), in: store) } == "idempotency_key_reused")
    #expect(try await write(key(caller: "ben"), in: store) == "number \(count + 1)")
    try await store.insert(count + 2)
    time.move(days: 7)
    try await store.housekeep()
    #expect(try await store.count("idempotency_records") == 0)
    #expect(try await store.count("idempotency_draws") == 0)
    #expect(try await write(key("new"), in: store) == "number \(count + 3)")
    await store.close()
  }

  @Test("Anonymous callers share an allowance, and a large reply uses as much as its size")
  func sharedAllowance() async throws {
    var limits = StoreLimits()
    limits.idempotencyBytes = 200_000
    let store = try Store.numbers(path, limits: limits, clock: time.clock)
    let (count, _) = try await fill(store) { ("anonymous \($0)", "address") }
    #expect((220...330).contains(count), "\(count)")
    #expect(try await write(key(caller: "anonymous"), in: store) == "number \(count)")
    let large = IdempotencyKey(caller: "ben", key: "large", operation: "numbers.write", payload: [])
    _ = try await store.write(idempotency: large) { _ in [UInt8](repeating: 7, count: 250_000) }
    #expect(await code { _ = try await write(key(caller: "ben"), in: store) } == "idempotency_allowance_exceeded")
    #expect(try await store.write(idempotency: large) { _ in [] }.count == 250_000)
    await store.close()
  }

  @Test("Neither payload nor reply of a request is readable in the file, and another secret cannot check it")
  func secrecy() async throws {
    let store = try open()
    let payload = "password-hunter2-in-the-payload"
    _ = try await store.write(idempotency: key("k", payload)) { _ in Array("token-in-the-reply".utf8) }
    await store.close()
    let file = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(file.range(of: Data("token-in-the-reply".utf8)) == nil)
    #expect(file.range(of: Data(payload.utf8)) == nil)
    let other = try Store(
      path: path, service: .activity, migrations: [numbersTable], secret: Array(repeating: 43, count: 32), clock: time.clock,
      logger: Logger(label: "test"))
    #expect(await code { _ = try await other.write(idempotency: key("k", payload)) { _ in [] } } == "idempotency_key_reused")
    await other.close()
  }
}
