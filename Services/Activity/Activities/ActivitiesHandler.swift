import ActivityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the making and reading of activities.
  mutating func serveActivities(_ calendars: AccountCalendars) {
    let words = Words(Contract.activity.words)

    serve(CreateActivity.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.today(of: account, transaction)
      let startDay = input.startDay ?? today
      var findings = FieldFindings(input.found)
      if let endDay = input.endDay, endDay < startDay, input.found.areRight("startDay", "endDay") {
        findings.add("endDay", PlannableDays.mayNotEndBefore(startDay))
      }
      try findings.end()
      let activity = Activity(
        id: ActivityID(), title: input.title.trimmed,
        reason: input.reason.map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 },
        category: input.category, goal: GoalMeasure(input.goal).goal(unit: input.goal.unit),
        schedule: PlannedDays(input.schedule, anchor: startDay).schedule, startDay: startDay, endDay: input.endDay,
        reminders: (input.reminders ?? []).canonical, tags: (input.tags ?? []).canonical, tie: input.tie,
        createdAt: transaction.now)
      try Activities.add(activity, of: account, transaction)
      try Ties.set(activity.tie, activity.id, of: account, today: today, transaction)
      return activity
    }

    serve(ListActivities.self, prepare: calendars.prepare) { input, _, call, database in
      let account = try call.account
      let days = try calendars.days(of: account, now: call.now, in: database)
      let page = try call.page(input)
      let items = try Activities.list(of: days, input, page, in: database)
      let message = input.cursor == nil && items.items.isEmpty ? input.emptyMessage(words, call.language) : nil
      return ActivityList(items, message: message)
    }

    serve(GetActivity.self, prepare: calendars.prepare) { input, _, call, database in
      let account = try call.account
      let activity = try Activities.find(input.activityID, of: account, in: database)
      let days = try calendars.days(of: account, now: call.now, in: database)
      let (streak, strength) = StreakRule.record(
        try Plans.find(activity.id, lostDays: days.lost, in: database), try Entries.progress(of: activity.id, in: database),
        today: days.today)
      return ActivityDetails(
        activity: activity, streak: streak, strength: strength.rounded(toPlaces: 3),
        pauses: try Pauses.list(of: activity.id, in: database))
    }

    serve(UpdateActivity.self, prepare: calendars.prepare) { input, _, call, transaction in
      try input.found.require("activityID")
      let account = try call.account
      let today = try calendars.today(of: account, transaction)
      return try Activities.update(input, of: account, today: today, transaction)
    }

    serve(DeleteActivity.self) { input, call, transaction in
      try Activities.delete(input.activityID, of: call.account, transaction)
      return Empty()
    }

    serve(ArchiveActivity.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.today(of: account, transaction)
      return try Activities.archive(input.activityID, of: account, today: today, transaction)
    }

    serve(UnarchiveActivity.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.today(of: account, transaction)
      return try Activities.unarchive(input.activityID, of: account, today: today, transaction)
    }

    serve(OrderActivity.self) { input, call, transaction in
      try Activities.move(input.activityID, behind: input.after, of: call.account, transaction)
      return Empty()
    }
  }
}

extension ListActivities.Input {
  /// What to tell a person whose list is empty.
  fileprivate func emptyMessage(_ words: Words, _ language: Language) -> String? {
    let hasFilter = tag != nil || category != nil || TitleKey.search(title) != nil
    let key = hasFilter ? "activities_none_found" : archived == true ? "activities_none_archived" : "activities_empty"
    return words.text("list.\(key)", language)
  }
}
