import IdentityContract
import InProcess
import Operations
import SocialContract
import Testing

@testable import IdentityService

@Suite("Another account's profile, in one call (ID-11; SOC-1, SOC-2, SOC-7, SOC-8)")
struct OtherProfileTests {
  private func profile(_ identity: RunningIdentity, _ account: AccountID, by viewer: SignedIn) async throws -> Profile {
    try await identity.ask(GetProfile.self, .init(accountID: account), by: .signedIn(viewer))
  }

  private func profile(_ identity: RunningIdentity, _ username: String, by viewer: SignedIn) async throws -> Profile {
    try await identity.ask(GetProfileByUsername.self, .init(username: try Username(text: username)), by: .signedIn(viewer))
  }

  /// How both ways to a profile end, which is the same.
  private func refusal(_ identity: RunningIdentity, _ seen: SignedIn, by viewer: SignedIn) async throws -> Failure {
    let byID = try await failure { try await profile(identity, seen.account.id, by: viewer) }
    let byName = try await failure { try await profile(identity, seen.account.username.description, by: viewer) }
    #expect([byID.code, "\(byID.status)"] == [byName.code, "\(byName.status)"] && byID.fields == byName.fields)
    return byID
  }

  @Test(
    "Another account's profile shows names, photo, joining date and relation, by id and username, even if unlisted",
    arguments: [
      Relation(), Relation(isFriend: true), Relation(friendRequest: .sent, friendRequestID: ID()),
      Relation(friendRequest: .received, friendRequestID: ID()), Relation(follows: true), Relation(isFollowedBy: true),
      Relation(followRequestSentID: ID()), Relation(followRequestReceivedID: ID()),
      Relation(isFriend: true, follows: true, isFollowedBy: true),
    ])
  func shown(relation: Relation) async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.join("ana", "Anita", isListed: false)
      identity.time.advance(seconds: 86_400)
      let bea = try await identity.join("bea")
      let photo = try await identity.ask(
        PutPhoto.self, .init(content: Base64Bytes(try Portrait.png())), by: .signedIn(ana)
      ).photoTag
      try await identity.relate(bea.account.id, ana.account.id, relation)
      let expected = Profile(
        accountID: ana.account.id, username: try Username(text: "ana"), nickname: try Nickname(text: "Anita"),
        photoURL: PhotoURL(account: ana.account.id, tag: try #require(photo)), createdAt: ana.account.createdAt,
        relation: relation)
      #expect(try await profile(identity, ana.account.id, by: bea) == expected)
      for name in ["ana", "ANA"] { #expect(try await profile(identity, name, by: bea) == expected) }
      #expect(!String(decoding: expected.json, as: UTF8.self).contains("example.com"))
    }
  }

