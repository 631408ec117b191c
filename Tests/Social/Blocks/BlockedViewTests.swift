import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("What a blocked account sees of the blocker (SOC-8)")
struct BlockedViewTests {
  let identity = IdentityDouble()

  /// Two, and what lets one of them take other names and another photo, each time.
  private func run(
    _ body: (ServicesInProcess, _ ana: Person, _ ben: Person, _ rename: () async throws -> Void) async throws -> Void
  ) async throws {
    try await ServicesInProcess.social(identity) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      try await services.change(ana, receivedBy: .social) { $0.nickname = try Nickname(text: "Ana the first") }
      _ = try await services.change(ben, receivedBy: .social) { $0.nickname = try Nickname(text: "Ben the first") }
      try await body(services, ana, ben) {
        try await services.change(ana, receivedBy: .social) {
          $0.username = try Username(text: "ana.renamed")
          $0.nickname = try Nickname(text: "Ana the second")
          $0.photoTag = "0123456789abcdef0123456789abcdef"
        }
      }
    }
  }

  /// All that somebody is shown in lists and one by one, as text.
  private func shown(to person: Person, of other: Person) async throws -> String {
    var documents: [any Document] = [
      try await person.send(ListConversations.self, .init()), try await person.send(ListFriendChallenges.self, .init()),
      try await person.send(ListFriendChallenges.self, .init(direction: .received)),
      try await person.send(ListFriendRequests.self, .init()), try await person.send(ListFollowRequests.self, .init()),
      try await person.send(ListTeamInvitations.self, .init()), try await person.send(ListBlocks.self, .init()),
      try await person.send(ListFriends.self, .init()), try await person.send(ListFollows.self, .init()),
      try await person.send(ListFollowers.self, .init()),
    ]
    if try await person.failure(ListMessages.self, .init(accountID: other.id)) == nil {
      documents.append(try await person.send(ListMessages.self, .init(accountID: other.id)))
    }
    return documents.map { String(decoding: $0.json, as: UTF8.self) }.joined(separator: "\n")
  }

  @Test(
    "A blocked account sees none of the blocker's new names or photo anywhere, and the blocker sees the other as before"
  )
  func nothingNew() async throws {
    try await run { services, ana, ben, rename in
      let names = (try identity.username(of: ana.id), try identity.username(of: ben.id))
      _ = try await ana.send(SendFriendRequest.self, .init(username: names.1))
      _ = try await ben.send(SendFriendRequest.self, .init(username: names.0))
      _ = try await ana.send(SendMessage.self, .init(accountID: ben.id, text: ChatText(text: "Hello")))
      _ = try await ben.send(SendFollowRequest.self, .init(username: names.0))
      #expect(try await shown(to: ben, of: ana).contains("Ana the first"))
      _ = try await ana.send(CreateBlock.self, .init(accountID: ben.id))
      try await rename()
      let block = try await ben.send(CreateBlock.self, .init(accountID: ana.id))
      #expect(block.username == names.0 && block.nickname == "Ana the first" && block.photoURL == nil)
      #expect(try await ben.send(ListBlocks.self, .init()).items == [block])
      for isBlocking in [true, false] {
        if !isBlocking { _ = try await ben.send(DeleteBlock.self, .init(accountID: ana.id)) }
        let text = try await shown(to: ben, of: ana)
        #expect(!text.contains("ana.renamed") && !text.contains("Ana the second") && !text.contains("0123456789abcdef"))
      }
      let conversation = try #require(try await ben.send(ListConversations.self, .init()).items.first)
      #expect(conversation.username == nil && conversation.nickname == nil && conversation.photoURL == nil)
      #expect(try await shown(to: ana, of: ben).contains("Ben the first"))
      // Found again, it is shown as it is.
      _ = try await ana.send(DeleteBlock.self, .init(accountID: ben.id))
      #expect(try await ben.send(ListConversations.self, .init()).items.first?.nickname == "Ana the second")
    }
  }

  /// What two do together: a task with a part, a comment, help and a file of Ana's, a recurring task, and a team with a task of its own.
  private func share(
    _ services: ServicesInProcess, _ ana: Person, _ ben: Person
  ) async throws -> (task: SharedTask, series: TaskSeries, team: Team) {
    let task = try await services.makeTask(by: ana, with: [ben])
    _ = try await ana.send(
      CreateTaskPart.self, .init(taskID: task.id, title: TaskName(text: "Sand"), assigneeID: ana.id))
    try await ana.comment("Blue", on: task)
    _ = try await ana.send(RequestTaskHelp.self, .init(taskID: task.id))
    let bytes = Array("blue".utf8)
    let upload = try await ana.send(
      CreateTaskAttachment.self,
      .init(taskID: task.id, name: TaskAttachmentName(text: "a.txt"), totalBytes: bytes.count))
    _ = try await ana.send(
      UploadTaskAttachmentChunk.self, .init(attachmentID: upload.id, offset: 0, content: Base64Bytes(bytes)))
    _ = try await ana.send(CompleteTaskAttachment.self, .init(attachmentID: upload.id))
    let series = try await ana.send(
      CreateTaskSeries.self,
      .init(name: TaskName(text: "Bins"), participants: services.usernames(of: [ben]), schedule: .daily))
    let team = try await ana.send(
      CreateTeam.self, .init(name: TeamName(text: "Birds"), usernames: services.usernames(of: [ben])))
    _ = try await ana.send(CreateTask.self, .init(name: TaskName(text: "Row"), teamID: team.id))
    return (task, series, team)
  }

  @Test(
    "In shared tasks and teams a blocked account sees the blocker without names and photo, and the blocker sees as before")
  func together() async throws {
    try await run { services, ana, ben, rename in
      let (task, series, team) = try await share(services, ana, ben)
      func shown(to person: Person) async throws -> String {
        let documents: [any Document] = [
          try await person.details(of: task), try await person.send(ListTasks.self, .init()),
          try await person.send(ListTaskComments.self, .init(taskID: task.id)),
          try await person.send(ListTaskAttachments.self, .init(taskID: task.id)),
          try await person.send(GetTaskSeries.self, .init(seriesID: series.id)),
          try await person.send(ListTaskSeries.self, .init()), try await person.send(GetOwnTeam.self, .init()),
          try await person.send(ListTeamTasks.self, .init(teamID: team.id)),
        ]
        return documents.map { String(decoding: $0.json, as: UTF8.self) }.joined(separator: "\n")
      }
      let old = try identity.username(of: ana.id).description
      #expect(try await shown(to: ben).split(separator: "Ana the first").count >= 12)
      try await ana.block(ben)
      for _ in 0..<2 {
        let text = try await shown(to: ben)
        for name in ["Ana the", "\"\(old)\"", "ana.renamed", "0123456789abcdef0123456789abcdef"] {
          #expect(!text.contains(name), "\(name)")
        }
        #expect(text.contains(ana.id.description))
        try await rename()
      }
      let details = try await ben.details(of: task)
      #expect(details.participants.map(\.person.accountID) == [ana.id, ben.id])
      #expect(details.participants.map { $0.person.username == nil } == [true, false])
      #expect(try await shown(to: ana).contains("Ben the first"))
      // What is published live says no more.
      let comment = try #require(details.comments.first)
      _ = try await ana.send(RemoveTaskComment.self, .init(taskID: task.id, commentID: comment.id))
      let events = try await services.published(TaskCommentRemoved.self)
      #expect(events.first { $0.accountID == ben.id }?.authorUsername == nil)
      #expect(events.first { $0.accountID == ana.id }?.authorUsername?.description == "ana.renamed")
      _ = try await ana.send(DeleteBlock.self, .init(accountID: ben.id))
      #expect(try await shown(to: ben).contains("Ana the second"))
    }
  }

  @Test(
    "Requests pending at the blocker look to their sender as when they were sent, also after unblocking",
    arguments: [true, false])
  func requests(isBlockedBefore: Bool) async throws {
    try await run { services, ana, ben, rename in
      let name = try identity.username(of: ana.id)
      if isBlockedBefore { _ = try await ana.send(CreateBlock.self, .init(accountID: ben.id)) }
      let friend = try await ben.send(SendFriendRequest.self, .init(username: name))
      let follow = try await ben.send(SendFollowRequest.self, .init(username: name))
      let team = try await ben.send(CreateTeam.self, .init(name: TeamName(text: "Team"), usernames: []))
      let invitation = try await ben.send(SendTeamInvitation.self, .init(teamID: team.id, username: name))
      for nickname in [friend.nickname, follow.nickname, invitation.nickname] {
        // Who is not found has no nickname to tell.
        #expect(nickname == (isBlockedBefore ? nil : "Ana the first"))
      }
      if !isBlockedBefore { _ = try await ana.send(CreateBlock.self, .init(accountID: ben.id)) }
      try await rename()
      for isBlocked in [true, false] {
        if !isBlocked { _ = try await ana.send(DeleteBlock.self, .init(accountID: ben.id)) }
        #expect(try await ben.send(ListFriendRequests.self, .init()).items == [friend])
        #expect(try await ben.send(ListFollowRequests.self, .init()).items == [follow])
        #expect(try await ben.send(ListTeamInvitations.self, .init(direction: .sent)).items == [invitation])
      }
      _ = try await ana.send(CreateBlock.self, .init(accountID: ben.id))
      let withdrawn = try await ben.send(WithdrawTeamInvitation.self, .init(teamInvitationID: invitation.id))
      #expect(withdrawn.username == name && withdrawn.state == .withdrawn)
      let events = try await services.published(by: .social)
        .filter { $0.name == TeamInvitationChanged.spec.name }.map { try TeamInvitationChanged.decode($0.body) }
      #expect(events.last?.otherUsername == name)
    }
  }

  @Test(
    "Answered and withdrawn requests are hidden from a blocked account until unblocked, as with a deleted account")
  func answered() async throws {
    try await run { services, ana, ben, _ in
      let request = try await ben.send(SendFriendRequest.self, .init(username: identity.username(of: ana.id)))
      _ = try await ben.send(WithdrawFriendRequest.self, .init(friendRequestID: request.id))
      _ = try await ana.send(CreateBlock.self, .init(accountID: ben.id))
      #expect(try await ben.send(ListFriendRequests.self, .init()).items.isEmpty)
      #expect(try await ben.failure(WithdrawFriendRequest.self, .init(friendRequestID: request.id)) == "not_found")
      _ = try await ana.send(DeleteBlock.self, .init(accountID: ben.id))
      #expect(try await ben.send(ListFriendRequests.self, .init()).items.map(\.state) == [.withdrawn])
    }
  }
}
