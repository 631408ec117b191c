import Foundation
import IdentityContract
import InProcess
import Operations
import Testing

@testable import IdentityService

/// What a provider, or an impostor of it, does that proves nothing, and what is recorded of it.
private struct Forgery: Sendable, CustomTestStringConvertible {
  let name: String
  /// How the provider is set to behave.
  let control: String
  let reason: String

  init(_ name: String, _ control: String, _ reason: IDTokenFault) {
    self.name = name
    self.control = control
    self.reason = reason.rawValue
  }

  var testDescription: String { name }

  static let tokens: [Forgery] = [
    // Who made it
    .init("no signature and alg none", #"{"sign":"unsigned","header":{"alg":"none"}}"#, .wrongAlgorithm),
    .init("no signature, alg none and no key id", #"{"sign":"unsigned","header":{"alg":"none","kid":null}}"#, .unknownKey),
    .init("alg None in other letters", #"{"sign":"unsigned","header":{"alg":"nOnE"}}"#, .wrongAlgorithm),
    .init("no signature though it claims RS256", #"{"sign":"unsigned"}"#, .wrongSignature),
    .init("HS256 with the public key as the secret", #"{"sign":"hmac by public key","header":{"alg":"HS256"}}"#, .wrongAlgorithm),
    .init("HS256 with the modulus as the secret", #"{"sign":"hmac by modulus","header":{"alg":"HS256"}}"#, .wrongAlgorithm),
    .init("HS256 with the client's secret", #"{"sign":"hmac by client secret","header":{"alg":"HS256"}}"#, .wrongAlgorithm),
    .init(
      "HS256 with the client's secret and no key id",
      #"{"sign":"hmac by client secret","header":{"alg":"HS256","kid":null}}"#, .unknownKey),
    .init("an HMAC that claims RS256", #"{"sign":"hmac by public key"}"#, .wrongSignature),
    .init("a stranger's key under the known id", #"{"sign":"by a stranger"}"#, .wrongSignature),
    .init("a stranger's key, enclosed", #"{"sign":"by a stranger, key enclosed"}"#, .wrongSignature),
    .init(
      "a stranger's key, with an address to fetch it", #"{"sign":"by a stranger","header":{"jku":"https://evil.example/jwks"}}"#,
      .wrongSignature),
    .init("a key id that nobody knows", #"{"header":{"kid":"rsa-9"}}"#, .unknownKey),
    .init("a key id that leads elsewhere", #"{"header":{"kid":"../../dev/null"}}"#, .unknownKey),
    .init("a key id that is no text", #"{"sign":"unsigned","header":{"kid":1}}"#, .malformed),
    .init("another algorithm of the same key", #"{"header":{"alg":"RS512"}}"#, .wrongAlgorithm),
    .init("PSS where the key is for PKCS 1", #"{"header":{"alg":"PS256"}}"#, .wrongAlgorithm),
    .init("the id of one key, the signature of another", #"{"sign":"by the other key"}"#, .wrongAlgorithm),
    // What became of it
    .init("a changed payload", #"{"sign":"changed payload"}"#, .wrongSignature),
    .init("a changed header", #"{"sign":"changed header"}"#, .wrongSignature),
    .init("a changed signature", #"{"sign":"changed signature"}"#, .wrongSignature),
    .init("a cut signature", #"{"sign":"cut signature"}"#, .wrongSignature),
    .init("an empty signature", #"{"sign":"empty signature"}"#, .wrongSignature),
    .init("two parts", #"{"sign":"two parts"}"#, .malformed),
    .init("five parts, as if encrypted", #"{"sign":"five parts"}"#, .malformed),
    .init("padded base64", #"{"sign":"padded"}"#, .malformed),
    .init("no token at all", #"{"sign":"no token"}"#, .malformed),
    .init("a token left out", #"{"sign":"absent"}"#, .missing),
    .init("a token beyond every size", #"{"sign":"too large"}"#, .tooLarge),
    .init("two subjects", #"{"sign":"twice the subject"}"#, .malformed),
    .init("a payload that is no object", #"{"sign":"not an object"}"#, .malformed),
    .init("a header that must be understood", #"{"sign":"unsigned","header":{"crit":["exp"]}}"#, .criticalHeader),
    .init("a token of another kind", #"{"header":{"typ":"at+jwt"}}"#, .otherType),
    // Whose it is
    .init("another issuer", #"{"claims":{"iss":"https://evil.example"}}"#, .wrongIssuer),
    .init("no issuer", #"{"claims":{"iss":null}}"#, .wrongIssuer),
    .init("another audience", #"{"claims":{"aud":"other-client"}}"#, .wrongAudience),
    .init("another audience beside this", #"{"claims":{"aud":["racha-tests","other-client"]}}"#, .wrongAudience),
    .init(
      "another audience beside this, authorized for this",
      #"{"claims":{"aud":["racha-tests","other-client"],"azp":"racha-tests"}}"#, .wrongAudience),
    .init("an audience that begins like this", #"{"claims":{"aud":"racha-tests-2"}}"#, .wrongAudience),
    .init("no audience", #"{"claims":{"aud":null}}"#, .wrongAudience),
    .init("an empty list of audiences", #"{"claims":{"aud":[]}}"#, .wrongAudience),
    .init("another authorized party", #"{"claims":{"azp":"other-client"}}"#, .wrongAuthorizedParty),
    .init("an authorized party that is no text", #"{"claims":{"azp":["racha-tests"]}}"#, .wrongAuthorizedParty),
    .init("another nonce", #"{"claims":{"nonce":"another"}}"#, .wrongNonce),
    .init("no nonce", #"{"claims":{"nonce":null}}"#, .wrongNonce),
    // When
    .init("expired", #"{"times":{"iat":-400,"exp":-100}}"#, .expired),
    .init("without an end", #"{"claims":{"exp":null}}"#, .withoutTimes),
    .init("with an end that is a text", #"{"claims":{"exp":"4102444800"}}"#, .withoutTimes),
    .init("without a beginning", #"{"claims":{"iat":null}}"#, .withoutTimes),
    .init("from the future", #"{"times":{"iat":300,"exp":600}}"#, .fromTheFuture),
    .init("not yet valid", #"{"times":{"nbf":300}}"#, .fromTheFuture),
    .init("made long ago, valid for ever", #"{"times":{"iat":-86400,"exp":86400}}"#, .stale),
    // Who
    .init("no subject", #"{"claims":{"sub":null}}"#, .wrongSubject),
    .init("an empty subject", #"{"claims":{"sub":""}}"#, .wrongSubject),
    .init("a subject that is a number", #"{"claims":{"sub":1}}"#, .wrongSubject),
    .init("a subject beyond ASCII", #"{"claims":{"sub":"pérson"}}"#, .wrongSubject),
    .init("a subject too long", #"{"claims":{"sub":"\#(String(repeating: "a", count: 256))"}}"#, .wrongSubject),
  ]
}

extension ExternalProviderProcesses {
  @Suite(
    "Forged and replayed tokens, states and codes (ID-10)",
    .enabled(if: TestProvider.python != nil, "needs the Python packages of Tests/requirements.txt"))
  struct ForgeryTests {
    @Test("Every forged token of a provider is refused, and recorded with its reason")
    func tokens() async throws {
      try await TestProvider.withIdentity { provider, identity in
        // A person who is known here, so that one that is believed would open an account.
        _ = try await identity.logIn(by: provider)
        let sessions = try await identity.count("SELECT COUNT(*) FROM sessions")
        var refused = 0
        for forgery in Forgery.tokens {
          try await provider.behave(forgery.control)
          let code: String
          do { code = try await failure { try await identity.logIn(by: provider) }.code } catch is NoFailure { code = "let in" }
          #expect(code == "external_proof_invalid", "\(forgery.name)")
          #expect(try await identity.lastSecurityEvent() == "externalProofRefused: corp \(forgery.reason)", "\(forgery.name)")
          if code == "external_proof_invalid" { refused += 1 }
          // Beyond the time for which an unknown key is not looked for.
          identity.time.advance(seconds: 1)
        }
        #expect(refused == Forgery.tokens.count && refused >= 40)
        // All of them from one address, which is one critical incident (ID-15).
        #expect(
          try await identity.count(
            "SELECT count FROM incidents WHERE pattern = 'proofsForged' AND severity = 'critical'") == refused)
        #expect(try await identity.count("SELECT COUNT(*) FROM incidents") == 1)
        #expect(Set(Forgery.tokens.map(\.name)).count == Forgery.tokens.count)
        #expect(try await identity.count("SELECT COUNT(*) FROM sessions") == sessions)
        #expect(try await identity.count("SELECT COUNT(*) FROM accounts") == 1)
        // It is the forgeries that were refused, not everything.
        try await provider.behave()
        #expect(try await !identity.logIn(by: provider).isNewAccount)
        try await provider.behave(
          #"{"header":{"kid":"ec-1","alg":"ES256"},"claims":{"aud":["racha-tests"],"azp":"racha-tests"}}"#)
        #expect(try await !identity.logIn(by: provider).isNewAccount)
      }
    }

    @Test("A provider's genuine token of another flow is refused because of its nonce")
    func replayedToken() async throws {
      try await TestProvider.withIdentity { provider, identity in
        _ = try await identity.logIn(by: provider)
        try await provider.behave(#"{"sign":"replayed"}"#)
        let refused = try await failure { try await identity.logIn(by: provider) }
        #expect(refused.code == "external_proof_invalid")
        #expect(try await identity.lastSecurityEvent() == "externalProofRefused: corp token_nonce_wrong")
      }
    }

    @Test("Forged, stolen and replayed states and codes are refused, each with its own error")
    func statesAndCodes() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.register("bea")
        let (bea, again) = (try await identity.logIn("bea"), try await identity.logIn("bea"))
        var refused = 0
        func expect(_ code: String, _ name: String, _ answer: Answered, line: Int = #line) async throws {
          let found: String
          do {
            found = try await failure { try await identity.ask(CompleteExternalLogin.self, answer.logIn) }.code
          } catch is NoFailure { found = "let in" }
          #expect(found == code, "\(name)")
          refused += 1
        }
        func fresh() async throws -> Answered { try await identity.answered(provider) }

        var answer = try await fresh()
        let other = try await fresh()
        func with(_ change: (inout Answered) -> Void) -> Answered {
          var changed = answer
          change(&changed)
          return changed
        }
        // None of these ends the flow of who has its secret.
        try await expect("external_state_invalid", "no state at all", with { $0.state = "x" })
        try await expect("external_state_invalid", "a state of zeros", with { $0.state = String(repeating: "A", count: 64) })
        try await expect(
          "external_state_invalid", "a changed state",
          with { $0.state.replaceSubrange($0.state.indices.suffix(3).first!..., with: "AAA") })
        try await expect("external_state_invalid", "a cut state", with { $0.state.removeLast(4) })
        try await expect("external_state_invalid", "a longer state", with { $0.state += "AAAA" })
        try await expect("external_state_invalid", "the state instead of the secret", with { $0.flowSecret = $0.state })
        try await expect("external_state_invalid", "a stolen answer without the secret", with { $0.flowSecret = "guess" })
        try await expect(
          "external_state_invalid", "a stolen answer with a secret of one's own", with { $0.flowSecret = other.flowSecret })
        try await expect("external_state_invalid", "another's state slipped to a client", with { $0.state = other.state })
        _ = try await identity.ask(CompleteExternalLogin.self, answer.logIn)
        try await expect("external_state_used", "an answer brought again", answer)

        answer = try await fresh()
        try await expect("external_login_refused", "a code of another flow, slipped in: PKCE", with { $0.code = other.code })
        try await expect("external_state_used", "the right code after a wrong one", answer)
        answer = try await fresh()
        try await expect("external_login_refused", "an invented code", with { $0.code = "invented" })
        answer = try await fresh()
        let used = answer.code
        _ = try await identity.ask(CompleteExternalLogin.self, answer.logIn)
        answer = try await fresh()
        try await expect("external_login_refused", "a used code", with { $0.code = used })
        answer = try await fresh()
        try await expect("external_proof_invalid", "an answer of another issuer", with { $0.iss = "https://evil.example" })
        answer = try await fresh()
        try await expect("external_proof_invalid", "an answer without the issuer, who always names itself", with { $0.iss = nil })
        answer = try await fresh()
        try await expect(
          "external_proof_invalid", "an error of another issuer",
          with { ($0.iss, $0.code, $0.error) = ("https://evil.example", nil, "x") })
        // Purpose and session
        answer = try await identity.answered(provider, linkingBy: bea)
        try await expect("external_state_invalid", "an answer for a link, brought to log in", answer)
        func link(_ name: String, _ answer: Answered, by session: SignedIn) async throws {
          let found = try await failure {
            try await identity.ask(CompleteIdentityLink.self, answer.link, by: .signedIn(session))
          }.code
          #expect(found == "external_state_invalid", "\(name)")
          refused += 1
        }
        try await link("an answer for a link, in another session of the account", answer, by: again)
        try await link(
          "an answer for a link, in another account's session", answer, by: try await identity.logIn(by: provider).signedIn)
        try await link("an answer to log in, brought to link", try await fresh(), by: bea)
        answer = try await fresh()
        identity.time.advance(seconds: 600)
        try await expect("external_state_expired", "an answer after ten minutes", answer)
        #expect(try await identity.lastSecurityEvent() == "externalStateRefused: external_state_expired")
        #expect(refused == 22)
        // But for the three who came late, or twice with what was theirs.
        #expect(try await identity.count("SELECT count FROM incidents WHERE pattern = 'proofsForged'") == 19)
        let linked = try await identity.count(
          "SELECT COUNT(*) FROM external_identities WHERE account_id = (SELECT account_id FROM accounts WHERE username = 'bea')")
        #expect(linked == 0)
      }
    }

    @Test(
      "A provider's forged or malformed keys are not used",
      arguments: [
        (#"[]"#, IDTokenFault.unknownKey), (#"[{"kty":"RSA","kid":"rsa-1","n":"AQAB","e":"AQAB"}]"#, .unknownKey),
        (#"[{"kty":"oct","kid":"rsa-1","k":"c2VjcmV0","alg":"HS256"}]"#, .unknownKey),
        (#"[{"kid":"rsa-1"}, 7, null]"#, .unknownKey),
        (#"[{"kty":"RSA","kid":"rsa-1","alg":"none","n":"AQAB","e":"AQAB"}]"#, .unknownKey),
        (#"[{"kty":"EC","crv":"P-256","kid":"rsa-1","x":"AAAA","y":"AAAA"}]"#, .unknownKey),
      ])
    func lyingKeys(keys: String, fault: IDTokenFault) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"keys":\#(keys)}"#)
        let refused = try await failure { try await identity.logIn(by: provider) }
        #expect(refused.code == "external_proof_invalid")
        #expect(try await identity.lastSecurityEvent() == "externalProofRefused: corp \(fault.rawValue)")
      }
    }
  }
}
