import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import RewardsContract
import SmallDisk
import Testing

@Suite("A cluster on a full or read-only disk", .serialized, .enabled(if: SmallDisk.isAvailable), .timeLimit(.minutes(3)))
struct FullDiskTests {
  private static let password = "Rio-7-lento"

  /// Someone signed in to a cluster whose stores have a disk of their own.
  private func with(_ body: (RunningCluster, SmallDisk, Member) async throws -> Void) async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    try FileManager.default.createDirectory(
      atPath: "\(cluster.home)/stores", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let disk = try SmallDisk(at: "\(cluster.home)/stores", bytes: 96 << 20)
    defer { cluster.stop() }
    try await cluster.start()
    try await body(cluster, disk, try await cluster.join("ana", password: FullDiskTests.password))
  }

  private func create(_ title: String, _ member: Member) async throws -> ActivityID {
    try await member.client.call(
      CreateActivity.self,
      .init(title: title, category: .music, goal: .duration(seconds: 600), schedule: .daily),
      idempotencyKey: title.replacing(" ", with: "-")
    ).id
  }

  /// The titles of activities, in the order of their names.
  private func titles(_ member: Member) async throws -> [String] {
    try await member.client.callUntilDone(ListActivities.self, .init(limit: 100)).items.map(\.activity.title).sorted()
  }

  /// What a call is refused with.
  private func refusal(_ body: () async throws -> Void) async throws -> GatewayClient.Problem? {
    do {
      try await body()
      return nil
    } catch let problem as GatewayClient.Problem {
      return problem
    }
  }

  @Test("A cluster on a full disk still reads and logs people in, refuses writes by name, and recovers by itself")
  func full() async throws {
    try await with { cluster, disk, ana in
      var created = ["before"]
      _ = try await create("before", ana)
      // Steps that rewards has not received when the disk is full.
      cluster.hold(.rewards)
      let end = Instant.now.adding(seconds: -60)
      _ = try await ana.client.call(
        RecordMovementSamples.self,
        .init(samples: [
          MovementSample(id: "walk", start: end.adding(seconds: -1800), end: end, steps: 3000, source: "watch")
        ]))
      try disk.fill()
      try cluster.release(.rewards)

      // Some more fit into what the write-ahead log has; none is acknowledged and lost.
      var problem: GatewayClient.Problem?
      for number in 100..<200 where problem == nil {
        problem = try await refusal { _ = try await create("while \(number)", ana) }
        if problem == nil { created.append("while \(number)") }
      }
      #expect(problem?.code == "storage_full" && problem?.status == 503 && problem?.retryAfterSeconds != nil)
      #expect(try await titles(ana) == created)
      var registration: GatewayClient.Problem?
      for number in 0..<50 where registration == nil {
        registration = try await refusal {
          _ = try await cluster.client.call(
            RegisterAccount.self,
            .init(
              email: .init(text: "b\(number)@example.org"), username: .init(text: "ben\(number)"),
              password: .init(text: FullDiskTests.password), passwordConfirmation: .init(text: FullDiskTests.password)))
        }
      }
      #expect(registration?.code == "storage_full")
      // People still come in, and out.
      for _ in 0..<10 {
        let session = try await cluster.client.call(LogIn.self, .init(login: "ana", password: FullDiskTests.password))
        _ = try await cluster.client.call(RefreshSession.self, .init(refreshToken: session.refreshToken))
        _ = try await cluster.client.authorized(session.accessToken).call(LogOut.self, .init())
      }
      try await cluster.waitUntilReady()
      // The gateway gives an answer for a second.
      let ready = try await eventually {
        try await cluster.client.get("/readyz")
      } until: {
        $0.text.contains("storageFull")
      }
      #expect(ready.status == 200 && ready.text.contains(#"{"status":"degraded","services""#), "\(ready.text)")
      #expect(ready.text.contains(#""problems":[{"part":"store","state":"storageFull"}]"#))
      _ = try await ana.client.callUntilDone(GetBalance.self, .init())

      // One that dies is back, and reads.
      let former = cluster.processID(.activity)
      cluster.kill(.activity)
      #expect(try await titles(ana) == created)
      #expect(cluster.processID(.activity) != former)
      #expect(try await refusal { _ = try await create("while 99", ana) }?.code == "storage_full")

      try disk.empty()
      let start = ContinuousClock.now
      _ = try await ana.client.callUntilDone(
        CreateActivity.self,
        .init(title: "whole again", category: .music, goal: .duration(seconds: 600), schedule: .daily),
        idempotencyKey: "whole-again", withinSeconds: 30)
      print("written \(ContinuousClock.now - start) after there was room")
      #expect(try await titles(ana) == (created + ["whole again"]).sorted())
      let balance = try await eventually {
        try await ana.client.callUntilDone(GetBalance.self, .init())
      } until: {
        $0.coins == 30
      }
      #expect(balance.coins == 30, "rewards receives the steps")
      let last = try await eventually {
        try await cluster.client.get("/readyz").text
      } until: {
        !$0.contains("degraded")
      }
      #expect(!last.contains("degraded"))
    }
  }

  @Test("A cluster on a disk that is read-only at start reads in all six services, and writes once it can")
  func readOnly() async throws {
    try await with { cluster, disk, ana in
      _ = try await create("before", ana)
      for service in ServiceName.allCases where service != .gateway { cluster.hold(service) }
      try await untilReadOnly(disk)
      for service in ServiceName.allCases where service != .gateway { try cluster.release(service) }
      #expect(try await titles(ana) == ["before"])
      let ready = try await eventually {
        try await cluster.client.get("/readyz")
      } until: {
        $0.status == 200 && $0.text.contains("storageReadOnly")
      }
      #expect(ready.status == 200 && ready.text.contains("storageReadOnly") && ready.text.contains("degraded"), "\(ready.text)")
      #expect(try await refusal { _ = try await create("while", ana) }?.code == "storage_read_only")
      let login = try await refusal {
        _ = try await cluster.client.call(LogIn.self, .init(login: "ana", password: FullDiskTests.password))
      }
      #expect(login?.code == "storage_read_only")
      try disk.makeWritable()
      _ = try await cluster.client.callUntilDone(
        LogIn.self, .init(login: "ana", password: FullDiskTests.password), withinSeconds: 30)
      #expect(try await titles(ana) == ["before"])
    }
  }

  /// A disk becomes read-only once nobody has a file of it open for writing.
  private func untilReadOnly(_ disk: SmallDisk) async throws {
    let isReadOnly = try await eventually(seconds: 20) { () -> Bool in
      do {
        try disk.makeReadOnly()
        return true
      } catch is SmallDisk.CommandFailed {
        return false
      }
    } until: {
      $0
    }
    try #require(isReadOnly)
  }
}
