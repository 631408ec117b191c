import Foundation
import GRDB
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("A task's token for attaching files without a login (TASK-8, UC17)")
struct TaskTokenTests {
  private func begin(_ page: Person, _ token: String) async throws -> String? {
    try await page.failure(
      CreateTaskAttachmentByToken.self,
      .init(token: token, name: TaskAttachmentName(text: "a.txt"), mediaType: .unknown))
  }

  @Test(
    "UC17: participants can read the token, its holder attaches a file listed as by token, and the creator can delete it")
  func attached() async throws {
    try await Attaching.withTask { services, task, ana, ben, _ in
      #expect(try await ben.send(GetTaskToken.self, .init(taskID: task)) == TaskTokenState(token: nil, expiresAt: nil))
      let made = try await ben.send(RenewTaskToken.self, .init(taskID: task))
      #expect(made.expiresAt == services.clock.now.adding(seconds: 30 * 86_400))
      #expect(try await ana.send(GetTaskToken.self, .init(taskID: task)) == made)
      let page = try await services.page
      let bytes = Attaching.bytes(700_000)
      // As people type it.
      let typed = try #require(made.token).description.lowercased().replacing("-", with: " ").replacing("0", with: "o")
      let id = try await page.attach("photo.jpg", bytes, token: typed, chunk: 512 << 10)
      let listed = try await ana.attachments(of: task)
      #expect(listed.map(\.id) == [id] && listed[0].isByToken && listed[0].accountID == nil && listed[0].username == nil)
      #expect(try await ben.download(id) == bytes)
      #expect(try await ben.failure(DeleteTaskAttachment.self, .init(attachmentID: id)) == "forbidden")
      #expect(try await ana.failure(DeleteTaskAttachment.self, .init(attachmentID: id)) == nil)
    }
  }

