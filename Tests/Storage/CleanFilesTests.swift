import CScrubbingVFS
import Foundation
import GRDB
import GRDBSQLite
import Operations
import Sampling
import Storage
import Testing

@Suite("Deleted data leaves a store's files (ID-12)", .timeLimit(.minutes(2)))
struct CleanFilesTests {
  private let folder = try! TemporaryFolder()

  private static let texts = Migration(2, "texts") { database in
    try database.execute(
      sql: """
        CREATE TABLE texts (id BLOB PRIMARY KEY, t TEXT NOT NULL, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX texts_by_number ON texts (n, t);
        """)
  }

  private func open(_ path: String, limits: StoreLimits = StoreLimits()) throws -> Store {
    try Store.numbers(path, migrations: [numbersTable, Self.texts], limits: limits)
  }

  /// Rows in no order, of which every seventh holds the word, so that SQLite moves many of them between pages.
  private static func plant(_ database: Database, rows: Int = 200) throws {
    for index in 0..<rows {
      let text = (index % 7 == 0 ? "PLANTED" : "other") + String(repeating: "x", count: index * 37 % 400 + index % 50 / 49 * 9000)
      try database.execute(sql: "INSERT INTO texts VALUES (randomblob(16), ?, ?)", arguments: [text, index])
    }
  }

  private static let delete = "DELETE FROM texts WHERE t LIKE 'PLANTED%'"

  /// How often the word stands in the store's files.
  private func count(_ path: String) -> Int {
    ["", "-wal"].map { suffix -> Int in
      var data = FileManager.default.contents(atPath: path + suffix) ?? Data()
      var count = 0
      while let range = data.range(of: Data("PLANTED".utf8)) {
        count += 1
        data = data[range.upperBound...]
      }
      return count
    }.reduce(0, +)
  }

  private func isSound(_ store: Store) async throws -> Bool {
    try await store.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok"
  }

  @Test("No deleted data is left in a store's file and log")
  func cleaned() async throws {
    let path = folder.file("a.sqlite")
    let store = try open(path)
    try await store.scrubEarlierPages()
    for _ in 0..<30 { try await store.write { try Self.plant($0.database) } }
    #expect(count(path) > 0)
    try await store.write { try $0.database.execute(sql: Self.delete) }
    // A reader at work does not hinder it for long.
    async let reading: Int? = store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM texts") }
    #expect(try await store.cleanFiles())
    #expect(try await reading != nil)
    #expect(count(path) == 0)
    #expect(try await isSound(store))
    await store.close()
  }

  @Test("Later writes of cached pages do not bring deleted data back")
  func pagesInMemory() async throws {
    let path = folder.file("f.sqlite")
    let store = try open(path)
    try await store.scrubEarlierPages()
    // Few enough for all of their pages to be in memory, and enough for some to hold what was moved out of them.
    for _ in 0..<15 {
      try await store.write { transaction in
        for index in 0..<200 {
          let text = (index % 2 == 0 ? "PLANTED" : "other") + String(repeating: "x", count: index * 37 % 300)
          try transaction.database.execute(sql: "INSERT INTO texts VALUES (randomblob(16), ?, ?)", arguments: [text, index])
        }
      }
    }
    try await store.write { try $0.database.execute(sql: Self.delete) }
    #expect(try await store.cleanFiles())
    try await store.write { try $0.database.execute(sql: "UPDATE texts SET n = n + 1000") }
    #expect(count(path) == 0)
    await store.close()
    #expect(count(path) == 0)
  }

  @Test("Deleted rows left by earlier versions are scrubbed once, in steps that survive a kill")
  func earlierPages() async throws {
    let path = folder.file("b.sqlite")
    await (try open(path)).close()
    // As an earlier version wrote it.
    let earlier = try DatabaseQueue(path: path)
    try await earlier.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA synchronous = OFF")
      for _ in 0..<30 {
        try database.inTransaction {
          try Self.plant(database)
          return .commit
        }
      }
      try database.execute(sql: Self.delete)
      try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      try database.execute(sql: "UPDATE store_states SET scrubbed_pages = 0, scrubbed_at = NULL")
    }
    try earlier.close()
    let left = count(path)
    #expect(left > 0)
    var limits = StoreLimits()
    limits.pagesPerScrub = 8
    func pages(_ store: Store) async throws -> Int {
      try await store.read { try Int.fetchOne($0, sql: "SELECT scrubbed_pages FROM store_states") ?? 0 }
    }
    var store = try open(path, limits: limits)
    #expect(try await !store.cleanFiles(), "not before the pages were looked at")
    let commits = store.commits()
    let first = Task { [store] in try await store.scrubEarlierPages() }
    for await _ in commits { if try await pages(store) >= 24 { break } }
    first.cancel()
    _ = await first.result
    let reached = try await pages(store)
    await store.close()

