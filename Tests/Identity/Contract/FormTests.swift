import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("All faults of a form are named at once (ID-20)")
struct FormTests {
  private func problems(_ failure: Failure) -> Set<String> { Set(failure.fields.map { "\($0.field) \($0.code)" }) }

  @Test(
    "All faults of a registration are named at once: wrong types, unknown fields, broken rules and taken names"
  )
  func registration() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let body = """
        {"email":"ana@example.com","username":"ana","password":"mar","passwordConfirmation":7,"name":true,"age":"old","timeZone":"CEST",
         "consents":{"activityData":"yes"},"colour":"red"}
        """
      let found = try await failure { try await identity.ask(RegisterAccount.self, json: body) }
      #expect(
        problems(found) == [
          "email email_taken", "username username_taken", "password password_too_short", "password password_lacks_upper_case",
          "password password_lacks_digit", "password password_lacks_special", "passwordConfirmation not_a_string",
          "name not_a_string", "age not_a_whole_number", "timeZone unknown_time_zone",
          "consents.activityData not_a_truth_value", "colour unknown_field",
        ])
      #expect(found.fields.filter { $0.field == "username" }.allSatisfy { $0.parameters["suggestions"] != nil })
    }
  }

  @Test("All faults of a profile are named at once")
  func profile() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "eva"] { try await identity.register(name) }
      let ana = try await identity.logIn()
      let cases: [(String, Set<String>)] = [
        (
          #"{"username":"eva","nickname":5,"age":200}"#,
          ["username username_taken", "nickname not_a_string", "age impossible_age"]
        ),
        (
          #"{"username":["eva"],"age":"x","name":""}"#, ["username not_a_string", "age not_a_whole_number"]
        ),
        (#"{"username":"ana","age":30,"colour":1}"#, ["colour unknown_field"]),
      ]
      for (body, expected) in cases {
        #expect(
          problems(try await failure { try await identity.ask(UpdateProfile.self, json: body, by: .signedIn(ana)) }) == expected)
      }
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(ana)).age == nil)
    }
  }

  @Test(
    "All faults of a changed password or address, a recovery and a deletion are named at once, and each is refused"
  )
  func others() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      func expect<O: Operations.Operation>(_ operation: O.Type, _ body: String, _ expected: Set<String>) async throws {
        let found = try await failure { try await identity.ask(operation, json: body, by: .signedIn(ana)) }
        #expect(found.code == "invalid_fields" && problems(found) == expected)
      }
      try await expect(
        ChangePassword.self,
        #"{"currentPassword":1,"password":"Largo-9-","passwordConfirmation":"x","keepsPersonalAccessTokens":"no","x":1}"#,
        [
          "currentPassword not_a_string", "passwordConfirmation passwords_differ",
          "keepsPersonalAccessTokens not_a_truth_value", "x unknown_field",
        ])
      try await expect(
        RequestEmailChange.self, #"{"email":false,"currentPassword":""}"#,
        ["email not_a_string", "currentPassword required"])
      try await expect(RequestPasswordRecovery.self, #"{"email":"ana@example.com","x":1}"#, ["x unknown_field"])
      try await expect(
        CompletePasswordRecovery.self, #"{"password":"mar"}"#,
        [
          "token required", "password password_too_short", "password password_lacks_upper_case",
          "password password_lacks_digit", "password password_lacks_special", "passwordConfirmation required",
        ])
      let right = RunningIdentity.password
      try await expect(DeleteAccount.self, "{\"password\":\"\(right)\",\"x\":1}", ["x unknown_field"])
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(ana)).username.description == "ana")
      #expect(try await identity.securityEvents().isEmpty)
    }
  }

  @Test("A form that is no object is named as such", arguments: ["[]", "7", "\"x\""])
  func noObject(body: String) async throws {
    try await RunningIdentity.run { identity in
      let found = try await failure { try await identity.ask(RegisterAccount.self, json: body) }
      #expect(found.fields.map(\.code) == ["not_an_object"])
    }
  }
}
