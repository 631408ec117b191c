import Dispatch
import Foundation
import GRDB
import Logging
import Operations
import Storage

// What the tests of `Storage` need a process of its own for. It prints each number once it is durable.
//
//     storage-probe PATH write     eight writers, until it is killed
//     storage-probe PATH subscribe events of another service take effect, until it is killed
//     storage-probe PATH measure   what sharing commits and accesses is worth; prints a table
//     storage-probe PATH backup    what writes wait while a store of RACHA_PROBE_MEGABYTES is copied, and before, in turns
//     storage-probe PATH clean     what others' writes wait while a store of RACHA_PROBE_MEGABYTES forgets some of its rows

/// A number was written.
struct Written: Event {
  var number: Int
  static let notes: Notes = ["number": "The number."]
  static let spec = EventSpec("probe.written", by: .activity, requirements: [], "A number was written.")
}

func open(_ path: String, _ limits: StoreLimits = StoreLimits()) throws -> Store {
  try Store(
    path: path, service: .activity,
    migrations: [
      Migration(1, "numbers") {
        try $0.execute(sql: "CREATE TABLE numbers (number INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT")
      }
    ],
    secret: Array(repeating: 7, count: 32), limits: limits, logger: Logger(label: "probe"))
}

func report(_ number: Int) { FileHandle.standardOutput.write(Data("\(number)\n".utf8)) }

func write(to store: Store) async throws {
  let writers = 8
  let first = try await store.read { try Int.fetchOne($0, sql: "SELECT max(number) FROM numbers") ?? 0 }
  try await withThrowingTaskGroup(of: Void.self) { group in
    for writer in 0..<writers {
      group.addTask {
        for round in 0... {
          let number = first + 1 + round * writers + writer
          do {
            try await store.write { transaction in
              try transaction.database.cachedStatement(sql: "INSERT INTO numbers (number, filler) VALUES (?, zeroblob(200))")
                .execute(arguments: [number])
              try transaction.publish(Written(number: number))
              // Every seventh write is undone, and must leave no trace.
              if number % 7 == 0 { throw CancellationError() }
            }
            report(number)
          } catch is CancellationError {}
        }
      }
    }
    try await group.waitForAll()
  }
}

/// Events come in deliveries of ten, each of which repeats the five before it; every effect publishes itself.
func subscribe(in store: Store) async throws {
  let subscription = store.subscription { event, _, transaction in
    try transaction.publish(Written(number: try Written.decode(event.body).number))
  }
  while true {
    let last = Int(try await subscription.cursor(of: .identity)?.number ?? 0)
    let events = (max(1, last - 4)...last + 10).map { number in
      LoggedEvent(
        number: Int64(number), name: Written.spec.name, at: .now, traceparent: nil, body: Written(number: number).json)
    }
    _ = try await subscription.apply(
      EventPage(events, through: Int64(last + 10)), after: Int64(max(0, last - 5)), of: .identity, epoch: "a")
    for number in last + 1...last + 10 { report(number) }
  }
}

/// Operations a second by 64 tasks that each wait for their answer.
func rate(seconds: Double = 3, _ operation: @escaping @Sendable (Int) async throws -> Void) async throws -> Double {
  let clients = 64
  let start = ContinuousClock.now
  let end = start + .seconds(seconds)
  let count = try await withThrowingTaskGroup(of: Int.self) { group in
    for client in 0..<clients {
      group.addTask {
        var done = 0
        while ContinuousClock.now < end {
          try await operation(done * clients + client)
          done += 1
        }
        return done
      }
    }
    return try await group.reduce(0, +)
  }
  return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
}

/// Durable writes and point reads a second, each alone in its commit or access and then sharing them.
func measure(_ path: String) async throws {
  var rates: [(write: Double, read: Double)] = []
  for (name, shared) in [("alone", false), ("shared", true)] {
    var limits = StoreLimits()
    if !shared { (limits.writesPerCommit, limits.readsPerAccess) = (1, 1) }
    let store = try open("\(path)-\(name)", limits)
    let writes = try await rate { number in
      try await store.write { transaction in
        try transaction.database.cachedStatement(sql: "INSERT INTO numbers (number, filler) VALUES (?, zeroblob(200))")
          .execute(arguments: [number])
        try transaction.publish(Written(number: number))
      }
    }
    let reads = try await rate { number in
      _ = try await store.read { database in
        try Row.fetchOne(
          database.cachedStatement(sql: "SELECT number, filler FROM numbers WHERE number = ?"), arguments: [number % 1000])?[0]
          as Int?
      }
    }
    await store.close()
    rates.append((writes, reads))
    print("\(name): \(Int(writes)) writes/s, \(Int(reads)) reads/s")
  }
  func ratio(_ value: Double, _ base: Double) -> Double { (value / base * 100).rounded() / 100 }
  print("shared to alone: writes \(ratio(rates[1].write, rates[0].write)), reads \(ratio(rates[1].read, rates[0].read))")
}

