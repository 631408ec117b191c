import GRDB
import Operations
import Storage
import Testing

private enum Colour: String, Choice, DatabaseValueConvertible { case red, green }
private enum Thing {}

@Suite("Values in a table", .timeLimit(.minutes(1)))
struct StoredValuesTests {
  private let database: DatabaseQueue

  init() throws {
    database = try DatabaseQueue()
    try database.write {
      try $0.execute(
        sql: "CREATE TABLE things (id BLOB, at INTEGER, day INTEGER, username TEXT, colour TEXT, language TEXT) STRICT")
    }
  }

  @Test("Values in a table come back as they were, from rows and from columns")
  func roundTrip() async throws {
    let id = ID<Thing>()
    let at = Instant(milliseconds: -1)
    let day = try LocalDay(text: "2026-11-21")
    let username = try Username(text: "ana.ruiz")
    try await database.write { database in
      try database.execute(
        sql: "INSERT INTO things VALUES (?, ?, ?, ?, ?, ?)", arguments: [id, at, day, username, Colour.green, Language.spanish])
      let row = try #require(try Row.fetchOne(database, sql: "SELECT * FROM things"))
      #expect(row["id"] == id)
      #expect(row["at"] == at)
      #expect(row["day"] == day)
      #expect(row["username"] == username)
      #expect(row["colour"] == Colour.green)
      #expect(row["language"] == Language.spanish)
      #expect(try ID<Thing>.fetchOne(database, sql: "SELECT id FROM things") == id)
      #expect(try Instant.fetchOne(database, sql: "SELECT at FROM things") == at)
      #expect(try LocalDay.fetchOne(database, sql: "SELECT day FROM things") == day)
      #expect(try Username.fetchOne(database, sql: "SELECT username FROM things") == username)
      #expect(try Colour.fetchOne(database, sql: "SELECT colour FROM things") == .green)
      let types = try Row.fetchOne(
        database, sql: "SELECT typeof(id), length(id), typeof(at), day, username, colour, language FROM things")
      #expect(
        types.map { Array($0.databaseValues.map(\.description)) } == [
          "\"blob\"", "16", "\"integer\"", "20778", "\"ana.ruiz\"", "\"green\"", "\"es\"",
        ])
    }
  }

  @Test("Rows of a table are read one by one, while reading continues, and repeatedly")
  func rows() async throws {
    try await database.write { database in
      let ids = (0..<5).map { _ in ID<Thing>() }
      for (number, id) in ids.enumerated() {
        try database.run("INSERT INTO things (id, day) VALUES (?, ?)", .id(id), .number(number))
      }
      let sql = "SELECT id, day, ?2 FROM things WHERE day >= ?1 ORDER BY day"
      for (first, maximum) in [(0, 9), (2, 9), (1, 3), (5, 9)] {
        var found: [ID<Thing>] = []
        try database.each(sql, .number(first), .real(0.5)) { row in
          found.append(try row.id(0))
          #expect(row.real(2) == 0.5 && ids[row.number(1)] == found.last)
          return found.count < maximum
        }
        #expect(found == Array(ids[first...].prefix(maximum)))
      }
      #expect(throws: DatabaseError.self) {
        try database.each("SELECT x'00'") { row in
          _ = try row.id(0) as ID<Thing>
          return true
        }
      }
    }
  }

  @Test("Invalid values in a table are refused")
  func refused() {
    #expect(ID<Thing>.fromDatabaseValue("short".databaseValue) == nil)
    #expect(Colour.fromDatabaseValue("blue".databaseValue) == nil)
    #expect(Username.fromDatabaseValue("1st".databaseValue) == nil)
    #expect(LocalDay.fromDatabaseValue(Int64.max.databaseValue) == nil)
    #expect(Instant.fromDatabaseValue(DatabaseValue.null) == nil)
  }
}