  @Test(
    "A profile shows name and age to the owner and to those chosen for each, and by default to nobody else",
    arguments: ProfileVisibility.allCases)
  func chosen(visibility: ProfileVisibility) async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea, eva) = (try await identity.join("ana"), try await identity.join("bea"), try await identity.join("eva"))
      let form = UpdateProfile.Input(name: .set("Ana Ruiz"), age: .set(34))
      _ = try await identity.ask(UpdateProfile.self, form, by: .signedIn(ana))
      try await identity.relate(bea.account.id, ana.account.id, Relation(isFriend: true))
      func shown(_ viewer: SignedIn) async throws -> [String] {
        let seen = try await profile(identity, ana.account.id, by: viewer)
        return [seen.name.map { "\($0)" }, seen.age.map { "\($0)" }].map { $0 ?? "-" }
      }
      for viewer in [bea, eva] { #expect(try await shown(viewer) == ["-", "-"]) }
      #expect(try await shown(ana) == ["Ana Ruiz", "34"])
      let name = UpdateSettings.Input(nameVisibility: .set(visibility))
      #expect(try await identity.ask(UpdateSettings.self, name, by: .signedIn(ana)).nameVisibility == visibility)
      #expect(try await shown(bea) == [visibility == .hidden ? "-" : "Ana Ruiz", "-"])
      #expect(try await shown(eva) == [visibility == .everyone ? "Ana Ruiz" : "-", "-"])
      let age = UpdateSettings.Input(nameVisibility: .set(.hidden), ageVisibility: .set(visibility))
      _ = try await identity.ask(UpdateSettings.self, age, by: .signedIn(ana))
      #expect(try await shown(bea) == ["-", visibility == .hidden ? "-" : "34"])
      #expect(try await shown(eva) == ["-", visibility == .everyone ? "34" : "-"])
      #expect(try await shown(ana) == ["Ana Ruiz", "34"])
      let settings = try await identity.ask(GetSettings.self, .init(), by: .signedIn(ana))
      #expect(settings.nameVisibility == .hidden && settings.ageVisibility == visibility)
    }
  }

  @Test(
    "A blocked account finds no profile; the blocker sees only names and the block until it ends (SOC-8)"
  )
  func blocked() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea) = (try await identity.join("ana", "Anita"), try await identity.join("bea", "Beatriz"))
      let everything = UpdateSettings.Input(nameVisibility: .set(.everyone), ageVisibility: .set(.everyone))
      for (person, name) in [(ana, "Ana Ruiz"), (bea, "Bea Gil")] {
        let form = UpdateProfile.Input(name: .set(FormField(text: name)), age: .set(40))
        _ = try await identity.ask(UpdateProfile.self, form, by: .signedIn(person))
        _ = try await identity.ask(PutPhoto.self, .init(content: Base64Bytes(try Portrait.png())), by: .signedIn(person))
        _ = try await identity.ask(UpdateSettings.self, everything, by: .signedIn(person))
      }
      let before = try await profile(identity, bea.account.id, by: ana)
      #expect(before.photoURL != nil && before.name != nil)
      try await identity.block(ana.account.id, bea.account.id)
      // As nobody is found.
      let unknown = try await failure { try await profile(identity, AccountID(), by: bea) }
      #expect(try await refusal(identity, ana, by: bea) == unknown)
      let names = Profile(
        accountID: bea.account.id, username: before.username, nickname: before.nickname, createdAt: before.createdAt,
        relation: Relation(isBlocked: true))
      #expect(try await profile(identity, bea.account.id, by: ana) == names)
      #expect(try await profile(identity, "bea", by: ana) == names)
      // Where both have blocked, neither finds the other, until both have ended it.
      try await identity.relate(ana.account.id, bea.account.id, Relation(isBlocked: true), isBlockedByOther: true, revision: 2)
      try await identity.relate(bea.account.id, ana.account.id, Relation(isBlocked: true), isBlockedByOther: true, revision: 2)
      #expect(try await refusal(identity, ana, by: bea).code == "not_found")
      #expect(try await refusal(identity, bea, by: ana).code == "not_found")
      try await identity.block(ana.account.id, bea.account.id, false, revision: 3)
      #expect(try await profile(identity, bea.account.id, by: ana).photoURL == before.photoURL)
      #expect(try await profile(identity, "ana", by: bea).relation == Relation())
    }
  }

  @Test("The profile of a suspended account is not found until the suspension ends, nor that of a banned one (SOC-8)")
  func suspended() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea) = (try await identity.join("ana"), try await identity.join("bea"))
      try await identity.relate(bea.account.id, ana.account.id, Relation(isFriend: true))
      try await identity.suspend(ana.account.id, until: identity.time.now.adding(seconds: 60))
      #expect(try await refusal(identity, ana, by: bea).code == "not_found")
      identity.time.advance(seconds: 60)
      #expect(try await profile(identity, "ana", by: bea).relation.isFriend)
      try await identity.suspend(ana.account.id, until: .endOfTime)
      identity.time.advance(seconds: 86_400 * 3_650)
      let later = try await identity.logIn("bea")
      #expect(try await refusal(identity, ana, by: later).code == "not_found")
    }
  }

  @Test("One's own profile is as others see it, with an empty relation")
  func own() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.join("ana", "Anita")
      let seen = try await profile(identity, ana.account.id, by: ana)
      #expect(seen.nickname?.description == "Anita" && seen.relation == Relation())
    }
  }

  @Test(
    "A profile of an unknown or deleted account is not found, and an invalid name is refused by field and rule")
  func nobody() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea) = (try await identity.join("ana"), try await identity.join("bea"))
      let never = try await failure { try await profile(identity, "nadie", by: bea) }
      #expect(never.code == "not_found")
      let password = DeleteAccount.Input(password: FormField(text: RunningIdentity.password))
      _ = try await identity.ask(DeleteAccount.self, password, by: .signedIn(ana))
      #expect(try await refusal(identity, ana, by: bea).code == never.code)
      for (json, expected) in [(#"{"accountID":"ana"}"#, "accountID not_an_id"), ("{}", "accountID required")] {
        let refused = try await failure { try await identity.ask(GetProfile.self, json: json, by: .signedIn(bea)) }
        #expect(refused.fields.map { "\($0.field) \($0.code)" } == [expected])
      }
      for name in ["a", "ana!", "1ana"] {
        let json = #"{"username":"\#(name)"}"#
        let refused = try await failure { try await identity.ask(GetProfileByUsername.self, json: json, by: .signedIn(bea)) }
        #expect(refused.fields.map { "\($0.field) \($0.code)" } == ["username invalid_username"])
      }
    }
  }

  @Test("Another account's profile needs an open session, and reading by name is charged to the budget of searches")
  func callers() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.join("ana")
      let closed = try await identity.logIn("ana")
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(closed))
      let token = Caller(kind: .account, account: ana.account.id, isVerified: true)
      let name = GetProfileByUsername.Input(username: try Username(text: "ana"))
      for (caller, code) in [
        (Caller.signedIn(closed), "session_revoked"), (token, "unauthenticated"), (.person(), "unauthenticated"),
        (.service(.social), "unauthenticated"),
      ] {
        let byID = try await failure {
          try await identity.ask(GetProfile.self, .init(accountID: ana.account.id), by: caller)
        }
        #expect(byID.code == code)
        #expect(try await failure { try await identity.ask(GetProfileByUsername.self, name, by: caller) }.code == code)
      }
      #expect(AccessScope(for: GetProfile.spec) == nil && AccessScope(for: GetProfileByUsername.spec) == nil)
      #expect(GetProfileByUsername.spec.rate == .search)
    }
  }
}