/// The times that writes of one row take, one every 5 ms by each of eight writers, for as long as the work takes.
func waits(_ name: String, _ store: Store, _ work: () async throws -> Void) async throws {
  let writing = (0..<8).map { _ in
    Task {
      var waits: [Duration] = []
      while !Task.isCancelled {
        let start = ContinuousClock.now
        try await store.write {
          try $0.database.execute(sql: "INSERT INTO numbers (number, filler) VALUES (NULL, zeroblob(200))")
        }
        waits.append(ContinuousClock.now - start)
        do { try await Task.sleep(for: .milliseconds(5)) } catch { break }
      }
      return waits
    }
  }
  let start = ContinuousClock.now
  try await work()
  let duration = ContinuousClock.now - start
  for task in writing { task.cancel() }
  var all: [Duration] = []
  for task in writing { all += try await task.value }
  all.sort()
  func milliseconds(_ duration: Duration) -> Double { (duration / .microseconds(100)).rounded() / 10 }
  print(
    "\(name): \(milliseconds(duration)) ms; \(all.count) writes, p50 \(milliseconds(all[all.count / 2])) ms,",
    "p99 \(milliseconds(all[all.count * 99 / 100])) ms, longest \(milliseconds(all[all.count - 1])) ms")
}

/// Fills the store's file as a version did that left behind in its pages what it moved out of them.
func fill(_ path: String, _ rows: Int) throws {
  let file = try DatabaseQueue(path: path)
  try file.writeWithoutTransaction { database in
    try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA synchronous = OFF")
    for first in stride(from: 1, through: rows, by: 5_000) {
      try database.execute(
        sql: """
          WITH RECURSIVE n (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1 + 4999)
          INSERT INTO numbers SELECT n, CAST(printf('%.*c', 200 + n * 37 % 400, 'x') AS BLOB) FROM n ORDER BY random()
          """, arguments: [first])
    }
    try database.execute(sql: "UPDATE store_states SET scrubbed_pages = 0, scrubbed_at = NULL; PRAGMA wal_checkpoint(TRUNCATE)")
  }
  try file.close()
  // Everything is on the disk before anybody is timed.
  sync()
}

/// What others wait while a large store forgets some of what it holds.
func clean(_ path: String) async throws {
  let bytes = (Int(ProcessInfo.processInfo.environment["RACHA_PROBE_MEGABYTES"] ?? "") ?? 1024) << 20
  let rows = bytes / 450
  await (try open(path)).close()
  try fill(path, rows)
  let store = try open(path)
  try await waits("nothing else", store) { try await Task.sleep(for: .seconds(5)) }
  try await waits("earlier pages scrubbed", store) { try await store.scrubEarlierPages() }
  try await waits("\(rows / 50) rows deleted, some at a time", store) {
    // As the worker does that erases accounts.
    var (deleted, some) = (0, 50)
    while deleted < rows / 50 {
      let (first, limit, start) = (deleted * 5, some, ContinuousClock.now)
      try await store.write { transaction in
        try transaction.database.execute(
          sql: "DELETE FROM numbers WHERE number IN (SELECT number FROM numbers WHERE number > ? AND number % 5 = 0 LIMIT ?)",
          arguments: [first, limit])
      }
      deleted += some
      let duration = ContinuousClock.now - start
      some = duration > .milliseconds(25) ? max(some / 2, 1) : min(some * 2, 200)
      try await Task.sleep(for: duration)
    }
  }
  try await waits("files cleaned", store) {
    var isClean = false
    while !isClean { isClean = try await store.cleanFiles() }
  }
  await store.close()
}

/// What writes wait while a large store is copied, against what they wait before.
func backUp(_ path: String) async throws {
  let bytes = (Int(ProcessInfo.processInfo.environment["RACHA_PROBE_MEGABYTES"] ?? "") ?? 1024) << 20
  await (try open(path)).close()
  try fill(path, bytes / 450)
  let store = try open(path)
  for _ in 0..<3 {
    try await waits("nothing else", store) { try await Task.sleep(for: .seconds(10)) }
    try await waits("copied", store) { _ = try await store.copy(store.hold(), to: "\(path).copy") }
    try FileManager.default.removeItem(atPath: "\(path).copy")
  }
  await store.close()
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(64) }
switch arguments[2] {
case "write": try await write(to: open(arguments[1]))
case "subscribe": try await subscribe(in: open(arguments[1]))
case "measure": try await measure(arguments[1])
case "backup": try await backUp(arguments[1])
case "clean": try await clean(arguments[1])
default: exit(64)
}
