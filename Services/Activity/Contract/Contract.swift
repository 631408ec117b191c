import CActivityWords
public import Operations

extension Contract {
  /// The operations and events that activity offers to other services and to clients.
  ///
  /// Events carry states rather than differences: of events with a revision a subscriber keeps the highest, in whatever order they arrive.
  /// `goals.approached`, `imports.progressed`, and the events of inactivity and of reminders are transient and in no snapshot.
  public static let activity = Contract(
    .activity,
    operations: [
      ListCategories.self, CreateActivity.self, ListActivities.self, GetActivity.self, GetDay.self, RecordEntry.self,
      CreateEntry.self, IncrementEntry.self, DeleteEntry.self,
      CreatePause.self, UpdatePause.self, DeletePause.self, CreateSkip.self, DeleteSkip.self,
      GetCalendar.self, GetSeries.self,
      ListTemplates.self, UpdateActivity.self, DeleteActivity.self, ArchiveActivity.self, UnarchiveActivity.self,
      ReorderActivity.self,
      CreateCalendarFeed.self, GetCalendarFeed.self, RevokeCalendarFeed.self, ReadCalendarFeed.self,
      ListHistory.self, ListHistoryPoints.self, ListFollowedActivities.self, GetStatistics.self,
      GetEntry.self, UpdateEntry.self, UndoEntry.self, ListEntryChanges.self, DeleteEntryChanges.self, SyncEntries.self,
      PutEntryPhoto.self, DeleteEntryPhoto.self, GetEntryPhoto.self,
      StartTimer.self, StopTimer.self, SaveTimer.self, DiscardTimer.self, GetTimer.self, ListTimers.self,
      RecordMovementSamples.self, DeleteMovementSamples.self, ListMovementDays.self,
      ListMovementSources.self, ReorderMovementSources.self,
      GetStepGoals.self, SetStepGoal.self, ClearStepGoal.self, GetDashboard.self,
      ReadInactivityNotice.self, SetInactivityNotice.self, ClearInactivityNotice.self, ReadActivityWeeks.self,
      CreateImport.self, UploadImportChunk.self, CompleteImport.self, GetImport.self, ListImports.self, ListImportProblems.self,
      ListImportedExercises.self, CancelImport.self,
      ReadChallengeActivity.self, PlanChallengeActivity.self, ReadReportedEntry.self,
    ],
    events: [
      ActivityChanged.self, ActivityDeleted.self,
      EntryRecorded.self, MovementChanged.self, ImportProgressed.self,
      StepGoalChanged.self, StepGoalApproached.self, StreakChanged.self, InactivityNoticed.self, InactivityEnded.self,
      ReminderDue.self, ReminderWithdrawn.self,
    ],
    words: [.init(en: [UInt8](activity_words_en), es: [UInt8](activity_words_es))])
}
