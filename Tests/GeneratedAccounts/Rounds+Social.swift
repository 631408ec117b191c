import ActivityContract
import Client
import IdentityContract
import Operations
import SocialContract

extension OperationRound {
  static let social = [
    OperationRound("friends") { try await $0.friends() },
    OperationRound("follows") { try await $0.follows() },
    OperationRound("requests that lead to nothing", .once) { try await $0.refuse() },
    OperationRound("messages") { try await $0.messages() },
    OperationRound("friend challenges") { try await $0.friendChallenges() },
    OperationRound("teams") { try await $0.teams() },
    OperationRound("register") { try await $0.register() },
    OperationRound("reports", .once) { try await $0.reports() },
  ]
}

extension RoundWorker {
  func friends() async throws {
    let request = try await ana(SendFriendRequest.self, .init(username: cora.username)).id
    try await cora(ListFriendRequests.self, .init())
    try await cora(AcceptFriendRequest.self, .init(friendRequestID: request))
    try await ana(ListFriends.self, .init())
    try await ana(RemoveFriend.self, .init(accountID: cora.id))
    try await ana(CreateBlock.self, .init(accountID: cora.id))
    try await ana(ListBlocks.self, .init())
    try await ana(DeleteBlock.self, .init(accountID: cora.id))
  }

  func follows() async throws {
    let request = try await cora(SendFollowRequest.self, .init(username: ana.username)).id
    try await ana(ListFollowRequests.self, .init())
    try await ana(AcceptFollowRequest.self, .init(followRequestID: request))
    try await cora(ListFollows.self, .init())
    try await ana(ListFollowers.self, .init())
    try await ana(RemoveFollower.self, .init(accountID: cora.id))
    let again = try await cora(SendFollowRequest.self, .init(username: ana.username)).id
    try await ana(AcceptFollowRequest.self, .init(followRequestID: again))
    try await cora(RemoveFollow.self, .init(accountID: ana.id))
  }

  func refuse() async throws {
    let friend = SendFriendRequest.Input(username: cora.username)
    try await ana(WithdrawFriendRequest.self, .init(friendRequestID: try await ana(SendFriendRequest.self, friend).id))
    try await cora(RejectFriendRequest.self, .init(friendRequestID: try await ana(SendFriendRequest.self, friend).id))
    let follow = SendFollowRequest.Input(username: cora.username)
    try await ana(WithdrawFollowRequest.self, .init(followRequestID: try await ana(SendFollowRequest.self, follow).id))
    try await cora(RejectFollowRequest.self, .init(followRequestID: try await ana(SendFollowRequest.self, follow).id))
    let team = try await ana(CreateTeam.self, .init(name: TeamName(text: "Team \(name)"), usernames: [])).id
    let invitation = SendTeamInvitation.Input(teamID: team, username: cora.username)
    try await ana(
      WithdrawTeamInvitation.self, .init(teamInvitationID: try await ana(SendTeamInvitation.self, invitation).id))
    try await cora(
      RejectTeamInvitation.self, .init(teamInvitationID: try await ana(SendTeamInvitation.self, invitation).id))
    try await ana(LeaveTeam.self, .init(teamID: team))
  }

  func messages() async throws {
    let sent = try await ana(SendMessage.self, .init(accountID: ben.id, text: try ChatText(text: "Round \(name)"))).id
    try await ben(ListConversations.self, .init())
    try await ben(ListMessages.self, .init(accountID: ana.id))
    try await ben(MarkConversationRead.self, .init(accountID: ana.id, messageID: sent))
    try await ben(SearchMessages.self, .init(accountID: ana.id, query: try MessageQuery(text: "walk")))
    try await ana(EditMessage.self, .init(messageID: sent, text: try ChatText(text: "Another \(name)")))
    let photo = try await ana(SendMessagePhoto.self, .init(accountID: ben.id, content: GrowthCast.picture)).id
    try await ben(GetMessagePhoto.self, .init(messageID: photo))
    try await ana(RemoveMessagePhoto.self, .init(messageID: photo))
    try await ana(RemoveMessage.self, .init(messageID: sent))
  }

