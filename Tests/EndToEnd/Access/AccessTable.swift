import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

/// What must come of each operation that names something, in the order in which the owner calls them at last: what takes away stands last.
struct AccessTable: Sendable {
  private(set) var entries: [AccessEntry] = []

  /// An operation on a thing of the owner's: for outsiders it does not exist, and the owner gets what there is.
  ///
  /// - Parameters:
  ///   - others: what outsiders get; its code is the thing's own `…_not_found` where a service has one for each noun.
  ///   - owner: what the owner gets, for a call that would be wrong for anybody.
  ///   - evaluate: what an answer comes to, where it may be one without anything of the owner's.
  mutating func owned<O: Operations.Operation>(
    _ operation: O.Type, others: Outcome = .notFound, owner: Outcome = .done,
    evaluate: @escaping @Sendable (O.Output) -> Outcome = { _ in .done },
    _ input: @escaping @Sendable (Things, Caller) throws -> O.Input
  ) {
    entries.append(AccessEntry(operation, .owned(others: others, owner: owner), evaluate, input))
  }

  /// An operation that others may call for a thing of the owner's, or some of them.
  mutating func open<O: Operations.Operation>(
    _ operation: O.Type, _ outcomes: [Role: Outcome], evaluate: @escaping @Sendable (O.Output) -> Outcome = { _ in .done },
    _ input: @escaping @Sendable (Things, Caller) throws -> O.Input
  ) {
    entries.append(AccessEntry(operation, .open(outcomes), evaluate, input))
  }

  /// An operation that names only what is the caller's own, or nobody's.
  mutating func own<O: Operations.Operation>(_ operation: O.Type, because reason: String) {
    entries.append(AccessEntry(operation, .own(reason), { _ in .done }, { _, _ in throw NotCalled() }))
  }

  private struct NotCalled: Error {}

  static let all: AccessTable = {
    var table = AccessTable()
    table.addOpen()
    table.addEntries()
    table.addPlans()
    table.addTimers()
    table.addImports()
    table.addMovement()
    table.addTeams()
    table.addPeople()
    table.addTasks()
    table.addAccounts()
    table.addPartners()
    table.addActivities()
    return table
  }()

  // MARK: - Activity

  /// Another's activity is no more there than one that there never was.
  private static let noActivity = Outcome.refused(404, "activity_not_found")

  private static let ofOneself = Outcome.refused(422, "report_of_oneself")

  private mutating func addEntries() {
    let (others, photo) = (Self.noActivity, Base64Bytes([UInt8](Picture.noise(width: 8, height: 8))))
    owned(CreateEntry.self, others: others) { things, _ in
      .init(activityID: things.activity, day: .day(things.day(-3)), durationSeconds: 60, photo: photo)
    }
    owned(RecordEntry.self, others: others) { things, _ in
      .init(activityID: things.activity, day: .today, durationSeconds: 120, comment: "mine now")
    }
    owned(IncrementEntry.self, others: others) { things, _ in
      .init(activityID: things.activity, day: .today, durationSeconds: 60)
    }
    owned(UpdateEntry.self, others: others) { things, _ in
      .init(activityID: things.activity, day: .today, comment: .set("edited"))
    }
    owned(GetEntry.self, others: others) { things, _ in .init(activityID: things.activity, day: .today) }
    owned(ListEntryChanges.self, others: others) { things, _ in .init(activityID: things.activity, day: .today) }
    owned(UndoEntry.self, others: others) { things, _ in .init(activityID: things.activity, day: .today) }
    owned(DeleteEntryChanges.self, others: others) { things, _ in .init(activityID: things.activity, day: .today) }
    owned(
      SyncEntries.self, others: others,
      evaluate: { output in
        guard let result = output.results.first else { return .nothing }
        return result.refusal.map { .refused(404, $0.code) } ?? .done
      },
      { things, caller in
        let change = OfflineChange(
          id: try ChangeID(text: "change-\(caller.role)"), deviceID: try DeviceID(text: "phone"), madeAt: .now,
          activityID: things.activity, day: things.today, durationSeconds: 600)
        return .init(changes: [change])
      })
    owned(PutEntryPhoto.self, others: others) { things, _ in
      .init(activityID: things.activity, day: .today, content: photo)
    }
    owned(GetEntryPhoto.self, others: others) { things, _ in .init(activityID: things.activity, day: .today) }
    let isEmpty: @Sendable (Page<HistoryItem>) -> Outcome = { $0.items.isEmpty ? .nothing : .done }
    owned(ListHistory.self, others: .nothing, evaluate: isEmpty) { things, _ in
      .init(scope: .all, activityIDs: [things.activity])
    }
    owned(ListHistoryPoints.self, others: .nothing, evaluate: { $0.items.isEmpty ? .nothing : .done }) { things, _ in
      .init(scope: .all, activityIDs: [things.activity])
    }
    for isPhoto in [false, true] {
      owned(CreateReport.self, owner: Self.ofOneself) { things, _ in
        let (activity, day) = (things.activity, things.today)
        return .init(subject: isPhoto ? .entryPhoto(activity, day) : .entry(activity, day), reason: .spam)
      }
    }
    owned(DeleteEntryPhoto.self, others: others) { things, _ in .init(activityID: things.activity, day: .today) }
    owned(DeleteEntry.self, others: others) { things, _ in .init(activityID: things.activity, day: .today) }
  }

