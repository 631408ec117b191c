import Crypto
import Foundation
import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Files that participants attach to a task (TASK-8, UC17)")
struct TaskAttachmentTests {
  @Test("UC17: a file is announced, sent in chunks and completed; all participants see it, read it, and are notified live")
  func attached() async throws {
    try await Attaching.withTask { services, task, ana, ben, _ in
      let bytes = Attaching.bytes(1_300_000)
      let file = try await ben.attach("plan.txt", bytes, to: task)
      #expect(file.name.description == "plan.txt" && file.mediaType.description == "text/plain")
      #expect(file.totalBytes == bytes.count && file.attachedAt == services.clock.now && file.taskID == task)
      #expect(file.sha256 == SHA256.hash(data: Data(bytes)).map { String(format: "%02x", $0) }.joined())
      let username = try services.identity.username(of: ben.id)
      #expect(file.accountID == ben.id && file.username == username && !file.isByToken)
      #expect(file.url.description == "/v1/task-attachments/\(file.id)/file")
      for (person, canDelete) in [(ana, true), (ben, true)] {
        let seen = try await person.attachments(of: task)
        #expect(seen.map(\.id) == [file.id] && seen.map(\.canDelete) == [canDelete])
        #expect(try await person.send(GetTaskAttachment.self, .init(attachmentID: file.id)).name == file.name)
        #expect(try await person.download(file.id) == bytes)
      }
      let events = try await services.attachmentEvents()
      #expect(
        events.map(\.accountID) == [ana.id, ben.id] && events.allSatisfy { $0.attachmentID == file.id && $0.change == .attached })
    }
  }

  @Test("UC17, alternative: empty and overlarge files are refused")
  func sizes() async throws {
    try await Attaching.withTask(settings: ["racha.attachments.bytesPerFile": "2048"]) { _, task, ana, _, _ in
      let name = try TaskAttachmentName(text: "a")
      #expect(
        try await ana.refusedFields(CreateTaskAttachment.self, .init(taskID: task, name: name, totalBytes: 0)) == [
          "totalBytes out_of_range"
        ])
      #expect(
        try await ana.failure(CreateTaskAttachment.self, .init(taskID: task, name: name, totalBytes: 2049))
          == "attachment_too_large")
      try await ana.attach("a", Attaching.bytes(2048), to: task)
    }
  }

  @Test("UC17, alternative: files beyond a task's or account's room are refused when announced, and deleting makes room")
  func room() async throws {
    let settings = ["racha.attachments.bytesPerTask": "3000", "racha.attachments.bytesPerAccount": "4000"]
    try await Attaching.withTask(settings: settings) { services, task, ana, ben, _ in
      let first = try await ana.attach("1", Attaching.bytes(2000), to: task)
      func begin(_ person: Person, _ bytes: Int, _ task: ID<SharedTask>) async throws -> String? {
        try await person.failure(
          CreateTaskAttachment.self, .init(taskID: task, name: TaskAttachmentName(text: "n"), totalBytes: bytes))
      }
      #expect(try await begin(ben, 1001, task) == "task_attachments_full")
      // What was announced has its room.
      let announced = try await ben.begin("2", Attaching.bytes(1000), to: task)
      #expect(try await begin(ana, 1, task) == "task_attachments_full")
      _ = try await ben.send(CancelTaskAttachment.self, .init(attachmentID: announced))
      let other = try await services.task(of: ana)
      #expect(try await begin(ana, 2001, other) == "account_attachments_full")
      _ = try await ana.send(DeleteTaskAttachment.self, .init(attachmentID: first.id))
      #expect(try await begin(ana, 2001, other) == nil)
    }
  }

  @Test("An account has at most 8 uploads of files at a time")
  func uploads() async throws {
    try await Attaching.withTask { _, task, ana, _, _ in
      for number in 0..<8 { _ = try await ana.begin("\(number)", [1], to: task) }
      let input = CreateTaskAttachment.Input(taskID: task, name: try TaskAttachmentName(text: "9"), totalBytes: 1)
      #expect(try await ana.failure(CreateTaskAttachment.self, input) == "too_many_attachment_uploads")
    }
  }

  @Test("Chunks of a file may be lost, repeated or reordered; different bytes, and bytes beyond the end, are refused")
  func chunks() async throws {
    try await Attaching.withTask { _, task, ana, _, _ in
      let bytes = Attaching.bytes(1000)
      let id = try await ana.begin("a", bytes, to: task)
      func send(_ range: Range<Int>, _ content: [UInt8]? = nil) async throws -> Int {
        try await ana.send(
          UploadTaskAttachmentChunk.self,
          .init(attachmentID: id, offset: range.lowerBound, content: Base64Bytes(content ?? Array(bytes[range])))
        ).nextOffset
      }
      #expect(try await send(0..<400) == 400)
      #expect(try await send(0..<400) == 400)
      #expect(try await send(500..<1000) == 400)
      #expect(try await send(300..<600) == 600)
      let wrong = TaskAttachmentChunk(attachmentID: id, offset: 0, content: Base64Bytes([9, 9, 9]))
      #expect(try await ana.refusedFields(UploadTaskAttachmentChunk.self, wrong) == ["content attachment_bytes_differ"])
      let beyond = TaskAttachmentChunk(attachmentID: id, offset: 900, content: Base64Bytes([UInt8](repeating: 0, count: 101)))
      #expect(try await ana.refusedFields(UploadTaskAttachmentChunk.self, beyond) == ["content attachment_beyond_end"])
      #expect(try await ana.failure(CompleteTaskAttachment.self, .init(attachmentID: id)) == "attachment_incomplete")
      #expect(try await send(600..<1000) == 1000)
      _ = try await ana.send(CompleteTaskAttachment.self, .init(attachmentID: id))
      #expect(try await ana.download(id) == bytes)
    }
  }

  @Test("Concurrent chunks of one upload are processed in turn, and nothing is overwritten")
  func atOnce() async throws {
    try await Attaching.withTask { _, task, ana, _, _ in
      let bytes = Attaching.bytes(64_000)
      let id = try await ana.begin("a", bytes, to: task)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { try await ana.upload(bytes, of: id, chunk: 1000) } }
        try await group.waitForAll()
      }
      _ = try await ana.send(CompleteTaskAttachment.self, .init(attachmentID: id))
      #expect(try await ana.download(id) == bytes)
    }
  }

  @Test("A file is attached only if its SHA-256 is the announced one")
  func announced() async throws {
    try await Attaching.withTask { _, task, ana, _, _ in
      let bytes = Attaching.bytes(100)
      let good = SHA256.hash(data: Data(bytes)).map { String(format: "%02X", $0) }.joined()
      let right = try await ana.begin("a", bytes, to: task, sha256: good)
      try await ana.upload(bytes, of: right)
      #expect(try await ana.failure(CompleteTaskAttachment.self, .init(attachmentID: right)) == nil)
      let wrong = try await ana.begin("a", bytes, to: task, sha256: good)
      try await ana.upload(Attaching.bytes(100, 2), of: wrong)
      #expect(try await ana.failure(CompleteTaskAttachment.self, .init(attachmentID: wrong)) == "attachment_other_bytes")
      #expect(try await ana.attachments(of: task).map(\.id) == [right])
    }
  }

  @Test("Completing a file again returns the same one, announcing it again with its key makes none, and nobody is notified twice")
  func repeated() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let input = CreateTaskAttachment.Input(taskID: task, name: try TaskAttachmentName(text: "a"), totalBytes: 3)
      let one = try await ana.send(CreateTaskAttachment.self, input, key: "k")
      #expect(try await ana.send(CreateTaskAttachment.self, input, key: "k") == one)
      try await ana.upload([1, 2, 3], of: one.id)
      let first = try await ana.send(CompleteTaskAttachment.self, .init(attachmentID: one.id))
      #expect(try await ana.send(CompleteTaskAttachment.self, .init(attachmentID: one.id)) == first)
      #expect(try await services.attachmentEvents().count == 2)
      #expect(try await ana.attachments(of: task).count == 1)
    }
  }

  @Test("A task's files and uploads are unknown to strangers and former participants")
  func strangers() async throws {
    try await Attaching.withTask { services, task, ana, ben, eve in
      let file = try await ben.attach("a", [1, 2, 3], to: task)
      let upload = try await ben.begin("b", [1, 2], to: task)
      try await services.leave(ben, task)
      for person in [eve, ben] {
        func code<O: Operations.Operation>(_ operation: O.Type, _ input: O.Input) async throws -> String? {
          try await person.failure(operation, input)
        }
        #expect(try await code(ListTaskAttachments.self, .init(taskID: task)) == "not_found")
        #expect(try await code(GetTaskAttachment.self, .init(attachmentID: file.id)) == "not_found")
        #expect(try await code(DownloadTaskAttachmentChunk.self, .init(attachmentID: file.id, offset: 0)) == "not_found")
        // Its own it deletes all the same: see LeftAttachmentTests.
        let isOwn = person.id == ben.id
        #expect(try await code(DeleteTaskAttachment.self, .init(attachmentID: file.id)) == (isOwn ? nil : "not_found"))
        let name = try TaskAttachmentName(text: "n")
        #expect(try await code(CreateTaskAttachment.self, .init(taskID: task, name: name, totalBytes: 1)) == "not_found")
        let chunk = TaskAttachmentChunk(attachmentID: upload, offset: 0, content: Base64Bytes([1]))
        #expect(try await code(UploadTaskAttachmentChunk.self, chunk) == "not_found")
        #expect(try await code(CompleteTaskAttachment.self, .init(attachmentID: upload)) == "not_found")
      }
      // Another participant has nothing to do with somebody's upload, nor does the page.
      #expect(try await ana.failure(CancelTaskAttachment.self, .init(attachmentID: upload)) == "not_found")
      let chunk = TaskAttachmentChunk(attachmentID: upload, offset: 0, content: Base64Bytes([1]))
      #expect(try await services.page.failure(UploadTaskAttachmentChunkByToken.self, chunk) == "not_found")
      #expect(
        try await ana.failure(CreateTaskAttachmentByToken.self, .init(token: "x", name: file.name, mediaType: .unknown))
          == "forbidden")
    }
  }

  @Test("A participant without a verified address can read a task's files and attach none")
  func unverified() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let file = try await ana.attach("a", [1], to: task)
      let new = try await services.register(isVerified: false)
      try await services.join(new, task)
      #expect(try await new.attachments(of: task).count == 1)
      #expect(try await new.download(file.id) == [1])
      let input = CreateTaskAttachment.Input(taskID: task, name: file.name, totalBytes: 1)
      #expect(try await new.failure(CreateTaskAttachment.self, input) == "verification_required")
      #expect(try await new.failure(RenewTaskToken.self, .init(taskID: task)) == "verification_required")
    }
  }

  @Test("A file can be deleted only by its owner and the task's creator, and all participants are notified")
  func deleted() async throws {
    try await Attaching.withTask { services, task, ana, ben, eve in
      try await services.join(eve, task)
      let bens = try await ben.attach("b", [1], to: task)
      let another = try await ben.attach("c", [2], to: task)
      #expect(try await eve.failure(DeleteTaskAttachment.self, .init(attachmentID: bens.id)) == "forbidden")
      #expect(try await eve.attachments(of: task).map(\.canDelete) == [false, false])
      _ = try await ben.send(DeleteTaskAttachment.self, .init(attachmentID: bens.id))
      _ = try await ana.send(DeleteTaskAttachment.self, .init(attachmentID: another.id))
      #expect(try await ana.attachments(of: task).isEmpty)
      #expect(try await ana.failure(GetTaskAttachment.self, .init(attachmentID: bens.id)) == "not_found")
      let deleted = try await services.attachmentEvents().filter { $0.change == .deleted }
      #expect(deleted.map(\.accountID) == [ana.id, ben.id, eve.id, ana.id, ben.id, eve.id])
    }
  }

  @Test("Files of a task are listed with their names, newest first, page by page")
  func pages() async throws {
    try await Attaching.withTask { _, task, ana, _, _ in
      for number in 0..<5 { try await ana.attach("\(number)", [UInt8(number)], to: task) }
      var names: [String] = []
      var cursor: PageCursor?
      repeat {
        let page = try await ana.send(ListTaskAttachments.self, .init(taskID: task, limit: 2, cursor: cursor))
        names += page.items.map(\.name.description)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(names == ["4", "3", "2", "1", "0"])
    }
  }

  @Test("Files of a task are listed, and their sizes summed, through indexes, whatever other files exist")
  func plans() async throws {
    try await Attaching.withTask { services, _, _, _, _ in
      let statements = [
        TaskAttachmentStore.listSQL,
        "SELECT count(*), coalesce(sum(total_bytes), 0) FROM task_attachments WHERE task_id = ?",
        "SELECT count(*), coalesce(sum(total_bytes), 0) FROM task_attachments WHERE charged_account = ?",
        "SELECT count(*) FROM task_attachment_uploads WHERE task_id = ? AND account_id IS NULL",
      ]
      for sql in statements {
        let steps = try await services.store(of: .social).read {
          try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(sql.replacing(/[?]|:[a-z]+/, with: "x'00'"))").map {
            $0["detail"] as String
          }
        }
        #expect(!steps.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(steps)")
      }
    }
  }
}
