import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Changes of entries: takes in offline ones, lists and forgets lost ones, and undoes the last one.
struct EntryChangeHandlers: Sendable {
  let calendars: AccountCalendars
  private let words = Words(Contract.activity.words + Contract.identity.words)

  init(calendars: AccountCalendars) { self.calendars = calendars }

  func prepareSync(_ input: SyncEntries.Input, _ call: AccountCall) async throws {
    if input.changes.contains(where: { $0.location.value != nil }) { try await Accounts.catchUp(on: .location, call) }
  }

  func sync(
    _ input: SyncEntries.Input, _ prepared: Void, _ call: AccountCall, _ transaction: Transaction
  ) throws -> SyncEntries.Output {
    let account = call.account
    let today = try calendars.today(of: account, transaction)
    let sync = EntrySync(account: account, today: today, transaction: transaction, words: words, language: call.language)
    try ChangeNameStore.forgetOld(transaction)
    let results = try input.changes.map(sync.take)
    let taken = results.count { $0.outcome == .applied || $0.outcome == .superseded }
    try ChangeAllowanceStore.draw(taken, for: account, transaction)
    return SyncEntries.Output(results: results)
  }

  func list(_ input: ListEntryChanges.Input, _ call: AccountCall, _ database: Database) throws -> ListEntryChanges.Output {
    let goal = try calendars.goal(input.activityID, input.day, call, in: database)
    return try EntryChangeStore.list(of: goal, call.page(input), in: database)
  }

  func forget(_ input: DeleteEntryChanges.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let (goal, _) = try calendars.goal(input.activityID, input.day, call, transaction)
    try EntryChangeStore.forget(goal.activity, goal.day, in: transaction.database)
    return Empty()
  }

  func undo(_ input: UndoEntry.Input, _ call: AccountCall, _ transaction: Transaction) throws -> UndoEntry.Output {
    let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
    try goal.requireOpen(today: today)
    let entry = try EntryUndo.undo(goal, of: call.account, transaction)
    return UndoEntry.Output(entry: entry?.entry(of: goal))
  }
}
