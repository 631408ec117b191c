import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The records of accounts: their hashes for social, everything for the account itself.
enum RegisterRecordHandlers {
  /// Most records of an answer.
  private static let limit = 500

  static func list(_ input: ListRegisterRecords.Input, _ call: OpenCall, _ database: Database) throws
    -> ListRegisterRecords.Output
  {
    .init(
      records: try RegisterRecordStore.list(after: input.after, limit: limit, in: database),
      lastNumber: try RegisterRecordStore.lastNumber(database))
  }

  static func own(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<OwnAccountRecord> {
    try RegisterRecordStore.list(of: call.account, call.page(input), in: database)
  }
}
