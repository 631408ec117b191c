import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Reports of what one account can see of another, with copies of it (SOC-8). Who reported and was deleted is named no more; the copy is of
/// another's, and stays with the case.
struct ReportFeature: Feature {
  let access: TaskAccess
  let clock: Clock

  let migrations = [ReportStore.migration(22), ReportStore.subjectsMigration(36)]
  let tables: [ErasedTable] = [
    ErasedTable.changed(
      "reports", "reporter_account = :account", .reports,
      by: "UPDATE reports SET reporter_account = NULL, text = NULL WHERE reporter_account = :account"
    ).atOnce,
    .following("reported_photos", "moderation_cases"),
    .following("reported_files", "moderation_cases"),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(CreateReport.self, prepare: ReportedCopy.ofOthers, write: ReportHandlers(access: access).send)
    service.serve(ListOwnReports.self, read: ReportHandlers.list)
    service.run { store in ReportWorker(store: store, clock: clock) }
  }
}