  private mutating func addPlans() {
    let others = Self.noActivity
    owned(CreatePause.self, others: others) { things, _ in
      .init(activityID: things.activity, firstDay: things.day(30), lastDay: things.day(31))
    }
    owned(UpdatePause.self, others: others) { things, _ in
      .init(activityID: things.activity, pauseID: things.pause, lastDay: .set(things.day(12)))
    }
    // Another's pause under an activity of one's own.
    let noPause = Outcome.refused(404, "pause_not_found")
    owned(UpdatePause.self, others: noPause, owner: noPause) { things, caller in
      .init(activityID: caller.activity, pauseID: things.pause, lastDay: .set(things.day(13)))
    }
    owned(DeletePause.self, others: noPause, owner: noPause) { things, caller in
      .init(activityID: caller.activity, pauseID: things.pause)
    }
    owned(DeletePause.self, others: others) { things, _ in .init(activityID: things.activity, pauseID: things.pause) }
    owned(CreateSkip.self, others: others) { things, _ in .init(activityID: things.activity, day: .day(things.day(2))) }
    owned(DeleteSkip.self, others: others) { things, _ in .init(activityID: things.activity, day: .day(things.day(1))) }
  }

  private mutating func addTimers() {
    let others = Self.noActivity
    owned(StartTimer.self, others: others) { things, _ in .init(activityID: things.activity) }
    owned(GetTimer.self, others: others) { things, _ in .init(activityID: things.activity) }
    owned(StopTimer.self, others: others) { things, _ in .init(activityID: things.activity) }
    owned(SaveTimer.self, others: others) { things, _ in .init(activityID: things.activity) }
    owned(DiscardTimer.self, others: others) { things, _ in .init(activityID: things.activity) }
  }

  private mutating func addImports() {
    let others = Outcome.refused(404, "import_not_found")
    owned(GetImport.self, others: others) { things, _ in .init(importID: things.importID) }
    owned(ListImportProblems.self, others: others) { things, _ in .init(importID: things.importID) }
    owned(ListImportedExercises.self, others: others) { things, _ in .init(importID: things.importID) }
    owned(UploadImportChunk.self, others: others) { things, _ in
      .init(importID: things.importID, offset: 0, content: Base64Bytes(AccessScene.track))
    }
    owned(CompleteImport.self, others: others) { things, _ in .init(importID: things.importID) }
    owned(CancelImport.self, others: others) { things, _ in .init(importID: things.importID) }
  }

  private mutating func addMovement() {
    // A sample's name is its account's, so that others may use the same: theirs is another.
    owned(DeleteMovementSamples.self, others: .nothing, evaluate: { $0.deleted == 0 ? .nothing : .done }) { things, _ in
      .init(ids: [things.sample])
    }
    own(RecordMovementSamples.self, because: "an account's samples are named by itself")
  }

