import IdentityContract
import Operations
import ServiceKit
import Storage

/// Sessions: refreshed, listed and ended (ID-4 to ID-6).
struct SessionFeature: Feature {
  let handlers: SessionHandlers
  let clock: Clock
  let migrations = [
    SessionStore.lastSeenMigration(2), SessionStore.generationsMigration(20),
    SessionStore.deletedAccountsMigration(30), SessionStore.liveMigration(47), SessionStore.expiryMigration(49),
    SessionStore.surplusMigration(53),
  ]
  // What has no bound by its rules goes in steps: a session has a token for every ten minutes of its month. With the account gone, no token
  // is good for anything and the sessions are shown to nobody; that they ended is published first.
  let tables: [ErasedTable] = [
    .following("refresh_tokens", "sessions", where: "session_id IN (SELECT session_id FROM sessions WHERE account_id = :account)")
      .preceded(by: SessionStore.end),
    .rows("sessions", "account_id = :account", .sessions),
    .untouched("ended_sessions", "ids of what is gone, removed within days"),
    .following("session_surpluses", "accounts"),
  ]
  let retention = [
    RetentionRule("sessions", key: "session_id", after: "expires_at", seconds: SessionStore.keptSeconds),
    RetentionRule("sessions", key: "session_id", after: "revoked_at", seconds: SessionStore.keptSeconds),
    RetentionRule("ended_sessions", key: "session_id", after: "ended_at", seconds: SessionStore.keptSeconds),
  ]

  var snapshot: [SnapshotPart] {
    [
      SnapshotPart("sessions", SessionRevoked.self) { [clock] database, key in
        try SessionStore.revokedSnapshot(database, after: key, now: clock.now)
      },
      SnapshotPart("invalidated", AccessTokensInvalidated.self) { [clock] database, key in
        try SessionStore.invalidatedSnapshot(database, after: key, now: clock.now)
      },
    ]
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(RefreshSession.self, handlers.refresh)
    service.serve(LogOut.self, write: SessionHandlers.logOut)
    service.serve(ListSessions.self, read: handlers.list)
    service.serve(CloseSession.self, write: SessionHandlers.close)
    service.serve(CloseOtherSessions.self, write: SessionHandlers.closeOthers)
    service.serve(CheckSessions.self, read: SessionHandlers.check)
    service.run { store in SurplusSessionWorker(store: store) }
  }
}
