import CArchive

/// A zip archive, read from front to back (libarchive). An archive within it is an entry like any other: nothing is unpacked twice.
final class Archive {
  /// No export has more entries: a watch's routes are a file each.
  static let maxEntries = 200_000
  /// What is unpacked of all entries together, be it to read them or to see what they are.
  static let maxBytes: Int64 = 16 << 30
  /// How much larger than packed that may be. Exports pack to a thirtieth; deflate could go to a thousandth.
  static let maxRatio: Int64 = 150
  /// So far the ratio does not matter.
  static let ratioFrom: Int64 = 8 << 20

  private let archive: OpaquePointer
  private var entries = 0
  private var unpacked: Int64 = 0
  /// Whether the present entry says nowhere how long it is.
  private var isOpenEnded = false

  init(_ path: String) throws(FormatFault) {
    guard let archive = archive_read_new() else { throw .damaged }
    self.archive = archive
    guard archive_read_support_format_zip(archive) == ARCHIVE_OK,
      archive_read_open_filename(archive, path, sliceBytes) == ARCHIVE_OK
    else { throw .damaged }
  }

  deinit { archive_read_free(archive) }

  var consumed: Int64 { archive_filter_bytes(archive, -1) }

  /// The path of the next plain file; nil after the last.
  func next() throws(FormatFault) -> String? {
    while true {
      guard !Task.isCancelled else { throw .stopped }
      try skip()
      var entry: OpaquePointer?
      switch archive_read_next_header(archive, &entry) {
      case ARCHIVE_OK, ARCHIVE_WARN: break
      case ARCHIVE_EOF: return nil
      default: throw .damaged
      }
      entries += 1
      guard entries <= Self.maxEntries else { throw .tooLarge }
      isOpenEnded = archive_entry_size_is_set(entry) == 0
      guard archive_entry_filetype(entry) == mode_t(0o100000) else { continue }
      guard archive_entry_is_encrypted(entry) == 0 else { throw .encrypted }
      guard let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else { continue }
      return String(cString: name)
    }
  }

  /// Passes over the rest of an entry whose size is not known: its end is found by unpacking it, which has to stay within the bounds.
  private func skip() throws(FormatFault) {
    guard isOpenEnded else { return }
    isOpenEnded = false
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: sliceBytes, alignment: 1)
    defer { buffer.deallocate() }
    while try read(into: buffer) > 0 {}
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatFault) -> Int {
    guard !Task.isCancelled else { throw .stopped }
    let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
    guard count >= 0 else { throw .damaged }
    unpacked += Int64(count)
    guard unpacked <= Self.maxBytes else { throw .tooLarge }
    guard unpacked <= Self.ratioFrom || unpacked <= (consumed + Int64(sliceBytes)) * Self.maxRatio else {
      throw .tooLarge
    }
    return count
  }
}

/// An entry of an archive.
final class EntrySource: ByteSource {
  private let archive: Archive
  /// What was read of it to see what it is.
  private var head: ArraySlice<UInt8>

  /// The entry at which the archive stands.
  init(_ archive: Archive, head: [UInt8] = []) {
    self.archive = archive
    self.head = head[...]
  }

  /// The first entry of that path.
  init(_ path: String, of file: String) throws(FormatFault) {
    archive = try Archive(file)
    head = []
    while let found = try archive.next() {
      if found == path { return }
    }
    throw .noExport
  }

  var consumed: Int64 { archive.consumed }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatFault) -> Int {
    guard head.isEmpty else {
      let count = min(head.count, buffer.count)
      buffer.copyBytes(from: head.prefix(count))
      head = head.dropFirst(count)
      return count
    }
    return try archive.read(into: buffer)
  }
}
