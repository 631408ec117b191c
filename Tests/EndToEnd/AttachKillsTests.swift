import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import Operations
import SocialContract
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Social and the gateway are killed at random moments while files come through the page `/attach`; whoever sends a form gets a page that
/// confirms the file, or sends the form again.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Killing social and the gateway while files are attached by a task's token", .serialized)
struct AttachKillsTests {
  @Test("Kills while files are attached lose no confirmed file, attach none twice, and leave no orphaned one (TASK-8, UC17)")
  func attaching() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    let task = try await ana.client.call(CreateTask.self, .init(name: TaskName(text: "Paint")))
    let token = try #require(try await ana.client.call(RenewTaskToken.self, .init(taskID: task.id)).token)
    let rounds = Play.rounds(6)
    var (sent, forms) = ([String: [UInt8]](), 0)
    for round in 0..<rounds {
      let (name, content) = ("file-\(round).bin", Self.bytes(1_500_000, round))
      sent[name] = content
      let killer = Task {
        for service in [ServiceName.social, .gateway].shuffled() {
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...400)))
          cluster.kill(service)
        }
      }
      forms += try await Self.attach(name, content, by: token, cluster)
      try await killer.value
    }
    try await cluster.waitUntilReady()
    print("attach: \(2 * rounds) kills, \(forms) forms for \(rounds) files")
    let files = try await ana.client.callUntilDone(ListTaskAttachments.self, .init(taskID: task.id)).items
    #expect(files.map(\.name.description).sorted() == sent.keys.sorted())
    for file in files {
      let content = try #require(sent[file.name.description])
      var read: [UInt8] = []
      while read.count < file.totalBytes {
        let place = DownloadTaskAttachmentChunk.Input(attachmentID: file.id, offset: read.count)
        read += try await ana.client.callUntilDone(DownloadTaskAttachmentChunk.self, place).content.bytes
      }
      #expect(read == content && file.isByToken)
    }
    // What was cut off goes after two minutes, and after a start.
    cluster.hold(.social)
    _ = try await eventually {
      cluster.processID(.social)
    } until: {
      $0 == 0
    }
    try await DatabaseQueue(path: "\(cluster.home)/stores/social.sqlite").write {
      try $0.execute(sql: "UPDATE task_attachment_uploads SET touched_at = 0")
    }
    try cluster.release(.social)
    try await cluster.waitUntilReady()
    let left = try await eventually {
      (uploads: try Self.files(in: "uploads", of: cluster.home), contents: try Self.files(in: "contents", of: cluster.home))
    } until: {
      $0.uploads.isEmpty && $0.contents.count == rounds
    }
    #expect(left.uploads == [] && Set(left.contents) == Set(files.map(\.sha256)))
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  /// Sends the page's form until a page confirms the file.
  ///
  /// - Returns: how often.
  private static func attach(
    _ name: String, _ content: [UInt8], by token: TaskToken, _ cluster: RunningCluster
  ) async throws -> Int {
    var request = URLRequest(url: try #require(URL(string: "\(cluster.url)/attach")))
    request.httpMethod = "POST"
    request.setValue("multipart/form-data; boundary=b", forHTTPHeaderField: "Content-Type")
    let head = """
      --b\r\nContent-Disposition: form-data; name="token"\r\n\r\n\(token)\r\n\
      --b\r\nContent-Disposition: form-data; name="file"; filename="\(name)"\r\n\r\n
      """
    request.httpBody = Data(Array(head.utf8) + content + Array("\r\n--b--\r\n".utf8))
    let end = Instant.now.adding(seconds: 60)
    for attempt in 1... {
      do {
        let (data, response) = try await URLSession.shared.data(for: request)
        let page = String(decoding: data, as: UTF8.self)
        let status = (response as? HTTPURLResponse)?.statusCode
        if status == 200 {
          #expect(page.contains("\(name) is now among the files of the task."))
          return attempt
        }
        #expect([404, 409, 503, 504].contains(status), "\(page)")
      } catch let error as URLError where Instant.now < end {
        // It was killed.
        _ = error
      }
      try #require(Instant.now < end)
      try await Task.sleep(for: .milliseconds(50))
    }
    return 0
  }

  private static func bytes(_ count: Int, _ seed: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8) ^ (seed &* 7)) }
  }

  /// The names of all files in a folder of attachments.
  private static func files(in folder: String, of home: String) throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: "\(home)/attachments/\(folder)")
    return paths.map { String($0.split(separator: "/").last ?? "") }.filter { $0.count > 2 }
  }
}