  private mutating func addActivities() {
    let others = Self.noActivity
    owned(GetActivity.self, others: others) { things, _ in .init(activityID: things.activity) }
    owned(GetCalendar.self, others: others) { things, _ in .init(activityID: things.activity) }
    owned(GetSeries.self, others: others) { things, _ in .init(activityID: things.activity) }
    owned(UpdateActivity.self, others: others) { things, _ in .init(activityID: things.activity, title: .set("Taken")) }
    owned(ReorderActivity.self, others: others) { things, _ in .init(activityID: things.activity) }
    // One's own behind another's.
    owned(ReorderActivity.self, others: others) { things, caller in
      .init(activityID: caller.activity, after: things.activity)
    }
    owned(ArchiveActivity.self, others: others) { things, _ in .init(activityID: things.activity) }
    owned(UnarchiveActivity.self, others: others) { things, _ in .init(activityID: things.activity) }
    owned(DeleteActivity.self, others: others) { things, _ in .init(activityID: things.activity, confirm: true) }
  }

  // MARK: - Social

  private mutating func addPeople() {
    owned(ListMessages.self) { things, _ in .init(accountID: things.friend) }
    owned(MarkConversationRead.self) { things, _ in .init(accountID: things.friend, messageID: things.message) }
    // A message of another conversation, in one's own with the owner.
    owned(MarkConversationRead.self, owner: .notFound) { things, _ in
      .init(accountID: things.account, messageID: things.message)
    }
    owned(AcceptFriendRequest.self) { things, _ in .init(friendRequestID: things.friendRequest) }
    owned(RejectFriendRequest.self) { things, _ in .init(friendRequestID: things.otherFriendRequest) }
    owned(AcceptFollowRequest.self) { things, _ in .init(followRequestID: things.followRequest) }
    owned(RejectFollowRequest.self) { things, _ in .init(followRequestID: things.otherFollowRequest) }
    owned(WithdrawFriendRequest.self) { things, _ in .init(friendRequestID: things.sentFriendRequest) }
    owned(WithdrawFollowRequest.self) { things, _ in .init(followRequestID: things.sentFollowRequest) }
    owned(SearchMessages.self) { things, _ in .init(accountID: things.friend, query: try MessageQuery(text: "hello")) }
    owned(EditMessage.self) { things, _ in .init(messageID: things.sentMessage, text: try ChatText(text: "Bye")) }
    owned(RemoveMessage.self) { things, _ in .init(messageID: things.sentMessage) }
    owned(GetMessagePhoto.self) { things, _ in .init(messageID: things.photoMessage) }
    owned(RemoveMessagePhoto.self) { things, _ in .init(messageID: things.photoMessage) }
    addChallenges()
    owned(CreateReport.self) { things, _ in .init(subject: .message(things.message), reason: .spam) }
    owned(CreateReport.self, owner: Self.ofOneself) { things, _ in
      .init(subject: .taskComment(things.taskComment), reason: .spam)
    }
    owned(AppealSanction.self) { things, _ in .init(caseID: things.moderationCase, text: try ChatText(text: "It was not me.")) }
    owned(RemoveFollow.self) { things, _ in .init(accountID: things.friend) }
    owned(RemoveFollower.self) { things, _ in .init(accountID: things.friend) }
    owned(RemoveFriend.self) { things, _ in .init(accountID: things.friend) }
  }

  private mutating func addChallenges() {
    owned(GetFriendChallenge.self) { things, _ in .init(friendChallengeID: things.challenge) }
    owned(AcceptFriendChallenge.self) { things, _ in .init(friendChallengeID: things.challenge) }
    owned(RejectFriendChallenge.self) { things, _ in .init(friendChallengeID: things.otherChallenge) }
    owned(WithdrawFriendChallenge.self) { things, _ in .init(friendChallengeID: things.sentChallenge) }
    owned(EndFriendChallenge.self) { things, _ in .init(friendChallengeID: things.challenge) }
  }

