import Foundation
import GatewayContract
import IdentityContract
import Messaging
import Operations
import ServiceKit
import SocialContract
import Synchronization
import Testing

@testable import GatewayService

@Suite("The page on which files are attached by a task's token (TASK-8, UC17)", .timeLimit(.minutes(1)))
struct AttachPageTests {
  /// Social as far as the page needs it: one token is good, one has expired, one is of a task that is full.
  private final class SocialDouble: Sendable {
    struct File: Sendable {
      var name: String
      var mediaType: String
      var bytes: [UInt8] = []
      var isComplete = false
    }

    let files = Mutex<[ID<TaskAttachment>: File]>([:])
    let largestChunk = Mutex(0)

    func answer(_ request: Operations.Request) throws -> Reply {
      #expect(request.header.caller == .service(.gateway))
      switch request.header.operation {
      case CreateTaskAttachmentByToken.spec.name:
        let input = try CreateTaskAttachmentByToken.Input.decode(request.body)
        switch input.token {
        case "GOOD": break
        case "OLD": throw TaskTokenFailure.expired
        case "FULL": throw TaskAttachmentFailure.taskFull.with(["max": .text("250 MB")])
        default: throw TaskTokenFailure.invalid
        }
        let id = ID<TaskAttachment>()
        files.withLock { $0[id] = File(name: input.name.description, mediaType: input.mediaType.description) }
        return Reply(request, TaskAttachmentKey(attachmentID: id))
      case UploadTaskAttachmentChunkByToken.spec.name:
        let input = try TaskAttachmentChunk.decode(request.body)
        largestChunk.withLock { $0 = max($0, input.content.bytes.count) }
        let end = try files.withLock { files in
          guard var file = files[input.attachmentID], file.bytes.count == input.offset else {
            throw Failure(RequestFailure.notFound)
          }
          file.bytes += input.content.bytes
          files[input.attachmentID] = file
          return file.bytes.count
        }
        return Reply(request, TaskAttachmentProgress(nextOffset: end))
      case CompleteTaskAttachmentByToken.spec.name:
        let id = try TaskAttachmentKey.decode(request.body).attachmentID
        let file = try files.withLock { files in
          guard var file = files[id] else { throw Failure(RequestFailure.notFound) }
          guard !file.bytes.isEmpty else { throw TaskAttachmentFailure.empty }
          file.isComplete = true
          files[id] = file
          return file
        }
        let name = try TaskAttachmentName(text: file.name)
        return Reply(request, CompleteTaskAttachmentByToken.Output(name: name, totalBytes: file.bytes.count))
      case CancelTaskAttachmentByToken.spec.name:
        let id = try TaskAttachmentKey.decode(request.body).attachmentID
        files.withLock { $0[id] = nil }
        return Reply(request, Empty())
      default: throw Failure(RequestFailure.unknownOperation)
      }
    }
  }

