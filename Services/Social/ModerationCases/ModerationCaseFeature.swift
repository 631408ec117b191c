import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Cases of reported content: listed, read and decided by administrators (SOC-8). Cases against an account are deleted with it, including
/// the copies in them; for a deleted administrator, the decision loses its name and note.
struct ModerationCaseFeature: Feature {
  let access: TaskAccess
  let files: TaskAttachmentFiles

  let migrations = [
    ModerationCaseStore.migration(21), ModerationCaseStore.removedMigration(44), RemovedAttachmentStore.migration(49),
  ]
  let tables: [ErasedTable] = [
    ErasedTable.changed(
      "moderation_cases", "accused_account = :account OR decided_by = :account", .reports,
      by: "DELETE FROM moderation_cases WHERE accused_account = :account",
      "UPDATE moderation_cases SET decided_by = NULL, note = NULL WHERE decided_by = :account"
    ).atOnce,
    .following("removed_task_attachments", "moderation_cases"),
  ]
  let snapshot = [
    SnapshotPart("photoRemovals", PhotoRemovalDecided.self, page: ModerationCaseStore.removedPhotos),
    SnapshotPart("entryRemovals", EntryRemovalChanged.self, page: ModerationCaseStore.removedEntries),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListModerationCases.self, read: ModerationCaseHandlers.queue)
    service.serve(GetModerationCase.self, read: ModerationCaseHandlers.get)
    let handlers = ModerationCaseHandlers(removed: RemovedContent(access: access), files: files)
    service.serve(GetReportedPhoto.self, read: ModerationCaseHandlers.photo)
    service.serve(DownloadReportedFileChunk.self, handlers.fileChunk)
    service.serve(DecideModerationCase.self, prepare: ModerationCaseHandlers.administrators, write: handlers.decide)
  }
}
