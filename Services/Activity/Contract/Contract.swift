import CActivityWords
public import Operations

extension Contract {
  /// The operations and events that activity offers to other services and to clients.
  ///
  /// Events carry states rather than differences: of events with a revision a subscriber keeps the highest, in whatever order they arrive.
  /// `stepGoals.progressed`, `imports.progressed`, and the events of inactivity and of reminders are transient and in no snapshot.
  public static let activity = Contract(
    .activity,
    features: [
      .categories, .activities, .activityLists, .days, .entries, .pauses, .skips, .calendars, .series, .templates, .activityEdits,
      .calendarFeeds, .history, .followedActivities, .statistics, .entryEdits, .entryChanges, .entrySync, .entryPhotos, .timers,
      .movementSamples, .movementDays, .movementSources, .stepGoals, .dashboard, .inactivity, .activityWeeks, .importOperations,
      .challengeActivities, .reportedEntries, .activityEvents, .streaks, .reminders,
    ],
    words: [.init(en: [UInt8](activity_words_en), es: [UInt8](activity_words_es))])
}
