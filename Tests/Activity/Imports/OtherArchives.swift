import CArchive
import Foundation

/// Makes archives that no function of `Zip` makes.
enum OtherArchives {
  /// A tar archive packed by gzip.
  static func tgz(_ entries: [(name: String, bytes: [UInt8])]) throws -> [UInt8] {
    struct Failed: Error {}
    let path = "/tmp/racha-tgz-\(UInt64.random(in: .min ... .max))"
    defer { unlink(path) }
    guard let archive = archive_write_new() else { throw Failed() }
    archive_write_set_format_ustar(archive)
    archive_write_add_filter_gzip(archive)
    guard archive_write_open_filename(archive, path) == ARCHIVE_OK else { throw Failed() }
    for (name, bytes) in entries {
      let entry = archive_entry_new()
      archive_entry_set_pathname(entry, name)
      archive_entry_set_size(entry, Int64(bytes.count))
      archive_entry_set_filetype(entry, 0o100000)
      archive_entry_set_perm(entry, 0o644)
      guard archive_write_header(archive, entry) == ARCHIVE_OK else { throw Failed() }
      guard archive_write_data(archive, bytes, bytes.count) == bytes.count else { throw Failed() }
      archive_entry_free(entry)
    }
    guard archive_write_close(archive) == ARCHIVE_OK else { throw Failed() }
    archive_write_free(archive)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// A zip archive that says of its names that they are UTF-8 (APPNOTE.TXT, 4.4.4, bit 11), unpacked in it, as Apple's phones write it.
  static func utf8Zip(_ entries: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    var (archive, directory): ([UInt8], [UInt8]) = ([], [])
    for (name, bytes) in entries {
      let name = Array(name.utf8)
      // Version, flags, method, time and date, checksum, both sizes, and the lengths of name and extra field.
      let common =
        little(20, 2) + little(0x800, 2) + little(0, 2) + little(0, 2) + little(0x21, 2) + little(Int(crc(bytes)), 4)
        + little(bytes.count, 4) + little(bytes.count, 4) + little(name.count, 2) + little(0, 2)
      directory +=
        little(0x0201_4B50, 4) + little(0x314, 2) + common + little(0, 2) + little(0, 2) + little(0, 2)
        + little(0o100644 << 16, 4) + little(archive.count, 4) + name
      archive += little(0x0403_4B50, 4) + common + name + bytes
    }
    let start = archive.count
    return archive + directory + little(0x0605_4B50, 4) + little(0, 4) + little(entries.count, 2) + little(entries.count, 2)
      + little(directory.count, 4) + little(start, 4) + little(0, 2)
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
