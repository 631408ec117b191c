import GRDB
import IdentityContract
import ServiceKit
import Storage

/// The tables by which histories are narrowed.
enum HistoryTables {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "history") { try $0.execute(sql: HistorySchema.indexes) }
  }

  /// What an account has in them goes with its entries, by triggers.
  static let erased: [ErasedTable] =
    [
      .following("entry_comments", "entries"),
      .rows("history_accounts", "account_id = :account", .profiles),
      .untouched("entry_areas", "goes with entry_places, by triggers"),
      .untouched("entry_comment_index", "goes with entry_comments, by triggers"),
    ] + ["entry_areas_node", "entry_areas_parent", "entry_areas_rowid"].map { .untouched($0, "entry_areas is made of it") }
    + ["config", "data", "docsize", "idx"].map { .untouched("entry_comment_index_\($0)", "entry_comment_index is made of it") }
}
