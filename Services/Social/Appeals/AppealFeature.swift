import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Appeals against decisions, by the account or by the link that a suspended one is mailed; decided by another administrator where there is
/// one (SOC-8).
struct AppealFeature: Feature {
  let access: TaskAccess

  let migrations = [AppealStore.migration(25)]
  let tables: [ErasedTable] = [
    ErasedTable.changed(
      "appeals",
      "decided_by = :account OR case_id IN (SELECT case_id FROM moderation_cases WHERE accused_account = :account)", .reports,
      by: "DELETE FROM appeals WHERE case_id IN (SELECT case_id FROM moderation_cases WHERE accused_account = :account)",
      "UPDATE appeals SET decided_by = NULL, note = NULL WHERE decided_by = :account"
    ).atOnce
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(AppealSanction.self, write: AppealHandlers.send)
    service.serve(ListAppeals.self, read: AppealHandlers.list)
    service.serve(
      DecideAppeal.self, prepare: ModerationCaseHandlers.administrators,
      write: AppealHandlers(removed: RemovedContent(access: access)).decide)
    service.subscribe(to: SuspensionAppealed.self, AppealSubscriptions.appealed)
  }
}
