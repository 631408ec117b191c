import InProcess
import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Reports of tasks and their comments (SOC-8)")
struct TaskReportTests {
  @Test(
    "Only participants can report a task or a comment, with a copy, and not their own")
  func copies() async throws {
    try await Moderating.running { people in
      let services = people.services
      let task = try await services.call(
        CreateTask.self,
        .init(
          name: TaskName(text: "Paint"), description: TaskDescription(text: "you fool"), participants: [people.ben.username]),
        as: people.ana.caller)
      let comment = try await services.call(
        CreateTaskComment.self, .init(taskID: task.id, text: ChatText(text: "fool yourself")), as: people.ben.caller)
      for subject in [ReportSubject.task(task.id), .taskComment(comment.id), .task(ID()), .taskComment(ID())] {
        #expect(try await people.refusal(subject, by: people.eva) == "not_found")
      }
      #expect(try await people.refusal(.task(task.id), by: people.ana) == "report_of_oneself")
      #expect(try await people.report(.task(task.id), by: people.ben).accountID == people.ana.account)
      #expect(try await people.report(.taskComment(comment.id), by: people.ana).accountID == people.ben.account)
      let queue = try await people.queue()
      #expect(queue.map(\.subject) == [.task(task.id), .taskComment(comment.id)])
      #expect(queue.map(\.content?.text) == ["Paint\n\nyou fool", "fool yourself"])
      #expect(queue[1].content?.writtenAt == comment.createdAt && queue[0].content?.username == people.ana.username)
    }
  }

  @Test("A comment removed by moderators shows no text, and a task's creator can also be warned")
  func removed() async throws {
    try await Moderating.running { people in
      let services = people.services
      let task = try await services.call(
        CreateTask.self, .init(name: TaskName(text: "Paint"), participants: [people.ben.username]), as: people.ana.caller)
      let comment = try await services.call(
        CreateTaskComment.self, .init(taskID: task.id, text: ChatText(text: "you fool")), as: people.ben.caller)
      try await people.report(.taskComment(comment.id), by: people.ana)
      #expect(try await people.decide(.removed).decision?.removesContent == true)
      let shown = try await services.call(ListTaskComments.self, .init(taskID: task.id), as: people.ana.caller).items
      #expect(shown.map(\.text) == [nil] && shown[0].removedAt != nil)
      #expect(try await people.refusal(.taskComment(comment.id), by: people.ana) == "not_found")
      #expect(try await people.sanctions(of: people.ben).count == 1)

      try await people.report(.task(task.id), by: people.ben)
      try await people.decide(.warned)
      #expect(try await people.sanctions(of: people.ana).count == 1)
    }
  }

  @Test("A granted appeal restores a removed message, comment or team's name as it was copied")
  func restored() async throws {
    try await Moderating.running { people in
      let services = people.services
      let photo = SendMessagePhoto.Input(
        accountID: people.ana.account, content: try Pictures.png(), text: try ChatText(text: "you fool"))
      let message = try await services.call(SendMessagePhoto.self, photo, as: people.ben.caller)
      let task = try await services.call(
        CreateTask.self, .init(name: TaskName(text: "Paint"), participants: [people.ben.username]), as: people.ana.caller)
      let comment = try await services.call(
        CreateTaskComment.self, .init(taskID: task.id, text: ChatText(text: "fool")), as: people.ben.caller)
      let team = try await services.createTeam("fools", by: people.ben)
      for subject in [ReportSubject.message(message.id), .taskComment(comment.id), .team(team.id)] {
        try await people.report(subject, by: people.ana)
        let decided = try await people.decide(.removed)
        let appeal = AppealSanction.Input(caseID: decided.id, text: try ChatText(text: "No."))
        _ = try await services.call(AppealSanction.self, appeal, as: people.ben.caller)
        let granted = DecideAppeal.Input(caseID: decided.id, outcome: .granted, reason: try ReportText(text: "Right."), note: nil)
        _ = try await services.call(DecideAppeal.self, granted, as: people.vera.caller)
      }
      let list = try await services.call(ListMessages.self, .init(accountID: people.ben.account), as: people.ana.caller)
      #expect(list.items == [message] && list.unreadCount == 1)
      #expect(try await services.refusal(GetMessagePhoto.self, .init(messageID: message.id), as: people.ana.caller) == nil)
      let found = try await services.call(
        SearchMessages.self, .init(accountID: people.ben.account, query: MessageQuery(text: "fool")), as: people.ana.caller)
      #expect(found.items == [message])
      let comments = try await services.call(ListTaskComments.self, .init(taskID: task.id), as: people.ana.caller).items
      #expect(comments.map(\.text) == [try ChatText(text: "fool")] && comments[0].removedAt == nil)
      #expect(try await services.team(of: people.ben)?.name.description == "fools")
    }
  }

  @Test("A report's subject is named by the id of its own kind")
  func fields() async throws {
    try await Moderating.running { people in
      let wrong = ReportSubject(kind: .task, messageID: ID(), taskCommentID: ID())
      do {
        _ = try await people.services.call(CreateReport.self, .init(subject: wrong, reason: .spam), as: people.ana.caller)
        Issue.record("it was taken")
      } catch let failure as Failure {
        #expect(
          failure.fields.map { "\($0.field) \($0.code)" } == [
            "subject.messageID not_for_subject", "subject.taskCommentID not_for_subject", "subject.taskID required",
          ])
      }
    }
  }

  @Test("A message edited after its report is restored as it was removed, and not if its writer removed it")
  func restoredAsRemoved() async throws {
    try await Moderating.running { people in
      let services = people.services
      func texts() async throws -> [String?] {
        try await services.call(ListMessages.self, .init(accountID: people.ben.account), as: people.ana.caller).items
          .map { $0.text?.description }
      }
      let first = try await services.send("you fool", from: people.ben, to: people.ana)
      try await people.report(.message(first.id), by: people.ana)
      _ = try await services.call(
        EditMessage.self, .init(messageID: first.id, text: try ChatText(text: "you friend")), as: people.ben.caller)
      let edited = try await people.decide(.removed)
      #expect(try await texts() == [nil])
      try await people.grantAppeal(edited.id, of: people.ben)
      #expect(try await texts() == ["you friend"])
      let second = try await services.send("fool", from: people.ben, to: people.ana)
      try await people.report(.message(second.id), by: people.ana)
      _ = try await services.call(RemoveMessage.self, .init(messageID: second.id), as: people.ben.caller)
      let withdrawn = try await people.decide(.removed)
      try await people.grantAppeal(withdrawn.id, of: people.ben)
      #expect(try await texts() == [nil, "you friend"])
    }
  }
}
