import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Suspensions of accounts, which social decides: all access of the account ends, and it cannot log in until the suspension is over; by a
/// mailed link its owner reads the reason, appeals, or deletes the account (SOC-8).
struct SuspensionFeature: Feature {
  let handlers: SuspensionHandlers
  let clock: Clock
  let migrations = [SuspensionStore.migration(36)]
  let tables: [ErasedTable] = [
    ErasedTable.rows("suspension_links", "account_id = :account", .links).atOnce,
    ErasedTable.rows("suspensions", "account_id = :account", .securityEvents).atOnce,
  ]
  let retention = [
    RetentionRule("suspension_links", key: "link_id", after: "expires_at", seconds: EmailLinkRules.keptSeconds),
    RetentionRule("suspensions", key: "suspension_id", after: "until", seconds: SuspensionStore.keptSeconds),
  ]

  var snapshot: [SnapshotPart] {
    [
      SnapshotPart("appeals", SuspensionAppealed.self, page: SuspensionStore.snapshot),
      SnapshotPart("suspensionLinks", SuspensionLinkRequested.self) { [clock] database, key in
        try SuspensionLinkStore.snapshot(database, after: key, now: clock.now)
      },
    ]
  }

  func register(in service: inout ServiceDefinition) {
    service.subscribe(to: SuspensionChanged.self, SuspensionSubscriptions.changed)
    service.serve(GetSuspension.self, handlers.get)
    service.serve(AppealSuspension.self, handlers.appeal)
    service.serve(GetSuspensionSecret.self, read: handlers.getSecret)
  }
}
