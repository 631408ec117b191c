import EarlierStores
import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Settings (ID-13; B UC13, E data privacy)")
struct SettingsTests {
  private func update(_ identity: RunningIdentity, _ signedIn: SignedIn, _ json: String) async throws -> AccountSettings {
    try await identity.ask(UpdateSettings.self, json: json, by: .signedIn(signedIn))
  }

  private func read(_ identity: RunningIdentity, _ signedIn: SignedIn) async throws -> AccountSettings {
    try await identity.ask(GetSettings.self, .init(), by: .signedIn(signedIn))
  }

  @Test("A new account has no consents and is not listed, whatever the form left out")
  func defaults() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let settings = try await read(identity, try await identity.logIn())
      #expect(
        settings
          == AccountSettings(
            language: .english, timeZone: .utc, dayStartHour: 0,
            consents: ConsentStates(activityData: .init(isGiven: false), location: .init(isGiven: false)),
            directoryVisibility: .hidden))
      let published = try await identity.published(AccountChanged.self)
      #expect(published.map(\.consents) == [[]] && published.map(\.mutesHelp) == [false])
    }
  }

  @Test(
    "An update of settings changes only what it names and is published once; null is refused, and no change is not published"
  )
  func partial() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      var settings = try await update(identity, ana, #"{"timeZone":"America/Lima","dayStartHour":4}"#)
      #expect(settings.timeZone.description == "America/Lima" && settings.dayStartHour == 4 && settings.language == .english)
      settings = try await update(
        identity, ana,
        #"{"language":"es","directoryVisibility":"listed","nameVisibility":"friends","givesReadReceipts":false,"taskEnrollment":"friends"}"#
      )
      #expect(!settings.givesReadReceipts && settings.taskEnrollment == .friends)
      #expect(settings.language == .spanish && settings.directoryVisibility == .listed)
      #expect(settings.nameVisibility == .friends && settings.ageVisibility == .hidden)
      #expect(settings.timeZone.description == "America/Lima" && settings.dayStartHour == 4)
      let published = try await identity.published(AccountChanged.self)
      #expect(published.map(\.revision) == [1, 2, 3])
      #expect(published.last?.timeZone.description == "America/Lima" && published.last?.dayStartHour == 4)
      #expect(published.last?.language == .spanish && published.last?.mutesHelp == false)
      #expect(published.map(\.givesReadReceipts) == [true, true, false])
      #expect(published.map(\.taskEnrollment) == [.everyone, .everyone, .friends])
      for json in ["{}", #"{"language":"es","dayStartHour":4,"consents":{"location":false}}"#, #"{"consents":{}}"#] {
        #expect(try await update(identity, ana, json) == settings)
      }
      let nulls = await #expect(throws: Failure.self) {
        _ = try await update(identity, ana, #"{"language":null,"timeZone":null,"dayStartHour":4,"consents":null}"#)
      }
      #expect(nulls?.fields.map { "\($0.field) \($0.code)" } == ["language null", "timeZone null", "consents null"])
      #expect(try await identity.published(AccountChanged.self).count == 3)
      #expect(try await read(identity, ana) == settings)
      let own = try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(ana))
      #expect(own.timeZone == settings.timeZone && own.dayStartHour == 4 && own.language == .spanish)
    }
  }

  @Test("A subscriber without history learns each account's consents")
  func snapshot() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      _ = try await update(identity, try await identity.logIn(), #"{"consents":{"location":true}}"#)
      let page = try await identity.store.log.snapshot(after: nil)
      let account = try AccountChanged.decode(try #require(page.events.first).body)
      #expect(account.consents == [.location] && account.mutesHelp == false && account.revision == 2)
    }
  }

  @Test("All faults of an update of settings are reported at once, in both languages, and nothing is changed")
  func badFields() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      let refused = try await failure {
        try await update(
          identity, ana,
          """
          {"language":"fr","timeZone":"PST","dayStartHour":7,"muteHelpNotifications":"yes","consents":{"location":1,"ads":true},
          "directoryVisibility":"public","nameVisibility":"me","ageVisibility":34,"givesReadReceipts":"no","nickname":"Ana"}
          """)
      }
      #expect(refused.code == "invalid_fields" && refused.status == 422)
      #expect(
        Set(refused.fields.map { "\($0.field) \($0.code)" }) == [
          "language not_a_choice", "timeZone unknown_time_zone", "dayStartHour out_of_range",
          "muteHelpNotifications not_a_truth_value", "consents.location not_a_truth_value", "consents.ads unknown_field",
          "directoryVisibility not_a_choice", "nameVisibility not_a_choice", "ageVisibility not_a_string",
          "givesReadReceipts not_a_truth_value", "nickname unknown_field",
        ])
      let words = Words(Contract.identity.words)
      for field in refused.fields {
        for language in Language.allCases {
          #expect(words.text("field.\(field.code)", language, field.parameters) != nil, "\(field.code)")
        }
      }
      #expect(try await read(identity, ana).dayStartHour == 0)
      #expect(try await identity.published(AccountChanged.self).count == 1)
    }
  }

  @Test("Muting help is refused with its new setting, and accounts that had muted it are still published so (B UC13)")
  func mutedHelp() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      for json in [#"{"muteHelpNotifications":true}"#, #"{"muteHelpNotifications":false,"dayStartHour":3}"#] {
        let refused = try await failure { try await update(identity, ana, json) }
        #expect(refused.fields.map { "\($0.field) \($0.code)" } == ["muteHelpNotifications moved_to_preferences"])
      }
      try await identity.store.write { try $0.database.execute(sql: "UPDATE accounts SET mutes_help = 1") }
      _ = try await update(identity, ana, #"{"dayStartHour":3}"#)
      #expect(try await identity.published(AccountChanged.self).map(\.mutesHelp) == [false, true])
    }
  }

  @Test("Concurrent changes of different settings all take effect")
  func race() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for json in [
          #"{"dayStartHour":3}"#, #"{"language":"es"}"#, #"{"consents":{"activityData":true}}"#,
          #"{"consents":{"location":true}}"#,
          #"{"taskEnrollment":"nobody"}"#,
        ] {
          group.addTask { _ = try await update(identity, ana, json) }
        }
        try await group.waitForAll()
      }
      let settings = try await read(identity, ana)
      #expect(settings.dayStartHour == 3 && settings.language == .spanish && settings.taskEnrollment == .nobody)
      #expect(settings.consents.activityData.isGiven && settings.consents.location.isGiven)
      #expect(try await identity.published(AccountChanged.self).map(\.revision) == [1, 2, 3, 4, 5, 6])
    }
  }

  @Test("Only an open session of the account can read or change its settings")
  func callers() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      try await identity.register("bea")
      // Nobody's address is verified: settings do not wait for that.
      let (ana, bea) = (try await identity.logIn("ana"), try await identity.logIn("bea"))
      _ = try await update(identity, ana, #"{"dayStartHour":5}"#)
      #expect(try await read(identity, bea).dayStartHour == 0)
      let closed = try await identity.logIn("ana")
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(closed))
      for (caller, code) in [
        (Caller.signedIn(closed), "session_revoked"), (Caller(kind: .account, account: ana.account.id), "unauthenticated"),
        (.person(), "unauthenticated"), (.service(.activity), "unauthenticated"),
      ] {
        let codes = [
          try await failure { try await identity.ask(GetSettings.self, .init(), by: caller) }.code,
          try await failure { try await identity.ask(UpdateSettings.self, .init(dayStartHour: .set(1)), by: caller) }.code,
        ]
        #expect(codes == [code, code])
      }
      #expect(try await read(identity, ana).dayStartHour == 5)
      for operation in [GetSettings.spec, UpdateSettings.spec] { #expect(AccessScope(for: operation) == nil) }
    }
  }

  @Test("Tokens have a changed language from the next refresh on")
  func language() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      _ = try await update(identity, ana, #"{"language":"es"}"#)
      let refreshed = try await identity.ask(RefreshSession.self, .init(refreshToken: ana.refreshToken))
      #expect(refreshed.account.language == .spanish)
    }
  }

  @Test(
    "An account from before settings existed has no consents, is not listed and shows no name")
  func upgrade() async throws {
    let migrations = try await RunningIdentity.migrations()
    let settings = try #require(migrations.first { $0.name == "settings and consents" })
    try await UpgradedStore.upgrading(.identity, migrations, before: settings.number) { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at,
            verified_at)
          VALUES (zeroblob(16), 'a@b.c', 'a@b.c', 'ana', '$argon2id$', 'EST5EDT', 'en', 1, 2);
          """)
    } check: { store in
      // A zone that could be chosen then still counts its days.
      let account = try #require(try await store.read { try AccountStore.find(Username(text: "ana"), in: $0) })
      #expect(account.consents.isEmpty && !account.mutesHelp && account.directoryVisibility == .hidden)
      #expect(account.nameVisibility == .hidden && account.ageVisibility == .hidden)
      #expect(account.timeZone.description == "EST5EDT")
      #expect(try await store.read { try ConsentStore.states(of: account.id, in: $0) }.activityData == .init(isGiven: false))
    }
  }
}
