import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Reports of task files and team names (SOC-8)")
struct TeamAndFileReportTests {
  private static let bytes = Array("PLANTED file".utf8)

  /// A task of Ana and Ben, to which Ben has attached a file.
  private func attach(_ people: Moderating) async throws -> TaskAttachment {
    let services = people.services
    let task = try await services.call(
      CreateTask.self, .init(name: TaskName(text: "Paint"), participants: [people.ben.username]), as: people.ana.caller)
    let upload = try await services.call(
      CreateTaskAttachment.self,
      .init(
        taskID: task.id, name: TaskAttachmentName(text: "fool.txt"), totalBytes: Self.bytes.count,
        mediaType: TaskAttachmentType(text: "text/plain")), as: people.ben.caller)
    _ = try await services.call(
      UploadTaskAttachmentChunk.self, .init(attachmentID: upload.id, offset: 0, content: Base64Bytes(Self.bytes)),
      as: people.ben.caller)
    return try await services.call(CompleteTaskAttachment.self, .init(attachmentID: upload.id), as: people.ben.caller)
  }

  private func tidy(_ people: Moderating) async throws {
    try await TaskAttachmentWorker(
      store: people.services.store(of: .social), files: people.services.attachmentFiles, signal: TaskAttachmentSignal()
    ).keep()
  }

  @Test(
    "Only a task's participants can report a file, with a copy that survives its deletion")
  func file() async throws {
    try await Moderating.running { people in
      let (services, attachment) = (people.services, try await attach(people))
      for subject in [ReportSubject.taskAttachment(attachment.id), .taskAttachment(ID())] {
        #expect(try await people.refusal(subject, by: people.eva) == "not_found")
      }
      #expect(try await people.refusal(.taskAttachment(attachment.id), by: people.ben) == "report_of_oneself")
      let report = try await people.report(.taskAttachment(attachment.id), by: people.ana)
      #expect(report.accountID == people.ben.account && report.subject == .taskAttachment(attachment.id))
      #expect(try await people.refusal(.taskAttachment(attachment.id), by: people.ana) == "already_reported")
      let content = try #require(try await people.queue(.taskAttachment).first?.content)
      #expect(content.file?.name == attachment.name && content.file?.totalBytes == Self.bytes.count)
      #expect(content.username == people.ben.username && content.writtenAt == attachment.attachedAt)
      _ = try await services.call(DeleteTaskAttachment.self, .init(attachmentID: attachment.id), as: people.ben.caller)
      try await tidy(people)
      let part = DownloadReportedFileChunk.Input(reportID: report.id, offset: 8)
      let chunk = try await services.call(DownloadReportedFileChunk.self, part, as: people.root.caller)
      #expect(chunk.content.bytes == Array("file".utf8) && chunk.totalBytes == Self.bytes.count)
      #expect(try await services.refusal(DownloadReportedFileChunk.self, part, as: people.ana.caller) == "forbidden")
      let unknown = DownloadReportedFileChunk.Input(reportID: ID(), offset: 0)
      #expect(try await services.refusal(DownloadReportedFileChunk.self, unknown, as: people.root.caller) == "not_found")
      // It goes with the copies, 180 days after the decision.
      try await people.decide(.warned)
      services.clock.advance(days: 181)
      let worker = ReportWorker(store: services.store(of: .social), clock: services.clock.clock)
      try await worker.sweep()
      try await tidy(people)
      #expect(try await services.attachmentFiles.allContents().isEmpty)
      #expect(try await services.refusal(DownloadReportedFileChunk.self, part, as: people.root.caller) == "not_found")
    }
  }

