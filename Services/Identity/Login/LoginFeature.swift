import IdentityContract
import Operations
import ServiceKit
import Storage

/// Log in, with its lockout after failures and its known devices (ID-3).
struct LoginFeature: Feature {
  let handlers: LoginHandlers
  let migrations = [DeviceTokenStore.migration(17)]
  let tables: [ErasedTable] = [
    ErasedTable.rows("device_tokens", "account_id = :account", .sessions).atOnce.uncounted,
    .untouched("login_failures", "keyed hashes, removed within a day"),
  ]
  let retention = [
    RetentionRule("login_failures", key: "account_key, address_key", after: "last_at", seconds: Lockout.memorySeconds),
    RetentionRule("device_tokens", key: "token_hash", after: "last_used_at", seconds: LoginHistoryStore.keptSeconds),
  ]

  func register(in service: inout ServiceDefinition) { service.serve(LogIn.self, handlers.logIn) }
}
