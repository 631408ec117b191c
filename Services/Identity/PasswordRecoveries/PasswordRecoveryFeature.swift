import IdentityContract
import Operations
import ServiceKit
import Storage

/// Recovery: a new password by a mailed link (ID-8).
struct PasswordRecoveryFeature: Feature {
  let handlers: PasswordRecoveryHandlers
  let clock: Clock
  let migrations = [PasswordRecoveryStore.migration(4)]
  let tables: [ErasedTable] = [ErasedTable.rows("password_recoveries", "account_id = :account", .links).atOnce]
  let retention = [
    RetentionRule("password_recoveries", key: "recovery_id", after: "expires_at", seconds: EmailLinkRules.keptSeconds)
  ]

  var snapshot: [SnapshotPart] {
    [
      SnapshotPart("recoveries", PasswordRecoveryRequested.self) { [clock] database, key in
        try PasswordRecoveryStore.snapshot(database, after: key, now: clock.now)
      }
    ]
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(RequestPasswordRecovery.self, write: handlers.request)
    service.serve(CompletePasswordRecovery.self, handlers.complete)
    service.serve(GetRecoverySecret.self, read: handlers.getSecret)
  }
}
