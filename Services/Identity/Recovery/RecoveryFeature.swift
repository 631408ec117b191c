import IdentityContract
import Operations
import ServiceKit
import Storage

/// Recovery: a new password by a mailed link (ID-8).
struct RecoveryFeature: Feature {
  let handlers: RecoveryHandlers
  let clock: Clock
  let migrations = [RecoveryStore.migration(4)]
  let tables: [ErasedTable] = [ErasedTable.rows("password_recoveries", "account_id = :account", .links).atOnce]

  var snapshot: [SnapshotPart] {
    [
      SnapshotPart("recoveries", PasswordRecoveryRequested.self) { [clock] database, key in
        try RecoveryStore.snapshot(database, after: key, now: clock.now)
      }
    ]
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(RequestPasswordRecovery.self, write: handlers.request)
    service.serve(CompletePasswordRecovery.self, handlers.complete)
    service.serve(ReadRecoverySecret.self, read: handlers.readSecret)
  }
}