  private mutating func addFiles() {
    owned(GetTaskToken.self) { things, _ in .init(taskID: things.task) }
    owned(ListTaskAttachments.self) { things, _ in .init(taskID: things.task) }
    owned(GetTaskAttachment.self) { things, _ in .init(attachmentID: things.attachment) }
    owned(DownloadTaskAttachmentChunk.self) { things, _ in .init(attachmentID: things.attachment, offset: 0) }
    owned(CreateReport.self, owner: Self.ofOneself) { things, _ in
      .init(subject: .taskAttachment(things.attachment), reason: .spam)
    }
    owned(CreateTaskAttachment.self) { things, _ in
      .init(taskID: things.task, name: try TaskAttachmentName(text: "b.txt"), totalBytes: 3)
    }
    owned(UploadTaskAttachmentChunk.self) { things, _ in
      .init(attachmentID: things.upload, offset: 0, content: Base64Bytes(AccessScene.file))
    }
    owned(CompleteTaskAttachment.self) { things, _ in .init(attachmentID: things.upload) }
    owned(CancelTaskAttachment.self) { things, _ in .init(attachmentID: things.otherUpload) }
    owned(DeleteTaskAttachment.self) { things, _ in .init(attachmentID: things.attachment) }
    owned(RenewTaskToken.self) { things, _ in .init(taskID: things.task) }
  }

  private mutating func addTasks() {
    owned(GetTask.self) { things, _ in .init(taskID: things.task) }
    owned(CreateReport.self, owner: Self.ofOneself) { things, _ in .init(subject: .task(things.task), reason: .spam) }
    owned(CreateReport.self, owner: Self.ofOneself) { things, _ in .init(subject: .taskPart(things.taskPart), reason: .spam) }
    owned(CreateReport.self, owner: Self.ofOneself) { things, _ in .init(subject: .taskSeries(things.taskSeries), reason: .spam) }
    owned(ListTaskComments.self) { things, _ in .init(taskID: things.task) }
    owned(UpdateTask.self) { things, _ in .init(taskID: things.task, name: .set(try TaskName(text: "Taken"))) }
    owned(AddTaskParticipants.self) { things, _ in .init(taskID: things.task, participants: []) }
    owned(CreateTaskComment.self) { things, _ in .init(taskID: things.task, text: try ChatText(text: "Mine")) }
    owned(RequestTaskHelp.self, owner: .refused(409, "help_already_requested")) { things, _ in .init(taskID: things.task) }
    owned(OfferTaskHelp.self) { things, _ in .init(taskID: things.task) }
    owned(ThankForTaskHelp.self, owner: .refused(409, "has_not_helped")) { things, _ in
      .init(taskID: things.task, helpID: things.taskHelp, accountID: things.friend)
    }
    owned(CloseTaskHelp.self) { things, _ in .init(taskID: things.task, helpID: things.taskHelp) }
    owned(RemoveTaskComment.self) { things, _ in .init(taskID: things.task, commentID: things.taskComment) }
    addFiles()
    owned(CreateTaskLink.self) { things, _ in .init(taskID: things.completedTask) }
    owned(RevokeTaskLink.self) { things, _ in .init(taskLinkID: things.taskLink) }
    owned(CreateTaskPart.self) { things, _ in .init(taskID: things.task, title: try TaskName(text: "Taken")) }
    owned(UpdateTaskPart.self) { things, _ in
      .init(taskID: things.task, partID: things.taskPart, title: .set(try TaskName(text: "Taken")))
    }
    owned(CompleteTaskPart.self) { things, _ in .init(taskID: things.task, partID: things.taskPart) }
    owned(ReopenTaskPart.self) { things, _ in .init(taskID: things.task, partID: things.taskPart) }
    owned(DeleteTaskPart.self) { things, _ in .init(taskID: things.task, partID: things.taskPart) }
    owned(GetTaskSeries.self) { things, _ in .init(seriesID: things.taskSeries) }
    owned(UpdateTaskSeries.self) { things, _ in .init(seriesID: things.taskSeries, name: .set(try TaskName(text: "Taken"))) }
    owned(OptOutOfTaskSeries.self, owner: .refused(409, "task_series_creator_stays")) { things, _ in
      .init(seriesID: things.taskSeries, confirm: true)
    }
    owned(AddTaskSeriesParticipants.self) { things, _ in .init(seriesID: things.taskSeries, participants: []) }
    owned(RemoveTaskSeriesParticipant.self) { things, _ in .init(seriesID: things.taskSeries, accountID: things.friend) }
    owned(EndTaskSeries.self) { things, _ in .init(seriesID: things.taskSeries) }
    owned(ConfirmTaskCompletion.self) { things, _ in .init(taskID: things.task) }
    owned(WithdrawTaskCompletion.self) { things, _ in .init(taskID: things.task) }
    owned(OptOutOfTask.self, owner: .refused(409, "task_creator_stays")) { things, _ in
      .init(taskID: things.task, confirm: true)
    }
    owned(RemoveTaskParticipant.self) { things, _ in .init(taskID: things.task, accountID: things.friend) }
    owned(CancelTask.self) { things, _ in .init(taskID: things.task) }
  }

