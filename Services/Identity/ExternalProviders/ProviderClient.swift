import Crypto
import Foundation
import IdentityContract
import Operations
import ServiceKit

/// Who somebody is at a provider, proved.
struct ProvenIdentity: Hashable, Sendable {
  let provider: ExternalProviderName
  /// Issuer and subject name a person for ever; an e-mail address does not (OpenID Connect Core, section 5.7).
  let issuer: String
  let subject: String
  let email: EmailAddress?
  /// Whether the provider says that the address is this person's.
  let isEmailVerified: Bool
  let name: PersonName?
  /// What to make a username of.
  let wishedUsername: String
}

/// One provider, asked in the protocol of OpenID Connect: the authorization code flow with PKCE.
struct ProviderClient: Sendable {
  let settings: ProviderSettings
  private let directory: ProviderDirectory
  private let web: ProviderWeb

  init(_ settings: ProviderSettings, web: ProviderWeb, clock: Clock) {
    self.settings = settings
    self.web = web
    directory = ProviderDirectory(settings, web: web, clock: clock)
  }

  /// Where browsers are sent to.
  func authorizationEndpoint() async throws -> ProviderURL { try await directory.endpoints().authorization }

  /// Where the browser is sent to begin the flow.
  func authorizationURL(_ endpoint: ProviderURL, _ secrets: ExternalLoginSecrets, redirectURI: String) -> String {
    var fields: [FormFields.Field] = [
      ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", redirectURI), ("scope", settings.scopes),
      ("state", secrets.state), ("nonce", secrets.nonce),
      ("code_challenge", Base64URL.encode(Array(SHA256.hash(data: Data(secrets.verifier.utf8))))),
      ("code_challenge_method", "S256"),
    ]
    if settings.usesFormPost { fields.append(("response_mode", "form_post")) }
    return endpoint.adding(fields)
  }

  /// Whether the answer that came back is this provider's (RFC 9207): it must name it if it always does.
  ///
  /// - Throws: ``ProviderTrouble``, before anything of the answer is sent anywhere: another provider's code would go astray.
  func checkIssuer(_ issuer: String?) async throws {
    guard let issuer else {
      guard try await !directory.endpoints().namesItself else { throw ProviderTrouble.unproven("issuer_missing") }
      return
    }
    guard issuer == settings.issuer.description else { throw ProviderTrouble.unproven("issuer_of_other_provider") }
  }

  /// Exchanges the code for an ID token and believes it if it is right. No other token is kept or looked at.
  func identity(
    code: String, _ secrets: ExternalLoginSecrets, redirectURI: String, now: Instant
  ) async throws -> ProvenIdentity {
    let text = try await exchange(code: code, verifier: secrets.verifier, redirectURI: redirectURI, now: now)
    do {
      return try await believe(text, nonce: secrets.nonce, now: now)
    } catch let fault as IDTokenFault {
      throw ProviderTrouble.unproven(fault)
    }
  }

  // MARK: - The code

  private struct TokenAnswer: Decodable {
    let id_token: String?
    let error: ProviderValue?
  }

  private func exchange(code: String, verifier: String, redirectURI: String, now: Instant) async throws -> String {
    let endpoints = try await directory.endpoints()
    var fields: [FormFields.Field] = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI), ("code_verifier", verifier),
    ]
    var authorization: String?
    let secret: String? =
      switch settings.secret {
      case .none: nil
      case .shared(let text): text
      case .signed(let assertion): try await assertion.text(client: settings.clientID, issuer: settings.issuer, at: now)
      }
    if let secret, !endpoints.takesSecretInForm {
      // RFC 6749, section 2.3.1: both are form-encoded first.
      let pair = "\(FormFields.encode(settings.clientID)):\(FormFields.encode(secret))"
      authorization = "Basic \(Data(pair.utf8).base64EncodedString())"
    } else {
      fields.append(("client_id", settings.clientID))
      if let secret { fields.append(("client_secret", secret)) }
    }
    let answer = try await web.post(endpoints.token, fields, authorization: authorization)
    guard (200...499).contains(answer.status), !(300...399).contains(answer.status), answer.status != 429 else {
      throw ProviderTrouble.unavailable("status_\(answer.status)")
    }
    let tokens: TokenAnswer
    do {
      tokens = try ProviderDocument.decode(TokenAnswer.self, answer.body)
    } catch {
      throw ProviderTrouble.unavailable("tokens_malformed")
    }
    guard answer.status == 200, tokens.error == nil else { throw ProviderTrouble.refused(tokens.error?.text ?? "") }
    guard let text = tokens.id_token else { throw ProviderTrouble.unproven(.missing) }
    return text
  }

  // MARK: - The ID token

  private func believe(_ text: String, nonce: String, now: Instant) async throws -> ProvenIdentity {
    let token = try SignedToken(text)
    let key = try await directory.key(id: token.keyID, algorithm: token.algorithm).get()
    guard key.isSignature(token.signature, of: token.signed) else { throw IDTokenFault.wrongSignature }
    let claims = IDTokenClaims(token.payload)
    let expected = IDTokenRule.Expected(
      issuer: settings.issuer.description, clientID: settings.clientID, nonce: nonce, now: now)
    if let fault = IDTokenRule.fault(claims, expected) { throw fault }
    guard let subject = claims.subject else { throw IDTokenFault.wrongSubject }
    let names = settings.claims
    func claim(_ name: String) -> String? { token.payload[name]?.text }
    // A name or an address of a form that we do not take counts as none.
    let name = claim(names.name).flatMap { try? PersonName(text: $0) }
    return ProvenIdentity(
      provider: settings.name, issuer: settings.issuer.description, subject: subject,
      email: claim(names.email).flatMap { try? EmailAddress(text: $0) },
      isEmailVerified: token.payload[names.isEmailVerified]?.isTrue ?? false, name: name,
      wishedUsername: claim(names.username) ?? name?.description ?? "")
  }
}
