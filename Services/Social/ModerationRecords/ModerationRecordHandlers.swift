import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// What administrators did, listed for all of them.
enum ModerationRecordHandlers {
  static func list(
    _ input: ListModerationRecords.Input, _ call: AccountCall, _ database: Database
  ) throws -> Page<ModerationRecord> {
    let page = try call.page(input)
    let rows = try ModerationRecordStore.list(before: page.before, limit: page.fetchLimit, in: database)
    return page.page(of: rows, key: { $0["sequence"] as Int64 }) { row in
      var record = ModerationRecord(row)
      // What administrators note about one can name who reported one.
      if record.accountID == call.account { record.note = nil }
      return record
    }
  }
}
