import Foundation
import GRDB
import Operations
import Storage
import Synchronization
import Testing

/// Asks the writers to stop.
private final class Stop: Sendable {
  let isAskedFor = Atomic(false)
}

@Suite("A backup", .timeLimit(.minutes(1)))
struct BackupTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  @Test("A backup of a store with four writers is complete and consistent")
  func running() async throws {
    let store = try Store.numbers(path)
    let stop = Stop()
    let written = try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<4 {
        group.addTask {
          var round = 0
          // Row and event of one write are both in the copy, or neither.
          while !stop.isAskedFor.load(ordering: .relaxed) {
            let number = round * 4 + writer
            try await store.write { transaction in
              try transaction.insert(number)
              try transaction.publish(NumberWritten(number: number))
            }
            round += 1
          }
          return round
        }
      }
      var before = 0
      for copy in 0..<5 {
        // Each copy is taken once there is more to copy.
        for await _ in store.commits() { if try await store.log.head().number >= before + 200 { break } }
        before = Int(try await store.log.head().number)
        try await store.copy(store.hold(), to: folder.file("copy-\(copy).sqlite"))
        let after = Int(try await store.log.head().number)
        let count = try check(folder.file("copy-\(copy).sqlite"))
        #expect((before...after).contains(count))
      }
      stop.isAskedFor.store(true, ordering: .relaxed)
      return try await group.reduce(0, +)
    }
    #expect(try await store.count("numbers") == written)
    await store.close()
  }

  /// How many numbers the copy has, which must be those that it published, each writer's first ones.
  private func check(_ copy: String) throws -> Int {
    for suffix in ["-wal", "-shm", "-journal", ".partial"] { #expect(!FileManager.default.fileExists(atPath: copy + suffix)) }
    var configuration = Configuration()
    configuration.readonly = true
    let file = try DatabaseQueue(path: copy, configuration: configuration)
    defer { try? file.close() }
    return try file.read { database in
      #expect(try String.fetchOne(database, sql: "PRAGMA journal_mode") == "delete")
      #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
      let numbers = try Int.fetchAll(database, sql: "SELECT number FROM numbers ORDER BY number")
      for writer in 0..<4 {
        let own = numbers.filter { $0 % 4 == writer }
        #expect(own == (0..<own.count).map { $0 * 4 + writer })
      }
      let published = try Int.fetchAll(
        database, sql: "SELECT json_extract(CAST(body AS TEXT), '$.number') AS n FROM outbox ORDER BY n")
      #expect(published == numbers)
      #expect(try Int.fetchOne(database, sql: "SELECT max(number) FROM outbox") == numbers.count)
      return numbers.count
    }
  }

  @Test("A restored backup continues from its state, in a new epoch each time")
  func restored() async throws {
    let store = try Store.numbers(path)
    try await store.write { try $0.publish(NumberWritten(number: 1)) }
    let copy = folder.file("copy.sqlite")
    try await store.copy(store.hold(), to: copy)
    let original = try await store.log.head()
    await store.close()

    var epochs: Set<String> = [original.epoch]
    for attempt in 1...2 {
      let path = folder.file("restored-\(attempt).sqlite")
      try FileManager.default.copyItem(atPath: copy, toPath: path)
      var restored = try Store.numbers(path)
      let head = try await restored.log.head()
      #expect(head.number == 1)
      #expect(epochs.insert(head.epoch).inserted)
      await restored.close()
      restored = try Store.numbers(path)
      #expect(try await restored.log.head() == head)
      await restored.close()
    }
  }

  @Test("A backup replaces no file except its own leftovers, and leaves nothing when it fails")
  func replacing() async throws {
    let store = try Store.numbers(path)
    let copy = folder.file("copy.sqlite")
    try Data("left over".utf8).write(to: URL(fileURLWithPath: copy + ".partial"))
    try await store.copy(store.hold(), to: copy)
    #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
    let taken = BackupFailure.pathTaken.with(["path": .text(copy)])
    await #expect(throws: taken) { try await store.copy(store.hold(), to: copy) }
    let nowhere = folder.file("nowhere/copy.sqlite")
    let notWritten = BackupFailure.notWritten.with(["path": .text(nowhere), "reason": .text("No such file or directory")])
    await #expect(throws: notWritten) { try await store.copy(store.hold(), to: nowhere) }
    // No folder, but a file.
    let below = "\(copy)/copy.sqlite"
    let refused = BackupFailure.notWritten.with(["path": .text(below), "reason": .text("Not a directory")])
    await #expect(throws: refused) { try await store.copy(store.hold(), to: below) }
    await store.close()
  }

  @Test(
    "A backup of a damaged store fails and leaves no file; a large one's indexes are not checked",
    arguments: [
      ("CREATE INDEX damaged_index ON damaged (a)", 2 << 30, nil),
      ("CREATE INDEX damaged_index ON damaged (b)", 2 << 30, "row 1 missing from index damaged_index"),
      ("CREATE INDEX damaged_index ON damaged (b)", 0, nil),
      ("CREATE TABLE damaged (a NOT NULL, b NOT NULL)", 0, "NULL value in damaged.b"),
    ])
  func damaged(definition: String, maxFullCheckBytes: Int, finding: String?) async throws {
    var limits = StoreLimits()
    limits.maxFullCheckBytes = maxFullCheckBytes
    let store = try Store.numbers(path, limits: limits)
    try await store.write { transaction in
      try transaction.database.execute(
        sql: """
          CREATE TABLE damaged (a NOT NULL, b);
          CREATE INDEX damaged_index ON damaged (a);
          INSERT INTO damaged VALUES (1, NULL);
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET sql = '\(definition)' WHERE type = lower(substr('\(definition)', 8, 5)) AND tbl_name = 'damaged';
          PRAGMA writable_schema = OFF;
          """)
    }
    let copy = folder.file("copy.sqlite")
    do {
      try await store.copy(store.hold(), to: copy)
      #expect(finding == nil && FileManager.default.fileExists(atPath: copy))
    } catch StoreFailure.damagedCopy(let findings) {
      #expect(finding.map { findings.contains($0) } == true, "\(findings)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasPrefix("copy") })
    }
    await store.close()
  }
}
