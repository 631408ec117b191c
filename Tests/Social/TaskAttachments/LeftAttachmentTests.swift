import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Files whose task or owner has left (TASK-8)")
struct LeftAttachmentTests {
  private func attach(to task: SharedTask, by person: Person) async throws -> ID<TaskAttachment> {
    let content = Array("hello".utf8)
    let upload = try await person.send(
      CreateTaskAttachment.self, .init(taskID: task.id, name: TaskAttachmentName(text: "a.txt"), totalBytes: content.count))
    _ = try await person.send(
      UploadTaskAttachmentChunk.self, .init(attachmentID: upload.id, offset: 0, content: Base64Bytes(content)))
    return try await person.send(CompleteTaskAttachment.self, .init(attachmentID: upload.id)).id
  }

  @Test("A former participant can delete only its own files of a task")
  func optedOut() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      let (anas, bens) = (try await attach(to: task, by: ana), try await attach(to: task, by: ben))
      try await ben.optOut(of: task)
      #expect(try await ben.failure(DeleteTaskAttachment.self, .init(attachmentID: anas)) == "not_found")
      #expect(try await ben.failure(GetTaskAttachment.self, .init(attachmentID: bens)) == "not_found")
      _ = try await ben.send(DeleteTaskAttachment.self, .init(attachmentID: bens))
      #expect(try await ana.send(ListTaskAttachments.self, .init(taskID: task.id)).items.map(\.id) == [anas])
    }
  }

  @Test("A task without participants loses all files, whoever attached them, and unfinished uploads")
  func deletedTask() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      _ = try await attach(to: task, by: ben)
      _ = try await ben.send(
        CreateTaskAttachment.self, .init(taskID: task.id, name: TaskAttachmentName(text: "b.txt"), totalBytes: 9))
      _ = try await ana.send(RenewTaskToken.self, .init(taskID: task.id))
      try await ben.optOut(of: task)
      _ = try await ana.send(RenewTaskToken.self, .init(taskID: task.id))
      try await services.delete(ana, receivedBy: .social)
      let store = services.store(of: .social)
      for table in ["tasks", "task_attachments", "task_attachment_uploads", "task_tokens"] {
        #expect(try await store.rows(table) == 0, "\(table)")
      }
    }
  }

  @Test("A token created by a suspended account is invalid during the suspension")
  func suspended() async throws {
    let identity = IdentityDouble()
    let ana = try identity.person("ana")
    try await ServicesInProcess.social(identity) { services in
      let task = try await services.call(CreateTask.self, .init(name: TaskName(text: "Paint"), participants: []), as: ana.caller)
      let token = try #require(try await services.call(RenewTaskToken.self, .init(taskID: task.id), as: ana.caller).token)
      let input = CreateTaskAttachmentByToken.Input(
        token: token.description, name: try TaskAttachmentName(text: "a.txt"), mediaType: .unknown)
      _ = try await services.call(CreateTaskAttachmentByToken.self, input, as: .service(.gateway))
      var event = ana.event
      (event.revision, event.suspendedUntil) = (2, .endOfTime)
      try await services.publish(.identity, event)
      try await services.hasReceived(.social, of: .identity)
      #expect(
        try await services.refusal(CreateTaskAttachmentByToken.self, input, as: .service(.gateway)) == "task_token_invalid")
    }
  }
}
