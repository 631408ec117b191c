import CScrubbingVFS
import GRDB
import GRDBSQLite

/// The store's file, written through the store's own SQLite virtual file system. It leaves no remains in a page of data that was moved to
/// another page; see `CScrubbingVFS.h`.
///
/// `secure_delete` zeroes deleted data. But data that SQLite moves to another page when it balances a tree stays in the old page until it
/// is overwritten.
enum ScrubbedFile {
  /// The name with which SQLite opens the file at that path through this virtual file system.
  static func name(of path: String) throws -> String {
    let result = scrubbing_register()
    guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    // Only a URI can name the virtual file system.
    return "\(uri(of: path))?vfs=\(SCRUBBING_VFS_NAME)"
  }

  /// The path as a URI (sqlite.org/uri.html), to which parameters can be added.
  static func uri(of path: String) -> String {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    let hexadecimal = Array("0123456789ABCDEF".utf8)
    let escaped = path.utf8.flatMap { byte in
      plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
    }
    return "file:\(String(decoding: escaped, as: UTF8.self))"
  }

  /// Scrubs pages in place.
  ///
  /// - Returns: the first page after the scrubbed ones; nil if the file has no more.
  static func scrub(_ database: Database, from first: Int64, count: Int) throws -> Int64? {
    // The connection takes part in the locking only after it has read.
    try database.run("SELECT id FROM store_states")
    var (next, changed): (Int64, CInt) = (0, 0)
    let result = scrubbing_scrub(database.sqliteConnection, first, CInt(count), &next, &changed)
    guard result == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: result), message: "pages cannot be scrubbed")
    }
    return next == 0 ? nil : next
  }

  /// Throws if the file has grown too large to be scrubbed.
  static func checkSize(_ database: Database) throws {
    let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
    guard pages < SCRUBBING_MAX_PAGES else { throw StoreFailure.tooManyPages(pages) }
  }
}