  private mutating func addTeams() {
    owned(CreateTask.self) { things, _ in .init(name: try TaskName(text: "Taken"), teamID: things.team) }
    owned(CreateTaskSeries.self) { things, _ in .init(name: try TaskName(text: "Taken"), schedule: .daily, teamID: things.team) }
    owned(ListTeamTasks.self) { things, _ in .init(teamID: things.team) }
    owned(JoinTeamTask.self) { things, _ in .init(teamID: things.team, taskID: things.teamTask) }
    owned(UpdateTeam.self) { things, _ in .init(teamID: things.team, name: .set(try TeamName(text: "Taken"))) }
    owned(SendTeamInvitation.self) { things, _ in .init(teamID: things.team, username: try Username(text: "stranger")) }
    owned(WithdrawTeamInvitation.self) { things, _ in .init(teamInvitationID: things.sentTeamInvitation) }
    owned(AcceptTeamInvitation.self, owner: .refused(409, "already_in_team")) { things, _ in
      .init(teamInvitationID: things.teamInvitation)
    }
    owned(RejectTeamInvitation.self) { things, _ in .init(teamInvitationID: things.teamInvitation) }
    owned(HandOverTeam.self) { things, _ in .init(teamID: things.team, accountID: things.account) }
    owned(RemoveTeamMember.self) { things, _ in .init(teamID: things.team, accountID: things.friend) }
    owned(LeaveTeam.self) { things, _ in .init(teamID: things.team) }
  }

  // MARK: - Identity, rewards, notifications

  private mutating func addAccounts() {
    own(UpdateProfile.self, because: "the username is what the account wants to be called")
    owned(AnswerLoginAlert.self) { things, _ in .init(alertID: things.alert, answer: .confirm) }
    owned(UnlinkIdentity.self) { things, _ in .init(identityID: things.identity) }
    owned(RevokePersonalAccessToken.self) { things, _ in .init(tokenID: things.token) }
    owned(CloseSession.self) { things, _ in .init(sessionID: things.session) }
    owned(MarkNotificationRead.self) { things, _ in .init(notificationID: things.notification) }
    owned(AnswerReminder.self) { things, _ in .init(notificationID: things.reminder, answer: .again, minutes: 720) }
    owned(OpenPush.self) { things, _ in .init(deliveryID: things.push) }
    owned(RenamePushSubscription.self) { things, _ in
      .init(pushSubscriptionID: things.pushSubscription, name: try PushSubscriptionName(text: "Mine"))
    }
    owned(DeletePushSubscription.self) { things, _ in .init(pushSubscriptionID: things.pushSubscription) }
    owned(DeleteNotification.self) { things, _ in .init(notificationID: things.notification) }
  }

  // MARK: - What is meant for others

