import BuiltPrograms
import Client
import Cluster
import Foundation
import FoundationNetworking
import IdentityContract
import Operations
import SocialContract
import Testing

/// The register of a running cluster, read and verified as anybody can (TASK-9).
@Suite("The register over HTTP", .serialized, .timeLimit(.minutes(5)))
struct RegisterTests {
  /// Runs `racha-admin register …` and returns its status and what it said.
  private func register(_ arguments: String...) throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = URL(filePath: BuiltProgram.path("racha-admin"))
    process.arguments = ["register"] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }

  @Test("Tiles may be kept by anybody for good, the checkpoint for a second, and nonsense paths are not found")
  func caching() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    _ = try await cluster.join("ana", password: "Rio-7-lento")
    func get(_ path: String) async throws -> (status: Int, type: String?, caching: String?) {
      let (_, answer) = try await URLSession.shared.data(from: try #require(URL(string: cluster.url + path)))
      let http = try #require(answer as? HTTPURLResponse)
      return (http.statusCode, http.value(forHTTPHeaderField: "Content-Type"), http.value(forHTTPHeaderField: "Cache-Control"))
    }
    let checkpoint = try await get("/register/checkpoint")
    #expect(checkpoint == (200, "text/plain; charset=utf-8", "public, max-age=1"))
    var tile = try await get("/register/tile/0/000.p/1")
    while tile.status != 200 {
      try await Task.sleep(for: .milliseconds(100))
      tile = try await get("/register/tile/0/000.p/1")
    }
    #expect(tile == (200, "application/octet-stream", "public, max-age=31536000, immutable"))
    #expect(try await get("/register/tile/entries/000.p/1") == tile)
    for path in [
      "tile", "tile/", "tile/0", "tile/0/000", "tile/0/x001/x002", "tile/0%2F000.p/1", "tile/0/000.p/1/", "tile/%zz", "x",
    ] {
      #expect(try await get("/register/\(path)").status == 404, "\(path)")
    }
  }

  @Test("racha-admin verifies a register as it grows, and finds the one of another cluster, or a rewound one, by its exit status")
  func verified() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "register-\(UUID()).checkpoint").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    let url = "\(cluster.url)/register"
    func leaves() throws -> Int {
      let (status, said) = try register("verify", url, "--checkpoint", file)
      #expect(status == 0, "\(said)")
      return said.firstMatch(of: /: ([0-9]+) leaves/).flatMap { Int($0.output.1) } ?? -1
    }
    let first = try leaves()
    let task = try await ana.client.call(
      CreateTask.self, .init(name: TaskName(text: "Paint"), description: nil, participants: [], dueDay: nil))
    _ = try await ana.client.call(ConfirmTaskCompletion.self, .init(taskID: task.id))
    var now = first
    while now < first + 2 {
      try await Task.sleep(for: .milliseconds(100))
      now = try leaves()
    }
    // The account itself is registered, too.
    while try leaves() < 3 { try await Task.sleep(for: .milliseconds(100)) }

    let other = try RunningCluster(settings: Play.settings)
    defer { other.stop() }
    try await other.start()
    let (status, said) = try register("verify", "\(other.url)/register", "--checkpoint", file)
    #expect(status == 1 && said.contains("not signed by any key"), "\(status) \(said)")
    #expect(try register("verify", "http://127.0.0.1:1/register").status == 2)
  }
}