  @Test("A file removed by moderators leaves its task, and participants are notified; a team's name is replaced")
  func removed() async throws {
    try await Moderating.running { people in
      let (services, attachment) = (people.services, try await attach(people))
      try await people.report(.taskAttachment(attachment.id), by: people.ana)
      #expect(try await people.decide(.removed).decision?.removesContent == true)
      let key = TaskAttachmentKey(attachmentID: attachment.id)
      #expect(try await services.refusal(GetTaskAttachment.self, key, as: people.ana.caller) == "not_found")
      #expect(try await people.published(TaskAttachmentsChanged.self).filter { $0.change == .deleted }.count == 2)
      #expect(try await people.sanctions(of: people.ben).first?.content?.file?.name == attachment.name)

      let team = try await services.createTeam("you fools", by: people.ben)
      for subject in [ReportSubject.team(ID())] { #expect(try await people.refusal(subject, by: people.eva) == "not_found") }
      #expect(try await people.refusal(.team(team.id), by: people.ben) == "report_of_oneself")
      try await people.report(.team(team.id), by: people.eva)
      #expect(try await people.queue(.team).first?.accountID == people.ben.account)
      #expect(try await people.queue(.team).first?.content?.text == "you fools")
      let decided = try await people.decide(.removed)
      let name = try await services.team(of: people.ben)?.name.description
      #expect(name == "Team" && decided.subject == .team(team.id))
    }
  }

  @Test("A team renamed since its report keeps its name")
  func renamed() async throws {
    try await Moderating.running { people in
      let services = people.services
      let team = try await services.createTeam("you fools", by: people.ben)
      try await people.report(.team(team.id), by: people.eva)
      _ = try await services.call(
        UpdateTeam.self, .init(teamID: team.id, name: .set(try TeamName(text: "Friends"))), as: people.ben.caller)
      try await people.decide(.removed)
      #expect(try await services.team(of: people.ben)?.name.description == "Friends")
    }
  }

  @Test("The reporter of a team does not learn its owner, neither from the answer nor from the list of reports")
  func owner() async throws {
    try await Moderating.running { people in
      let team = try await people.services.createTeam("you fools", by: people.ben)
      let report = try await people.report(.team(team.id), by: people.eva)
      let own = try await people.services.call(ListOwnReports.self, .init(), as: people.eva.caller)
      #expect(own.items == [report] && report.subject == .team(team.id))
      for text in [String(decoding: report.json, as: UTF8.self), String(decoding: own.json, as: UTF8.self)] {
        for trace in [people.ben.account.description, "\"ben\"", "Benji"] { #expect(!text.contains(trace), "\(trace)") }
      }
    }
  }

  @Test(
    "A team's name reported under another owner is a separate case with its own owner, removal and restoration")
  func owners() async throws {
    try await Moderating.running { people in
      let services = people.services
      let team = try await services.createTeam("fools", by: people.ben, with: [people.ana])
      func name() async throws -> String? { try await services.team(of: people.ana)?.name.description }
      try await people.report(.team(team.id), by: people.eva)
      try await services.handOver(team, to: people.ana, by: people.ben)
      _ = try await services.call(
        UpdateTeam.self, .init(teamID: team.id, name: .set(try TeamName(text: "idiots"))), as: people.ana.caller)
      try await people.report(.team(team.id), by: people.eva)
      #expect(try await people.refusal(.team(team.id), by: people.eva) == "already_reported")
      let queue = try await people.queue(.team)
      #expect(queue.map(\.accountID) == [people.ben.account, people.ana.account])
      #expect(queue.map(\.content?.text) == ["fools", "idiots"] && queue.allSatisfy { $0.reportCount == 1 })
      let first = try await people.decide(.removed)
      #expect(try await name() == "idiots")
      let second = try await people.decide(.removed)
      #expect(try await name() == "Team")
      #expect(try await people.sanctions(of: people.ben).map(\.content?.text) == ["fools"])
      #expect(try await people.sanctions(of: people.ana).map(\.content?.text) == ["idiots"])
      try await people.grantAppeal(first.id, of: people.ben)
      #expect(try await name() == "Team")
      try await people.grantAppeal(second.id, of: people.ana)
      #expect(try await name() == "idiots")
    }
  }

  @Test(
    "A removed team name is restored even if its replacement was reported and its owner's language changed"
  )
  func language() async throws {
    try await Moderating.running { people in
      let services = people.services
      let team = try await services.createTeam("you fools", by: people.ben)
      try await people.report(.team(team.id), by: people.eva)
      let decided = try await people.decide(.removed)
      try await people.report(.team(team.id), by: people.eva)
      var event = people.ben.event
      (event.language, event.revision) = (.spanish, event.revision + 1)
      try await services.publish(.identity, event)
      try await services.hasReceived(.social, of: .identity)
      try await people.decide(.removed)
      #expect(try await services.team(of: people.ben)?.name.description == "Team")
      try await people.grantAppeal(decided.id, of: people.ben)
      #expect(try await services.team(of: people.ben)?.name.description == "you fools")
    }
  }

  @Test("A file removed by moderators is attached again by a granted appeal, as long as its copy is kept")
  func restoredFile() async throws {
    try await Moderating.running { people in
      let (services, attachment) = (people.services, try await attach(people))
      try await people.report(.taskAttachment(attachment.id), by: people.ana)
      let decided = try await people.decide(.removed)
      try await tidy(people)
      try await people.grantAppeal(decided.id, of: people.ben)
      let list = ListTaskAttachments.Input(taskID: attachment.taskID)
      let shown = try await services.call(ListTaskAttachments.self, list, as: people.ben.caller).items
      #expect(shown == [attachment])
      let part = DownloadTaskAttachmentChunk.Input(attachmentID: attachment.id, offset: 0)
      #expect(try await services.call(DownloadTaskAttachmentChunk.self, part, as: people.ana.caller).content.bytes == Self.bytes)
      #expect(try await people.published(TaskAttachmentsChanged.self).last?.change == .attached)

      try await people.report(.taskAttachment(attachment.id), by: people.ana)
      try await people.decide(.removed)
      services.clock.advance(days: 181)
      try await ReportWorker(store: services.store(of: .social), clock: services.clock.clock).sweep()
      try await tidy(people)
      #expect(try await services.attachmentFiles.allContents().isEmpty)
      #expect(try await services.store(of: .social).rows("removed_task_attachments") == 0)
    }
  }

  @Test(
    "Erasing the account that attached a reported file removes its copy, also after moderators removed it",
    arguments: [true, false])
  func erased(isRemoved: Bool) async throws {
    try await Moderating.running { people in
      let (services, attachment) = (people.services, try await attach(people))
      let store = services.store(of: .social)
      try await people.report(.taskAttachment(attachment.id), by: people.ana)
      if isRemoved { try await people.decide(.removed) }
      #expect(try await store.rows("reported_files") == 1)
      #expect(try await store.rows("removed_task_attachments") == (isRemoved ? 1 : 0))
      try await services.hasReceived(.social, of: .identity)
      try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: people.ben.account, at: .now))
      try await store.hasErased(people.ben.account)
      try await tidy(people)
      for table in ["reported_files", "removed_task_attachments", "task_attachment_contents"] {
        #expect(try await store.rows(table) == 0, "\(table)")
      }
      #expect(try await services.attachmentFiles.allContents().isEmpty)
      #expect(try await store.traces(of: people.ben.account).filter { $0.contains("attach") || $0.contains("report") } == [])
    }
  }

  @Test("A team renamed since its name was removed keeps the new name when an appeal is granted")
  func renamedSince() async throws {
    try await Moderating.running { people in
      let services = people.services
      let team = try await services.createTeam("you fools", by: people.ben)
      try await people.report(.team(team.id), by: people.eva)
      let decided = try await people.decide(.removed)
      for name in ["Friends", "Team"] {
        _ = try await services.call(
          UpdateTeam.self, .init(teamID: team.id, name: .set(try TeamName(text: name))), as: people.ben.caller)
      }
      try await people.grantAppeal(decided.id, of: people.ben)
      #expect(try await services.team(of: people.ben)?.name.description == "Team")
    }
  }
}
