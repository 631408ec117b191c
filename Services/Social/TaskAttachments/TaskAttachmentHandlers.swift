import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Attachments of signed-in accounts: announced, uploaded in chunks, completed, listed, read and deleted.
struct TaskAttachmentHandlers: Sendable {
  let uploading: TaskAttachmentUploading
  /// Wakes the worker that removes unreferenced files.
  let signal: TaskAttachmentSignal

  private var access: TaskAccess { uploading.access }

  // MARK: - Uploading

  func create(
    _ input: CreateTaskAttachment.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TaskAttachmentUpload {
    let (account, database) = (call.account, transaction.database)
    try access.require(input.taskID, account, in: database)
    try access.expectNotCancelled(input.taskID, in: database)
    guard try TaskAttachmentUploadStore.count(of: account, in: database) < TaskAttachmentRules.maxUploads else {
      throw TaskAttachmentFailure.tooManyUploads.with(["max": .number(TaskAttachmentRules.maxUploads)])
    }
    try uploading.requireRoom(for: input.totalBytes, in: input.taskID, of: account, database)
    return try TaskAttachmentUploadStore.create(input, of: account, transaction)
  }

  func uploadChunk(_ input: TaskAttachmentChunk, _ call: AccountCall) async throws -> TaskAttachmentProgress {
    try await uploading.take(input, call, isOwn(call.account))
  }

  func complete(_ input: TaskAttachmentKey, _ call: AccountCall) async throws -> TaskAttachment {
    let (id, account) = (input.attachmentID, call.account)
    if let attached = try call.store.lookUp({ try attached(id, by: account, in: $0) }) { return attached }
    _ = try await uploading.complete(id, call, isOwn(account))
    guard let attached = try call.store.lookUp({ try attached(id, by: account, in: $0) }) else {
      throw Failure(RequestFailure.notFound)
    }
    return attached
  }

  func cancel(_ input: TaskAttachmentKey, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard let upload = try TaskAttachmentUploadStore.find(input.attachmentID, in: transaction.database),
      upload.account == call.account
    else { throw Failure(RequestFailure.notFound) }
    try TaskAttachmentUploadStore.remove(upload.id, transaction)
    return Empty()
  }

  /// Removes the file of an upload that was given up.
  func removeFile(_ input: TaskAttachmentKey, _ call: AccountCall) async throws {
    try await uploading.files.removeUpload(input.attachmentID)
    signal()
  }

  /// Lets an upload be continued by the account that announced it, while it takes part in the task.
  private func isOwn(_ account: AccountID) -> TaskAttachmentUploading.Check {
    { [access] upload, database in
      guard upload.account == account else { throw Failure(RequestFailure.notFound) }
      try access.require(upload.task, account, in: database)
      try access.expectNotCancelled(upload.task, in: database)
    }
  }

  /// The attachment, where the account attached it.
  private func attached(_ id: ID<TaskAttachment>, by account: AccountID, in database: Database) throws -> TaskAttachment? {
    guard let found = try TaskAttachmentStore.find(id, in: database), found.account == account else { return nil }
    let isCreator = try access.require(found.task, account, in: database)
    return try TaskAttachmentStore.view(id, for: account, isCreator: isCreator, in: database)
  }

  // MARK: - Reading

  func list(_ input: ListTaskAttachments.Input, _ call: AccountCall, _ database: Database) throws -> Page<TaskAttachment> {
    let isCreator = try access.require(input.taskID, call.account, in: database)
    return try TaskAttachmentStore.list(
      of: input.taskID, for: call.account, isCreator: isCreator, call.page(input), in: database)
  }

  func get(_ input: TaskAttachmentKey, _ call: AccountCall, _ database: Database) throws -> TaskAttachment {
    let (_, isCreator) = try find(input.attachmentID, call.account, in: database)
    return try TaskAttachmentStore.view(input.attachmentID, for: call.account, isCreator: isCreator, in: database)
  }

  func downloadChunk(
    _ input: DownloadTaskAttachmentChunk.Input, _ call: AccountCall
  ) async throws -> DownloadTaskAttachmentChunk.Output {
    let (attachment, _) = try call.store.lookUp { try find(input.attachmentID, call.account, in: $0) }
    return try await uploading.files.chunk(
      of: attachment.sha256, attachment.totalBytes, from: input.offset, for: call.account)
  }

  /// An attachment of a task in which the account takes part.
  private func find(
    _ id: ID<TaskAttachment>, _ account: AccountID, in database: Database
  ) throws -> (TaskAttachmentStore.Stored, isCreator: Bool) {
    guard let found = try TaskAttachmentStore.find(id, in: database) else { throw Failure(RequestFailure.notFound) }
    return (found, try access.require(found.task, account, in: database))
  }

  // MARK: - Deleting

  func delete(_ input: TaskAttachmentKey, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    // Who attached a file deletes it also when it takes part no longer: it answers for its room.
    let own = try TaskAttachmentStore.find(input.attachmentID, in: transaction.database).flatMap {
      $0.account == call.account ? $0 : nil
    }
    let (attachment, isCreator) =
      try own.map { ($0, false) } ?? find(input.attachmentID, call.account, in: transaction.database)
    guard TaskAttachmentRules.canDelete(call.account, uploader: attachment.account, isCreator: isCreator) else {
      throw Failure(RequestFailure.forbidden)
    }
    try TaskAttachmentStore.delete(attachment, access, transaction)
    transaction.afterCommit { [signal] in signal() }
    return Empty()
  }
}

/// Attachments by a task's token, through the gateway's page: the sender may be unknown.
struct TokenAttachmentHandlers: Sendable {
  let uploading: TaskAttachmentUploading
  let tokens: TaskTokenKeys
  let signal: TaskAttachmentSignal

