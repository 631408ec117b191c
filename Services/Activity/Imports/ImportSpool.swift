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

/// The uploaded files: `imports/<account>/<import>` in the home folder, readable only for their owner (0700, 0600). They are in no backup.
struct ImportSpool: Sendable {
  private let home: String
  private let folder: String
  /// The program that reads the files; see `DecoderProcess`.
  private let program: String
  /// Disks may be slow: waiting for them has its own threads, on which accounts take turns.
  private let pool = WorkerPool(label: "racha.imports.spool", threads: 2, maxWaiting: 64)

  init(_ home: Home, program: String) {
    self.home = home.path
    folder = home.path + "/imports"
    self.program = program
  }

  func path(_ id: ImportID, of account: AccountID) -> String { "\(folder)/\(account)/\(id)" }

  /// Creates the reader of an import's file.
  func reading(of row: ImportRow) -> FileReading {
    FileReading(path(row.id, of: row.account), name: row.name, program: program)
  }

  private func folder(of account: AccountID) -> String { "\(folder)/\(account)" }

  private func file(_ id: ImportID, of account: AccountID) -> ChunkFile { ChunkFile(path(id, of: account), below: home) }

  /// Writes a chunk; it is durable when this returns.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int, of id: ImportID, _ account: AccountID) async throws {
    let file = file(id, of: account)
    try await pool.run(for: account) { try file.write(bytes, at: offset) }
  }

  /// Whether the file contains these bytes at that position.
  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int, of id: ImportID, _ account: AccountID) async throws -> Bool {
    guard !bytes.isEmpty else { return true }
    let file = file(id, of: account)
    return try await pool.run(for: account) { try file.holds(bytes, at: offset) }
  }

  /// Whether the file exists and has at least so many bytes.
  func holds(_ bytes: Int, of id: ImportID, _ account: AccountID) async throws -> Bool {
    let path = path(id, of: account)
    return try await pool.run(for: account) {
      var status = stat()
      return stat(path, &status) == 0 && Int(status.st_size) >= bytes
    }
  }

  /// Removes a file if it exists, and the account's folder once it is empty.
  func remove(_ id: ImportID, of account: AccountID) async throws {
    let (path, parent) = (path(id, of: account), folder(of: account))
    try await pool.run(for: account) {
      guard unlink(path) == 0 || errno == ENOENT else { throw FileFault(operation: "remove", number: errno) }
      guard rmdir(parent) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST else {
        throw FileFault(operation: "remove", number: errno)
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

  /// Lists all files.
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
  /// - Throws: also `CancellationError`, in a cancelled task.
  static func sha256(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFault(operation: "open", number: errno) }
    defer { close(descriptor) }
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      try Task.checkCancellation()
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileFault(operation: "read", number: errno) }
      guard count > 0 else { break }
      buffer.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }
    return hash.finalize().map { byte in String([byte >> 4, byte & 0xF].map { Self.digits[Int($0)] }) }.joined()
  }

  private static let digits = Array("0123456789abcdef")
}
