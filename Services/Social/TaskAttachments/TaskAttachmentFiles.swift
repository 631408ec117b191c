import Crypto
import Foundation
import Operations
import ServiceKit
import SocialContract
import Storage
import Synchronization
import Workers

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The files of attachments, in the folder `attachments` of the home folder, for their owner's eyes alone (0700, 0600):
///
///     uploads/<attachment>          what is on its way
///     contents/<first 2>/<SHA-256>  one file for each content, however often it is attached; it never changes
///     lock                          a shared lock on it is held by whoever removes a content, an exclusive one by who makes a backup
///
/// What is in `contents` is named by the store. Which contents are of use is decided in the store's write transactions, one after the
/// other, and so is their removal (``removeUnlessNamed(_:in:)``).
struct TaskAttachmentFiles: Sendable {
  private let home: String
  private let folder: String
  /// Disks may be slow: whoever waits for them has threads of their own, on which accounts take turns.
  private let pool = WorkerPool(label: "racha.attachments", threads: 4, maxWaiting: 256)
  /// Who writes the file of an upload, makes it a content, or removes it does so alone.
  let writers = ChunkWriters<ID<TaskAttachment>>()
  let strays = TaskAttachmentStrays()

  init(_ home: Home) {
    self.home = home.path
    folder = home.path + "/attachments"
  }

  private var uploads: String { "\(folder)/uploads" }
  private var contents: String { "\(folder)/contents" }

  func uploadPath(_ id: ID<TaskAttachment>) -> String { "\(uploads)/\(id)" }

  private func upload(_ id: ID<TaskAttachment>) -> ChunkFile { ChunkFile(uploadPath(id), below: home) }

  func contentPath(_ sha256: FileHash) -> String { "\(contentFolder(sha256))/\(sha256)" }

  private func contentFolder(_ sha256: FileHash) -> String { "\(contents)/\(sha256.description.prefix(2))" }

  // MARK: - Uploads

  /// Writes a chunk; it is durable when this returns.
  func write(
    _ bytes: ArraySlice<UInt8>, at offset: Int, of id: ID<TaskAttachment>, for account: AccountID?
  ) async throws {
    let upload = upload(id)
    try await pool.run(for: account) { try upload.write(bytes, at: offset) }
  }

  /// Whether these bytes stand in the upload at that position.
  func holds(
    _ bytes: ArraySlice<UInt8>, at offset: Int, of id: ID<TaskAttachment>, for account: AccountID?
  ) async throws -> Bool {
    guard !bytes.isEmpty else { return true }
    let upload = upload(id)
    return try await pool.run(for: account) { try upload.holds(bytes, at: offset) }
  }