  func friendChallenges() async throws {
    let activity = try await ana(
      CreateActivity.self, .init(title: "Duel \(name)", category: .other, goal: .check, schedule: .daily)
    ).id
    let input = SendFriendChallenge.Input(accountID: ben.id, activityID: activity)
    let withdrawn = try await ana(SendFriendChallenge.self, input).id
    try await ben(ListFriendChallenges.self, .init())
    try await ben(GetFriendChallenge.self, .init(friendChallengeID: withdrawn))
    try await ana(WithdrawFriendChallenge.self, .init(friendChallengeID: withdrawn))
    let rejected = try await ana(SendFriendChallenge.self, input).id
    try await ben(RejectFriendChallenge.self, .init(friendChallengeID: rejected))
    let accepted = try await ana(SendFriendChallenge.self, input).id
    let copy = try await ben(AcceptFriendChallenge.self, .init(friendChallengeID: accepted)).activityID
    try await ana(EndFriendChallenge.self, .init(friendChallengeID: accepted))
    try await ana(DeleteActivity.self, .init(activityID: activity, confirm: true))
    // It is made by an event.
    guard let copy else { return }
    _ = try await ben.client.callUntilDone(ListActivities.self, .init())
    for _ in 0..<200 {
      do {
        _ = try await ben.client.call(DeleteActivity.self, .init(activityID: copy, confirm: true))
        return
      } catch {
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  func teams() async throws {
    let team = try await ana(CreateTeam.self, .init(name: TeamName(text: "Team \(name)"), usernames: [])).id
    try await ana(GetOwnTeam.self, .init())
    try await ana(ListTeams.self, .init())
    try await ana(UpdateTeam.self, .init(teamID: team, name: .set(try TeamName(text: "Other \(name)"))))
    let invitation = try await ana(SendTeamInvitation.self, .init(teamID: team, username: cora.username)).id
    try await cora(ListTeamInvitations.self, .init())
    try await cora(AcceptTeamInvitation.self, .init(teamInvitationID: invitation))
    let task = try await ana(CreateTask.self, .init(name: TaskName(text: "Team work"), teamID: team)).id
    try await cora(ListTeamTasks.self, .init(teamID: team))
    try await cora(JoinTeamTask.self, .init(teamID: team, taskID: task))
    try await ana(CancelTask.self, .init(taskID: task))
    try await ana(HandOverTeam.self, .init(teamID: team, accountID: cora.id))
    try await cora(RemoveTeamMember.self, .init(teamID: team, accountID: ana.id))
    try await cora(LeaveTeam.self, .init(teamID: team))
  }

  func register() async throws {
    try await anybody(GetRegisterCheckpoint.self, .init())
    try await anybody(GetRegisterTile.self, .init(path: "0/000.p/1"))
    try await anybody(ListRegisterKeys.self, .init())
    let size = try await anybody(ProveRegisterConsistency.self, .init(from: 1)).to
    let leaf = RegisterLeafKey(number: size / 2)
    try await anybody(ProveRegisterInclusion.self, leaf)
    try await anybody(GetRegisterProof.self, leaf)
    try await ana(ListOwnRegisterRecords.self, .init())
    if let record = try await ana(ListOwnAccountRecords.self, .init()).items.first {
      try await anybody(GetRegisterAccountLeaf.self, .init(recordNumber: record.number))
    }
  }

  /// Somebody is reported, warned, appeals; another is suspended, and let in again.
  func reports() async throws {
    let message = try await ana(SendMessagePhoto.self, .init(accountID: ben.id, content: GrowthCast.picture)).id
    let report = try await ben(CreateReport.self, .init(subject: .message(message), reason: .spam)).id
    try await ben(ListOwnReports.self, .init())
    try await administrator(GetReportedPhoto.self, .init(reportID: report))
    let warned = try await openCase(of: ana.id)
    try await administrator(GetModerationCase.self, .init(caseID: warned))
    try await administrator(
      DecideModerationCase.self, .init(caseID: warned, outcome: .warned, reason: ReportText(text: "No spam.")))
    try await ana(ListOwnSanctions.self, .init())
    try await ana(AppealSanction.self, .init(caseID: warned, text: ChatText(text: "It was not me.")))
    try await administrator(ListAppeals.self, .init())
    try await administrator(
      DecideAppeal.self, .init(caseID: warned, outcome: .granted, reason: ReportText(text: "Indeed.")))
    try await ben(CreateReport.self, .init(subject: .account(dan.id), reason: .spam))
    let suspended = try await openCase(of: dan.id)
    try await administrator(
      DecideModerationCase.self, .init(caseID: suspended, outcome: .suspended, days: 1, reason: ReportText(text: "No spam.")))
    let suspensions = try await administrator(ListSuspensions.self, .init(limit: 100)).items
    guard let own = suspensions.first(where: { $0.accountID == dan.id }) else { return }
    try await administrator(LiftSuspension.self, .init(suspensionID: own.id, note: ReportText(text: "Enough.")))
    try await administrator(ListModerationRecords.self, .init())
  }

  private func openCase(of account: AccountID) async throws -> ID<ModerationCase> {
    let cases = try await administrator(ListModerationCases.self, .init(limit: 100)).items
    guard let found = cases.first(where: { $0.accountID == account }) else {
      timings.fail(ListModerationCases.spec.name, "the case is not in it")
      throw Ended()
    }
    return found.id
  }
}
