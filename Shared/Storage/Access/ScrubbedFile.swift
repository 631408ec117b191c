import CScrubbingVFS
import GRDB
import GRDBSQLite

/// The store's file as SQLite writes it through a virtual file system of the store's own, which leaves nothing behind in a page of what was
/// moved out of it; see `CScrubbingVFS.h`.
///
/// `secure_delete` zeroes what is deleted, but what SQLite moves to another page as a tree is balanced stays where it was until it is
/// overwritten.
enum ScrubbedFile {
  /// The name under which SQLite opens the file of that path through it.
  static func name(of path: String) throws -> String {
    let result = scrubbing_register()
    guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    // A URI alone can name the virtual file system.
    return "\(uri(of: path))?vfs=\(SCRUBBING_VFS_NAME)"
  }

  /// The file of that path as a URI (sqlite.org/uri.html), to which parameters can be added.
  static func uri(of path: String) -> String {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    let hexadecimal = Array("0123456789ABCDEF".utf8)
    let escaped = path.utf8.flatMap { byte in
      plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
    }
    return "file:\(String(decoding: escaped, as: UTF8.self))"
  }

  /// Scrubs pages where they are in the file.
  ///
  /// - Returns: the first page after them; nil where the file has no more.
  static func scrub(_ database: Database, from first: Int64, count: Int) throws -> Int64? {
    // The connection has to have read, to have a part in the locks.
    try database.run("SELECT id FROM store_states")
    var (next, changed): (Int64, CInt) = (0, 0)
    let result = scrubbing_scrub(database.sqliteConnection, first, CInt(count), &next, &changed)
    guard result == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: result), message: "pages cannot be scrubbed")
    }
    return next == 0 ? nil : next
  }

  /// Throws where the file has grown beyond what can be scrubbed.
  static func checkSize(_ database: Database) throws {
    let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
    guard pages < SCRUBBING_MAX_PAGES else { throw StoreFailure.tooManyPages(pages) }
  }
}