  @Test(
    "UC17, alternative: a text that is not a task's token is refused",
    arguments: ["", "x", "AAAAA-AAAAA-AAAAA-AAAAA", "ÑÑÑÑÑ-ÑÑÑÑÑ-ÑÑÑÑÑ-ÑÑÑÑÑ", String(repeating: "A", count: 200)])
  func invalid(token: String) async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      _ = try await ana.token(of: task)
      #expect(try await begin(services.page, token) == "task_token_invalid")
    }
  }

  @Test("UC17, alternative: a token with any one wrong letter or digit is refused")
  func mistyped() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let token = Array(try await ana.token(of: task))
      let page = try await services.page
      for index in token.indices where token[index] != "-" {
        var other = token
        other[index] = token[index] == "7" ? "8" : "7"
        #expect(try await begin(page, String(other)) == "task_token_invalid")
      }
      #expect(try await begin(page, String(token)) == nil)
    }
  }

  @Test("UC17, alternative: a token expires after 30 days and is hidden, and renewing gives the task another")
  func expired() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let page = try await services.page
      let old = try await ana.token(of: task)
      let end = services.clock.now.adding(seconds: 30 * 86_400)
      services.clock.advance(days: 30)
      #expect(try await begin(page, old) == "task_token_expired")
      #expect(try await ana.send(GetTaskToken.self, .init(taskID: task)) == TaskTokenState(token: nil, expiresAt: end))
      let new = try await ana.token(of: task)
      #expect(try await begin(page, old) == "task_token_invalid")
      #expect(try await begin(page, new) == nil)
    }
  }

  @Test("A task's renewed token replaces the one before; each task has its own")
  func renewed() async throws {
    try await Attaching.withTask { services, task, ana, ben, _ in
      let other = try await services.task(of: ana)
      let tokens = [try await ana.token(of: task), try await ana.token(of: other), try await ben.token(of: task)]
      #expect(Set(tokens).count == 3)
      let page = try await services.page
      #expect(try await begin(page, tokens[0]) == "task_token_invalid")
      #expect(try await begin(page, tokens[1]) == nil)
      #expect(try await begin(page, tokens[2]) == nil)
    }
  }

  @Test("Only participants can read and renew a task's token, which is invalid once its creator has left the task")
  func strangers() async throws {
    try await Attaching.withTask { services, task, ana, ben, eve in
      let token = try await ben.token(of: task)
      #expect(try await eve.failure(GetTaskToken.self, .init(taskID: task)) == "not_found")
      #expect(try await eve.failure(RenewTaskToken.self, .init(taskID: task)) == "not_found")
      try await services.leave(ben, task)
      #expect(try await ben.failure(GetTaskToken.self, .init(taskID: task)) == "not_found")
      #expect(try await begin(services.page, token) == "task_token_invalid")
      _ = ana
    }
  }

  @Test("UC17, alternative: a file by token that is empty, too large or without room is refused while it arrives")
  func sizes() async throws {
    let settings = ["racha.attachments.bytesPerFile": "2000", "racha.attachments.bytesPerTask": "3000"]
    try await Attaching.withTask(settings: settings) { services, task, ana, _, _ in
      let (page, token) = (try await services.page, try await ana.token(of: task))
      func attach(_ count: Int) async throws -> String? {
        do {
          try await page.attach("a", Attaching.bytes(count), token: token, chunk: 1000)
          return nil
        } catch let failure as Failure {
          return failure.code
        }
      }
      #expect(try await attach(0) == "attachment_empty")
      #expect(try await attach(2001) == "attachment_too_large")
      // What was begun and not given up takes its room, too.
      #expect(try await attach(1500) == "task_attachments_full")
      services.clock.advance(days: 1)
      try await services.tidyAttachments()
      #expect(try await attach(2000) == nil)
      #expect(try await attach(1001) == "task_attachments_full")
    }
  }

  @Test("A cancelled upload by token leaves nothing")
  func cancelled() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let (page, token) = (try await services.page, try await ana.token(of: task))
      let name = try TaskAttachmentName(text: "a")
      let key = try await page.send(CreateTaskAttachmentByToken.self, .init(token: token, name: name, mediaType: .unknown))
      _ = try await page.send(
        UploadTaskAttachmentChunkByToken.self,
        .init(attachmentID: key.attachmentID, offset: 0, content: Base64Bytes([1])))
      for _ in 0..<2 { _ = try await page.send(CancelTaskAttachmentByToken.self, key) }
      try await services.tidyAttachments()
      #expect(try await services.attachmentFiles.allUploads().isEmpty)
      #expect(try await page.failure(CompleteTaskAttachmentByToken.self, key) == "not_found")
    }
  }

  @Test("Files sent by a token count among the bytes of its creator")
  func charged() async throws {
    try await Attaching.withTask(settings: ["racha.attachments.bytesPerAccount": "1500"]) { services, task, ana, _, _ in
      let (page, token) = (try await services.page, try await ana.token(of: task))
      try await page.attach("a", Attaching.bytes(1000), token: token)
      let input = CreateTaskAttachment.Input(taskID: task, name: try TaskAttachmentName(text: "b"), totalBytes: 501)
      #expect(try await ana.failure(CreateTaskAttachment.self, input) == "account_attachments_full")
    }
  }

  @Test("A task's token is nowhere in the store in clear")
  func stored() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let token = try TaskToken(text: try await ana.token(of: task))
      #expect(Data(try services.storedBytes()).range(of: Data(token.secret.utf8)) == nil)
      #expect(Data(try services.storedBytes()).range(of: Data(token.description.utf8)) == nil)
    }
  }

  @Test("Two texts of token secrets are equal only if they agree completely")
  func comparison() {
    for (one, other, isSame) in [
      ("", "", true), ("AB", "AB", true), ("AB", "AC", false), ("AB", "BB", false), ("AB", "ABC", false),
    ] {
      #expect(TaskTokenKeys.isSame(one, other) == isSame)
    }
  }

  @Test("A token is written in groups of five, and read however it is typed")
  func written() throws {
    let token = TaskToken(selector: "0123ABCD", secret: "EFGHJKMNPQRS")
    #expect(token.description == "0123A-BCDEF-GHJKM-NPQRS")
    for text in ["0123A-BCDEF-GHJKM-NPQRS", "oi23abcdefghjkmnpqrs", " O L23A BCDEF GHJKM NPQRS "] {
      #expect(try TaskToken(text: text) == token)
    }
    for text in ["0123A-BCDEF-GHJKM-NPQR", "0123A-BCDEF-GHJKM-NPQRU", "0123A-BCDEF-GHJKM-NPQRSS", ""] {
      #expect(throws: FieldRule.self) { try TaskToken(text: text) }
    }
  }
}
