import IdentityContract
import InProcess
import Operations
import Testing

@testable import IdentityService

extension ExternalProviderProcesses {
  @Suite(
    "Logging in by oidc-provider-mock (ID-10)", .enabled(if: TestProvider.mock != nil, "needs oidc-provider-mock")
  )
  struct MockProviderTests {
    @Test("A new person logs in by oidc-provider-mock, links nothing twice, and logs in again")
    func logIn() async throws {
      let claims = #"{"sub":"ana","email":"ana@example.com","email_verified":true,"name":"Ana Ruiz"}"#
      try await TestProvider.runMock(claims) { provider in
        let time = MovableClock(Clock.system.now)
        try await RunningIdentity.run(time: time, settings: provider.settings) { identity in
          func logIn() async throws -> CompleteExternalLogin.Output {
            let start = try await identity.beginLogin()
            let back = try await provider.visitMock(start.authorizationURL, as: "ana")
            #expect(back["state"] == start.state)
            return try await identity.ask(
              CompleteExternalLogin.self, .init(state: start.state, flowSecret: start.flowSecret, code: back["code"]))
          }
          let first = try await logIn()
          #expect(first.isNewAccount && first.signedIn.account.isVerified)
          #expect(first.signedIn.account.email.description == "ana@example.com")
          let second = try await logIn()
          #expect(!second.isNewAccount && second.signedIn.account.id == first.signedIn.account.id)
        }
      }
    }
  }
}
