public import Operations

extension Contract {
  /// What activity shows the other services and the clients.
  public static let activity = Contract(
    .activity,
    operations: [
      ListCategories.self, CreateActivity.self, ListActivities.self, GetActivity.self, GetDay.self, RecordEntry.self,
      IncrementEntry.self, DeleteEntry.self, RecordMovementSamples.self,
      DeleteMovementSamples.self, ListMovementDays.self,
      ListMovementSources.self, OrderMovementSources.self,
      GetStepGoals.self, SetStepGoal.self, ClearStepGoal.self, GetDashboard.self,
      GetEntry.self, EditEntry.self, UndoEntry.self, ListEntryChanges.self, ForgetEntryChanges.self, SyncEntries.self,
      PutEntryPhoto.self, DeleteEntryPhoto.self, GetEntryPhoto.self,
      StartTimer.self, StopTimer.self, SaveTimer.self, DiscardTimer.self, GetTimer.self, ListTimers.self,
    ],
    events: [ActivityCreated.self, EntryRecorded.self, MovementChanged.self, StepGoalChanged.self, StepGoalApproached.self],
    words: [.init(en: PackageResources.en_json, es: PackageResources.es_json)])
}
