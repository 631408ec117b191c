import IdentityContract
import Operations
import ServiceKit
import Storage

/// The records of accounts from which social makes leaves of its register (TASK-9).
struct RegisterRecordFeature: Feature {
  let migrations = [RegisterRecordStore.migration(38)]
  let tables: [ErasedTable] = [
    .rows("register_openings", "account_id = :account", .registerRecords),
    .untouched("register_records", "kinds, times and commitments, which nothing opens any more"),
    .following("register_backlog", "accounts"),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListRegisterRecords.self, read: RegisterRecordHandlers.list)
    service.serve(ListOwnAccountRecords.self, read: RegisterRecordHandlers.own)
    service.run { RegisterRecordWorker(store: $0) }
  }
}
