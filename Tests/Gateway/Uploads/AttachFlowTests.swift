import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import SocialContract
import Storage
import Testing

@testable import GatewayService
@testable import SocialService

@Suite("A file uploaded through the gateway to social (TASK-8, UC17)", .timeLimit(.minutes(2)))
struct AttachFlowTests {
  /// Runs social, in which everybody takes part in every task, behind a gateway.
  private static func with(
    _ body: @escaping @Sendable (_ services: ServicesInProcess, _ httpPort: Int) async throws -> Void
  ) async throws {
    let access = TaskAccess(participation: { _, _, _ in (isParticipant: true, isCreator: false) }, participants: { _, _ in [] })
    try await ServicesInProcess.running([{ Social.service($0, access: access) }], at: nil) { services in
      var configuration = GatewayConfiguration()
      (configuration.http.port, configuration.tcp.port, configuration.threads) = (0, 0, 1)
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let gateway = try Gateway(
        configuration: configuration, bus: services.gateway, contracts: [.identity, .social], logger: logger, clock: .system)
      let group = ServiceGroup(services: [gateway], logger: logger)
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        let port = await gateway.addresses.httpPort
        do { try await body(services, port) } catch {
          await group.triggerGracefulShutdown()
          throw error
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
      }
    }
  }

  /// Sends the page's form.
  private static func post(_ token: String, _ name: String, _ content: [UInt8], to port: Int) async throws
    -> RawConnection.Response
  {
    let connection = try await RawConnection(port: port)
    let parts = """
      --b\r\nContent-Disposition: form-data; name="token"\r\n\r\n\(token)\r\n\
      --b\r\nContent-Disposition: form-data; name="file"; filename="\(name)"\r\nContent-Type: text/html\r\n\r\n
      """
    let body = Array(parts.utf8) + content + Array("\r\n--b--\r\n".utf8)
    try await connection.send(
      "POST /attach HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: \(body.count)\r\n\r\n"
    )
    try await connection.send(body)
    let page = try await connection.receiveResponse()
    try await connection.close()
    return page
  }

  @Test("UC17: any browser attaches a file by the token that the app shows, and participants then list and read it")
  func attached() async throws {
    try await Self.with { services, port in
      let ana = try await services.register()
      let task = ID<SharedTask>()
      let token = try #require(try await ana.send(RenewTaskToken.self, .init(taskID: task)).token)
      let content = (0..<2_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8)) }
      let page = try await Self.post(token.description, "informe.html", content, to: port)
      #expect(page.status == 200 && page.body.contains("informe.html is now among the files of the task."))
      let listed = try await ana.send(ListTaskAttachments.self, .init(taskID: task)).items
      let file = try #require(listed.first)
      #expect(
        listed.count == 1 && file.isByToken && file.totalBytes == content.count && file.mediaType.description == "text/html")
      var read: [UInt8] = []
      while read.count < file.totalBytes {
        read += try await ana.send(DownloadTaskAttachmentChunk.self, .init(attachmentID: file.id, offset: read.count))
          .content.bytes
      }
      #expect(read == content)
    }
  }

  @Test("UC17, alternative: a file with a token that was renewed, or an empty file, is not attached and leaves nothing")
  func refused() async throws {
    try await Self.with { services, port in
      let ana = try await services.register()
      let task = ID<SharedTask>()
      let old = try #require(try await ana.send(RenewTaskToken.self, .init(taskID: task)).token)
      let new = try #require(try await ana.send(RenewTaskToken.self, .init(taskID: task)).token)
      let wrong = try await Self.post(old.description, "a", [1, 2, 3], to: port)
      #expect(wrong.status == 404 && wrong.body.contains("There is no task with this token."))
      let empty = try await Self.post(new.description, "a", [], to: port)
      #expect(empty.status == 422 && empty.body.contains("This file is empty."))
      #expect(try await ana.send(ListTaskAttachments.self, .init(taskID: task)).items.isEmpty)
      let uploads = try await services.store(of: .social).read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM task_attachment_uploads")
      }
      #expect(uploads == 0)
    }
  }
}
