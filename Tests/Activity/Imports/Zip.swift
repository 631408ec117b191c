import CArchive
import Foundation

/// Makes zip archives for tests.
enum Zip {
  /// - Parameter isStreamed: whether it is as programs write it that cannot go back in what they write: no entry says how long it is
  ///   before its bytes have come; and it breaks off before the directory at the end, which would say.
  static func archive(
    _ entries: [(name: String, bytes: [UInt8])], options: String = "", isStreamed: Bool = false
  ) throws -> [UInt8] {
    struct Failed: Error {}
    let path = "/tmp/racha-zip-\(UInt64.random(in: .min ... .max))"
    defer { unlink(path) }
    guard let archive = archive_write_new() else { throw Failed() }
    archive_write_set_format_zip(archive)
    if !options.isEmpty { archive_write_set_options(archive, options) }
    if options.contains("encryption") { archive_write_set_passphrase(archive, "secret") }
    guard archive_write_open_filename(archive, path) == ARCHIVE_OK else { throw Failed() }
    for (name, bytes) in entries {
      let entry = archive_entry_new()
      archive_entry_set_pathname(entry, name)
      if !isStreamed { archive_entry_set_size(entry, Int64(bytes.count)) }
      archive_entry_set_filetype(entry, 0o100000)
      archive_entry_set_perm(entry, 0o644)
      guard archive_write_header(archive, entry) == ARCHIVE_OK else { throw Failed() }
      guard archive_write_data(archive, bytes, bytes.count) == bytes.count else { throw Failed() }
      archive_entry_free(entry)
    }
    guard archive_write_close(archive) == ARCHIVE_OK else { throw Failed() }
    archive_write_free(archive)
    let archived = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    guard isStreamed else { return archived }
    // The end of the directory says where that begins (APPNOTE.TXT, 4.3.16).
    let start = archived[(archived.count - 6)..<(archived.count - 2)].reversed().reduce(0) { $0 << 8 | Int($1) }
    return Array(archived[..<start])
  }
}
