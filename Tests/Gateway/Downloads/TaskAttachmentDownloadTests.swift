import GatewayContract
import IdentityContract
import Messaging
import Operations
import SocialContract
import Testing

@testable import GatewayService

@Suite("Attached files as downloads (TASK-8)", .timeLimit(.minutes(1)))
struct TaskAttachmentDownloadTests {
  private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(($0 &* 31) & 0x7F) } }

  /// Runs a gateway with a social that has one file.
  ///
  /// - Parameter ending: from where on the file is not there any more.
  private static func with(
    _ name: String, count: Int, ending: Int = .max,
    _ body: @escaping @Sendable (RunningGateway, ID<TaskAttachment>) async throws -> Void
  ) async throws {
    let bus = FakeBus()
    let id = ID<TaskAttachment>()
    let content = bytes(count)
    bus.answer(.social) { request in
      let parameters = request.header.parameters ?? [:]
      guard parameters["attachmentID"] == id.description else { throw Failure(RequestFailure.notFound) }
      if request.header.operation == GetTaskAttachment.spec.name {
        return Reply(
          request,
          TaskAttachment(
            id: id, taskID: ID(), name: try TaskAttachmentName(text: name), mediaType: try TaskAttachmentType(text: "text/html"),
            totalBytes: count, sha256: String(repeating: "0", count: 64), accountID: nil, username: nil, nickname: nil,
            isByToken: true, canDelete: false, attachedAt: try Instant(text: "2026-11-22T08:43:00.000Z")))
      }
      let offset = Int(parameters["offset"] ?? "") ?? 0
      guard offset < ending else { throw TaskAttachmentFailure.lost }
      let part = Array(content[offset..<min(offset + TaskAttachmentChunk.maxBytes, count)])
      return Reply(request, DownloadTaskAttachmentChunk.Output(content: Base64Bytes(part), totalBytes: count))
    }
    try await RunningGateway.with(contracts: [.identity, .social], bus: bus) { try await body($0, id) }
  }

  @Test("A downloaded file is saved under its name, never shown or run, and arrives complete, in chunks")
  func download() async throws {
    try await Self.with("Informe \"ñ\".html", count: 1_500_000) { gateway, id in
      let file = try await gateway.http("GET", "/v1/task-attachments/\(id)/file", try gateway.bearer())
      #expect(file.status == 200 && Array(file.body.utf8) == Self.bytes(1_500_000))
      #expect(file.fields["content-length"] == "1500000" && file.fields["content-type"] == "application/octet-stream")
      #expect(
        file.fields["content-disposition"]
          == "attachment; filename=\"Informe ___.html\"; filename*=UTF-8''Informe%20%22%C3%B1%22.html")
      #expect(file.fields["content-security-policy"] == "sandbox; default-src 'none'")
      #expect(file.fields["x-content-type-options"] == "nosniff" && file.fields["cache-control"] == "no-store")
      #expect(gateway.bus.requests.filter { $0.header.operation == "taskAttachments.downloadChunk" }.count == 3)
    }
  }

  @Test("The connection stays usable after a download, and HEAD returns only the header fields")
  func connection() async throws {
    try await Self.with("a", count: 600_000) { gateway, id in
      let connection = try await RawConnection(port: gateway.httpPort)
      let token = try #require(try gateway.bearer()["Authorization"])
      let request = "/v1/task-attachments/\(id)/file HTTP/1.1\r\nHost: localhost\r\nAuthorization: \(token)\r\n\r\n"
      try await connection.send("HEAD \(request)")
      #expect(try await connection.receive(until: "\r\n\r\n").contains("Content-Length: 600000\r\n"))
      for _ in 0..<2 {
        try await connection.send("GET \(request)")
        #expect(try await connection.receiveResponse().body.utf8.count == 600_000)
      }
    }
  }

  @Test("A download without a login, or of a lost, missing or foreign file, is answered with a problem")
  func refused() async throws {
    try await Self.with("a", count: 10) { gateway, id in
      #expect(try await gateway.http("GET", "/v1/task-attachments/\(id)/file").status == 401)
      let other = try await gateway.http("GET", "/v1/task-attachments/\(ID<TaskAttachment>())/file", try gateway.bearer())
      #expect(other.status == 404 && other.fields["content-type"] == "application/problem+json")
    }
    try await Self.with("a", count: 10, ending: 0) { gateway, id in
      let lost = try await gateway.http("GET", "/v1/task-attachments/\(id)/file", try gateway.bearer())
      #expect(try lost.status == 410 && lost.json["code"] == "attachment_lost")
    }
  }

  @Test("An interrupted download closes the connection, so that the file is not taken for complete")
  func brokenOff() async throws {
    try await Self.with("a", count: 600_000, ending: TaskAttachmentChunk.maxBytes) { gateway, id in
      await #expect(throws: RawConnection.Problem.self) {
        try await gateway.http("GET", "/v1/task-attachments/\(id)/file", try gateway.bearer())
      }
    }
  }

  @Test("A file is fetched no faster than the client reads it: a client that reads nothing holds few chunks")
  func backpressure() async throws {
    try await Self.with("a", count: 12_000_000) { gateway, id in
      let connection = try await RawConnection(port: gateway.httpPort, receiveBuffer: 65_536)
      let token = try #require(try gateway.bearer()["Authorization"])
      try await connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
      _ = try await connection.receiveResponse()
      try await connection.stopReading()
      try await connection.send(
        "GET /v1/task-attachments/\(id)/file HTTP/1.1\r\nHost: localhost\r\nAuthorization: \(token)\r\n\r\n")
      // What a fetch of everything would take is far less than this.
      try await Task.sleep(for: .seconds(2))
      let fetched = gateway.bus.requests.filter { $0.header.operation == "taskAttachments.downloadChunk" }.count
      #expect((1...14).contains(fetched))
      try await connection.startReading()
      #expect(try await connection.receiveResponse().body.utf8.count == 12_000_000)
    }
  }

  @Test(
    "Names of downloaded files are encoded for clients that read UTF-8 and for those that do not",
    arguments: [
      ("plan.txt", "attachment; filename=\"plan.txt\"; filename*=UTF-8''plan.txt"),
      ("a\"b\\c%41.txt", "attachment; filename=\"a_b_c_41.txt\"; filename*=UTF-8''a%22b%5Cc%2541.txt"),
      ("Ü.md", "attachment; filename=\"_.md\"; filename*=UTF-8''%C3%9C.md"),
    ])
  func names(name: String, field: String) { #expect(ContentDisposition.attachment(name) == field) }
}
