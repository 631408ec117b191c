import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import SocialContract
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Two people see each other, and what is between them, in directory and profiles. Social and identity are killed at random moments
/// while that changes.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Mutual visibility of people", .serialized)
struct PeopleTests {
  @Test(
    "A follow request appears in the other's directory, is answered there, and becomes the follow (T UC 04.02, 04.04)")
  func followRequests() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let (ana, ben) = (
      try await cluster.join("ana", password: "Rio-7-lento"), try await cluster.join("ben", password: "Rio-7-lento")
    )
    for member in [ana, ben] {
      _ = try await member.client.callUntilDone(UpdateSettings.self, .init(directoryVisibility: .set(.listed)))
    }
    for round in 0..<Play.rounds(3) {
      let killer = Task {
        for service in [ServiceName.social, .identity].shuffled() {
          // A random moment is the point: whatever runs then is cut off.
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...120)))
          cluster.kill(service)
        }
      }
      let asked = try await ben.client.callUntilDone(
        SendFollowRequest.self, .init(username: ana.account.username), idempotencyKey: "ask-\(round)")
      let shown = try await eventually {
        try await ana.client.callUntilDone(SearchDirectory.self, .init()).items
      } until: {
        $0.first?.relation.followRequestReceivedID != nil
      }
      #expect(shown.map(\.accountID) == [ben.account.id] && shown.first?.relation == Relation(followRequestReceivedID: asked.id))
      _ = try await ana.client.callUntilDone(
        AcceptFollowRequest.self, .init(followRequestID: asked.id), idempotencyKey: "accept-\(round)")
      try await killer.value
      #expect(try await Self.relation(of: ana, to: ben) { $0.isFollowedBy } == Relation(isFollowedBy: true))
      #expect(try await Self.relation(of: ben, to: ana) { $0.follows } == Relation(follows: true))
      cluster.kill([ServiceName.social, .identity].randomElement() ?? .social)
      _ = try await ben.client.callUntilDone(
        RemoveFollow.self, .init(accountID: ana.account.id), idempotencyKey: "end-\(round)")
      #expect(try await Self.relation(of: ana, to: ben) { !$0.isFollowedBy } == Relation())
      #expect(try await Self.relation(of: ben, to: ana) { !$0.follows } == Relation())
    }
    // One that has just been started again is not ready to be asked to stop.
    try await cluster.waitUntilReady()
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  @Test(
    "A photo's address in directory and profile always returns that photo, and a new photo has another address"
  )
  func photos() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let (ana, ben) = (
      try await cluster.join("ana", password: "Rio-7-lento"), try await cluster.join("ben", password: "Rio-7-lento")
    )
    _ = try await ana.client.call(UpdateSettings.self, .init(directoryVisibility: .set(.listed)))
    func put(_ name: String) async throws -> PhotoURL {
      let bytes = Array(try Data(contentsOf: Self.pictures.appending(path: name)))
      _ = try await ana.client.call(PutPhoto.self, .init(content: Base64Bytes(bytes)))
      let entry = try await ben.client.call(SearchDirectory.self, .init()).items.first
      let profile = try await ben.client.call(GetProfileByUsername.self, .init(username: ana.account.username))
      #expect(entry?.photoURL == profile.photoURL)
      return try #require(profile.photoURL)
    }
    let first = try await put("text.png")
    let seen = try await Self.get(first, as: ben, cluster)
    #expect(seen.status == 200)
    #expect(seen.caching == "private, max-age=31536000, immutable")
    let second = try await put("orientation-6.jpg")
    #expect(second != first)
    let (now, former) = (try await Self.get(second, as: ben, cluster), try await Self.get(first, as: ben, cluster))
    #expect(now.tag == former.tag && now.tag != seen.tag)
    #expect(now.caching == seen.caching && former.caching == "private, no-cache")
  }

  @Test(
    "Killing social or identity during a block still closes profile, photo and directory to both until it ends (SOC-8)",
    arguments: [ServiceName.social, .identity])
  func blocks(killed: ServiceName) async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let (ana, ben) = (
      try await cluster.join("ana", password: "Rio-7-lento"), try await cluster.join("ben", password: "Rio-7-lento")
    )
    let picture = Array(try Data(contentsOf: Self.pictures.appending(path: "text.png")))
    var photos: [AccountID: PhotoURL] = [:]
    for member in [ana, ben] {
      _ = try await member.client.call(UpdateSettings.self, .init(directoryVisibility: .set(.listed)))
      let tag = try await member.client.call(PutPhoto.self, .init(content: Base64Bytes(picture))).photoTag
      photos[member.account.id] = PhotoURL(account: member.account.id, tag: try #require(tag))
    }
    func seen(_ viewer: Member, _ other: Member, as expected: [String]) async throws {
      let url = try #require(photos[other.account.id])
      let found = try await eventually {
        try await Self.seen(of: other, at: url, by: viewer, cluster)
      } until: {
        $0 == expected
      }
      #expect(found == expected, "\(viewer.account.username) sees \(other.account.username)")
    }
    let everything = ["entry", "profile", "photo 200"]
    for round in 0..<Play.rounds(3) {
      for isBlocked in [true, false] {
        let killer = Task {
          // A random moment is the point: whatever runs then is cut off.
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...30)))
          cluster.kill(killed)
        }
        if isBlocked {
          _ = try await ana.client.callUntilDone(
            CreateBlock.self, .init(accountID: ben.account.id), idempotencyKey: "block-\(round)")
        } else {
          _ = try await ana.client.callUntilDone(
            DeleteBlock.self, .init(accountID: ben.account.id), idempotencyKey: "unblock-\(round)")
        }
        try await killer.value
        try await seen(ana, ben, as: isBlocked ? ["names", "photo 404"] : everything)
        try await seen(ben, ana, as: isBlocked ? ["photo 404"] : everything)
      }
    }
    // One that has just been started again is not ready to be asked to stop.
    try await cluster.waitUntilReady()
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  /// What somebody sees of another: its entry in the directory, its profile or its names alone, its photo.
  private static func seen(
    of other: Member, at photo: PhotoURL, by viewer: Member, _ cluster: RunningCluster
  ) async throws -> [String] {
    var seen: [String] = []
    let entries = try await viewer.client.callUntilDone(SearchDirectory.self, .init()).items
    if entries.contains(where: { $0.accountID == other.account.id }) { seen.append("entry") }
    do {
      let profile = try await viewer.client.callUntilDone(GetProfile.self, .init(accountID: other.account.id))
      seen.append(profile.relation.isBlocked && profile.photoURL == nil ? "names" : "profile")
    } catch let problem as GatewayClient.Problem {
      #expect(problem.status == 404, "\(problem)")
    }
    return seen + ["photo \(try await get(photo, as: viewer, cluster).status)"]
  }

  private static let pictures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
    path: "Images/Fixtures")

  /// How a photo's address is answered.
  private static func get(
    _ url: PhotoURL, as member: Member, _ cluster: RunningCluster
  ) async throws -> (status: Int, tag: String?, caching: String?) {
    var request = URLRequest(url: try #require(URL(string: cluster.url + url.description)))
    request.setValue("Bearer \(member.accessToken)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
    let answer = try #require(response as? HTTPURLResponse)
    #expect(!data.isEmpty)
    return (
      answer.statusCode, answer.value(forHTTPHeaderField: "ETag"), answer.value(forHTTPHeaderField: "Cache-Control")
    )
  }

  /// What the profile of somebody says is between the two, as soon as it is as expected.
  private static func relation(
    of viewer: Member, to other: Member, until isRight: (Relation) -> Bool
  ) async throws -> Relation {
    try await eventually {
      try await viewer.client.callUntilDone(GetProfile.self, .init(accountID: other.account.id)).relation
    } until: {
      isRight($0)
    }
  }
}
