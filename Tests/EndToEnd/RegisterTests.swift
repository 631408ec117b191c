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
  @Test("Tiles can be cached for good and the checkpoint for a second; invalid paths are not found")
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
    let tile = try await eventually {
      try await get("/register/tile/0/000.p/1")
    } until: {
      $0.status == 200
    }
    #expect(tile == (200, "application/octet-stream", "public, max-age=31536000, immutable"))
    #expect(try await get("/register/tile/entries/000.p/1") == tile)
    for path in [
      "tile", "tile/", "tile/0", "tile/0/000", "tile/0/x001/x002", "tile/0%2F000.p/1", "tile/0/000.p/1/", "tile/%zz", "x",
    ] {
      #expect(try await get("/register/\(path)").status == 404, "\(path)")
    }
  }

  @Test("racha-admin verifies a register as it grows, and reports a rewound one or another cluster's by its exit status")
  func verified() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "register-\(UUID()).checkpoint").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    let url = "\(cluster.url)/register"
    func leaves() throws -> Int {
      let (status, said) = try RegisterCommand.run("verify", url, "--checkpoint", file)
      #expect(status == 0, "\(said)")
      return said.firstMatch(of: /: ([0-9]+) leaves/).flatMap { Int($0.output.1) } ?? -1
    }
    let first = try leaves()
    let task = try await ana.client.call(
      CreateTask.self, .init(name: TaskName(text: "Paint"), description: nil, participants: [], dueDay: nil))
    _ = try await ana.client.call(ConfirmTaskCompletion.self, .init(taskID: task.id))
    // The account itself is registered, too.
    let now = try await eventually {
      try leaves()
    } until: {
      $0 >= max(first + 2, 3)
    }
    #expect(now >= max(first + 2, 3))

    let other = try RunningCluster(settings: Play.settings)
    defer { other.stop() }
    try await other.start()
    let (status, said) = try RegisterCommand.run("verify", "\(other.url)/register", "--checkpoint", file)
    #expect(status == 1 && said.contains("not signed by any key"), "\(status) \(said)")
    #expect(try RegisterCommand.run("verify", "http://127.0.0.1:1/register").status == 2)
  }

  @Test("Each change becomes one leaf, and the log only grows, however often social and identity are killed")
  func killed() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "register-\(UUID()).checkpoint").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    let ben = try await cluster.join("ben", password: "Mar-9-bravo")
    let rounds = Play.rounds(4)
    for round in 0..<rounds {
      let killer = Task {
        for service in [ServiceName.social, .identity].shuffled() {
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
          cluster.kill(service)
        }
      }
      _ = try await ana.client.callUntilDone(
        UpdateProfile.self, .init(name: .set(FormField(text: "Ana \(round)"))))
      let task = try await ana.client.callUntilDone(
        CreateTask.self, .init(name: TaskName(text: "Task \(round)"), participants: [ben.account.username]),
        idempotencyKey: "task-\(round)")
      _ = try await ana.client.callUntilDone(ConfirmTaskCompletion.self, .init(taskID: task.id))
      _ = try await ana.client.callUntilDone(WithdrawTaskCompletion.self, .init(taskID: task.id))
      _ = try await ana.client.callUntilDone(ConfirmTaskCompletion.self, .init(taskID: task.id))
      try await killer.value
      try await cluster.waitUntilReady()
      let (status, said) = try RegisterCommand.run("verify", "\(cluster.url)/register", "--checkpoint", file)
      #expect(status == 0, "\(said)")
    }
    let wanted = [
      "accountCreated": 2, "profileChanged": rounds, "taskCreated": rounds, "completionConfirmed": 2 * rounds,
      "completionWithdrawn": rounds,
    ]
    let kinds = try await eventually {
      try await self.kinds(cluster)
    } until: {
      $0.values.reduce(0, +) >= wanted.values.reduce(0, +)
    }
    #expect(kinds == wanted)
    // In the order in which it happened.
    let records = try await ana.client.callUntilDone(ListOwnRegisterRecords.self, .init(limit: 100)).items.reversed()
    for round in 0..<rounds {
      let made = try #require(records.first { $0.record.contains(#""name":"Task \#(round)""#) })
      let task = try #require(made.record.firstMatch(of: /"task":"([^"]+)"/)).1
      #expect(
        records.filter { $0.record.contains(task) }.map(\.kind)
          == [.taskCreated, .completionConfirmed, .completionWithdrawn, .completionConfirmed])
    }
    let (status, said) = try RegisterCommand.run("verify", "\(cluster.url)/register", "--checkpoint", file)
    #expect(status == 0 && said.contains("all is well"), "\(said)")
  }

  /// How many leaves of each kind there are, fewer than 256 in all.
  private func kinds(_ cluster: RunningCluster) async throws -> [String: Int] {
    let size = try await cluster.client.callUntilDone(ProveRegisterConsistency.self, .init(from: 0)).to
    let url = try #require(URL(string: "\(cluster.url)/register/tile/entries/000.p/\(size)"))
    let text = String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
    return text.matches(of: /"kind":"([a-zA-Z]+)"/).reduce(into: [:]) { $0[String($1.output.1), default: 0] += 1 }
  }
}
