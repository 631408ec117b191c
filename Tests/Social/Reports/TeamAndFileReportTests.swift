import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Reports of files of tasks and of names of teams (SOC-8)")
struct TeamAndFileReportTests {
  private static let bytes = Array("PLANTED file".utf8)

  /// A task of Ana and Ben, to which Ben has attached a file.
  private func attach(_ people: Moderating) async throws -> TaskAttachment {
    let services = people.services
    let task = try await services.call(
      CreateTask.self, .init(name: TaskName(text: "Paint"), participants: [people.ben.username]), as: people.ana.caller)
    let upload = try await services.call(
      BeginTaskAttachment.self,
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
    "A file is reported by those who take part in its task, with a copy that stays when it is deleted; for others there is none")
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
      let part = ReadReportedFileChunk.Input(reportID: report.id, offset: 8)
      let chunk = try await services.call(ReadReportedFileChunk.self, part, as: people.root.caller)
      #expect(chunk.content.bytes == Array("file".utf8) && chunk.totalBytes == Self.bytes.count)
      #expect(try await services.refusal(ReadReportedFileChunk.self, part, as: people.ana.caller) == "forbidden")
      let unknown = ReadReportedFileChunk.Input(reportID: ID(), offset: 0)
      #expect(try await services.refusal(ReadReportedFileChunk.self, unknown, as: people.root.caller) == "not_found")
      // It goes with the copies, 180 days after the decision.
      try await people.decide(.warned)
      services.clock.advance(days: 181)
      let worker = ReportWorker(store: services.store(of: .social), clock: services.clock.clock)
      try await worker.sweep()
      try await tidy(people)
      #expect(try await services.attachmentFiles.allContents().isEmpty)
      #expect(try await services.refusal(ReadReportedFileChunk.self, part, as: people.root.caller) == "not_found")
    }
  }

  @Test("A file that moderators remove is gone from its task, and who took part learns so; a name of a team is replaced")
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
      #expect(try await people.report(.team(team.id), by: people.eva).accountID == people.ben.account)
      #expect(try await people.queue(.team).first?.content?.text == "you fools")
      let decided = try await people.decide(.removed)
      let name = try await services.team(of: people.ben)?.name.description
      #expect(name == "Team" && decided.subject == .team(team.id))
    }
  }

  @Test("A team that has been called otherwise since keeps its name")
  func renamed() async throws {
    try await Moderating.running { people in
      let services = people.services
      let team = try await services.createTeam("you fools", by: people.ben)
      try await people.report(.team(team.id), by: people.eva)
      _ = try await services.call(
        EditTeam.self, .init(teamID: team.id, name: .set(try TeamName(text: "Friends"))), as: people.ben.caller)
      try await people.decide(.removed)
      #expect(try await services.team(of: people.ben)?.name.description == "Friends")
    }
  }
}
