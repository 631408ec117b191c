import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Files attached to tasks, by their participants or by a task's token (TASK-8). Each content is stored once.
struct TaskAttachmentFeature: Feature {
  private let uploading: TaskAttachmentUploading
  private let tokens: TaskTokenKeys
  private let signal = TaskAttachmentSignal()

  let migrations = [TaskAttachmentStore.migration(31), TaskAttachmentUploadStore.endedMigration(58)]
  let tables: [ErasedTable] = [
    .rows("task_attachment_uploads", "charged_account = :account", .attachments).atOnce,
    TaskAttachmentStore.erased,
    .untouched("task_attachment_contents", "what files hold; who attached them stands in task_attachments"),
    .untouched("task_attachment_ended_uploads", "files that go before an erasure is confirmed; not whose they were"),
  ]

  init(access: TaskAccess, tokens: TaskTokenKeys, _ environment: ServiceEnvironment) {
    uploading = TaskAttachmentUploading(
      rules: TaskAttachmentRules(environment.settings), files: TaskAttachmentFiles(environment.home), access: access)
    self.tokens = tokens
  }

  func register(in service: inout ServiceDefinition) {
    let handlers = TaskAttachmentHandlers(uploading: uploading, signal: signal)
    service.serve(CreateTaskAttachment.self, write: handlers.create)
    service.serve(UploadTaskAttachmentChunk.self, handlers.uploadChunk)
    service.serve(CompleteTaskAttachment.self, handlers.complete)
    service.serve(CancelTaskAttachment.self, write: handlers.cancel, afterwards: handlers.removeFile)
    service.serve(ListTaskAttachments.self, read: handlers.list)
    service.serve(GetTaskAttachment.self, read: handlers.get)
    service.serve(DownloadTaskAttachmentChunk.self, handlers.downloadChunk)
    service.serve(DeleteTaskAttachment.self, write: handlers.delete)
    let byToken = TokenAttachmentHandlers(uploading: uploading, tokens: tokens, signal: signal)
    service.serve(CreateTaskAttachmentByToken.self, write: byToken.create)
    service.serve(UploadTaskAttachmentChunkByToken.self, byToken.uploadChunk)
    service.serve(CompleteTaskAttachmentByToken.self, byToken.complete)
    service.serve(CancelTaskAttachmentByToken.self, write: byToken.cancel)
    service.run { [uploading, signal] in TaskAttachmentWorker(store: $0, files: uploading.files, signal: signal) }
    service.run { [uploading] in TaskAttachmentStrayWorker(store: $0, files: uploading.files) }
  }

  /// Removes the files of the account's attachments and of its unfinished uploads, which the store notes, and waits until those are gone
  /// that the store did not know at the start.
  func clean(_ erasure: ErasedAccount, _ store: Store) async throws {
    let worker = TaskAttachmentWorker(store: store, files: uploading.files, signal: signal)
    guard try await worker.removeNoted(), uploading.files.strays.areGone else {
      throw Failure(RequestFailure.unavailable, retryAfterSeconds: 5)
    }
  }
}
