import IdentityContract
import Operations
import Testing

@testable import IdentityService

extension ExternalProviderProcesses {
  @Suite(
    "Logging in to a suspended account by an external provider (SOC-8, ID-10)",
    .enabled(if: TestProvider.python != nil, "needs the Python packages of Tests/requirements.txt"))
  struct SuspendedExternalLoginTests {
    @Test(
      "An external login to a suspended account says until when and mails a link, like a password login, until it is lifted"
    )
    func suspended() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let first = try await identity.logIn(by: provider)
        var decision = try await identity.suspend(first.signedIn.account.id)
        let refused = try await failure { try await identity.logIn(by: provider) }
        #expect(refused == .accountSuspended(until: try #require(decision.until)))
        #expect(try await identity.published(SuspensionLinkRequested.self).map(\.accountID) == [first.signedIn.account.id])
        (decision.revision, decision.until) = (2, nil)
        try await identity.receive(decision)
        let again = try await identity.logIn(by: provider)
        #expect(!again.isNewAccount && again.signedIn.account.id == first.signedIn.account.id)
      }
    }
  }
}