  /// The SHA-256 of the first so many bytes of an upload; later bytes, of a chunk that was never acknowledged, are cut off.
  func hash(_ id: ID<TaskAttachment>, bytes: Int, for account: AccountID?) async throws -> FileHash {
    let path = uploadPath(id)
    return try await pool.run(for: account) {
      let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileFault(operation: "open", number: errno) }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw FileFault(operation: "stat", number: errno) }
      guard Int(status.st_size) >= bytes else { throw FileFault(operation: "read", number: ENOENT) }
      if Int(status.st_size) > bytes {
        guard ftruncate(descriptor, off_t(bytes)) == 0, fsync(descriptor) == 0 else {
          throw FileFault(operation: "cut", number: errno)
        }
      }
      return try FileHash(descriptor)
    }
  }

  /// Makes an upload the file of its content; durable when this returns. An upload that is that already stays as it is, and the file of a
  /// content that is there is replaced by the same bytes.
  func place(_ id: ID<TaskAttachment>, as sha256: FileHash, bytes: Int, for account: AccountID?) async throws {
    let (from, parent, to, all, own) = (uploadPath(id), contentFolder(sha256), contentPath(sha256), contents, folder)
    try await pool.run(for: account) {
      try PrivateFolder.make(parent)
      if rename(from, to) != 0 {
        guard errno == ENOENT else { throw FileFault(operation: "rename", number: errno) }
        var status = stat()
        guard stat(to, &status) == 0, Int(status.st_size) == bytes else { throw FileFault(operation: "rename", number: ENOENT) }
      }
      try PrivateFolder.synchronize(parent)
      try PrivateFolder.synchronize(all)
      try PrivateFolder.synchronize(own)
    }
  }

  /// Removes an upload that the store no longer has, so that nobody begins to write it again.
  ///
  /// - Returns: whether it is gone; false while it is still being written, or made a content.
  @discardableResult
  func removeUpload(_ id: ID<TaskAttachment>) async throws -> Bool {
    let path = uploadPath(id)
    let isGone: Bool? = try await writers.alone(id) {
      try await pool.run {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileFault(operation: "remove", number: errno) }
      }
      return true
    }
    return isGone ?? false
  }

  /// Every upload that there is a file of.
  func allUploads() async throws -> [ID<TaskAttachment>] {
    let folder = uploads
    return try await pool.run { try Self.names(in: folder).compactMap { Self.id($0) } }
  }

  // MARK: - Contents

  /// Bytes of a content: as many as asked for, or as are left.
  func read(_ sha256: FileHash, from offset: Int, count: Int, for account: AccountID?) async throws -> [UInt8] {
    let content = ChunkFile(contentPath(sha256), below: home)
    return try await pool.run(for: account) { try content.read(from: offset, count: count) }
  }

  /// A part of a content of so many bytes, as it is answered.
  ///
  /// - Throws: `attachment_lost` where the file is not as it was.
  func chunk(
    of sha256: FileHash, _ totalBytes: Int, from offset: Int, for account: AccountID
  ) async throws -> DownloadTaskAttachmentChunk.Output {
    let count = min(TaskAttachmentChunk.maxBytes, max(0, totalBytes - offset))
    var bytes: [UInt8] = []
    if count > 0 {
      do {
        bytes = try await read(sha256, from: offset, count: count, for: account)
      } catch let fault as FileFault where fault.isGone {
        throw TaskAttachmentFailure.lost
      }
      guard bytes.count == count else { throw TaskAttachmentFailure.lost }
    }
    return .init(content: Base64Bytes(bytes), totalBytes: totalBytes)
  }

  /// The names of the folders that contents are in.
  func contentFolders() async throws -> [String] {
    let folder = contents
    return try await pool.run { try Self.names(in: folder) }
  }

  /// Every content that there is a file of in one of those folders.
  func hashes(in name: String) async throws -> [FileHash] {
    let folder = "\(contents)/\(name)"
    return try await pool.run { try Self.names(in: folder).compactMap { FileHash(hexadecimal: $0) } }
  }

  /// Removes a content unless something names it, in the write transaction that finds that: so no reference can be added meanwhile.
  ///
  /// - Returns: false where it is to go and is still there, as during a backup.
  func removeUnlessNamed(_ sha256: FileHash, in store: Store) async throws -> Bool {
    try await store.write { transaction in
      guard try !TaskAttachmentStore.isNamed(sha256, in: transaction.database) else { return true }
      guard try removeContent(sha256) else { return false }
      try TaskAttachmentStore.forget(sha256, in: transaction.database)
      return true
    }
  }

  /// Removes the file of a content.
  ///
  /// - Returns: whether it is gone; false during a backup, which may need it.
  private func removeContent(_ sha256: FileHash) throws -> Bool {
    try PrivateFolder.make(folder)
    let lock = open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw FileFault(operation: "lock", number: errno) }
    defer { close(lock) }
    guard flock(lock, LOCK_SH | LOCK_NB) == 0 else {
      if errno == EWOULDBLOCK { return false }
      throw FileFault(operation: "lock", number: errno)
    }
    guard unlink(contentPath(sha256)) == 0 || errno == ENOENT else { throw FileFault(operation: "remove", number: errno) }
    return true
  }

  // MARK: - The file system

  private static func names(in folder: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder)
  }

  private static func id(_ text: String) -> ID<TaskAttachment>? {
    do throws(FieldRule) { return try ID(text: text) } catch { return nil }
  }
}

/// Whether the files that the store did not know at the start are gone: see ``TaskAttachmentStrayWorker``.
final class TaskAttachmentStrays: Sendable {
  private let gone = Atomic(false)

  var areGone: Bool { gone.load(ordering: .acquiring) }

  func noteGone() { gone.store(true, ordering: .releasing) }
}

extension FileFault {
  /// The failure for the writer; nil for a fault that does not pass by itself.
  var failure: Failure? {
    if isFull { return Failure(RequestFailure.storageFull, retryAfterSeconds: 5) }
    if isReadOnly { return Failure(RequestFailure.storageReadOnly, retryAfterSeconds: 5) }
    return nil
  }
}
