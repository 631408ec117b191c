import IdentityContract
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import IdentityService

@Suite("The mailed link of a suspended account (SOC-8)")
struct SuspensionLinkTests {
  private static let text = "It was a quotation.\nPlease look again."

  private static func appeal(
    _ identity: RunningIdentity, _ token: String, _ text: String = text
  ) async throws -> AppealSuspension.Output {
    try await identity.ask(AppealSuspension.self, .init(token: token, text: try SuspensionAppealText(text: text)))
  }

  /// Runs identity with Ana, whose account is suspended, and her link.
  private static func run(
    canAppeal: Bool = true, _ body: (RunningIdentity, OwnAccount, _ token: String) async throws -> Void
  ) async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      try await body(identity, ana, try await identity.suspensionToken(of: ana.id, canAppeal: canAppeal))
    }
  }

  @Test(
    "A suspended account's mailed link shows reason and end as often as needed for 7 days"
  )
  func reads() async throws {
    try await Self.run { identity, ana, token in
      let until = identity.time.now.adding(seconds: 10 * 86_400)
      for _ in 0..<2 {
        let details = try await identity.ask(GetSuspension.self, .init(token: token))
        #expect(
          details
            == SuspensionDetails(
              username: ana.username, isBanned: false, until: until, reason: "Insults in messages,\nafter a warning.",
              canAppeal: true, appealedAt: nil))
      }
      identity.time.advance(seconds: 7 * 86_400)
      #expect(
        try await failure { try await identity.ask(GetSuspension.self, .init(token: token)) }.code == "suspension_link_expired")
      #expect(try await failure { try await Self.appeal(identity, token) }.code == "suspension_link_expired")
      #expect(
        try await failure { try await identity.ask(DeleteSuspendedAccount.self, .init(token: token)) }.code
          == "suspension_link_expired")
    }
  }

  @Test("A suspended account's mailed link can appeal once, which is published to social, also in the snapshot")
  func appeals() async throws {
    try await Self.run { identity, ana, token in
      let appealed = try await Self.appeal(identity, token)
      #expect(!appealed.canAppeal && appealed.appealedAt == identity.time.now)
      #expect(try await failure { try await Self.appeal(identity, token) }.code == "suspension_appealed")
      let published = try await identity.published(SuspensionAppealed.self)
      #expect(published.map(\.text) == [Self.text] && published.map(\.accountID) == [ana.id])
      var (key, again): (String?, [SuspensionAppealed]) = (nil, [])
      repeat {
        let page = try await identity.store.log.snapshot(after: key)
        again += try page.events.filter { $0.name == SuspensionAppealed.spec.name }.map { try SuspensionAppealed.decode($0.body) }
        key = page.nextKey
      } while key != nil
      #expect(again == published)
      #expect(try await identity.lastSecurityEvent().hasPrefix("suspensionAppealed"))
    }
  }

  @Test("A suspended account's mailed link cannot appeal a final decision, and says so")
  func finalDecision() async throws {
    try await Self.run(canAppeal: false) { identity, _, token in
      #expect(try await !identity.ask(GetSuspension.self, .init(token: token)).canAppeal)
      let refused = try await failure { try await Self.appeal(identity, token) }
      #expect(refused.code == "suspension_final" && refused.status == 403)
      #expect(try await identity.published(SuspensionAppealed.self).isEmpty)
    }
  }

  @Test(
    "An empty or overlong appeal by the mailed link is refused with field and rule",
    arguments: [
      ("", "empty"), (" \n ", "empty"), (String(repeating: "a", count: 2001), "too_long"), ("a\u{7}b", "control_character"),
    ])
  func badText(text: String, rule: String) async throws {
    try await Self.run { identity, _, token in
      let json: JSON = ["token": .string(token), "text": .string(text)]
      let refused = try await failure {
        try await identity.ask(AppealSuspension.self, json: String(decoding: json.bytes, as: UTF8.self))
      }
      #expect(refused.code == "invalid_fields" && refused.fields.map(\.field) == ["text"])
      #expect(refused.fields.map(\.code) == [rule])
    }
  }

  @Test(
    "A suspended account's mailed link can delete the account in all services, and is then invalid"
  )
  func deletes() async throws {
    try await Self.run { identity, ana, token in
      let output = try await identity.ask(DeleteSuspendedAccount.self, .init(token: token))
      #expect(try await identity.published(AccountDeleted.self).map(\.accountID) == [ana.id])
      let state = try await identity.ask(GetAccountDeletion.self, .init(token: output.token))
      #expect(state.id == output.deletion.id && state.state == .erasing)
      #expect(try await failure { try await identity.logIn() }.code == "wrong_credentials")
      for table in ["suspensions", "suspension_links"] { #expect(try await identity.count("SELECT COUNT(*) FROM \(table)") == 0) }
      #expect(
        try await failure { try await identity.ask(DeleteSuspendedAccount.self, .init(token: token)) }.code
          == "suspension_link_invalid")
    }
  }

  @Test("A suspended account's mailed link cannot delete the last administrator (ID-12)")
  func lastAdministrator() async throws {
    try await RunningIdentity.run { identity in
      let adela = try await identity.administrator()
      try await identity.suspend(adela.account.id)
      _ = try await failure { try await identity.logIn("adela") }
      let token = try await identity.suspensionMail().token
      #expect(
        try await failure { try await identity.ask(DeleteSuspendedAccount.self, .init(token: token)) }.code
          == "last_administrator")
    }
  }

  @Test("A suspension that begins again invalidates the former link, and mails a new one even on the same day")
  func anew() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      var decision = try await identity.suspend(ana.id)
      _ = try await failure { try await identity.logIn() }
      let token = try await identity.suspensionMail().token
      (decision.revision, decision.until) = (2, nil)
      try await identity.receive(decision)
      try await identity.suspend(ana.id, revision: 3)
      _ = try await failure { try await identity.logIn() }
      let second = try await identity.suspensionMail().token
      #expect(try await identity.ask(GetSuspension.self, .init(token: second)).username == ana.username)
      #expect(
        try await failure { try await identity.ask(GetSuspension.self, .init(token: token)) }.code == "suspension_link_invalid")
    }
  }

  @Test("A suspended account's mailed link ends with the suspension, and with the address that it was sent to")
  func ends() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      try await identity.askToChange(try await identity.logIn())
      let undoing = try await identity.emailChangeNotice().token
      try await identity.follow(try await identity.emailChangeMail().token)
      var decision = try await identity.suspend(ana.id)
      _ = try await failure { try await identity.logIn() }
      let token = try await identity.suspensionMail().token
      // Whoever took the address over deletes nothing by the link, once its owner has it back.
      try await identity.undo(undoing)
      #expect(
        try await failure { try await identity.ask(DeleteSuspendedAccount.self, .init(token: token)) }.code
          == "suspension_link_invalid")
      identity.time.advance(seconds: 86_400)
      try await identity.askToRecover()
      let own = try await identity.suspensionMail().token
      _ = try await identity.ask(GetSuspension.self, .init(token: own))
      (decision.revision, decision.until) = (2, nil)
      try await identity.receive(decision)
      for token in [own] {
        #expect(try await failure { try await identity.ask(GetSuspension.self, .init(token: token)) }.code == "suspension_over")
        #expect(try await failure { try await Self.appeal(identity, token) }.code == "suspension_over")
        #expect(
          try await failure { try await identity.ask(DeleteSuspendedAccount.self, .init(token: token)) }.code
            == "suspension_over")
      }
      let link = try #require(try await identity.published(SuspensionLinkRequested.self).last).linkID
      #expect(
        try await failure { try await identity.askAsNotifications(GetSuspensionSecret.self, .init(linkID: link)) }.code
          == "not_found")
    }
  }

  @Test("An invented or foreign suspension link is refused, and guesses are counted")
  func strangers() async throws {
    try await Self.run { identity, _, token in
      let administrator = try await identity.administrator()
      let ben = try await identity.register("ben")
      try await identity.suspend(ben.id)
      let damaged = String(token.dropLast()) + (token.hasSuffix("A") ? "B" : "A")
      for guess in ["guess", damaged] + (0..<8).map({ "guess\($0)" }) {
        #expect(
          try await failure { try await identity.ask(GetSuspension.self, .init(token: guess)) }.code == "suspension_link_invalid"
        )
      }
      #expect(try await identity.incidents(by: administrator, pattern: .linksGuessed).map(\.count) == [10])
      // Each link is of its own account.
      #expect(try await identity.ask(GetSuspension.self, .init(token: token)).username.description == "ana")
    }
  }

  @Test("Only notifications can read a suspension link's secret")
  func secret() async throws {
    try await Self.run { identity, _, _ in
      let link = try #require(try await identity.published(SuspensionLinkRequested.self).last).linkID
      #expect(
        try await failure { try await identity.askAsGateway(GetSuspensionSecret.self, .init(linkID: link)) }.code == "forbidden")
      #expect(
        try await failure { try await identity.askAsNotifications(GetSuspensionSecret.self, .init(linkID: SuspensionLinkID())) }
          .code == "not_found")
    }
  }
}
