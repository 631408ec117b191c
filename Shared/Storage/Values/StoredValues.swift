import Foundation
public import GRDB
import GRDBSQLite
public import Operations

// How the system's values are stored in a table: ids as BLOB of 16 bytes, instants as INTEGER milliseconds, days as INTEGER days, and
// closed lists and other text values as their text.

extension ID: DatabaseValueConvertible, StatementColumnConvertible {
  public var databaseValue: DatabaseValue { Data(bytes).databaseValue }

  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    guard case .blob(let data) = value.storage else { return nil }
    return data.withUnsafeBytes(Self.init(bigEndian:))
  }

  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard sqlite3_column_type(sqliteStatement, index) == SQLITE_BLOB, let start = sqlite3_column_blob(sqliteStatement, index)
    else { return nil }
    self.init(bigEndian: UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(sqliteStatement, index))))
  }

  /// The greatest id: where a descending list begins.
  public static var last: ID { ID(bytes: Array(repeating: 0xFF, count: 16)) ?? .placeholder }
}

extension Instant: DatabaseValueConvertible, StatementColumnConvertible {
  public var databaseValue: DatabaseValue { milliseconds.databaseValue }

  public static func fromDatabaseValue(_ value: DatabaseValue) -> Instant? {
    Int64.fromDatabaseValue(value).map { Instant(milliseconds: $0) }
  }

  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(milliseconds: sqlite3_column_int64(sqliteStatement, index))
  }
}

extension LocalDay: DatabaseValueConvertible, StatementColumnConvertible {
  public var databaseValue: DatabaseValue { daysSinceEpoch.databaseValue }

  public static func fromDatabaseValue(_ value: DatabaseValue) -> LocalDay? {
    Int32.fromDatabaseValue(value).map { LocalDay(daysSinceEpoch: $0) }
  }

  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let days = Int32(exactly: sqlite3_column_int64(sqliteStatement, index)) else { return nil }
    self.init(daysSinceEpoch: days)
  }
}

/// Storage of text values: a feature declares `extension GoalKind: DatabaseValueConvertible {}`.
extension DatabaseValueConvertible where Self: TextValue {
  public var databaseValue: DatabaseValue { description.databaseValue }

  /// Nil if the stored text breaks the type's rule.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    guard let text = String.fromDatabaseValue(value) else { return nil }
    do throws(FieldRule) {
      return try Self(text: text)
    } catch {
      return nil
    }
  }
}

/// The same for closed lists, which would otherwise have two implementations: as text values, and from GRDB as raw values.
extension DatabaseValueConvertible where Self: Choice {
  public var databaseValue: DatabaseValue { rawValue.databaseValue }

  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    String.fromDatabaseValue(value).flatMap { Self(rawValue: $0) }
  }
}

extension Username: DatabaseValueConvertible {}
extension Language: DatabaseValueConvertible {}
extension Schedule.Kind: DatabaseValueConvertible {}
extension ServiceName: DatabaseValueConvertible {}