  private static func with(
    change: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningGateway, SocialDouble) async throws -> Void
  ) async throws {
    let bus = FakeBus()
    let social = SocialDouble()
    bus.answer(.social) { try social.answer($0) }
    try await RunningGateway.with(contracts: [.identity, .social], bus: bus, change: change) { try await body($0, social) }
  }

  private static let type = "multipart/form-data; boundary=----b"

  private static func form(_ token: String?, _ name: String?, _ content: [UInt8], type: String = "text/plain") -> [UInt8] {
    var body = ""
    if let token { body += "------b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n\(token)\r\n" }
    guard let name else { return Array("\(body)------b--\r\n".utf8) }
    body += "------b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\nContent-Type: \(type)\r\n\r\n"
    return Array(body.utf8) + content + Array("\r\n------b--\r\n".utf8)
  }

  private static func post(
    _ gateway: RunningGateway, _ body: [UInt8], _ fields: [String: String] = [:], from own: String? = nil
  ) async throws -> RawConnection.Response {
    let connection = try await RawConnection(port: gateway.httpPort, from: own)
    var fields = fields.merging(["Content-Type": type]) { given, _ in given }
    if fields["Transfer-Encoding"] == nil { fields["Content-Length"] = fields["Content-Length"] ?? String(body.count) }
    let lines = fields.sorted { $0.key < $1.key }.map { "\($0): \($1)\r\n" }.joined()
    try await connection.send("POST /attach HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n")
    try await connection.send(body)
    let response = try await connection.receiveResponse()
    try await connection.close()
    return response
  }

  private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8)) } }

  @Test("The attach page is open to everybody, in both languages, asks for token and file, and names the maximum size")
  func opens() async throws {
    try await Self.with { gateway, _ in
      let page = try await gateway.http("GET", "/attach")
      try page.expectSecretPage()
      #expect(page.body.contains(#"enctype="multipart/form-data""#) && page.body.contains(#"method="post" action="attach""#))
      #expect(page.body.contains(#"name="token""#) && page.body.contains(#"type="file" name="file""#))
      #expect(page.body.contains("Token of the task") && page.body.contains("25 MB") && page.body.contains("Confirm"))
      #expect(page.body.contains("width=device-width"))
      let spanish = try await gateway.http("GET", "/attach", ["Accept-Language": "es"])
      #expect(spanish.body.contains("Código de la tarea") && spanish.fields["content-language"] == "es")
      #expect(try await gateway.http("PUT", "/attach").fields["allow"] == "GET, HEAD, POST")
    }
  }

  @Test("UC17: a file sent with the attach page is passed on in chunks while it arrives, is attached, and the page confirms it")
  func attached() async throws {
    try await Self.with { gateway, social in
      let content = Self.bytes(3_000_000) + Array("\r\n------a\r\n-----b".utf8) + [0]
      // A name with which a page could be changed.
      let page = try await Self.post(gateway, Self.form("GOOD", "C:\\x\\<b>ñ%22.png", content, type: "image/PNG; x=y"))
      #expect(page.status == 200 && page.body.contains("The file has been attached"))
      #expect(page.body.contains("&lt;b&gt;ñ&quot;.png") || page.body.contains("&lt;b&gt;ñ&#34;.png"))
      let file = try #require(social.files.withLock { $0.values.first })
      #expect(file.isComplete && file.bytes == content && file.name == "<b>ñ\".png" && file.mediaType == "image/png")
      #expect(social.largestChunk.withLock { $0 } == TaskAttachmentChunk.maxBytes)
    }
  }

  @Test("A connection stays usable after attaching a file; chunked bodies and those waiting for 100 Continue are accepted")
  func framing() async throws {
    try await Self.with { gateway, social in
      let connection = try await RawConnection(port: gateway.httpPort)
      let body = Self.form("GOOD", "a", Self.bytes(1000))
      let head = "POST /attach HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(Self.type)\r\n"
      try await connection.send("\(head)Transfer-Encoding: chunked\r\n\r\n")
      for start in stride(from: 0, to: body.count, by: 100) {
        let piece = Array(body[start..<min(start + 100, body.count)])
        try await connection.send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
      }
      try await connection.send("0\r\n\r\n")
      #expect(try await connection.receiveResponse().status == 200)
      try await connection.send("\(head)Content-Length: \(body.count)\r\nExpect: 100-continue\r\n\r\n")
      #expect(try await connection.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      try await connection.send(body)
      #expect(try await connection.receiveResponse().status == 200)
      try await connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(try await connection.receiveResponse().status == 200)
      #expect(social.files.withLock { $0.values.filter { $0.isComplete && $0.bytes == Self.bytes(1000) }.count } == 2)
    }
  }

  @Test("UC17, alternative: without a file the attach page asks for one, and keeps the token")
  func noFile() async throws {
    try await Self.with { gateway, social in
      for body in [Self.form("GO\"OD", "", []), Self.form("GO\"OD", nil, [])] {
        let page = try await Self.post(gateway, body)
        #expect(page.status == 422 && page.body.contains("You have not chosen a file."))
        #expect(page.body.contains("GO&quot;OD") || page.body.contains("GO&#34;OD"))
      }
      let spanish = try await Self.post(gateway, Self.form("GOOD", nil, []), ["Accept-Language": "es"])
      #expect(spanish.body.contains("No has elegido ningún archivo."))
      #expect(social.files.withLock { $0.isEmpty })
    }
  }

  @Test(
    "UC17, alternative: the attach page refuses a wrong, expired or missing token once the file is sent",
    arguments: [
      ("BAD", 404, "There is no task with this token.", "No hay ninguna tarea con este código."),
      ("OLD", 410, "This token has expired.", "Este código ha caducado."),
      ("", 404, "There is no task with this token.", "No hay ninguna tarea con este código."),
      ("FULL", 409, "There is no room for this file", "No hay sitio para este archivo"),
    ])
  func refusedToken(token: String, status: Int, english: String, spanish: String) async throws {
    try await Self.with { gateway, social in
      let body = Self.form(token, "a.txt", Self.bytes(700_000))
      let page = try await Self.post(gateway, body)
      #expect(page.status == status && page.body.contains(english) && page.body.contains("The file was not attached"))
      #expect(page.body.contains("name=\"token\"") && page.fields["connection"] == nil)
      #expect(try await Self.post(gateway, body, ["Accept-Language": "es"]).body.contains(spanish))
      #expect(social.files.withLock { $0.isEmpty })
    }
  }

  @Test("UC17, alternative: the attach page refuses an empty file and one that is too large, and keeps nothing of them")
  func sizes() async throws {
    try await Self.with(change: { $0.limits.attachmentBytes = 600_000 }) { gateway, social in
      let empty = try await Self.post(gateway, Self.form("GOOD", "a", []))
      #expect(empty.status == 422 && empty.body.contains("This file is empty."))
      #expect(try await Self.post(gateway, Self.form("GOOD", "a", Self.bytes(600_000))).status == 200)
      let large = try await Self.post(gateway, Self.form("GOOD", "a", Self.bytes(600_001)))
      #expect(large.status == 413 && large.body.contains("This file is too large") && large.body.contains("600000 bytes"))
      #expect(social.files.withLock { $0.count } == 1)
    }
  }

  @Test("UC17, alternative: the attach page refuses a body whose declared length is too large, and closes the connection")
  func tooLargeBody() async throws {
    try await Self.with(change: { $0.limits.attachmentBytes = 1024 }) { gateway, _ in
      let page = try await Self.post(gateway, [], ["Content-Length": "1000000000", "Accept-Language": "es"])
      #expect(page.status == 413 && page.fields["connection"] == "close")
      #expect(page.fields["content-type"] == "text/html; charset=utf-8" && page.body.contains("No se ha adjuntado el archivo"))
      #expect(page.body.contains("Este archivo es demasiado grande: puede tener 1 KB como máximo."))
    }
  }

  @Test(
    "The attach page answers malformed or foreign forms with an alert",
    arguments: [
      ("application/x-www-form-urlencoded", "token=GOOD", 415), ("multipart/form-data", "x", 415),
      (type, "------b\r\nnonsense\r\n\r\n", 400),
      (type, "------b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nGOOD", 400),
      (type, "", 400),
    ])
  func broken(type: String, body: String, status: Int) async throws {
    try await Self.with { gateway, social in
      let page = try await Self.post(gateway, Array(body.utf8), ["Content-Type": type])
      #expect(page.status == status && page.fields["content-type"] == "text/html; charset=utf-8")
      #expect(page.body.contains("role=\"alert\"") && social.files.withLock { $0.isEmpty })
    }
  }

  @Test("The attach page refuses two files and attaches neither, and ignores unknown fields")
  func otherParts() async throws {
    try await Self.with { gateway, social in
      let file = "------b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"b\"\r\n\r\n2\r\n------b--\r\n"
      let two = Self.form("GOOD", "a", [1]).dropLast("------b--\r\n".utf8.count) + Array(file.utf8)
      let refused = try await Self.post(gateway, Array(two))
      #expect(refused.status == 400)
      #expect(social.files.withLock { $0.isEmpty })
      let other = "------b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"y\"\r\n\r\nz\r\n"
      let attached = try await Self.post(gateway, Array(other.utf8) + Self.form("GOOD", "a", [1]))
      #expect(attached.status == 200)
      #expect(social.files.withLock { $0.values.map(\.bytes) } == [[1]])
    }
  }

  @Test("A client that disconnects while it sends a file leaves nothing behind, and affects nobody else")
  func gone() async throws {
    try await Self.with { gateway, social in
      let body = Self.form("GOOD", "a", Self.bytes(2_000_000))
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(
        "POST /attach HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(Self.type)\r\nContent-Length: \(body.count)\r\n\r\n")
      try await connection.send(Array(body[..<1_500_000]))
      try await connection.close()
      #expect(try await Self.post(gateway, Self.form("GOOD", "b", [1])).status == 200)
      #expect(social.files.withLock { $0.values.filter(\.isComplete).map(\.name) } == ["b"])
    }
  }

  @Test("A client that sends its file too slowly is refused by the attach page at the time limit of uploads")
  func slow() async throws {
    try await Self.with(change: { $0.limits.uploadSeconds = 2 }) { gateway, _ in
      let body = Self.form("GOOD", "a", Self.bytes(1000))
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(
        "POST /attach HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(Self.type)\r\nContent-Length: \(body.count)\r\n\r\n")
      try await connection.send(Array(body[..<300]))
      let page = try await connection.receiveResponse()
      #expect(page.status == 408 && page.fields["connection"] == "close" && page.body.contains("The file was not attached"))
    }
  }

  @Test("Guessing tokens on the attach page is rate-limited by address")
  func guessing() async throws {
    try await Self.with(change: { $0.rates.address[.sensitive] = .init(3, per: 60) }) { gateway, _ in
      var statuses: [Int] = []
      for _ in 0..<4 { statuses.append(try await Self.post(gateway, Self.form("BAD", "a", [1])).status) }
      #expect(statuses == [404, 404, 404, 429])
      let page = try await Self.post(gateway, Self.form("GOOD", "a", [1]))
      #expect(page.status == 429 && page.fields["retry-after"] != nil && page.body.contains("name=\"token\""))
      #expect(try await Self.post(gateway, Self.form("GOOD", "a", [1]), from: "127.0.0.9").status == 200)
    }
  }

  @Test("Simultaneous uploads are limited, for each address and in total")
  func slots() {
    let slots = UploadSlots(max: 3, maxPerAddress: 2)
    let (one, other) = (ClientAddress("192.0.2.1"), ClientAddress("192.0.2.2"))
    #expect(slots.take(one) && slots.take(one) && !slots.take(one))
    #expect(slots.take(other) && !slots.take(other))
    slots.give(one)
    #expect(slots.take(other))
  }
}
