import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Files of cancelled tasks, concurrent completions and interrupted uploads (TASK-8)")
struct EndedAttachmentTests {
  @Test("A cancelled task accepts no files, not even unfinished ones, and has no token; its files can still be read")
  func cancelled() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      let bytes = Attaching.bytes(2000)
      let kept = try await ben.attach("kept", bytes, to: task.id)
      let (token, page) = (try await ana.token(of: task.id), try await services.page)
      let name = try TaskAttachmentName(text: "late")
      let begun = CreateTaskAttachmentByToken.Input(token: token, name: name, mediaType: .unknown)
      let key = try await page.send(CreateTaskAttachmentByToken.self, begun)
      let half = TaskAttachmentChunk(attachmentID: key.attachmentID, offset: 0, content: Base64Bytes(Array(bytes[..<1000])))
      _ = try await page.send(UploadTaskAttachmentChunkByToken.self, half)
      let (started, whole) = (try await ben.begin("a", bytes, to: task.id), try await ben.begin("b", bytes, to: task.id))
      try await ben.upload(bytes, of: whole)
      _ = try await ana.send(CancelTask.self, .init(taskID: task.id))

      let input = CreateTaskAttachment.Input(taskID: task.id, name: name, totalBytes: 10)
      #expect(try await ben.failure(CreateTaskAttachment.self, input) == "task_cancelled")
      let chunk = TaskAttachmentChunk(attachmentID: started, offset: 0, content: Base64Bytes(bytes))
      #expect(try await ben.failure(UploadTaskAttachmentChunk.self, chunk) == "task_cancelled")
      #expect(try await ben.failure(CompleteTaskAttachment.self, .init(attachmentID: whole)) == "task_cancelled")
      #expect(try await page.failure(CompleteTaskAttachmentByToken.self, key) == "task_cancelled")
      #expect(try await page.failure(CreateTaskAttachmentByToken.self, begun) == "task_token_invalid")
      #expect(try await ana.send(GetTaskToken.self, .init(taskID: task.id)) == TaskTokenState(token: nil, expiresAt: nil))
      #expect(try await ana.failure(RenewTaskToken.self, .init(taskID: task.id)) == "task_cancelled")
      #expect(try await ana.attachments(of: task.id).map(\.id) == [kept.id])
      #expect(try await ana.download(kept.id) == bytes)
    }
  }

  @Test("Only one of several concurrent completions of a file succeeds, and the others get the same file or a refusal")
  func atOnce() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let bytes = Attaching.bytes(4_000_000)
      let id = try await ana.begin("a", bytes, to: task)
      try await ana.upload(bytes, of: id, chunk: 512 << 10)
      let codes = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<8 { group.addTask { try await ana.failure(CompleteTaskAttachment.self, .init(attachmentID: id)) } }
        return try await group.reduce(into: [String?]()) { $0.append($1) }
      }
      #expect(codes.contains(nil) && Set(codes).isSubset(of: [nil, "attachment_being_completed"]))
      #expect(try await ana.send(CompleteTaskAttachment.self, .init(attachmentID: id)).id == id)
      #expect(try await ana.attachments(of: task).count == 1)
    }
  }

  @Test(
    "A file sent again by the token is attached once, and another of the same name is attached beside it")
  func repeated() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let (page, token) = (try await services.page, try await ana.token(of: task))
      for _ in 0..<2 { try await page.attach("a", Attaching.bytes(3000), token: token) }
      #expect(try await ana.attachments(of: task).count == 1)
      try await page.attach("a", Attaching.bytes(3000, 2), token: token)
      try await page.attach("b", Attaching.bytes(3000), token: token)
      // What a participant attaches is not what came by the token.
      try await ana.attach("a", Attaching.bytes(3000), to: task)
      #expect(try await ana.attachments(of: task).map(\.name.description) == ["a", "b", "a", "a"])
      try await services.tidyAttachments()
      #expect(try await services.contents().count == 2)
      #expect(try await services.attachmentFiles.allUploads().isEmpty)
    }
  }

  @Test(
    "An interrupted upload by token is dropped for the same file after half a minute, and for others after two",
    arguments: [("a", 29, false), ("a", 30, true), ("b", 119, false), ("b", 120, true)])
  func cutOff(name: String, seconds: Int, isEnded: Bool) async throws {
    try await Attaching.withTask(settings: ["racha.attachments.bytesPerTask": "3000"]) { services, task, ana, _, _ in
      let (page, token) = (try await services.page, try await ana.token(of: task))
      let begun = CreateTaskAttachmentByToken.Input(token: token, name: try TaskAttachmentName(text: "a"), mediaType: .unknown)
      let key = try await page.send(CreateTaskAttachmentByToken.self, begun)
      let content = Base64Bytes(Attaching.bytes(2000))
      _ = try await page.send(
        UploadTaskAttachmentChunkByToken.self, .init(attachmentID: key.attachmentID, offset: 0, content: content))
      services.clock.advance(seconds: seconds)
      if isEnded {
        try await page.attach(name, Attaching.bytes(2500), token: token)
        try await services.tidyAttachments()
        #expect(try await services.attachmentFiles.allUploads().isEmpty)
        #expect(try await page.failure(CompleteTaskAttachmentByToken.self, key) == "not_found")
      } else {
        await #expect(throws: Failure.self) { try await page.attach(name, Attaching.bytes(2500), token: token) }
      }
    }
  }
}