  private mutating func addOpen() {
    // All but those whom the owner has blocked.
    let anybody: [Role: Outcome] = [.stranger: .done, .formerFriend: .done, .friend: .done, .blocked: .notFound]
    func friendOnly(_ refusal: Outcome) -> [Role: Outcome] {
      [.stranger: refusal, .formerFriend: refusal, .blocked: refusal, .friend: .done]
    }
    // An offer is no account's.
    open(GetOffer.self, anybody.merging([.blocked: .done]) { $1 }) { things, _ in .init(offerID: things.offer) }
    open(RedeemOffer.self, anybody.mapValues { _ in .refused(409, "not_enough_coins") }) { things, _ in
      .init(offerID: things.offer)
    }
    open(GetPhoto.self, anybody) { things, _ in .init(accountID: things.account) }
    open(GetProfile.self, anybody) { things, _ in .init(accountID: things.account) }
    open(GetProfileByUsername.self, anybody) { things, _ in .init(username: things.username) }
    open(CreateReport.self, anybody) { things, _ in .init(subject: .account(things.account), reason: .spam) }
    open(ListFriendsBadges.self, friendOnly(.notFound)) { things, _ in .init(accountID: things.account) }
    // Followers see what the owner does.
    open(GetStatistics.self, friendOnly(.notFound)) { things, _ in .init(accountID: things.account) }
    open(ListFollowedActivities.self, friendOnly(.notFound)) { things, _ in .init(accountID: things.account) }
    open(GetEntryPhoto.self, friendOnly(Self.noActivity)) { things, _ in .init(activityID: things.activity, day: .today) }
    open(ListHistory.self, friendOnly(.nothing), evaluate: { $0.items.isEmpty ? .nothing : .done }) { things, _ in
      .init(scope: .all, activityIDs: [things.activity])
    }
    open(ListHistoryPoints.self, friendOnly(.nothing), evaluate: { $0.items.isEmpty ? .nothing : .done }) { things, _ in
      .init(scope: .all, activityIDs: [things.activity])
    }
    addReports(friendOnly(.notFound))
    addSharedTasks(friendOnly(.notFound))
    addSharedTeams()
    addMessagesAndChallenges(friendOnly(.refused(403, "not_friends")))
    addRelations()
    addOpenPartners()
  }

  /// Who sees something reports it; the names of teams and public pages everybody sees.
  private mutating func addReports(_ friendOnly: [Role: Outcome]) {
    open(CreateReport.self, friendOnly) { things, _ in .init(subject: .task(things.task), reason: .spam) }
    open(CreateReport.self, friendOnly) { things, _ in .init(subject: .taskPart(things.taskPart), reason: .spam) }
    open(CreateReport.self, friendOnly) { things, _ in .init(subject: .taskSeries(things.taskSeries), reason: .spam) }
    open(CreateReport.self, friendOnly) { things, _ in .init(subject: .taskAttachment(things.attachment), reason: .spam) }
    open(CreateReport.self, friendOnly) { things, _ in .init(subject: .entry(things.activity, things.today), reason: .spam) }
    open(CreateReport.self, friendOnly) { things, _ in .init(subject: .entryPhoto(things.activity, things.today), reason: .spam) }
    let everybody: [Role: Outcome] = [.stranger: .done, .formerFriend: .done, .blocked: .done, .friend: .done]
    open(CreateReport.self, everybody) { things, _ in .init(subject: .team(things.team), reason: .spam) }
    open(CreateReport.self, everybody) { things, _ in .init(subject: .taskLink(things.taskLink), reason: .spam) }
  }

  private mutating func addSharedTeams() {
    // Whoever is in a team is named as such; a member changes nothing of the owner's team.
    let inTeam = Outcome.refused(422, "invalid_fields")
    open(
      CreateTeam.self, [.stranger: inTeam, .formerFriend: inTeam, .blocked: inTeam, .friend: .refused(409, "already_in_team")]
    ) { things, _ in .init(name: try TeamName(text: "Ours"), usernames: [things.username]) }
    let membersOnly: [Role: Outcome] = [
      .stranger: .notFound, .formerFriend: .notFound, .blocked: .notFound, .friend: .refused(403, "forbidden"),
    ]
    open(UpdateTeam.self, membersOnly) { things, _ in .init(teamID: things.team, name: .set(try TeamName(text: "Mine"))) }
    open(SendTeamInvitation.self, membersOnly) { things, _ in
      .init(teamID: things.team, username: try Username(text: "stranger"))
    }
    open(HandOverTeam.self, membersOnly) { things, _ in .init(teamID: things.team, accountID: things.friend) }
    open(RemoveTeamMember.self, membersOnly) { things, _ in .init(teamID: things.team, accountID: things.account) }
    open(WithdrawTeamInvitation.self, [.friend: .notFound]) { things, _ in .init(teamInvitationID: things.sentTeamInvitation) }
  }

