import IdentityContract
import Operations
import ServiceKit
import Storage

/// Changes of e-mail addresses, by a link to the new one; undone by a link to the former one (ID-11).
struct EmailChangeFeature: Feature {
  let handlers: EmailChangeHandlers
  let clock: Clock
  let migrations = [EmailChangeStore.migration(15), EmailChangeStore.undoingMigration(18)]
  let tables: [ErasedTable] = [ErasedTable.rows("email_changes", "account_id = :account", .links).atOnce]
  let retention = [RetentionRule("email_changes", key: "change_id", after: "expires_at", seconds: EmailLinkRules.keptSeconds)]

  var snapshot: [SnapshotPart] {
    [
      SnapshotPart("emailChanges", EmailChangeRequested.self) { [clock] database, key in
        try EmailChangeStore.snapshot(database, after: key, now: clock.now)
      }
    ]
  }

  func register(in service: inout ServiceDefinition) {
    service.serveAttempt(RequestEmailChange.self, prepare: handlers.attempt, write: EmailChangeHandlers.request)
    service.serve(CompleteEmailChange.self, handlers.complete)
    service.serve(GetEmailChangeSecret.self, read: handlers.getSecret)
    service.serve(UndoEmailChange.self, handlers.undo)
    service.serve(GetEmailChangeNotice.self, read: handlers.getNotice)
  }
}
