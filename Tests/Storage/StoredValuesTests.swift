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

  @Test("come back as they were, from rows and from columns")
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

  @Test("are refused where they break their rule")
  func refused() {
    #expect(ID<Thing>.fromDatabaseValue("short".databaseValue) == nil)
    #expect(Colour.fromDatabaseValue("blue".databaseValue) == nil)
    #expect(Username.fromDatabaseValue("1st".databaseValue) == nil)
    #expect(LocalDay.fromDatabaseValue(Int64.max.databaseValue) == nil)
    #expect(Instant.fromDatabaseValue(DatabaseValue.null) == nil)
  }
}
