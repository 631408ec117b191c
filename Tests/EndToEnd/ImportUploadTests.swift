import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Files sent over the gateway to be imported", .serialized)
struct ImportUploadTests {
  /// Texts that are small as they come and expand without measure, or reach for what is not theirs.
  private static let bombs: [(what: String, declarations: String, content: String)] = [
    (
      "a billion laughs",
      (1..<10).reduce("<!ENTITY l0 \"lol\">") { $0 + "<!ENTITY l\($1) \"\(String(repeating: "&l\($1 - 1);", count: 10))\">" },
      "<Record type=\"&l9;\"/>&l9;"
    ),
    (
      "one long entity, many times", "<!ENTITY a \"\(String(repeating: "a", count: 10_000))\">",
      String(repeating: "<Record type=\"&a;\"/>", count: 20_000)
    ),
    ("a file of the machine's", "<!ENTITY f SYSTEM \"file:///etc/passwd\">", "<Record type=\"x\">&f;</Record>"),
    ("a device without end", "<!ENTITY f SYSTEM \"file:///dev/zero\">", "&f;"),
    ("a type from outside", "<!ENTITY % o SYSTEM \"http://127.0.0.1:9/x.dtd\"> %o;", "&l;"),
  ]

  @Test(
    "Files to import whose XML declares entities are refused as unsafe: nothing is expanded, and the next is served"
  )
  func entities() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await Sender(cluster)
    let process = cluster.processID(.activity)
    let before = try Self.peak(of: process)
    for bomb in Self.bombs {
      let text = "<?xml version=\"1.0\"?><!DOCTYPE HealthData [\(bomb.declarations)]><HealthData>\(bomb.content)</HealthData>"
      let (status, problem) = try await ana.send(Array(text.utf8))
      #expect(status == 422, "\(bomb.what)")
      #expect(problem["code"] == "import_unusable", "\(bomb.what)")
      #expect(
        problem["detail"]
          == "This file cannot be imported: it holds what no program exports, such as declared entities, or a tag, a comment or a CDATA section of more than 64 KiB.",
        "\(bomb.what)")
    }
    let record =
      "<Record type=\"HKQuantityTypeIdentifierStepCount\" unit=\"count\" startDate=\"2026-11-14 07:25:41 -0700\" endDate=\"2026-11-14 07:30:52 -0700\" value=\"70\"/>"
    let (status, _) = try await ana.send(Array("<HealthData>\(record)</HealthData>".utf8))
    #expect(status == 200)
    let done = try await eventually {
      try await ana.client.call(ListImports.self, .init(limit: 1)).items.first
    } until: {
      $0?.state.isEnded == true
    }
    #expect(done?.state == .done && done?.counts.accepted == 1)
    #expect(cluster.processID(.activity) == process)
    #expect(try Self.peak(of: process) < before + 64_000)
  }

  /// The most memory that a process had, in kilobytes.
  private static func peak(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
  }

  /// Somebody who sends files as bytes, as a browser or curl does.
  private struct Sender {
    let client: GatewayClient
    private let url: String
    private let token: String

    init(_ cluster: RunningCluster) async throws {
      let ana = try await cluster.join("ana", password: "Rio-7-lento")
      (client, token) = (ana.client, ana.accessToken)
      url = cluster.url
    }

    /// Announces, sends and completes a file; returns what came of the last.
    func send(_ bytes: [UInt8]) async throws -> (status: Int, answer: JSON) {
      let made = try await client.call(CreateImport.self, .init(name: "export.xml", totalBytes: bytes.count))
      var offset = 0
      while offset < bytes.count {
        let chunk = bytes[offset..<min(bytes.count, offset + UploadImportChunk.Input.maxBytes)]
        let (status, _) = try await request(
          "PUT", "/v1/imports/\(made.id)/chunks/\(offset)", "application/octet-stream", Array(chunk))
        try #require(status == 200)
        offset += chunk.count
      }
      return try await request("POST", "/v1/imports/\(made.id)/complete", "application/json", [])
    }

    private func request(_ method: String, _ path: String, _ type: String, _ body: [UInt8]) async throws -> (Int, JSON) {
      var request = URLRequest(url: try #require(URL(string: url + path)))
      request.httpMethod = method
      if !body.isEmpty { request.httpBody = Data(body) }
      request.setValue(type, forHTTPHeaderField: "Content-Type")
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
      let (data, response) = try await URLSession.shared.data(for: request)
      return (try #require(response as? HTTPURLResponse).statusCode, try JSONTape([UInt8](data)).json)
    }
  }
}
