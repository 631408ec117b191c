import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

extension OperationRound {
  static let services = [
    OperationRound("what services ask activity and rewards") { try await $0.askOfWeeks() },
    OperationRound("what services ask identity") { try await $0.askOfAccounts() },
    // Each of them is of all accounts.
    OperationRound("audiences and administrators", .seldom) { try await $0.askOfAll() },
    OperationRound("what the gateway asks") { try await $0.askOfPages() },
  ]
}

extension RoundWorker {
  func askOfWeeks() async throws {
    let (from, until) = (Instant.now.adding(seconds: -7 * 86_400), Instant.now)
    let activity = try await ana(ListActivities.self, .init()).items[0].activity.id
    try await ask(GetActivityWeeks.self, .init(weeks: [.init(accountID: ana.id, firstDay: day(-7))]), as: .notifications)
    let read = try await ask(
      GetChallengeActivity.self, .init(accountID: ana.id, activityID: activity), as: .social)
    try await ask(
      PlanChallengeActivity.self,
      .init(accountID: ben.id, challengerAccountID: ana.id, challengerActivityID: activity, activity: read), as: .social)
    try await ask(
      GetReportedEntry.self, .init(readerAccountID: ana.id, activityID: activity, day: day(-1)), as: .social)
    try await ask(
      GetCoinWeeks.self, .init(times: [.init(accountID: ana.id, from: from, until: until)]), as: .notifications)
    try await ask(GetExpiringOffers.self, .init(accountIDs: [ana.id]), as: .notifications)
    try await ask(GetFriendRanks.self, .init(accountIDs: [ana.id]), as: .notifications)
    try await ask(
      GetSocialWeeks.self, .init(times: [.init(accountID: ana.id, from: from, until: until)]), as: .notifications)
  }

  func askOfAccounts() async throws {
    try await ask(LookUpAccount.self, .init(accountID: ana.id), as: .social)
    try await ask(GetAddressee.self, .init(accountID: ana.id), as: .notifications)
    try await ask(GetReportedAccount.self, .init(accountID: ana.id), as: .social)
    let sessions = try await ana(ListSessions.self, .init()).items.map(\.id)
    try await ask(CheckSessions.self, .init(sessionIDs: sessions), as: .notifications)
    try await ask(ListRegisterRecords.self, .init(after: 0), as: .social)
  }

  func askOfAll() async throws {
    try await ask(ListAdministrators.self, .init(), as: .rewards)
    try await ask(AppointAdministrator.self, .init(username: dan.username), as: .gateway)
    try await ask(DismissAdministrator.self, .init(username: dan.username), as: .gateway)
    try await ask(CountAudience.self, .init(), as: .notifications)
    try await ask(ListAudience.self, .init(audience: .init(), after: nil, limit: 100), as: .notifications)
    let mails = try await ask(ListMailbox.self, .init(), as: .gateway).items
    if let mail = mails.first { try await ask(GetMailboxMail.self, .init(name: mail.name), as: .gateway) }
  }

  func askOfPages() async throws {
    let link = try await ben(CreatePublicLink.self, .init())
    try await ask(OpenPublicProfile.self, .init(key: link.key), as: .gateway)
    try await ask(GetBadgeProfilePart.self, .init(accountID: ben.id, language: .english), as: .gateway)
    try await ask(GetTaskProfilePart.self, .init(accountID: ben.id, language: .english), as: .gateway)
    try await ben(RevokePublicLink.self, .init())
    let task = try await ana(CreateTask.self, .init(name: TaskName(text: "Round \(name)"))).id
    guard let token = try await ana(RenewTaskToken.self, .init(taskID: task)).token?.description else { return }
    let content = Array("By token \(name)".utf8)
    let announcement = CreateTaskAttachmentByToken.Input(
      token: token, name: try TaskAttachmentName(text: "b.txt"), mediaType: .unknown)
    let file = try await ask(CreateTaskAttachmentByToken.self, announcement, as: .gateway).attachmentID
    try await ask(
      UploadTaskAttachmentChunkByToken.self, .init(attachmentID: file, offset: 0, content: Base64Bytes(content)), as: .gateway)
    try await ask(CompleteTaskAttachmentByToken.self, .init(attachmentID: file), as: .gateway)
    let other = try await ask(CreateTaskAttachmentByToken.self, announcement, as: .gateway).attachmentID
    try await ask(CancelTaskAttachmentByToken.self, .init(attachmentID: other), as: .gateway)
    try await ana(CancelTask.self, .init(taskID: task))
  }
}
