import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Reports of content that one account can see of another, with copies of it (SOC-8). A deleted reporter is no longer named; the copy is
/// another account's content, and stays with the case.
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
