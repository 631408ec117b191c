import IdentityContract
import Operations
import ServiceKit
import Storage

/// Logins unlike their account: the owner is notified or asked, or the login is refused (ID-7).
struct LoginAlertFeature: Feature {
  let handlers: LoginAlertHandlers
  let clock: Clock
  let migrations = [LoginAlertStore.migration(6), LoginAlertStore.lapseMigration(50), LoginAlertStore.boundMigration(52)]
  let tables: [ErasedTable] = [
    .following("login_alert_sessions", "sessions"),
    // Only their owner sees them, and without the account no login is assessed.
    .rows("login_alerts", "account_id = :account", .securityEvents),
    ErasedTable.rows("known_devices", "account_id = :account", .sessions).atOnce.uncounted,
    ErasedTable.rows("known_places", "account_id = :account", .sessions).atOnce.uncounted,
  ]
  let retention = [
    RetentionRule("known_devices", key: "account_id, device_key", after: "last_seen_at", seconds: LoginHistoryStore.keptSeconds),
    RetentionRule("known_places", key: "account_id, network", after: "last_seen_at", seconds: LoginHistoryStore.keptSeconds),
  ]

  var snapshot: [SnapshotPart] {
    let (clock, places) = (clock, handlers.watch.places)
    return [
      SnapshotPart("alerts", LoginAlertRaised.self) { database, key in
        try LoginAlertStore.snapshot(database, after: key, now: clock.now, places)
      }
    ]
  }

  func register(in service: inout ServiceDefinition) {
    service.decideDoubt { session, database in try LoginAlertStore.isInDoubt(session, in: database) }
    service.serve(ListLoginAlerts.self, read: handlers.list)
    service.serve(AnswerLoginAlert.self, write: handlers.answer)
    service.serve(AnswerLoginAlertByLink.self, handlers.answerByLink)
    service.serve(GetLoginAlertSecret.self, read: handlers.getSecret)
    service.run { store in UnansweredLoginWorker(store: store) }
  }
}
