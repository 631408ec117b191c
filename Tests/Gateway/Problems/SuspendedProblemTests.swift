import IdentityContract
import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("The refusal of a suspended account (SOC-8)")
struct SuspendedProblemTests {
  @Test(
    "The refusal of a suspended account says until when in text and in a field, and of a banned one that it is permanent"
  )
  func words() async throws {
    let bus = FakeBus()
    let until = try Instant(text: "2027-01-02T03:04:05.000Z")
    bus.answer(.identity) { request in
      throw Failure.accountSuspended(until: request.header.caller.language == .english ? until : .endOfTime)
    }
    try await RunningGateway.with(contracts: [.identity], bus: bus) { gateway in
      let body = #"{"login":"ana","password":"x"}"#
      let suspended = try await gateway.http("POST", "/v1/sessions", [:], body)
      #expect(suspended.status == 403)
      let problem = try suspended.json
      #expect(problem["code"] == "account_suspended" && problem["until"] == "2027-01-02T03:04:05.000Z")
      guard case .string(let detail)? = problem["detail"] else { return #expect(Bool(false), "no detail") }
      #expect(detail.hasPrefix("Your account is suspended until 2027-01-02 03:04 UTC. "))
      let banned = try await gateway.http("POST", "/v1/sessions", ["Accept-Language": "es"], body).json
      #expect(banned["code"] == "account_suspended" && banned["until"] == nil)
      guard case .string(let spanish)? = banned["detail"] else { return #expect(Bool(false), "no detail") }
      #expect(spanish.hasPrefix("Tu cuenta está suspendida definitivamente. "))
    }
  }
}
