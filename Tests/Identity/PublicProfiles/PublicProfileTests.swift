import IdentityContract
import InProcess
import Operations
import Testing

@testable import IdentityService

@Suite("The public profile by link (ID-11; B UC8)")
struct PublicProfileTests {
  private func profile(_ identity: RunningIdentity, _ key: String) async throws -> PublicProfile {
    try await identity.ask(GetPublicProfile.self, .init(key: key))
  }

  private func refusal(_ identity: RunningIdentity, _ key: String) async throws -> String {
    let codes = [
      try await failure { try await profile(identity, key) }.code,
      try await failure { try await identity.ask(GetPublicPhoto.self, .init(key: key)) }.code,
    ]
    #expect(codes[0] == codes[1])
    return codes[0]
  }

  @Test("A public profile's link shows photo, username, nickname and joining date, and nothing else (UC8)")
  func seen() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let ana = try await identity.logIn()
      let input = UpdateProfile.Input(nickname: .set("Anita"), name: .set("Ana Ruiz"), age: .set(34))
      _ = try await identity.ask(UpdateProfile.self, input, by: .signedIn(ana))
      _ = try await identity.ask(PutPhoto.self, .init(content: Base64Bytes(try Portrait.png())), by: .signedIn(ana))
      let link = try await identity.ask(CreatePublicLink.self, .init(), by: .signedIn(ana))
      #expect(link.path == "/v1/public-profiles/\(link.key)" && link.createdAt == identity.time.now)
      #expect(link.page == "/profile/\(link.key)")
      let opened = try await identity.ask(OpenPublicProfile.self, .init(key: link.key), by: .service(.gateway))
      #expect(opened.accountID == account.id && opened.profile.username == account.username)
      #expect(try await identity.ask(GetPublicLink.self, .init(), by: .signedIn(ana)) == link)

      let seen = try await profile(identity, link.key)
      let photo = try await identity.ask(GetPublicPhoto.self, .init(key: link.key))
      #expect(seen.photoTag == photo.tag && photo.mediaType == "image/png")
      let expected = PublicProfile(
        username: account.username, nickname: try Nickname(text: "Anita"), createdAt: account.createdAt, photoTag: photo.tag)
      #expect(seen == expected)
      let text = String(decoding: seen.json, as: UTF8.self)
      for secret in ["example.com", "Ruiz", "age", account.id.description] { #expect(!text.contains(secret), "\(secret)") }
    }
  }

  @Test("A new link to a public profile replaces the former one")
  func rotated() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      let first = try await identity.ask(CreatePublicLink.self, .init(), by: .signedIn(ana), key: "one")
      #expect(try await identity.ask(CreatePublicLink.self, .init(), by: .signedIn(ana), key: "one") == first)
      let second = try await identity.ask(CreatePublicLink.self, .init(), by: .signedIn(ana), key: "another")
      #expect(first.key != second.key)
      #expect(try await refusal(identity, first.key) == "not_found")
      #expect(try await profile(identity, second.key).username.description == "ana")
    }
  }

  @Test("A revoked link to a public profile no longer works, and revoking it again is harmless")
  func revoked() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      #expect(
        try await failure { try await identity.ask(GetPublicLink.self, .init(), by: .signedIn(ana)) }.code == "not_found")
      let link = try await identity.ask(CreatePublicLink.self, .init(), by: .signedIn(ana))
      for _ in 0..<2 { _ = try await identity.ask(RevokePublicLink.self, .init(), by: .signedIn(ana)) }
      #expect(try await refusal(identity, link.key) == "not_found")
    }
  }

  @Test("Invented, damaged and foreign keys of public profiles do not work")
  func forged() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "bea"] { try await identity.register(name) }
      let ana = try await identity.logIn()
      let link = try await identity.ask(CreatePublicLink.self, .init(), by: .signedIn(ana))
      let other = try await identity.ask(CreatePublicLink.self, .init(), by: .signedIn(try await identity.logIn("bea")))
      let flipped = String(link.key.dropLast()) + (link.key.last == "A" ? "B" : "A")
      let mixed = String(link.key.prefix(21)) + String(other.key.dropFirst(21))
      let keys = ["a", "x" + link.key, link.key + "A", flipped, mixed, try await identity.mailedToken(), ana.refreshToken]
      for key in keys { #expect(try await refusal(identity, key) == "not_found", "\(key)") }
      #expect(try await profile(identity, link.key).username.description == "ana")
    }
  }

  @Test("A public profile's link does not work while its account is suspended (SOC-8)")
  func suspended() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.join("ana")
      let link = try await identity.ask(CreatePublicLink.self, .init(), by: .signedIn(ana))
      try await identity.suspend(ana.account.id, until: identity.time.now.adding(seconds: 60))
      #expect(try await refusal(identity, link.key) == "not_found")
      identity.time.advance(seconds: 60)
      #expect(try await profile(identity, link.key).username.description == "ana")
    }
  }

  @Test("A public profile without a photo answers not_found for it")
  func withoutPhoto() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      let link = try await identity.ask(CreatePublicLink.self, .init(), by: .signedIn(ana))
      #expect(try await profile(identity, link.key).photoTag == nil)
      #expect(try await failure { try await identity.ask(GetPublicPhoto.self, .init(key: link.key)) }.code == "not_found")
    }
  }
}