  /// Who takes part sees a task and confirms its own part; only its creator changes the task itself.
  private mutating func addSharedTasks(_ friendOnly: [Role: Outcome]) {
    let creatorOnly = friendOnly.merging([.friend: .refused(403, "forbidden")]) { $1 }
    open(GetTask.self, friendOnly) { things, _ in .init(taskID: things.task) }
    open(ConfirmTaskCompletion.self, friendOnly) { things, _ in .init(taskID: things.task) }
    open(WithdrawTaskCompletion.self, friendOnly) { things, _ in .init(taskID: things.task) }
    open(UpdateTask.self, creatorOnly) { things, _ in .init(taskID: things.task, dueDay: .set(nil)) }
    open(AddTaskParticipants.self, creatorOnly) { things, _ in .init(taskID: things.task, participants: []) }
    open(RemoveTaskParticipant.self, creatorOnly) { things, _ in .init(taskID: things.task, accountID: things.account) }
    open(CancelTask.self, creatorOnly) { things, _ in .init(taskID: things.task) }
    open(RemoveTaskComment.self, creatorOnly) { things, _ in
      .init(taskID: things.task, commentID: things.taskComment)
    }
    open(CreateTaskPart.self, creatorOnly) { things, _ in .init(taskID: things.task, title: try TaskName(text: "Mine")) }
    open(UpdateTaskPart.self, creatorOnly) { things, _ in
      .init(taskID: things.task, partID: things.friendsPart, assigneeID: .set(nil))
    }
    open(DeleteTaskPart.self, creatorOnly) { things, _ in .init(taskID: things.task, partID: things.friendsPart) }
    // Its assignee alone marks a part as done; one that is nobody's, any participant.
    open(CompleteTaskPart.self, friendOnly.merging([.owner: .refused(403, "forbidden")]) { $1 }) { things, _ in
      .init(taskID: things.task, partID: things.friendsPart)
    }
    open(ReopenTaskPart.self, friendOnly) { things, _ in .init(taskID: things.task, partID: things.taskPart) }
    open(ListTeamTasks.self, friendOnly) { things, _ in .init(teamID: things.team) }
    open(JoinTeamTask.self, friendOnly) { things, _ in .init(teamID: things.team, taskID: things.teamTask) }
    open(GetTaskSeries.self, friendOnly) { things, _ in .init(seriesID: things.taskSeries) }
    open(UpdateTaskSeries.self, creatorOnly) { things, _ in .init(seriesID: things.taskSeries, endDay: .set(nil)) }
    open(AddTaskSeriesParticipants.self, creatorOnly) { things, _ in .init(seriesID: things.taskSeries, participants: []) }
    open(RemoveTaskSeriesParticipant.self, creatorOnly) { things, _ in
      .init(seriesID: things.taskSeries, accountID: things.account)
    }
    open(EndTaskSeries.self, creatorOnly) { things, _ in .init(seriesID: things.taskSeries) }
    open(GetTaskToken.self, friendOnly) { things, _ in .init(taskID: things.task) }
    open(GetTaskAttachment.self, friendOnly) { things, _ in .init(attachmentID: things.attachment) }
    open(DownloadTaskAttachmentChunk.self, friendOnly) { things, _ in .init(attachmentID: things.attachment, offset: 0) }
    open(DeleteTaskAttachment.self, creatorOnly) { things, _ in .init(attachmentID: things.attachment) }
    // Who takes part makes a link of its own, once the task is completed, and revokes nobody else's.
    open(CreateTaskLink.self, friendOnly.merging([.friend: .refused(409, "task_not_completed")]) { $1 }) { things, _ in
      .init(taskID: things.task)
    }
    open(RevokeTaskLink.self, [.friend: .notFound]) { things, _ in .init(taskLinkID: things.taskLink) }
    // What is on its way is the affair of who sends it alone.
    open(CompleteTaskAttachment.self, [.friend: .notFound]) { things, _ in .init(attachmentID: things.upload) }
    open(CancelTaskAttachment.self, [.friend: .notFound]) { things, _ in .init(attachmentID: things.upload) }
    open(CloseTaskHelp.self, creatorOnly) { things, _ in .init(taskID: things.task, helpID: things.taskHelp) }
  }

