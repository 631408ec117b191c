import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves what concerns the changes of entries: those made offline, those that do not count any more, and taking one back.
  mutating func serveEntryChanges(_ calendars: AccountCalendars) {
    let words = Words(Contract.activity.words + Contract.identity.words)
    serve(
      SyncEntries.self,
      prepare: { input, call in
        try await calendars.prepare(input, call)
        if input.changes.contains(where: { $0.location.value != nil }) { try await Accounts.catchUp(on: .location, call) }
      },
      write: { input, _, call, transaction in
        let account = try call.account
        let today = try calendars.today(of: account, transaction)
        let sync = EntrySync(
          account: account, today: today, transaction: transaction, words: words, language: call.language)
        try ChangeNames.forgetOld(transaction)
        let results = try input.changes.map(sync.take)
        try ChangeAllowance.draw(results.count { $0.outcome == .applied || $0.outcome == .superseded }, for: account, transaction)
        return SyncEntries.Output(results: results)
      })

    serve(ListEntryChanges.self, prepare: calendars.prepare) { input, _, call, database in
      let goal = try calendars.goal(input.activityID, input.day, call, in: database)
      return try EntryHistory.list(of: goal, call.page(input), in: database)
    }

    serve(ForgetEntryChanges.self, prepare: calendars.prepare) { input, _, call, transaction in
      let (goal, _) = try calendars.goal(input.activityID, input.day, call, transaction)
      try EntryHistory.forget(goal.activity, goal.day, in: transaction.database)
      return Empty()
    }

    serve(UndoEntry.self, prepare: calendars.prepare) { input, _, call, transaction in
      let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
      try goal.requireOpen(today: today)
      try EntryUndo.undo(goal, of: call.account, transaction)
      let entry = try Entries.find(goal.activity, goal.day, in: transaction.database)
      return UndoEntry.Output(entry: entry?.entry(of: goal))
    }
  }
}
