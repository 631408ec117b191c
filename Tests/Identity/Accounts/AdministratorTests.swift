import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("Appointing an administrator (ID-15)")
struct AdministratorTests {
  @Test("is for the launcher's hand alone; the account's next log in has the right, and nobody else's")
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
}
