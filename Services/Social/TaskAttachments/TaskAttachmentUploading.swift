import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The upload of files, by accounts and by tokens: the handlers decide who may do it, within each step.
struct TaskAttachmentUploading: Sendable {
  typealias Stored = TaskAttachmentUploadStore.Stored
  /// Refuses a caller without the right to the upload.
  typealias Check = @Sendable (Stored, Database) throws -> Void

  let rules: TaskAttachmentRules
  let files: TaskAttachmentFiles
  let access: TaskAccess

  // MARK: - Room

  /// Refuses a file that is announced where there is no room for it.
  func requireRoom(for bytes: Int, in task: ID<SharedTask>, of account: AccountID, _ database: Database) throws {
    try rules.checkFile(bytes)
    try rules.checkRoom(
      for: bytes, files: 1, task: usage(of: task, in: database), account: usage(of: account, in: database))
  }

  /// Refuses more bytes of an upload than there is room for; one whose size was announced has its room.
  private func requireRoom(forMore bytes: Int, of upload: Stored, _ database: Database) throws {
    guard upload.totalBytes == nil else { return }
    try rules.checkFile(upload.receivedBytes + bytes)
    try rules.checkRoom(
      for: bytes, files: 0, task: usage(of: upload.task, in: database), account: usage(of: upload.charged, in: database))
  }

  private func usage(of task: ID<SharedTask>, in database: Database) throws -> TaskAttachmentRules.Usage {
    try TaskAttachmentStore.usage(of: task, in: database) + TaskAttachmentUploadStore.usage(of: task, in: database)
  }

  private func usage(of account: AccountID, in database: Database) throws -> TaskAttachmentRules.Usage {
    try TaskAttachmentStore.usage(of: account, in: database) + TaskAttachmentUploadStore.usage(of: account, in: database)
  }

  // MARK: - Chunks

  /// Takes a chunk.
  ///
  /// - Returns: the file's progress.
  func take(_ chunk: TaskAttachmentChunk, _ call: some Call, _ check: @escaping Check) async throws -> TaskAttachmentProgress {
    let id = chunk.attachmentID
    let stands = try await files.writers.alone(id) {
      let grown = try await keep(chunk, call, check)
      return try await call.write { transaction in
        let upload = try find(id, transaction.database, check)
        if !grown.isEmpty, upload.receivedBytes == grown.lowerBound {
          try requireRoom(forMore: grown.count, of: upload, transaction.database)
          try TaskAttachmentUploadStore.note(received: grown.upperBound, after: grown.lowerBound, of: id, transaction)
        }
        return try find(id, transaction.database, check).receivedBytes
      }
    }
    if let stands { return TaskAttachmentProgress(nextOffset: stands) }
    // It was not checked whether this chunk contains what has arrived meanwhile, so it must be sent again.
    let now = try call.store.lookUp { try find(id, $0, check) }
    return TaskAttachmentProgress(nextOffset: min(chunk.offset, now.receivedBytes))
  }

  /// Writes the bytes of a chunk that continue the file.
  ///
  /// - Returns: the range of the added bytes; empty where the chunk does not continue the file.
  private func keep(_ chunk: TaskAttachmentChunk, _ call: some Call, _ check: @escaping Check) async throws -> Range<Int> {
    let upload = try call.store.lookUp { try find(chunk.attachmentID, $0, check) }
    let (bytes, received) = (chunk.content.bytes, upload.receivedBytes)
    let end = chunk.offset + bytes.count
    if let total = upload.totalBytes, end > total { throw Failure.field("content", TaskAttachmentChunk.beyondEnd(of: total)) }
    // An upload that is being completed takes no more bytes.
    guard chunk.offset <= received, upload.sha256 == nil else { return received..<received }
    if end > received { try call.store.lookUp { try requireRoom(forMore: end - received, of: upload, $0) } }
    do {
      let known = bytes.prefix(received - chunk.offset)
      guard try await files.holds(known, at: chunk.offset, of: upload.id, for: upload.charged) else {
        throw Failure.field("content", TaskAttachmentChunk.otherBytes)
      }
      guard received < end else { return received..<received }
      try await files.write(
        bytes[(received - chunk.offset)...], at: received, of: upload.id, for: upload.charged)
    } catch let fault as FileFault {
      if let failure = fault.failure { throw failure }
      guard fault.isGone else { throw fault }
      try await call.write { try TaskAttachmentUploadStore.noteLost(upload.id, $0) }
      return 0..<0
    }
    return received..<end
  }

