public import GRDB
import GRDBSQLite
public import Operations

// Statements that run with every request call SQLite directly: for a statement that finds one row by its key, GRDB's rows and argument
// lists cost several times what SQLite does. All other statements use GRDB.

/// A value for a statement's parameter.
public enum Bound: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  /// A UUID as its two halves.
  case uuid(UInt64, UInt64)

  public static func id<Entity>(_ id: ID<Entity>) -> Bound { .uuid(id.high, id.low) }
  public static func id<Entity>(_ id: ID<Entity>?) -> Bound { id.map { .uuid($0.high, $0.low) } ?? .null }
  public static func number(_ number: Int) -> Bound { .integer(Int64(number)) }
  public static func truth(_ truth: Bool) -> Bound { .integer(truth ? 1 : 0) }
  public static func instant(_ instant: Instant) -> Bound { .integer(instant.milliseconds) }
  public static func day(_ day: LocalDay) -> Bound { .integer(Int64(day.daysSinceEpoch)) }
  public static func text(_ text: String?) -> Bound { text.map { .text($0) } ?? .null }
}

/// The current row of a statement, with columns numbered from 0. Do not keep it.
///
/// The types are those that the table declares: `STRICT` columns hold no others.
public struct Columns {
  let statement: OpaquePointer

  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
  public func number(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }
  public func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
  public func truth(_ column: Int32) -> Bool { sqlite3_column_int64(statement, column) != 0 }
  public func instant(_ column: Int32) -> Instant { Instant(milliseconds: sqlite3_column_int64(statement, column)) }
  public func day(_ column: Int32) -> LocalDay {
    LocalDay(daysSinceEpoch: Int32(truncatingIfNeeded: sqlite3_column_int64(statement, column)))
  }

  public func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(statement, column) else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))), as: UTF8.self)
  }

  public func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// - Throws: `DatabaseError` if the column holds no id.
  public func id<Entity>(_ column: Int32) throws -> ID<Entity> {
    guard let id = ID<Entity>(sqliteStatement: statement, index: column) else {
      throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "column \(column) holds no id")
    }
    return id
  }

  /// The same; nil where the column holds NULL.
  public func optionalID<Entity>(_ column: Int32) throws -> ID<Entity>? { isNull(column) ? nil : try id(column) }

  /// A value of a closed list.
  ///
  /// - Throws: `DatabaseError` if the text names no value of the list.
  public func choice<C: Choice>(_ column: Int32) throws -> C {
    guard let value = C(rawValue: text(column)) else {
      throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "column \(column) holds no \(C.self)")
    }
    return value
  }
}

extension Database {
  /// Runs a statement and ignores its rows.
  public func run(_ sql: String, _ values: Bound...) throws {
    try step(sql, values) { _ in false }
  }

  /// Reads the first row that a statement finds; nil if it finds none.
  public func first<Value>(_ sql: String, _ values: Bound..., read: (Columns) throws -> Value) throws -> Value? {
    var found: Value?
    try step(sql, values) {
      found = try read($0)
      return false
    }
    return found
  }

  /// Reads the rows that a statement finds, one after the other, until `read` returns false.
  ///
  /// - Parameter read: must not run the same statement.
  public func each(_ sql: String, _ values: Bound..., read: (Columns) throws -> Bool) throws {
    try step(sql, values, read)
  }

  private func step(_ sql: String, _ values: [Bound], _ read: (Columns) throws -> Bool) throws {
    let statement = try cachedStatement(sql: sql).sqliteStatement
    // As GRDB leaves a statement that it has run.
    sqlite3_reset(statement)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      guard bind(value, to: statement, at: Int32(index + 1)) == SQLITE_OK else { throw failure(sql) }
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: guard try read(Columns(statement: statement)) else { return }
      case SQLITE_DONE: return
      default: throw failure(sql)
      }
    }
  }

  private func bind(_ value: Bound, to statement: OpaquePointer, at index: Int32) -> Int32 {
    /// SQLite copies what is bound.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let number): return sqlite3_bind_int64(statement, index, number)
    case .real(let number): return sqlite3_bind_double(statement, index, number)
    case .text(var text):
      return text.withUTF8 { utf8 in
        // An empty text has no address, and without one it would be NULL.
        guard let start = utf8.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, copied) }
        return start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
          sqlite3_bind_text(statement, index, $0, Int32(utf8.count), copied)
        }
      }
    case .bytes(let bytes):
      guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
      return bytes.withUnsafeBytes { sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), copied) }
    case .uuid(let high, let low):
      return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
        sqlite3_bind_blob(statement, index, $0.baseAddress, 16, copied)
      }
    }
  }

  private func failure(_ sql: String) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqliteConnection)),
      message: String(cString: sqlite3_errmsg(sqliteConnection)), sql: sql)
  }
}
