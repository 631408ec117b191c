public import Operations

extension Contract {
  /// What activity shows the other services and the clients.
  public static let activity = Contract(
    .activity,
    operations: [
      ListCategories.self, CreateActivity.self, ListActivities.self, GetActivity.self, GetDay.self, RecordEntry.self,
      IncrementEntry.self, DeleteEntry.self, RecordStepSamples.self, ListStepDays.self,
      CreatePause.self, UpdatePause.self, DeletePause.self, CreateSkip.self, DeleteSkip.self,
      GetCalendar.self, GetSeries.self,
      ListTemplates.self, UpdateActivity.self, DeleteActivity.self, ArchiveActivity.self, UnarchiveActivity.self,
      OrderActivity.self,
      CreateCalendarFeed.self, GetCalendarFeed.self, RevokeCalendarFeed.self, ReadCalendarFeed.self,
    ],
    events: [
      ActivityChanged.self, ActivityDeleted.self,
      EntryRecorded.self, StepsChanged.self,
    ],
    words: [.init(en: PackageResources.en_json, es: PackageResources.es_json)])
}
