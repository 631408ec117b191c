import ActivityContract
import Crypto
import Foundation
import Operations
import ServiceKit
import Workers

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The files that are on their way: `imports/<account>/<import>` in the home folder, for their owner's eyes alone (0700, 0600).
/// They are in no backup.
struct ImportSpool: Sendable {
  /// What kept a file from being written or read.
  struct Fault: Error {
    let operation: String
    let number: Int32

    var isGone: Bool { number == ENOENT }
    var isFull: Bool { number == ENOSPC || number == EDQUOT }
    var isReadOnly: Bool { number == EROFS }
  }

  private let folder: String
  /// What reads the files: see `DecoderProcess`.
  private let program: String
  /// Disks may be slow: whoever waits for them has threads of their own, on which accounts take turns.
  private let pool = WorkerPool(label: "racha.imports.spool", threads: 2, maxWaiting: 64)

  init(_ home: Home, program: String) {
    folder = home.path + "/imports"
    self.program = program
  }

  func path(_ id: ImportID, of account: AccountID) -> String { "\(folder)/\(account)/\(id)" }

  /// The file of an import, to be read.
  func reading(of row: ImportRow) -> FileReading {
    FileReading(path(row.id, of: row.account), name: row.name, program: program)
  }

  private func folder(of account: AccountID) -> String { "\(folder)/\(account)" }

  /// Writes a chunk; it is durable when this returns.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int, of id: ImportID, _ account: AccountID) async throws {
    let (path, parent) = (path(id, of: account), folder(of: account))
    try await pool.run(for: account) {
      let descriptor = offset == 0 ? try Self.created(path, in: parent) : open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { throw Fault(operation: "open", number: errno) }
      defer { close(descriptor) }
      try bytes.withUnsafeBytes { buffer in
        var written = 0
        while written < buffer.count {
          let count = pwrite(
            descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written, off_t(offset + written))
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { throw Fault(operation: "write", number: errno) }
          written += count
        }
      }
      guard fsync(descriptor) == 0 else { throw Fault(operation: "sync", number: errno) }
    }
  }

  /// A new file of the account, or the one that there is.
  private static func created(_ path: String, in parent: String) throws -> Int32 {
    while true {
      do {
        try Home.makePrivateFolder(parent)
      } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
        throw Fault(operation: "mkdir", number: ENOSPC)
      } catch let error as CocoaError where error.code == .fileWriteVolumeReadOnly {
        throw Fault(operation: "mkdir", number: EROFS)
      }
      let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_CREAT, 0o600)
      // The folder goes with the account's last file, and that may have gone just now.
      guard descriptor < 0, errno == ENOENT else { return descriptor }
    }
  }

  /// Whether these bytes stand in the file at that position.
  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int, of id: ImportID, _ account: AccountID) async throws -> Bool {
    guard !bytes.isEmpty else { return true }
    let path = path(id, of: account)
    return try await pool.run(for: account) {
      let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { throw Fault(operation: "open", number: errno) }
      defer { close(descriptor) }
      var buffer = [UInt8](repeating: 0, count: bytes.count)
      var filled = 0
      while filled < buffer.count {
        let count = buffer.withUnsafeMutableBytes {
          pread(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled, off_t(offset + filled))
        }
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw Fault(operation: "read", number: errno) }
        // It is shorter than what has arrived.
        guard count > 0 else { throw Fault(operation: "read", number: ENOENT) }
        filled += count
      }
      return buffer.elementsEqual(bytes)
    }
  }

  /// Whether the file is there with at least so many bytes.
  func holds(_ bytes: Int, of id: ImportID, _ account: AccountID) async throws -> Bool {
    let path = path(id, of: account)
    return try await pool.run(for: account) {
      var status = stat()
      return stat(path, &status) == 0 && Int(status.st_size) >= bytes
    }
  }

  /// Removes a file, if it is there, and the account's folder with its last one.
  func remove(_ id: ImportID, of account: AccountID) async throws {
    let (path, parent) = (path(id, of: account), folder(of: account))
    try await pool.run(for: account) {
      guard unlink(path) == 0 || errno == ENOENT else { throw Fault(operation: "remove", number: errno) }
      guard rmdir(parent) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST else {
        throw Fault(operation: "remove", number: errno)
      }
    }
  }

  /// Removes all of an account's files.
  func removeAll(of account: AccountID) async throws {
    let parent = folder(of: account)
    try await pool.run(for: account) {
      guard FileManager.default.fileExists(atPath: parent) else { return }
      try FileManager.default.removeItem(atPath: parent)
    }
  }

  /// Every file that there is.
  func all() async throws -> [(account: AccountID, id: ImportID)] {
    let folder = folder
    return try await pool.run {
      guard FileManager.default.fileExists(atPath: folder) else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { name -> [(AccountID, ImportID)] in
        guard let account = Self.id(name) as AccountID? else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)").compactMap { name in
          (Self.id(name) as ImportID?).map { (account, $0) }
        }
      }
    }
  }

  private static func id<Entity>(_ text: String) -> ID<Entity>? {
    do throws(FieldRule) { return try ID(text: text) } catch { return nil }
  }

  /// The SHA-256 of a file, in hexadecimal.
  ///
  /// - Throws: `CancellationError` in a task that is cancelled, too.
  static func sha256(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw Fault(operation: "open", number: errno) }
    defer { close(descriptor) }
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      try Task.checkCancellation()
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Fault(operation: "read", number: errno) }
      guard count > 0 else { break }
      buffer.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }
    return hash.finalize().map { byte in String([byte >> 4, byte & 0xF].map { Self.digits[Int($0)] }) }.joined()
  }

  private static let digits = Array("0123456789abcdef")
}