  func create(
    _ input: CreateTaskAttachmentByToken.Input, _ call: OpenCall, _ transaction: Transaction
  ) throws -> TaskAttachmentKey {
    let database = transaction.database
    let token = try TaskTokenStore.redeem(input.token, tokens, at: transaction.now, in: database)
    // The account that made the token must still take part, and not be suspended; otherwise the token does not work.
    let maker = try Accounts.find(token.maker, in: database)
    guard try uploading.access.participation(token.task, token.maker, database)?.isParticipant == true,
      try !uploading.access.isCancelled(token.task, database), maker?.isSuspended(at: transaction.now) != true
    else {
      throw TaskTokenFailure.invalid
    }
    if try TaskAttachmentUploadStore.endIdleByToken(of: token.task, named: input.name, transaction) {
      transaction.afterCommit { [signal] in signal() }
    }
    guard try TaskAttachmentUploadStore.countByToken(of: token.task, in: database) < TaskAttachmentRules.maxUploadsByToken else {
      throw TaskAttachmentFailure.tooManyUploads.with(["max": .number(TaskAttachmentRules.maxUploadsByToken)])
    }
    try uploading.requireRoom(for: 1, in: token.task, of: token.maker, database)
    return TaskAttachmentKey(attachmentID: try TaskAttachmentUploadStore.create(input, of: token, transaction))
  }

  func uploadChunk(_ input: TaskAttachmentChunk, _ call: OpenCall) async throws -> TaskAttachmentProgress {
    try await uploading.take(input, call, isByToken)
  }

  func complete(_ input: TaskAttachmentKey, _ call: OpenCall) async throws -> CompleteTaskAttachmentByToken.Output {
    let id = input.attachmentID
    if let attached = try call.store.lookUp({ try Self.attached(id, in: $0) }) { return attached }
    let attachedID = try await uploading.complete(id, call, isByToken)
    guard let attached = try call.store.lookUp({ try Self.attached(attachedID, in: $0) }) else {
      throw Failure(RequestFailure.notFound)
    }
    return attached
  }

  func cancel(_ input: TaskAttachmentKey, _ call: OpenCall, _ transaction: Transaction) throws -> Empty {
    guard let upload = try TaskAttachmentUploadStore.find(input.attachmentID, in: transaction.database), upload.account == nil
    else { return Empty() }
    try TaskAttachmentUploadStore.remove(upload.id, transaction)
    transaction.afterCommit { [signal] in signal() }
    return Empty()
  }

  /// Lets the gateway continue the uploads that it began.
  private var isByToken: TaskAttachmentUploading.Check {
    { [access = uploading.access] upload, database in
      guard upload.account == nil else { throw Failure(RequestFailure.notFound) }
      try access.expectNotCancelled(upload.task, in: database)
    }
  }

  private static func attached(
    _ id: ID<TaskAttachment>, in database: Database
  ) throws -> CompleteTaskAttachmentByToken.Output? {
    guard let found = try TaskAttachmentStore.find(id, in: database), found.account == nil else { return nil }
    return .init(name: found.name, totalBytes: found.totalBytes)
  }
}
