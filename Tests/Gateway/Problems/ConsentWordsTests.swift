import ActivityContract
import IdentityContract
import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("The refusal because of a missing consent")
struct ConsentWordsTests {
  @Test("The refusal because of a missing consent says what it is for and where to give it, in the caller's language (ID-13)")
  func words() async throws {
    let bus = FakeBus()
    bus.answer(.activity) { request in
      let parameters: [String: Parameter] = ["reason": .text("consent_activityData"), "consent": .text("activityData")]
      return Reply(id: request.header.id, RequestFailure.consentRequired.with(parameters))
    }
    try await RunningGateway.with(contracts: [.activity, .identity], bus: bus) { gateway in
      for (language, expected) in [
        (
          Language.english,
          "Step tracking unavailable without permission. You can give it in your settings (consents.activityData)."
        ),
        (
          .spanish,
          "El seguimiento de pasos no está disponible sin permiso. Puedes darlo en tus ajustes (consents.activityData)."
        ),
      ] {
        let response = try await gateway.http(
          "POST", "/v1/movement-samples", try gateway.bearer(language: language), #"{"samples":[]}"#)
        #expect(response.status == 403)
        #expect(try response.json["code"] == "consent_required")
        #expect(try response.json["detail"] == .string(expected))
        #expect(try response.json["remedy"]?["path"] == "/v1/accounts/me/settings")
      }
      let document = try await gateway.http("GET", "/openapi.json").json
      let codes = document["paths"]?["/v1/movement-samples"]?["post"]?["responses"]?["403"]?["x-codes"]
      #expect(codes?.text.contains("consent_required") == true)
    }
  }
}