    store = try open(path, limits: limits)
    #expect(try await pages(store) == reached)
    try await store.scrubEarlierPages()
    #expect(try await store.cleanFiles())
    #expect(count(path) == 0)
    #expect(try await isSound(store))
    await store.close()
  }

  @Test("Copies of a store contain no deleted data")
  func copies() async throws {
    let path = folder.file("c.sqlite")
    let store = try open(path)
    for _ in 0..<30 { try await store.write { try Self.plant($0.database) } }
    try await store.write { try $0.database.execute(sql: Self.delete) }
    let copy = folder.file("copy.sqlite")
    try await store.copy(try await store.hold(), to: copy)
    #expect(count(copy) == 0)
    await store.close()
  }

  @Test("A store's files are not clean while an older state is being read, and are afterwards")
  func readers() async throws {
    let path = folder.file("d.sqlite")
    let store = try open(path)
    try await store.scrubEarlierPages()
    try await store.write { try Self.plant($0.database) }
    let other = try DatabaseQueue(path: path)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let reading = Task {
      try await other.read { database in
        _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM texts")
        begin.yield()
        gate.wait()
      }
    }
    for await _ in begun { break }
    try await store.write { try $0.database.execute(sql: Self.delete) }
    #expect(try await !store.cleanFiles())
    // Nobody's write has waited for that.
    try await store.write { try Self.plant($0.database) }
    gate.signal()
    try await reading.value
    try other.close()
    try await store.write { try $0.database.execute(sql: Self.delete) }
    #expect(try await store.cleanFiles())
    #expect(count(path) == 0)
    await store.close()
  }

  @Test("Other writes wait for a single step of scrubbing, whatever the file's size")
  func waits() async throws {
    let path = folder.file("e.sqlite")
    let store = try open(path)
    // Some 60 MB.
    try await store.write { transaction in
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 30000)
          INSERT INTO texts SELECT randomblob(16), printf('%.900c', 'x'), n FROM n
          """)
    }
    try await store.write { try $0.database.execute(sql: "UPDATE store_states SET scrubbed_pages = 0, scrubbed_at = NULL") }
    let writing = Task {
      var longest = Duration.zero
      while !Task.isCancelled {
        let start = ContinuousClock.now
        try await store.write { try $0.database.execute(sql: "INSERT INTO numbers (number) VALUES (NULL)") }
        longest = max(longest, ContinuousClock.now - start)
      }
      return longest
    }
    try await store.scrubEarlierPages()
    #expect(try await store.cleanFiles())
    writing.cancel()
    let longest = try await writing.value
    await store.close()
    // What a rewriting of the file would take.
    let file = try DatabaseQueue(path: path)
    let start = ContinuousClock.now
    try await file.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
    let rewriting = ContinuousClock.now - start
    try file.close()
    #expect(longest < rewriting / 2, "\(longest), and \(rewriting) for a rewriting")
  }
}

@Suite("Scrubbing the unallocated parts of pages")
struct ScrubbedPageTests {
  private let folder = try! TemporaryFolder()

  /// A database's pages after each was scrubbed by itself.
  private func scrub(_ path: String, size: Int) throws -> Data {
    var data = try Data(contentsOf: URL(filePath: path))
    for page in 0..<data.count / size {
      let range = page * size..<(page + 1) * size
      var bytes = [UInt8](data[range])
      scrubbing_scrub_page(&bytes, CInt(size), page == 0 ? 1 : 0)
      data.replaceSubrange(range, with: bytes)
    }
    return data
  }

  @Test(
    "Scrubbing keeps the same rows and a valid file, for all sizes and kinds of pages", arguments: [512, 4096, 65536])
  func sound(size: Int) throws {
    let (path, scrubbed) = (folder.file("a.sqlite"), folder.file("b.sqlite"))
    let database = try DatabaseQueue(path: path)
    try database.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA page_size = \(size); PRAGMA secure_delete = OFF; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
          CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT, n INTEGER); CREATE INDEX an ON a (n, t);
          CREATE TABLE b (id BLOB PRIMARY KEY, t TEXT) WITHOUT ROWID;
          """)
      try database.execute(sql: "BEGIN")
      for round in 0..<2000 {
        let text = String(repeating: "y", count: round * 97 % 700 + (round % 100 == 0 ? 20_000 : 0))
        try database.execute(sql: "INSERT INTO a (t, n) VALUES (?, ?)", arguments: [text, round % 13])
        try database.execute(sql: "INSERT INTO b VALUES (randomblob(12), ?)", arguments: [text])
      }
      try database.execute(sql: "DELETE FROM a WHERE id % 3 = 0; DELETE FROM b WHERE hex(id) < '5'; COMMIT")
    }
    let contents = "SELECT group_concat(id || t || n) FROM a UNION ALL SELECT group_concat(hex(id) || t) FROM b"
    let before = try database.read { try String.fetchAll($0, sql: contents) }
    try database.close()
    let data = try scrub(path, size: size)
    #expect(data != (try Data(contentsOf: URL(filePath: path))))
    try data.write(to: URL(filePath: scrubbed))
    let copy = try DatabaseQueue(path: scrubbed)
    #expect(try copy.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    #expect(try copy.read { try String.fetchAll($0, sql: contents) } == before)
    try copy.close()
    // Again it finds nothing.
    #expect(try scrub(scrubbed, size: size) == data)
  }

  @Test("Scrubbing does not touch pages that are not of a b-tree, or are malformed", arguments: 1...200 as ClosedRange<UInt64>)
  func others(seed: UInt64) {
    var random = SeededGenerator(seed)
    var page = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
    // Overflow pages and those of the list of free pages begin with a page's number.
    page[0] = [0, 1, 3, 4, 6, 255].randomElement(using: &random) ?? 0
    var same = page
    #expect(scrubbing_scrub_page(&same, 4096, 0) == 0 && same == page)
    // One that says it is a leaf, with cells where none can be.
    page[0] = 13
    (page[3], page[4], page[5], page[6]) = (0, 2, 0x0F, 0)
    (page[8], page[9], page[10], page[11]) = (0, UInt8.random(in: 0...255, using: &random), 0x0F, 0xFF)
    same = page
    #expect(scrubbing_scrub_page(&same, 4096, 0) == 0 && same == page)
  }
}
