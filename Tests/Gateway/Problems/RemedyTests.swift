import IdentityContract
import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("What mends a refusal (S 8, scenario 4)")
struct RemedyTests {
  @Test("is named with it for programs: whoever is not verified is told how to have the link sent; others are told nothing")
  func remedy() async throws {
    let bus = FakeBus()
    bus.answer(.identity) { Reply(id: $0.header.id, Failure(RequestFailure.verificationRequired)) }
    try await RunningGateway.with(contracts: [.identity], bus: bus) { gateway in
      let refused = try await gateway.http("GET", "/v1/accounts/me", try gateway.bearer()).json
      #expect(refused["code"] == "verification_required")
      #expect(refused["remedy"]?["operation"] == "accounts.resendVerification")
      #expect(refused["remedy"]?["method"] == "POST")
      #expect(refused["remedy"]?["path"] == "/v1/accounts/me/verification-links")
      let missing = try await gateway.http("GET", "/v1/nothing", try gateway.bearer()).json
      #expect(missing["code"] != nil && missing["remedy"] == nil)
    }
  }

  @Test(
    "whoever cannot log in, or must wait, is offered to recover the password (S 3, scenario 7)", arguments: LogInFailure.allCases)
  func recovery(failure: LogInFailure) async throws {
    let bus = FakeBus()
    bus.answer(.identity) { Reply(id: $0.header.id, failure.with(["seconds": .number(30)], retryAfterSeconds: 30)) }
    try await RunningGateway.with(contracts: [.identity], bus: bus) { gateway in
      let refused = try await gateway.http("POST", "/v1/sessions", [:], #"{"login":"ana","password":"x"}"#).json
      #expect(refused["code"] == .string(failure.rawValue))
      guard failure == .locked || failure == .wrongCredentials else {
        #expect(refused["remedy"] == nil)
        return
      }
      #expect(refused["remedy"]?["operation"] == "passwordRecoveries.request")
      #expect(refused["remedy"]?["path"] == "/v1/password-recoveries")
    }
  }
}
