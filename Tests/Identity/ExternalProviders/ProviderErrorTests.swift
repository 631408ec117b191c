import IdentityContract
import InProcess
import Operations
import Testing

@testable import IdentityService

extension ExternalProviderProcesses {
  @Suite(
    "Failing external providers (ID-10; S 9, scenario 4 and error courses)",
    .enabled(if: TestProvider.python != nil, "needs the Python packages of Tests/requirements.txt"))
  struct ProviderErrorTests {
    @Test(
      "Cancelling at the provider has its own error, ends the flow, and is recorded (S 9, course 'cancelada')",
      arguments: ["access_denied", "user_cancelled_authorize"])
    func cancelled(error: String) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"authorize_error":"\#(error)"}"#)
        let answer = try await identity.answered(provider)
        let failed = try await failure { try await identity.ask(CompleteExternalLogin.self, answer.logIn) }
        #expect(failed.code == "external_login_cancelled" && failed.parameters["provider"] == .text("Corp"))
        #expect(try await identity.lastSecurityEvent() == "externalLoginCancelled: corp \(error)")
        let again = try await failure { try await identity.ask(CompleteExternalLogin.self, answer.logIn) }
        #expect(again.code == "external_state_used")
        #expect(try await identity.count("SELECT COUNT(*) FROM accounts") == 0)
      }
    }

    @Test(
      "A provider's error has its own answer, and only its name is recorded (S 9, course 'fallida')",
      arguments: [
        ("consent_required", "external_login_refused", "externalLoginFailed: corp consent_required"),
        ("<script>", "external_login_refused", "externalLoginFailed: corp unknown_error"),
        ("server_error", "external_provider_unavailable", "externalProviderUnavailable: corp server_error"),
      ])
    func refused(error: String, code: String, event: String) async throws {
      try await TestProvider.withIdentity { provider, identity in
        var answer = try await identity.answered(provider)
        (answer.code, answer.error) = (nil, error)
        let failed = try await failure { [answer] in try await identity.ask(CompleteExternalLogin.self, answer.logIn) }
        #expect(failed.code == code)
        #expect(try await identity.lastSecurityEvent() == event)
      }
    }

    @Test(
      "Beginning a login at an unreachable provider fails with its own error, and says when to retry (S 9, 'sin conectividad')"
    )
    func away() async throws {
      let settings = [
        "racha.externalProviders.names": "corp", "racha.externalProviders.redirectUris": TestProvider.redirectURI,
        // The discard port, where nobody listens.
        "racha.externalProviders.corp.issuer": "http://127.0.0.1:9", "racha.externalProviders.corp.clientId": "c",
      ]
      try await RunningIdentity.run(settings: settings) { identity in
        let failed = try await failure { try await identity.beginLogin() }
        #expect(failed.code == "external_provider_unavailable" && failed.retryAfterSeconds == 5)
        #expect(try await identity.lastSecurityEvent() == "externalProviderUnavailable: corp unreachable")
        #expect(try await identity.count("SELECT COUNT(*) FROM external_logins") == 0)
        // Another way in is open.
        try await identity.register()
        _ = try await identity.logIn()
      }
    }

    private static let discovery = "/.well-known/openid-configuration"

    @Test(
      "Beginning a login fails if a provider's metadata cannot be fetched or trusted",
      arguments: [
        (#""trouble":{"\#(discovery)":"500"}"#, "status_500"), (#""trouble":{"\#(discovery)":"hang"}"#, "timed_out"),
        (#""trouble":{"\#(discovery)":"drip"}"#, "timed_out"), (#""trouble":{"\#(discovery)":"huge"}"#, "answer_too_large"),
        (#""trouble":{"\#(discovery)":"redirect"}"#, "status_302"),
        (#""trouble":{"\#(discovery)":"garbage"}"#, "metadata_malformed"),
        (#""trouble":{"\#(discovery)":"twice"}"#, "metadata_malformed"),
        (#""metadata":{"issuer":"https://evil.example"}"#, "metadata_of_other_issuer"),
        (#""metadata":{"token_endpoint":"http://192.0.2.1/token"}"#, "metadata_endpoint_unusable"),
        (#""metadata":{"jwks_uri":"file:///etc/passwd"}"#, "metadata_endpoint_unusable"),
        (#""metadata":{"authorization_endpoint":null}"#, "metadata_endpoint_unusable"),
      ])
    func metadata(control: String, reason: String) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave("{\(control)}")
        let failed = try await failure { try await identity.beginLogin() }
        #expect(failed.code == "external_provider_unavailable")
        #expect(try await identity.lastSecurityEvent() == "externalProviderUnavailable: corp \(reason)")
        #expect(try await identity.count("SELECT COUNT(*) FROM external_logins") == 0)
        // What it redirects to is not fetched.
        #expect(try await provider.count("/elsewhere") == 0)
      }
    }

    @Test(
      "A failing token endpoint of a provider ends the login with its own error; the code is sent once",
      arguments: [
        (#""trouble":{"/token":"500"}"#, "external_provider_unavailable", "status_500"),
        (#""trouble":{"/token":"429"}"#, "external_provider_unavailable", "status_429"),
        (#""trouble":{"/token":"hang"}"#, "external_provider_unavailable", "timed_out"),
        (#""trouble":{"/token":"redirect"}"#, "external_provider_unavailable", "status_302"),
        (#""trouble":{"/token":"garbage"}"#, "external_provider_unavailable", "tokens_malformed"),
        (#""trouble":{"/token":"huge"}"#, "external_provider_unavailable", "answer_too_large"),
        (#""trouble":{"/jwks":"500"}"#, "external_provider_unavailable", "status_500"),
        (#""trouble":{"/jwks":"garbage"}"#, "external_provider_unavailable", "keys_malformed"),
        (#""trouble":{"/token":"400"}"#, "external_login_refused", "unknown_error"),
      ])
    func tokens(control: String, code: String, reason: String) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave("{\(control)}")
        let failed = try await failure { try await identity.logIn(by: provider) }
        #expect(failed.code == code)
        #expect(try await identity.lastSecurityEvent().hasSuffix("corp \(reason)"))
        #expect(try await provider.count("/token") == 1)
        #expect(try await identity.count("SELECT COUNT(*) FROM accounts") == 0)
        // The next try is a new flow, and works once the provider does.
        try await provider.behave()
        #expect(try await identity.logIn(by: provider).isNewAccount)
      }
    }

    @Test(
      "Retrying an answer after the provider was down means beginning again, and is no forgery (S 9, 'sin conectividad')",
      arguments: ["/token", "/jwks"])
    func repeated(path: String) async throws {
      try await TestProvider.withIdentity { provider, identity in
        let answer = try await identity.answered(provider)
        try await provider.behave(#"{"trouble":{"\#(path)":"503"}}"#)
        let failed = try await failure { try await identity.ask(CompleteExternalLogin.self, answer.logIn) }
        #expect(failed.code == "external_provider_unavailable" && failed.retryAfterSeconds == 5)
        try await provider.behave()
        for _ in 0..<12 {
          let again = try await failure { try await identity.ask(CompleteExternalLogin.self, answer.logIn) }
          #expect(again.code == "external_state_used")
          #expect(try await identity.lastSecurityEvent() == "externalStateRefused: external_state_used")
        }
        #expect(try await identity.count("SELECT COUNT(*) FROM incidents") == 0)
        #expect(try await provider.count("/token") == 1)
        #expect(try await identity.logIn(by: provider).isNewAccount)
        // Without the secret of the flow it is a stolen answer.
        for _ in 0..<10 {
          var stolen = answer
          stolen.flowSecret = "guess"
          _ = try await failure { [stolen] in try await identity.ask(CompleteExternalLogin.self, stolen.logIn) }
        }
        #expect(try await identity.count("SELECT count FROM incidents WHERE pattern = 'proofsForged'") == 10)
      }
    }

    @Test("A token with a key that cannot be fetched because the provider is down does not count as a forgery")
    func unknownKeyWhileAway() async throws {
      try await TestProvider.withIdentity { provider, identity in
        _ = try await identity.logIn(by: provider)
        try await provider.rotate(to: "rsa-2")
        identity.time.advance(seconds: ProviderDirectory.keysRestSeconds)
        try await provider.behave(#"{"header":{"kid":"rsa-2"},"trouble":{"/jwks":"503"}}"#)
        // The second one within the time in which nobody asks for the keys again.
        for _ in 0..<2 {
          let failed = try await failure { try await identity.logIn(by: provider) }
          #expect(failed.code == "external_provider_unavailable")
          #expect(try await identity.lastSecurityEvent() == "externalProviderUnavailable: corp status_503")
        }
        identity.time.advance(seconds: ProviderDirectory.keysRestSeconds)
        try await provider.behave(#"{"header":{"kid":"rsa-2"}}"#)
        #expect(try await !identity.logIn(by: provider).isNewAccount)
      }
    }

    @Test("A provider's metadata and keys are fetched once, and kept while the provider is down")
    func kept() async throws {
      try await TestProvider.withIdentity { provider, identity in
        for _ in 0..<3 { _ = try await identity.logIn(by: provider) }
        #expect(try await provider.count(Self.discovery) == 1)
        #expect(try await provider.count("/jwks") == 1)
        try await provider.behave(#"{"trouble":{"\#(Self.discovery)":"500","/jwks":"500"}}"#)
        _ = try await identity.logIn(by: provider)
      }
    }

    @Test("A provider's new key is fetched when a token names it; an unknown key does not cause repeated fetches")
    func rotation() async throws {
      try await TestProvider.withIdentity { provider, identity in
        _ = try await identity.logIn(by: provider)
        try await provider.rotate(to: "rsa-2")
        identity.time.advance(seconds: ProviderDirectory.keysRestSeconds)
        try await provider.behave(#"{"header":{"kid":"rsa-2"}}"#)
        _ = try await identity.logIn(by: provider)
        #expect(try await provider.count("/jwks") == 2)
        // The older key still works.
        try await provider.behave()
        _ = try await identity.logIn(by: provider)
        try await provider.behave(#"{"header":{"kid":"rsa-9"}}"#)
        for _ in 0..<5 { _ = try await failure { try await identity.logIn(by: provider) } }
        #expect(try await provider.count("/jwks") == 2)
        identity.time.advance(seconds: ProviderDirectory.keysRestSeconds)
        _ = try await failure { try await identity.logIn(by: provider) }
        #expect(try await provider.count("/jwks") == 3)
      }
    }

    @Test("A browser that returns from a provider is redirected only to exactly the configured addresses")
    func redirects() async throws {
      try await TestProvider.withIdentity { _, identity in
        for address in ["https://evil.example/done", TestProvider.redirectURI + "/", TestProvider.redirectURI + "?x=1"] {
          let input = BeginExternalLogin.Input(provider: try ExternalProviderName(text: "corp"), redirectURI: address)
          let failed = try await failure { try await identity.ask(BeginExternalLogin.self, input) }
          #expect(failed.code == "invalid_fields" && failed.fields.map(\.code) == ["redirect_not_allowed"])
        }
      }
    }
  }
}
