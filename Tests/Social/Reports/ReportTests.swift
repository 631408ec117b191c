import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Reports (SOC-8)")
struct ReportTests {
  @Test("Reports of an account, its photo and a message are stored with a copy, and listed for their sender")
  func copies() async throws {
    try await Moderating.running { people in
      people.services.identity.setPhoto(of: people.ben, Moderating.photo)
      let message = try await people.services.send("you fool", from: people.ben, to: people.ana)
      let first = try await people.report(.message(message.id), by: people.ana, .harassment, text: "Again.")
      try await people.report(.photo(of: people.ben.account), by: people.ana, .sexual)
      try await people.report(.account(people.ben.account), by: people.eva, .impersonation)
      #expect(first.accountID == people.ben.account && first.username == people.ben.username && first.nickname == "Benji")
      #expect(first.text?.description == "Again." && first.outcome == nil && first.decidedAt == nil)

      let anas = try await people.services.call(ListOwnReports.self, .init(limit: 1), as: people.ana.caller)
      #expect(anas.items.map(\.subject) == [.photo(of: people.ben.account)])
      let rest = try await people.services.call(ListOwnReports.self, .init(cursor: anas.nextCursor), as: people.ana.caller)
      #expect(rest.items == [first] && rest.nextCursor == nil)

      let queue = try await people.queue()
      #expect(queue.map(\.subject.kind) == [.message, .photo, .account])
      #expect(queue[0].content?.text == "you fool" && queue[0].content?.writtenAt == message.sentAt)
      #expect(queue[0].content?.username == people.ben.username && queue[0].content?.photoTag == nil)
      #expect(queue[1].content?.photoTag == Moderating.photo.tag && queue[2].content?.nickname == "Benji")
      let read = try await people.services.call(GetModerationCase.self, .init(caseID: queue[1].id), as: people.root.caller)
      let copy = try await people.services.call(
        GetReportedPhoto.self, .init(reportID: read.reports[0].id), as: people.root.caller)
      #expect(copy == Moderating.photo)
      #expect(
        try await people.services.refusal(GetReportedPhoto.self, .init(reportID: first.id), as: people.root.caller)
          == "not_found")
      // What is changed later changes no copy.
      people.services.identity.setPhoto(of: people.ben, nil)
      #expect(try await people.queue()[1].content?.photoTag == Moderating.photo.tag)
    }
  }

  @Test("A report of a message with a photo keeps both, even if its writer removes them")
  func messagePhoto() async throws {
    try await Moderating.running { people in
      let services = people.services
      let input = SendMessagePhoto.Input(accountID: people.ana.account, content: try Pictures.png())
      let message = try await services.call(SendMessagePhoto.self, input, as: people.ben.caller)
      let sent = try await services.call(GetMessagePhoto.self, .init(messageID: message.id), as: people.ana.caller)
      let report = try await people.report(.message(message.id), by: people.ana, .sexual)
      _ = try await services.call(RemoveMessage.self, .init(messageID: message.id), as: people.ben.caller)
      let content = try #require(try await people.queue()[0].content)
      #expect(content.photoTag == sent.tag && content.text == nil && content.writtenAt == message.sentAt)
      let copy = try await services.call(GetReportedPhoto.self, .init(reportID: report.id), as: people.root.caller)
      #expect(copy == sent)
      // It is removed already.
      #expect(try await people.decide(.removed).decision?.outcome == .removed)
      #expect(try await people.published(MessageRemoved.self).count == 2)
    }
  }

  @Test("Content that the reporter cannot see cannot be reported")
  func unseen() async throws {
    try await Moderating.running { people in
      let message = try await people.services.send("hello", from: people.ben, to: people.ana)
      #expect(try await people.refusal(.message(message.id), by: people.eva) == "not_found")
      #expect(try await people.refusal(.message(ID()), by: people.ana) == "not_found")
      #expect(try await people.refusal(.account(AccountID()), by: people.ana) == "not_found")
      #expect(try await people.refusal(.photo(of: people.ben.account), by: people.ana) == "not_found")
      try await people.services.store(of: .social).write {
        try $0.database.execute(
          sql: "INSERT INTO blocks (blocker_account, blocked_account, since) VALUES (?, ?, 0), (?, ?, 0)",
          arguments: [people.ben.account, people.ana.account, people.eva.account, people.ben.account])
      }
      #expect(try await people.refusal(.account(people.ben.account), by: people.ana) == "not_found")
      // What was written to it is its own, and whom one has blocked one can report.
      #expect(try await people.refusal(.message(message.id), by: people.ana) == nil)
      #expect(try await people.refusal(.account(people.ben.account), by: people.eva) == nil)
    }
  }

  @Test("Messages of a former friend can still be reported")
  func exFriend() async throws {
    try await Moderating.running { people in
      let message = try await people.services.send("hello", from: people.ben, to: people.ana)
      _ = try await people.services.call(RemoveFriend.self, .init(accountID: people.ben.account), as: people.ana.caller)
      #expect(try await people.refusal(.message(message.id), by: people.ana) == nil)
    }
  }

  @Test("Reports of oneself, or of the same subject again before its decision, are refused")
  func twice() async throws {
    try await Moderating.running { people in
      let message = try await people.services.send("mine", from: people.ben, to: people.ana)
      #expect(try await people.refusal(.message(message.id), by: people.ben) == "report_of_oneself")
      #expect(try await people.refusal(.account(people.ben.account), by: people.ben) == "report_of_oneself")
      try await people.report(.message(message.id), by: people.ana)
      #expect(try await people.refusal(.message(message.id), by: people.ana) == "already_reported")
      try await people.decide(.nothing)
      #expect(try await people.refusal(.message(message.id), by: people.ana) == nil)
    }
  }

  @Test(
    "Invalid fields of a report are each named with their rule",
    arguments: [
      (#"{"subject":{"kind":"account"},"reason":"spam"}"#, ["subject.accountID required"]),
      (#"{"subject":{"kind":"photo"},"reason":"other"}"#, ["subject.accountID required", "text required"]),
      (#"{"subject":{"kind":"message"},"reason":"spam","text":" "}"#, ["subject.messageID required", "text empty"]),
      (#"{"subject":{"kind":"comment"},"reason":"dull"}"#, ["reason not_a_choice", "subject.kind not_a_choice"]),
      (
        #"{"subject":{"kind":"message","messageID":"0","accountID":"0198f2a4-0000-7000-8000-000000000000"},"reason":"spam"}"#,
        ["subject.accountID not_for_subject", "subject.messageID not_an_id"]
      ),
    ])
  func fields(body: String, expected: [String]) async throws {
    do {
      _ = try CreateReport.Input.decode(Array(body.utf8))
      Issue.record("accepted")
    } catch {
      #expect(error.fields.map { "\($0.field) \($0.code)" }.sorted() == expected)
    }
  }

  @Test("An account can send twenty reports a day, and more the day after")
  func manyADay() async throws {
    try await Moderating.running { people in
      for _ in 0..<20 {
        let other = try people.services.identity.person("p\(UInt32.random(in: 0 ... .max))")
        try await people.report(.account(other.account), by: people.eva)
      }
      #expect(try await people.refusal(.account(people.ana.account), by: people.eva) == "too_many_reports")
      #expect(try await people.refusal(.account(people.ana.account), by: people.ben) == nil)
      people.services.clock.advance(days: 1)
      #expect(try await people.refusal(.account(people.ana.account), by: people.eva) == nil)
    }
  }

  @Test("Reports of one subject make one case with one photo, and one repeated with its idempotency key is one report")
  func oneCase() async throws {
    try await Moderating.running { people in
      people.services.identity.setPhoto(of: people.ben, Moderating.photo)
      try await people.report(.photo(of: people.ben.account), by: people.ana, .sexual)
      let input = CreateReport.Input(subject: .photo(of: people.ben.account), reason: .hate)
      let report = try await people.services.call(CreateReport.self, input, as: people.eva.caller, key: "k")
      #expect(try await people.services.call(CreateReport.self, input, as: people.eva.caller, key: "k") == report)
      let queue = try await people.queue()
      #expect(queue.count == 1 && queue[0].reportCount == 2 && queue[0].reasons == [.hate, .sexual])
      #expect(try await people.services.store(of: .social).rows("reported_photos") == 1)
      let read = try await people.services.call(GetModerationCase.self, .init(caseID: queue[0].id), as: people.root.caller)
      #expect(read.reports.map(\.reporterAccountID) == [people.eva.account, people.ana.account])
      #expect(read.reports.map(\.reporterUsername) == [people.eva.username, people.ana.username])
    }
  }

  @Test("Concurrent reports of one account make one case, and none is lost")
  func together() async throws {
    try await Moderating.running { people in
      let others = try (0..<12).map { try people.services.identity.person("other\($0)") }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for other in others { group.addTask { try await people.report(.account(people.ben.account), by: other) } }
        try await group.waitForAll()
      }
      #expect(try await people.queue().map(\.reportCount) == [12])
    }
  }

  @Test("Reports decided long ago lose their copies and texts, unless an appeal is pending")
  func copiesEnd() async throws {
    try await Moderating.running { people in
      people.services.identity.setPhoto(of: people.ben, Moderating.photo)
      try await people.report(.photo(of: people.ben.account), by: people.ana, text: "PLANTED words")
      let first = try await people.decide(.suspended, days: 365)
      let message = try await people.services.send("PLANTED message", from: people.ben, to: people.ana)
      try await people.report(.message(message.id), by: people.ana)
      let second = try await people.decide(.removed)
      _ = try await people.services.call(
        AppealSanction.self, .init(caseID: second.id, text: try ChatText(text: "No.")), as: people.ben.caller)
      let store = people.services.store(of: .social)
      let worker = ReportWorker(store: store, clock: people.services.clock.clock)
      people.services.clock.advance(days: 179)
      try await worker.sweep()
      #expect(try await store.rows("reported_photos") == 1)
      people.services.clock.advance(days: 2)
      try await worker.sweep()
      #expect(try await store.rows("reported_photos") == 0)
      let read = try await people.services.call(GetModerationCase.self, .init(caseID: first.id), as: people.root.caller)
      #expect(read.moderationCase.content == nil && read.reports.map(\.text) == [nil])
      #expect(try await people.services.call(ListOwnReports.self, .init(), as: people.ana.caller).items.count == 2)
      // Nothing is left to decide an appeal by.
      #expect(try await people.published(SuspensionChanged.self).last?.canAppeal == false)
      let appealed = try await people.services.call(GetModerationCase.self, .init(caseID: second.id), as: people.root.caller)
      #expect(appealed.moderationCase.content?.text == "PLANTED message")
      #expect(
        try await people.services.refusal(
          AppealSanction.self, .init(caseID: first.id, text: try ChatText(text: "No.")), as: people.ben.caller)
          == "appeal_too_late")
    }
  }

  @Test("Reports show their sender no names of an account that has blocked it since, neither old nor new ones")
  func blocked() async throws {
    try await Moderating.running { people in
      let services = people.services
      let first = try await services.send("you fool", from: people.ben, to: people.ana)
      let second = try await services.send("fool", from: people.ben, to: people.ana)
      let task = try await services.call(
        CreateTask.self, .init(name: TaskName(text: "Paint"), participants: [people.ben.username]), as: people.ana.caller)
      let comment = try await services.call(
        CreateTaskComment.self, .init(taskID: task.id, text: ChatText(text: "fool yourself")), as: people.ben.caller)
      #expect(try await people.report(.message(first.id), by: people.ana).username == people.ben.username)
      #expect(try await people.report(.taskComment(comment.id), by: people.ana).nickname == "Benji")
      _ = try await services.call(CreateBlock.self, .init(accountID: people.ana.account), as: people.ben.caller)
      try await people.rename(people.ben, "hidden.ben")
      let report = try await people.report(.message(second.id), by: people.ana)
      #expect(report.username == nil && report.nickname == nil && report.accountID == people.ben.account)
      let own = try await services.call(ListOwnReports.self, .init(), as: people.ana.caller).items
      #expect(own.count == 3 && own.allSatisfy { $0.username == nil && $0.nickname == nil })
      // Moderators see who it is, and so does who reported once it is unblocked.
      #expect(try await people.queue().allSatisfy { $0.username?.description == "hidden.ben" })
      _ = try await services.call(DeleteBlock.self, .init(accountID: people.ana.account), as: people.ben.caller)
      let unblocked = try await services.call(ListOwnReports.self, .init(), as: people.ana.caller).items
      #expect(unblocked.allSatisfy { $0.username?.description == "hidden.ben" })
    }
  }
}
