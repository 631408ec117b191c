public import Operations

extension FeatureContract {
  static let taskSeriesParticipants = FeatureContract(
    operations: [AddTaskSeriesParticipants.self, RemoveTaskSeriesParticipant.self])
}

/// Adds people to the future occurrences of a recurring task, by its creator (TASK-1). Present participants and existing occurrences stay
/// as they are.
///
/// All problems are answered at once, as by ``AddTaskParticipants``; people who have opted out are not enrolled again.
public enum AddTaskSeriesParticipants: AccountOperation {
  /// Whom, and in what.
  public struct Input: Form {
    /// Names the series.
    public var seriesID: ID<TaskSeries>
    /// Whom to enrol.
    public var participants: [Username]
    public var found = FoundProblems()

    private enum CodingKeys: String, CodingKey { case seriesID, participants }

    /// The input from its parts.
    public init(seriesID: ID<TaskSeries>, participants: [Username]) {
      self.seriesID = seriesID
      self.participants = participants
    }

    public static let notes: Notes = ["seriesID": "The recurring task.", "participants": TaskEnrollmentText.usernames]
  }

  public typealias Output = TaskSeries

  public static let spec = OperationSpec(
    "taskSeriesParticipants.add", of: .social, .post("/v1/task-series/{seriesID}/participants"), by: .verifiedAccount,
    effect: .write,
    failures: TaskRefusals.ofCreator + [TaskSeriesFailure.ended.kind, TaskFailure.tooManyParticipants.kind],
    requirements: ["TASK-1"], "Enrols more people in the future occurrences of a recurring task that the caller created.")
}

/// Removes a participant from a recurring task, by its creator: from future occurrences, and from the open ones that the participant has
/// not confirmed (TASK-5).
public enum RemoveTaskSeriesParticipant: AccountOperation {
  /// Whom, and from what.
  public struct Input: Document {
    /// Names the series.
    public var seriesID: ID<TaskSeries>
    /// The participant to remove.
    public var accountID: AccountID

    /// The input from its parts.
    public init(seriesID: ID<TaskSeries>, accountID: AccountID) {
      self.seriesID = seriesID
      self.accountID = accountID
    }

    public static let notes: Notes = ["seriesID": "The recurring task.", "accountID": "The participant to remove."]
  }

  public typealias Output = TaskSeries

  public static let spec = OperationSpec(
    "taskSeriesParticipants.remove", of: .social, .delete("/v1/task-series/{seriesID}/participants/{accountID}"), by: .account,
    effect: .write, failures: TaskRefusals.ofCreator + [TaskSeriesFailure.creatorStays.kind], requirements: ["TASK-5"],
    "Removes a participant from a recurring task that the caller created.")
}
