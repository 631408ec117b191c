import ActivityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the pauses of activities.
  mutating func servePauses(_ calendars: AccountCalendars) {
    serve(CreatePause.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      try Activities.require(input.activityID, of: account, in: transaction.database)
      let firstDay = try input.firstDay ?? calendars.today(of: account, transaction)
      let pause = Pause(id: PauseID(), activityID: input.activityID, firstDay: firstDay, lastDay: input.lastDay)
      try pause.checkOrder()
      try Pauses.put(pause, transaction)
      return pause
    }

    serve(UpdatePause.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      try Activities.require(input.activityID, of: account, in: transaction.database)
      let before = try Pauses.find(input.pauseID, of: input.activityID, in: transaction.database)
      var pause = before
      pause.firstDay = input.firstDay ?? pause.firstDay
      pause.lastDay = input.lastDay ?? pause.lastDay
      try pause.checkOrder()
      try Pauses.put(pause, transaction)
      try Ties.takeUp(
        before.days, input.activityID, of: account, today: calendars.today(of: account, transaction), transaction)
      return pause
    }

    serve(DeletePause.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      try Activities.require(input.activityID, of: account, in: transaction.database)
      let pause = try Pauses.find(input.pauseID, of: input.activityID, in: transaction.database)
      try Pauses.delete(pause, transaction)
      try Ties.takeUp(
        pause.days, input.activityID, of: account, today: calendars.today(of: account, transaction), transaction)
      return Empty()
    }
  }
}

extension Pause {
  /// The days on which the activity rests.
  fileprivate var days: ClosedRange<LocalDay> { firstDay...lastDay }

  /// Refuses a pause that ends before it begins, which the input cannot show where it leaves one of the days out.
  fileprivate func checkOrder() throws(Failure) {
    guard lastDay >= firstDay else { throw Failure.field("lastDay", PlannableDays.mayNotEndBefore(firstDay)) }
  }
}