  private func find(_ id: ID<TaskAttachment>, _ database: Database, _ check: Check) throws -> Stored {
    guard let upload = try TaskAttachmentUploadStore.find(id, in: database) else { throw Failure(RequestFailure.notFound) }
    try check(upload, database)
    return upload
  }

  // MARK: - Completing

  /// Attaches a file that has arrived. Its content is noted first, so that the content's file is not removed; then the upload becomes that
  /// file; then an attachment refers to it. After a crash in between, completing it again continues from there.
  ///
  /// - Returns: the attachment: the upload itself, or the one that it repeats.
  /// - Throws: `not_found` where there is no such upload, for example because it was completed before; `attachment_being_completed` while
  ///   another call completes it.
  func complete(_ id: ID<TaskAttachment>, _ call: some Call, _ check: @escaping Check) async throws -> ID<TaskAttachment> {
    let attached: ID<TaskAttachment>? = try await files.writers.alone(id) {
      let upload = try call.store.lookUp { try find(id, $0, check) }
      try expectWhole(upload)
      do {
        let sha256: FileHash
        if let known = upload.sha256 {
          sha256 = known
        } else {
          sha256 = try await files.hash(id, bytes: upload.receivedBytes, for: upload.charged)
          if let said = upload.saidSHA256, said != sha256 { throw TaskAttachmentFailure.otherBytes }
          try await call.write { transaction in
            _ = try find(id, transaction.database, check)
            try TaskAttachmentUploadStore.note(sha256, of: id, transaction)
          }
        }
        try await files.place(id, as: sha256, bytes: upload.receivedBytes, for: upload.charged)
        return try await attach(id, sha256, call, check)
      } catch let fault as FileFault {
        if let failure = fault.failure { throw failure }
        guard fault.isGone else { throw fault }
        try await call.write { try TaskAttachmentUploadStore.noteLost(id, $0) }
        throw Self.incomplete(0, of: upload)
      }
    }
    // Another call is completing it: a retry finds it attached.
    guard let attached else { throw Failure(TaskAttachmentFailure.beingCompleted, retryAfterSeconds: 1) }
    return attached
  }

  private func attach(
    _ id: ID<TaskAttachment>, _ sha256: FileHash, _ call: some Call, _ check: @escaping Check
  ) async throws -> ID<TaskAttachment> {
    try await call.write { transaction in
      let upload = try find(id, transaction.database, check)
      // A form that is sent again, because its answer was lost, attaches nothing twice.
      if upload.account == nil,
        let same = try TaskAttachmentStore.findByToken(upload.name, sha256, of: upload.task, in: transaction.database)
      {
        try TaskAttachmentUploadStore.remove(id, transaction)
        return same
      }
      try TaskAttachmentStore.add(upload, sha256, access, transaction)
      return id
    }
  }

  private func expectWhole(_ upload: Stored) throws {
    if let total = upload.totalBytes, upload.receivedBytes < total { throw Self.incomplete(upload.receivedBytes, of: upload) }
    guard upload.receivedBytes > 0 else { throw TaskAttachmentFailure.empty }
  }

  private static func incomplete(_ received: Int, of upload: Stored) -> Failure {
    TaskAttachmentFailure.incomplete.with([
      "received": .number(received), "total": .number(upload.totalBytes ?? upload.receivedBytes),
    ])
  }
}

extension TaskAttachmentRules.Usage {
  static func + (one: Self, other: Self) -> Self { Self(files: one.files + other.files, bytes: one.bytes + other.bytes) }
}
