import Client
import Cluster
import IdentityContract
import Operations
import SocialContract
import Testing

/// Services are killed at random moments while moderators remove a photo and while a granted appeal gives it back.
@Suite("Killing services while a photo is removed and restored (SOC-8)", .serialized)
struct PhotoRestorationKillsTests {
  @Test(
    "Amid kills a photo that moderators remove is gone, and a granted appeal restores it once, unless there is a new one")
  func restoration() async throws {
    try await KillRounds.run(2) { round, cluster in
      let ana = try await cluster.join("ana\(round)", password: "Rio-7-lento")
      let ben = try await cluster.join("ben\(round)", password: "Rio-7-lento")
      let administrator = try await cluster.administrator("adela\(round)")
      // Appeals are decided by another administrator.
      let other = try await cluster.administrator("julia\(round)")
      let content = Base64Bytes([UInt8](Picture.noise(width: 8, height: 8)))
      _ = try await ben.client.callUntilDone(PutPhoto.self, .init(content: content), idempotencyKey: "photo")
      let photo = try #require(try await url(of: ben, for: ana))
      let report = try await ana.client.callUntilDone(
        CreateReport.self, .init(subject: .photo(of: ben.account.id), reason: .hate), idempotencyKey: "report")
      let found = try await administrator.callUntilDone(ListModerationCases.self, .init()).items
      let id = try #require(found.first { $0.subject == report.subject }).id

      let removing = Task { try await KillRounds.kill([.social, .identity], cluster) }
      _ = try await administrator.callUntilDone(
        DecideModerationCase.self, .init(caseID: id, outcome: .removed, reason: try ReportText(text: "No such photos.")),
        idempotencyKey: "decision")
      try await removing.value
      #expect(
        try await eventually {
          try await url(of: ben, for: ana)
        } until: {
          $0 == nil
        } == nil)

      _ = try await ben.client.callUntilDone(
        AppealSanction.self, .init(caseID: id, text: try ChatText(text: "It is my cat.")), idempotencyKey: "appeal")
      // The appeal is granted amid kills, and what it gives back spreads amid them.
      let granting = Task { try await KillRounds.kill([.social, .identity, .social, .identity], cluster) }
      let granted = try await other.callUntilDone(
        DecideAppeal.self, .init(caseID: id, outcome: .granted, reason: try ReportText(text: "It is a cat."), note: nil),
        idempotencyKey: "granted")
      try await granting.value
      #expect(granted.appeal?.outcome == .granted)
      #expect(
        try await eventually {
          try await url(of: ben, for: ana)
        } until: {
          $0 != nil
        } == photo)
      #expect(try await PhotoURL(account: ben.account.id, tag: ben.client.callUntilDone(GetOwnPhoto.self, .init()).tag) == photo)

      // What was given back once is not given back again over what its owner does since.
      _ = try await ben.client.callUntilDone(DeletePhoto.self, .init(), idempotencyKey: "deletion")
      cluster.kill(.identity)
      cluster.kill(.social)
      let sanction = try #require(try await ben.client.callUntilDone(ListOwnSanctions.self, .init()).items.first)
      #expect(sanction.appeal?.outcome == .granted)
      #expect(try await url(of: ben, for: ana) == nil)
    }
  }

  private func url(of person: Member, for reader: Member) async throws -> PhotoURL? {
    try await reader.client.callUntilDone(GetProfileByUsername.self, .init(username: person.account.username)).photoURL
  }
}
