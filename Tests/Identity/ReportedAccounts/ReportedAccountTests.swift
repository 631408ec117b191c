import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import IdentityService

@Suite("Reported accounts, their photos and the administrators, as social asks for them (SOC-8)")
struct ReportedAccountTests {
  private func copy(_ identity: RunningIdentity, _ account: AccountID) async throws -> ReportedAccount {
    try await identity.ask(GetReportedAccount.self, .init(accountID: account), by: .service(.social))
  }

  /// Lets moderators' decision take effect, as its event does.
  private func remove(_ tag: String, of account: AccountID, _ identity: RunningIdentity) async throws {
    let event = PhotoRemovalDecided(accountID: account, photoTag: tag, at: identity.time.now)
    let logged = LoggedEvent(
      number: 1, name: PhotoRemovalDecided.spec.name, at: identity.time.now, traceparent: nil, body: event.json)
    try await identity.store.write { try PhotoSubscriptions.removalDecided(event, logged, $0) }
  }

  @Test("A copy of a reported account has its current names and photo, and an unknown account is not found")
  func copies() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let ana = try await identity.logIn()
      #expect(try await copy(identity, account.id) == ReportedAccount(username: account.username, nickname: nil, photo: nil))
      _ = try await identity.ask(
        PutPhoto.self, .init(content: Base64Bytes(try Portrait.png())), by: .signedIn(ana))
      let photo = try await identity.ask(GetOwnPhoto.self, .init(), by: .signedIn(ana))
      #expect(try await copy(identity, account.id).photo == photo)
      #expect(try await failure { try await copy(identity, AccountID()) }.code == "not_found")
      let refused = try await failure {
        try await identity.ask(GetReportedAccount.self, .init(accountID: account.id), by: .signedIn(ana))
      }
      #expect(refused.code == "forbidden")
    }
  }

  @Test("Removing a photo for moderators can be repeated, and keeps one chosen since")
  func removal() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let ana = try await identity.logIn()
      let png = PutPhoto.Input(content: Base64Bytes(try Portrait.png()))
      let reported = try #require(try await identity.ask(PutPhoto.self, png, by: .signedIn(ana)).photoTag)
      for _ in 0..<2 { try await remove(reported, of: account.id, identity) }
      #expect(try await failure { try await identity.ask(GetOwnPhoto.self, .init(), by: .signedIn(ana)) }.code == "not_found")
      #expect(try await identity.published(AccountChanged.self).last?.photoTag == nil)
      let jpeg = PutPhoto.Input(content: Base64Bytes(try Portrait.jpeg()))
      let other = try await identity.ask(PutPhoto.self, jpeg, by: .signedIn(ana)).photoTag
      try await remove(reported, of: account.id, identity)
      #expect(try await identity.ask(GetOwnPhoto.self, .init(), by: .signedIn(ana)).tag == other)
      try await remove(reported, of: AccountID(), identity)
    }
  }

  @Test("A photo restored by an appeal comes back once, and not over one chosen since")
  func restoration() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let ana = try await identity.logIn()
      func restore(_ photo: MediaFile, of account: AccountID) async throws {
        let event = PhotoRestorationDecided(accountID: account, photo: photo, at: identity.time.now)
        let logged = LoggedEvent(
          number: 1, name: PhotoRestorationDecided.spec.name, at: identity.time.now, traceparent: nil, body: event.json)
        try await identity.store.write { try PhotoSubscriptions.restorationDecided(event, logged, $0) }
      }
      let png = PutPhoto.Input(content: Base64Bytes(try Portrait.png()))
      _ = try await identity.ask(PutPhoto.self, png, by: .signedIn(ana))
      let photo = try await identity.ask(GetOwnPhoto.self, .init(), by: .signedIn(ana))
      try await remove(photo.tag, of: account.id, identity)
      for _ in 0..<2 { try await restore(photo, of: account.id) }
      #expect(try await identity.ask(GetOwnPhoto.self, .init(), by: .signedIn(ana)) == photo)
      #expect(try await identity.published(AccountChanged.self).last?.photoTag == photo.tag)
      let jpeg = PutPhoto.Input(content: Base64Bytes(try Portrait.jpeg()))
      let other = try await identity.ask(PutPhoto.self, jpeg, by: .signedIn(ana)).photoTag
      try await restore(photo, of: account.id)
      #expect(try await identity.ask(GetOwnPhoto.self, .init(), by: .signedIn(ana)).tag == other)
      try await restore(photo, of: AccountID())
    }
  }

  @Test("The current administrators are listed for social only")
  func administrators() async throws {
    try await RunningIdentity.run { identity in
      func listed() async throws -> [AccountID] {
        try await identity.ask(ListAdministrators.self, Empty(), by: .service(.social)).accountIDs
      }
      #expect(try await listed() == [])
      let (adela, berta) = (try await identity.administrator(), try await identity.administrator("berta"))
      #expect(try await Set(listed()) == [adela.account.id, berta.account.id])
      _ = try await identity.ask(
        DismissAdministrator.self, .init(username: berta.account.username), by: .service(.gateway))
      #expect(try await listed() == [adela.account.id])
      let refused = try await failure {
        try await identity.ask(ListAdministrators.self, Empty(), by: .signedIn(adela))
      }
      #expect(refused.code == "forbidden")
    }
  }
}
