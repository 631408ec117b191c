import Foundation
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Attachments of a deleted account (ID-12)")
struct TaskAttachmentErasureTests {
  @Test("Erasing an account removes its files and uploads, also from the disk, and not equal ones of others")
  func erased() async throws {
    try await Attaching.withTask { services, task, ana, ben, _ in
      let shared = Attaching.bytes(3000)
      let gone = try await ana.attach("gone", Attaching.bytes(2000, 9), to: task)
      try await ana.attach("same", shared, to: task)
      let kept = try await ben.attach("same", shared, to: task)
      let upload = try await ana.begin("up", [1, 2, 3], to: task)
      try await ana.upload([1, 2], of: upload)
      let token = try await ana.token(of: task)
      try await services.page.attach("by token", [5, 6, 7], token: token)
      try await services.delete(ana, receivedBy: .social)
      let left = try await ben.attachments(of: task)
      #expect(left.map(\.name.description) == ["by token", "same"] && left.map(\.isByToken) == [true, false])
      #expect(try await ben.failure(GetTaskAttachment.self, .init(attachmentID: gone.id)) == "not_found")
      #expect(try await ben.download(kept.id) == shared)
      let store = services.store(of: .social)
      try await store.until {
        let (contents, uploads) = (try await services.contents(), try await services.attachmentFiles.allUploads())
        return contents.count == 2 && uploads.isEmpty
      }
      #expect(try await store.rows("task_attachment_uploads") == 0)
      #expect(try await store.rows("task_tokens") == 0)
      // Nobody answers any more for what came by its token.
      let id = ana.id
      #expect(try await store.read { try TaskAttachmentStore.usage(of: id, in: $0).files } == 0)
      #expect(
        try await services.page.failure(
          CreateTaskAttachmentByToken.self, .init(token: token, name: kept.name, mediaType: .unknown)) == "task_token_invalid")
    }
  }

  @Test("A deleted account's many files are erased in steps, and hidden meanwhile")
  func steps() async throws {
    try await Attaching.withTask(settings: ["racha.erasure.rowsPerTransaction": "5"]) { services, task, ana, ben, _ in
      for number in 0..<23 { try await ana.attach("\(number)", [UInt8(number)], to: task) }
      try await ben.attach("kept", [200], to: task)
      try await services.delete(ana, receivedBy: .social)
      #expect(try await ben.attachments(of: task).map(\.name.description) == ["kept"])
      try await services.store(of: .social).until { try await services.contents().count == 1 }
    }
  }
}
