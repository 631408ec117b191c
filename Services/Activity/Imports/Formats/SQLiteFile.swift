import GRDBSQLite
import Synchronization

/// Lets SQLite read a file that is already open, where no file can be opened: a virtual file system for such files only. SQLite treats them
/// as immutable, so it looks for no journal and takes no lock. See https://www.sqlite.org/vfs.html.
enum SQLiteFile {
  /// The file system's name for `sqlite3_open_v2`.
  static let system = "racha-open-files"

  private static let files = Mutex<[String: FileContents]>([:])
  private static let numbers = Mutex(0)

  /// Opens a database for reading.
  ///
  /// - Returns: the database, open or not, and SQLite's result.
  static func open(_ file: FileContents) -> (database: OpaquePointer?, result: Int32) {
    guard isRegistered else { return (nil, SQLITE_ERROR) }
    let name = numbers.withLock { numbers in
      numbers += 1
      return "\(numbers)"
    }
    files.withLock { $0[name] = file }
    defer { files.withLock { _ = $0.removeValue(forKey: name) } }
    var database: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    let result = sqlite3_open_v2(name, &database, flags, system)
    return (database, result)
  }

  // MARK: - The file system

  /// SQLite's extended result codes, whose macros Swift does not import.
  private enum IOError {
    static let read = SQLITE_IOERR | 1 << 8
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let fstat = SQLITE_IOERR | 7 << 8
    static let delete = SQLITE_IOERR | 10 << 8
  }

  /// SQLite's handle of an open file: the methods, followed by the file.
  private struct Handle {
    var base: sqlite3_file
    var contents: Unmanaged<FileContents>
  }

  private static func handle(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<Handle> {
    UnsafeMutableRawPointer(file).assumingMemoryBound(to: Handle.self)
  }

  private static let isRegistered: Bool = {
    // Never freed: SQLite keeps the pointers as long as the process runs.
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 1
    methods.pointee.xClose = { file in
      guard let file else { return SQLITE_OK }
      SQLiteFile.handle(file).pointee.contents.release()
      file.pointee.pMethods = nil
      return SQLITE_OK
    }
    methods.pointee.xRead = { file, buffer, count, offset in
      guard let file, let buffer else { return IOError.read }
      return SQLiteFile.read(file, UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)), at: offset)
    }
    methods.pointee.xWrite = { _, _, _, _ in SQLITE_READONLY }
    methods.pointee.xTruncate = { _, _ in SQLITE_READONLY }
    methods.pointee.xSync = { _, _ in SQLITE_OK }
    methods.pointee.xFileSize = { file, size in
      guard let file else { return IOError.fstat }
      size?.pointee = SQLiteFile.handle(file).pointee.contents.takeUnretainedValue().count
      return SQLITE_OK
    }
    methods.pointee.xLock = { _, _ in SQLITE_OK }
    methods.pointee.xUnlock = { _, _ in SQLITE_OK }
    methods.pointee.xCheckReservedLock = { _, isLocked in
      isLocked?.pointee = 0
      return SQLITE_OK
    }
    methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.pointee.xSectorSize = { _ in 4096 }
    methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_IMMUTABLE }
    let openMethods = UnsafePointer(methods)
    fileMethods.withLock { $0 = Methods(pointer: openMethods) }

    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: sqlite3_vfs())
    vfs.pointee.iVersion = 1
    vfs.pointee.szOsFile = Int32(MemoryLayout<Handle>.size)
    vfs.pointee.mxPathname = 64
    vfs.pointee.zName = name(system)
    vfs.pointee.xOpen = { _, name, file, flags, outFlags in
      guard let file else { return SQLITE_CANTOPEN }
      file.pointee.pMethods = nil
      guard flags & SQLITE_OPEN_MAIN_DB != 0, let name, let contents = SQLiteFile.contents(String(cString: name)),
        let methods = SQLiteFile.fileMethods.withLock({ $0?.pointer })
      else { return SQLITE_CANTOPEN }
      SQLiteFile.handle(file).initialize(
        to: Handle(base: sqlite3_file(pMethods: methods), contents: Unmanaged.passRetained(contents)))
      outFlags?.pointee = SQLITE_OPEN_READONLY
      return SQLITE_OK
    }
    vfs.pointee.xDelete = { _, _, _ in IOError.delete }
    vfs.pointee.xAccess = { _, _, _, isThere in
      isThere?.pointee = 0
      return SQLITE_OK
    }
    vfs.pointee.xFullPathname = { _, name, count, full in
      guard let name, let full else { return SQLITE_CANTOPEN }
      let bytes: [CChar] = Array(UnsafeBufferPointer(start: name, count: String(cString: name).utf8.count)) + [0]
      guard bytes.count <= Int(count) else { return SQLITE_CANTOPEN }
      for (index, byte) in bytes.enumerated() { full[index] = byte }
      return SQLITE_OK
    }
    vfs.pointee.xRandomness = { _, count, bytes in
      // Nothing that is read depends on random numbers.
      for index in 0..<Int(count) { bytes?[index] = 0 }
      return count
    }
    vfs.pointee.xSleep = { _, _ in 0 }
    vfs.pointee.xCurrentTime = { _, day in
      // Nothing that is read depends on the time: always 1970, as a Julian day.
      day?.pointee = 2_440_587.5
      return SQLITE_OK
    }
    vfs.pointee.xGetLastError = { _, _, _ in 0 }
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
  }()

  private struct Methods: @unchecked Sendable {
    let pointer: UnsafePointer<sqlite3_io_methods>
  }

  private static let fileMethods = Mutex<Methods?>(nil)

  /// A string that is never freed.
  private static func name(_ text: String) -> UnsafePointer<CChar> {
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { copy[index] = byte }
    return UnsafePointer(copy)
  }

  private static func contents(_ name: String) -> FileContents? { files.withLock { $0[name] } }

  private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) -> Int32 {
    let contents = handle(file).pointee.contents.takeUnretainedValue()
    var filled = 0
    do throws(FormatFault) {
      while filled < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        let more = try contents.read(into: rest, at: offset + Int64(filled))
        guard more > 0 else { break }
        filled += more
      }
    } catch {
      return IOError.read
    }
    guard filled < buffer.count else { return SQLITE_OK }
    // SQLite expects zeros after the end of the file.
    UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).initializeMemory(as: UInt8.self, repeating: 0)
    return IOError.shortRead
  }
}
