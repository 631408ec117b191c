import IdentityContract
import Operations
import ServiceKit
import Storage

/// Withdrawn access: what was given beyond sessions ends, also with other services.
struct AccessWithdrawalFeature: Feature {
  let migrations = [AccessWithdrawalStore.migration(24)]
  let tables: [ErasedTable] = [ErasedTable.rows("access_withdrawals", "account_id = :account", .accessTokens).atOnce.uncounted]
  let snapshot = [SnapshotPart("access", AccessWithdrawn.self, page: AccessWithdrawalStore.snapshot)]
}
