import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// History: search of entries by day, text, place and person, as a list and as points of a map.
struct HistoryFeature: Feature {
  let calendars: AccountCalendars
  let migrations = [HistoryStore.migration(13), EntryCommentBlockStore.migration(39)]
  /// Triggers delete an account's rows in these tables with its entries.
  let tables: [ErasedTable] =
    [
      .following("entry_comments", "entries"),
      .rows("history_accounts", "account_id = :account", .profiles),
      .untouched("entry_areas", "goes with entry_places, by triggers"),
      .untouched("entry_comment_blocks", "goes with entry_comments, by triggers"),
    ] + ["entry_areas_node", "entry_areas_parent", "entry_areas_rowid"].map { .untouched($0, "entry_areas is made of it") }

  func register(in service: inout ServiceDefinition) {
    let handlers = HistoryHandlers(calendars: calendars)
    service.serve(ListHistory.self, prepare: HistoryHandlers.prepare, read: handlers.list)
    service.serve(ListHistoryPoints.self, prepare: HistoryHandlers.prepare, read: handlers.listPoints)
  }
}
