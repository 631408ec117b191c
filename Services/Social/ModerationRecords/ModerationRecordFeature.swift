import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// The audit list: all that administrators decided and lifted (SOC-8). It outlives the accounts, which it then no longer names.
struct ModerationRecordFeature: Feature {
  let migrations = [ModerationRecordStore.migration(24)]
  let tables: [ErasedTable] = [
    ErasedTable.changed(
      "moderation_records", "accused_account = :account OR administrator_account = :account", .reports,
      by: "UPDATE moderation_records SET accused_account = NULL, note = NULL WHERE accused_account = :account",
      "UPDATE moderation_records SET administrator_account = NULL, note = NULL WHERE administrator_account = :account"
    ).atOnce
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListModerationRecords.self, read: ModerationRecordHandlers.list)
  }
}
