import CArchive

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A zip archive, or a tar archive compressed with gzip, read from front to back (libarchive). An archive within it is an entry like any
/// other: nothing is unpacked twice.
final class Archive {
  /// The maximum number of entries, more than any export has: a watch's routes are one file each.
  static let maxEntries = 200_000
  /// The maximum unpacked size of all entries together, whether they are read or only inspected.
  static let maxBytes: Int64 = 16 << 30
  /// The maximum ratio of unpacked to packed size. Exports pack to a thirtieth; deflate can reach a thousandth.
  static let maxRatio: Int64 = 150
  /// Up to this size the ratio is not checked.
  static let ratioFrom: Int64 = 8 << 20

  private let archive: OpaquePointer
  private let input: Input
  private var entries = 0
  private var unpacked: Int64 = 0
  /// Whether the end of the present entry is found only by unpacking it: the entry does not declare its size, or the archive is compressed
  /// as a whole.
  private var isOpenEnded = false
  /// Whether the archive is compressed as a whole, so that skipped entries are unpacked too.
  private let isPackedWhole: Bool

  /// The first bytes of a gzip file (RFC 1952), with its only compression method.
  static let gzip: [UInt8] = [0x1F, 0x8B, 0x08]

  /// The character set of entry names. The program's own may be ASCII only, for which libarchive returns no other names. Nil where the
  /// system has none; names with other characters are then empty.
  private nonisolated(unsafe) static let names = newlocale(Int32(1 << LC_CTYPE), "C.UTF-8", nil)

  /// Loads what reading needs, while files can still be opened.
  static func prepare() { _ = names }

  init(_ file: FileContents) throws(FormatFault) {
    var head = [UInt8](repeating: 0, count: Self.gzip.count)
    isPackedWhole = try FileSource(file).fill(&head) == head.count && head == Self.gzip
    guard let archive = archive_read_new() else { throw .damaged }
    self.archive = archive
    input = Input(file)
    let context = Unmanaged.passUnretained(input).toOpaque()
    let isKnown =
      isPackedWhole
      ? archive_read_support_filter_gzip(archive) == ARCHIVE_OK && archive_read_support_format_tar(archive) == ARCHIVE_OK
      : archive_read_support_format_zip(archive) == ARCHIVE_OK
    guard isKnown,
      archive_read_set_callback_data(archive, context) == ARCHIVE_OK,
      archive_read_set_read_callback(
        archive, { _, context, start in start.flatMap { Input.at(context)?.read(&$0.pointee) } ?? Int(ARCHIVE_FATAL) })
        == ARCHIVE_OK,
      archive_read_set_skip_callback(archive, { _, context, count in Input.at(context)?.skip(count) ?? 0 }) == ARCHIVE_OK,
      archive_read_set_seek_callback(
        archive, { _, context, offset, whence in Input.at(context)?.seek(offset, whence) ?? Int64(ARCHIVE_FATAL) }) == ARCHIVE_OK,
      archive_read_open1(archive) == ARCHIVE_OK
    else { throw .damaged }
  }

  deinit { archive_read_free(archive) }

  /// The file for libarchive: it is already open, and other readers use it at positions of their own.
  private final class Input {
    private let file: FileContents
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: sliceBytes, alignment: 1)
    private var position: Int64 = 0

    init(_ file: FileContents) { self.file = file }

    deinit { buffer.deallocate() }

    static func at(_ context: UnsafeMutableRawPointer?) -> Input? {
      context.map { Unmanaged<Input>.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Returns: the number of bytes at `start`; 0 at the end of the file, negative if it cannot be read.
    func read(_ start: inout UnsafeRawPointer?) -> Int {
      start = UnsafeRawPointer(buffer.baseAddress)
      do throws(FormatFault) {
        let count = try file.read(into: buffer, at: position)
        position += Int64(count)
        return count
      } catch {
        return Int(ARCHIVE_FATAL)
      }
    }

    func skip(_ count: Int64) -> Int64 {
      let skipped = max(0, min(count, file.count - position))
      position += skipped
      return skipped
    }

    func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
      let start: Int64 =
        switch whence {
        case SEEK_CUR: position
        case SEEK_END: file.count
        default: 0
        }
      let (target, isTooFar) = start.addingReportingOverflow(offset)
      guard !isTooFar, target >= 0 else { return Int64(ARCHIVE_FATAL) }
      position = target
      return position
    }
  }

  var consumed: Int64 { archive_filter_bytes(archive, -1) }

  /// Moves to the next regular file and returns its path, empty if the path cannot be read; nil after the last.
  func next() throws(FormatFault) -> String? {
    let before = uselocale(Self.names)
    defer { uselocale(before) }
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
      isOpenEnded = isPackedWhole || archive_entry_size_is_set(entry) == 0
      guard archive_entry_filetype(entry) == mode_t(0o100000) else { continue }
      guard archive_entry_is_encrypted(entry) == 0 else { throw .encrypted }
      return (archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)).map { String(cString: $0) } ?? ""
    }
  }

  /// Skips the rest of an entry whose end is found only by unpacking it, within the limits.
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
  /// The bytes already read to detect its format.
  private var head: ArraySlice<UInt8>

  /// Creates a source for the archive's present entry.
  init(_ archive: Archive, head: [UInt8] = []) {
    self.archive = archive
    self.head = head[...]
  }

  /// Creates a source for the first entry with that path.
  init(_ path: String, of file: FileContents) throws(FormatFault) {
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
