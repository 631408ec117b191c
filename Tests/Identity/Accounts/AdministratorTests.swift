import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("Appointing an administrator (ID-15)")
struct AdministratorTests {
  @Test(
    "Only the launcher can appoint an administrator, who has the right from the next login on")
  func appoint() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.ask(RegisterAccount.self, RunningIdentity.form("ana", email: "ana@example.org"))
      let unverified = await #expect(throws: Failure.self) {
        try await identity.ask(AppointAdministrator.self, .init(username: ana.username), by: .service(.gateway))
      }
      #expect(unverified?.code == "verification_required")
      _ = try await identity.ask(VerifyAccount.self, .init(token: try await identity.mailedToken()))
      let ben = try await identity.ask(RegisterAccount.self, RunningIdentity.form("ben", email: "ben@example.org"))
      let input = AppointAdministrator.Input(username: ana.username)
      for stranger in [Caller.person(), Caller(kind: .account, account: ben.id), .service(.notifications)] {
        let failure = await #expect(throws: Failure.self) {
          try await identity.ask(AppointAdministrator.self, input, by: stranger)
        }
        #expect(failure?.code == "forbidden")
      }
      for _ in 0..<2 {
        #expect(try await identity.ask(AppointAdministrator.self, input, by: .service(.gateway)).isAdministrator)
      }
      let password = RunningIdentity.password
      #expect(try await identity.ask(LogIn.self, .init(login: "ana", password: password)).account.isAdministrator)
      #expect(try await !identity.ask(LogIn.self, .init(login: "ben", password: password)).account.isAdministrator)
      let nobody = await #expect(throws: Failure.self) {
        try await identity.ask(
          AppointAdministrator.self, .init(username: try Username(text: "nobody")), by: .service(.gateway))
      }
      #expect(nobody?.code == "not_found")
    }
  }

  @Test("Only the launcher can dismiss an administrator; it takes effect at once and is recorded")
  func dismiss() async throws {
    try await RunningIdentity.run { identity in
      let (adela, berta) = (try await identity.administrator(), try await identity.administrator("berta"))
      let input = DismissAdministrator.Input(username: berta.account.username)
      for stranger in [Caller.person(), .signedIn(adela), .service(.notifications)] {
        #expect(try await failure { try await identity.ask(DismissAdministrator.self, input, by: stranger) }.code == "forbidden")
      }
      for _ in 0..<2 { #expect(try await !identity.askAsGateway(DismissAdministrator.self, input).isAdministrator) }
      // Her token still says that she administers.
      #expect(
        try await failure { try await identity.ask(ListIncidents.self, .init(), by: .signedIn(berta)) }.code == "forbidden")
      _ = try await identity.ask(ListIncidents.self, .init(), by: .signedIn(adela))
      #expect(try await identity.securityEvents().filter { $0 == "administratorDismissed" }.count == 1)
      // Those who stay are notified, and so is she, who reads of nothing else.
      let published = try await identity.published(AdministratorAlerted.self).filter {
        $0.title == "An administrator was dismissed"
      }
      #expect(published.map(\.accountID) == [adela.account.id, berta.account.id])
      for alert in published {
        let mail = try await identity.askAsNotifications(GetSecurityMail.self, .init(mailID: alert.mailID))
        #expect(mail.title == alert.title && mail.lines.contains("Account: \(berta.account.id)"))
        // What the others are to look into is not hers to do.
        let isHers = alert.accountID == berta.account.id
        #expect(mail.recommendations.count == 1 && mail.recommendations[0].contains("You administer") == isHers)
        #expect(mail.recommendations[0].contains("other administrators") == !isHers)
      }
      let hers = try #require(
        try await identity.published(AdministratorAlerted.self).last {
          $0.accountID == berta.account.id && $0.title != "An administrator was dismissed"
        })
      #expect(
        try await failure { try await identity.askAsNotifications(GetSecurityMail.self, .init(mailID: hers.mailID)) }.code
          == "not_found")
      // Once more on the same day is reported once more.
      _ = try await identity.askAsGateway(AppointAdministrator.self, .init(username: berta.account.username))
      _ = try await identity.askAsGateway(DismissAdministrator.self, input)
      let again = try await identity.published(AdministratorAlerted.self).filter { $0.title == "An administrator was dismissed" }
      #expect(again.count == 4 && Set(again.map(\.incidentID)).count == 2)
      // The other services learn that it says so no longer; she goes on with the next one.
      #expect(try await identity.published(AccessTokensInvalidated.self).first?.sessionID == berta.session.id)
      let refreshed = try await identity.ask(RefreshSession.self, .init(refreshToken: berta.refreshToken))
      #expect(try !TokenTests.payload(of: refreshed.accessToken).adm)
      let nobody = DismissAdministrator.Input(username: try Username(text: "nobody"))
      #expect(try await failure { try await identity.askAsGateway(DismissAdministrator.self, nobody) }.code == "not_found")
    }
  }

  @Test("The last administrator cannot be dismissed or delete the account; with another one both work")
  func last() async throws {
    try await RunningIdentity.run { identity in
      let adela = try await identity.administrator()
      func delete(_ administrator: SignedIn) async throws -> DeleteAccount.Output {
        try await identity.ask(
          DeleteAccount.self, .init(password: FormField(text: RunningIdentity.password)), by: .signedIn(administrator))
      }
      func dismiss(_ administrator: SignedIn) async throws -> OwnAccount {
        try await identity.askAsGateway(DismissAdministrator.self, .init(username: administrator.account.username))
      }
      for refusal in [try await failure { try await delete(adela) }, try await failure { try await dismiss(adela) }] {
        #expect(refusal.code == "last_administrator" && refusal.status == 409)
      }
      let words = Words(Contract.identity.words)
      for language in Language.allCases { #expect(words.text("failure.last_administrator", language) != nil) }
      let berta = try await identity.administrator("berta")
      _ = try await delete(adela)
      #expect(try await failure { try await dismiss(berta) }.code == "last_administrator")
    }
  }
}
