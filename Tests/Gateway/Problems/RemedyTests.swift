import GatewayContract
import IdentityContract
import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("The remedy for a refusal (S 8, scenario 4)")
struct RemedyTests {
  @Test(
    "A refusal for want of verification names the operation that sends the link; other refusals name none"
  )
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
    "A failed or locked login offers to recover the password (S 3, scenario 7)", arguments: LogInFailure.allCases)
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

  @Test(
    "A refused link, login or expired session names how to get another, in both protocols (S 5, scenario 4; S 8, scenario 3)",
    arguments: [
      ("verification_link_expired", "accounts.resendVerification"), ("verification_link_replaced", "accounts.resendVerification"),
      ("recovery_link_expired", "passwordRecoveries.request"), ("recovery_link_used", "passwordRecoveries.request"),
      ("email_change_link_expired", "emailChanges.request"), ("email_change_cancelled", "emailChanges.request"),
      ("login_alert_expired", "sessions.list"), ("external_state_expired", "externalLogins.begin"),
      ("suspension_link_expired", "sessions.create"), ("suspension_over", "sessions.create"), ("account_suspended", nil),
      ("refresh_token_expired", "sessions.create"), ("token_expired", "sessions.refresh"), ("not_found", nil),
      ("email_change_link_used", nil), ("login_alert_own_session", nil),
    ] as [(String, String?)])
  func over(code: String, operation: String?) throws {
    let kinds: [[any FailureCode]] = [
      VerificationFailure.allCases, RecoveryFailure.allCases, EmailChangeFailure.allCases, LoginAlertFailure.allCases,
      ExternalLoginFailure.allCases, SuspensionLinkFailure.allCases, RefreshFailure.allCases, RequestFailure.allCases,
    ]
    let kind = try #require(kinds.joined().first { $0.rawValue == code })
    let problem = ProblemWriter([.identity, .gateway]).problem(Failure(kind), .english, request: "x")
    #expect(problem.remedy?.operation == operation)
    #expect((problem.remedy?.path.hasPrefix("/v1/") ?? false) == (operation != nil))
  }
}