  private mutating func addMessagesAndChallenges(_ friendOnly: [Role: Outcome]) {
    // What was written stays with both.
    open(ListMessages.self, [.stranger: .notFound, .formerFriend: .done, .blocked: .done, .friend: .done]) { things, _ in
      .init(accountID: things.account)
    }
    open(SearchMessages.self, [.stranger: .notFound, .formerFriend: .done, .blocked: .done, .friend: .done]) { things, _ in
      .init(accountID: things.account, query: try MessageQuery(text: "hello"))
    }
    open(SendMessage.self, friendOnly) { things, _ in
      .init(accountID: things.account, text: try ChatText(text: "may I?"))
    }
    open(SendMessagePhoto.self, friendOnly) { things, _ in
      .init(accountID: things.account, content: Base64Bytes([UInt8](Picture.noise(width: 8, height: 8))))
    }
    // The photo is the owner's to remove, and the friend's to see.
    open(GetMessagePhoto.self, [.friend: .done]) { things, _ in .init(messageID: things.photoMessage) }
    open(RemoveMessagePhoto.self, [.friend: .notFound]) { things, _ in .init(messageID: things.photoMessage) }
    open(EditMessage.self, [.friend: .notFound]) { things, _ in
      .init(messageID: things.sentMessage, text: try ChatText(text: "mine now"))
    }
    open(RemoveMessage.self, [.friend: .notFound]) { things, _ in .init(messageID: things.sentMessage) }
    open(SendFriendChallenge.self, friendOnly) { things, caller in
      .init(accountID: things.account, activityID: caller.activity)
    }
    // To the owner's own activity nobody else challenges.
    open(SendFriendChallenge.self, [.friend: Self.noActivity]) { things, _ in
      .init(accountID: things.account, activityID: things.activity)
    }
    // Only who was challenged accepts and rejects.
    open(AcceptFriendChallenge.self, [.friend: .refused(403, "forbidden")]) { things, _ in
      .init(friendChallengeID: things.challenge)
    }
    open(RejectFriendChallenge.self, [.friend: .refused(403, "forbidden")]) { things, _ in
      .init(friendChallengeID: things.otherChallenge)
    }
  }

  /// What is between two accounts: asked for, ended and blocked.
  private mutating func addRelations() {
    let nothing: [Role: Outcome] = [.stranger: .notFound, .formerFriend: .notFound, .blocked: .notFound]
    open(RemoveFriend.self, nothing) { things, _ in .init(accountID: things.account) }
    open(RemoveFollow.self, nothing) { things, _ in .init(accountID: things.account) }
    open(RemoveFollower.self, nothing) { things, _ in .init(accountID: things.account) }
    // To one that is blocked it looks sent.
    let asked: [Role: Outcome] = [.stranger: .done, .formerFriend: .done, .blocked: .done]
    open(SendFriendRequest.self, asked.merging([.friend: .refused(409, "already_friends")]) { $1 }) { things, _ in
      .init(username: things.username)
    }
    open(SendFollowRequest.self, asked.merging([.friend: .refused(409, "already_following")]) { $1 }) { things, _ in
      .init(username: things.username)
    }
    // A block is the blocker's alone: who is blocked ends none.
    open(DeleteBlock.self, nothing.merging([.friend: .notFound]) { $1 }) { things, _ in .init(accountID: things.account) }
    open(CreateBlock.self, [.stranger: .done, .blocked: .done]) { things, _ in .init(accountID: things.account) }
    open(DeleteBlock.self, [.stranger: .done, .blocked: .done]) { things, _ in .init(accountID: things.account) }
  }
}
