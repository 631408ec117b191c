import Crypto
import Foundation
import IdentityContract
import Operations
import ServiceKit

/// A person's proven identity at a provider.
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
  /// The grant to this client by which it was proved; nil where none is kept.
  var grant: ProviderGrantID?
}

/// What a provider gives for a code.
struct ProviderTokens: Sendable {
  /// Nil where it gave none, which proves nothing.
  let idToken: String?
  /// By what the grant to this client can be given back; nil where the provider does not say how.
  let grant: ProviderToken?
}

/// A token of a provider. It is used for one thing, to give back the grant that it stands for (RFC 7009).
struct ProviderToken: Hashable, Sendable {
  /// What it is, as a `token_type_hint` names it (RFC 7009, section 2.1).
  enum Kind: String, Sendable {
    case refresh = "refresh_token"
    case access = "access_token"
  }

  /// Longer ones are not kept; those of JWTs take some 2 KiB.
  static let maxBytes = 16 << 10

  let kind: Kind
  let text: String
  /// When an access token ends by itself; nil where the provider does not say.
  var endsAt: Instant?
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
  /// - Throws: ``ProviderError``, before anything of the answer is sent anywhere: another provider's code would go astray.
  func checkIssuer(_ issuer: String?) async throws {
    guard let issuer else {
      guard try await !directory.endpoints().namesItself else { throw ProviderError.unproven("issuer_missing") }
      return
    }
    guard issuer == settings.issuer.description else { throw ProviderError.unproven("issuer_of_other_provider") }
  }

  /// Believes the ID token if it is right.
  ///
  /// - Throws: ``ProviderError``.
  func identity(_ tokens: ProviderTokens, _ secrets: ExternalLoginSecrets, now: Instant) async throws -> ProvenIdentity {
    do {
      guard let text = tokens.idToken else { throw IDTokenFault.missing }
      return try await believe(text, nonce: secrets.nonce, now: now)
    } catch let fault as IDTokenFault {
      throw ProviderError.unproven(fault)
    }
  }

  /// Gives a token back: the provider forgets it, and what it granted with it (RFC 7009, section 2).
  ///
  /// - Throws: ``ProviderError``: refused, which no repetition changes, or unavailable, where it may be known there still.
  func revoke(_ token: ProviderToken, now: Instant) async throws {
    let endpoints = try await directory.endpoints()
    guard let endpoint = endpoints.revocation else { throw ProviderError.unavailable("no_revocation_endpoint") }
    var fields: [FormFields.Field] = [("token", token.text), ("token_type_hint", token.kind.rawValue)]
    let authorization = try await authenticate(&fields, endpoints, now: now)
    let answer = try await web.post(endpoint, fields, authorization: authorization)
    switch answer.status {
    // A token that it does not know is one that it has forgotten (section 2.2).
    case 200...299: return
    // Too slow, too early, too often.
    case 408, 425, 429: throw ProviderError.unavailable("status_\(answer.status)")
    case 400...499:
      // The status is the refusal; what the body says only names it in the record, and many say nothing.
      let error = try? ProviderDocument.decode(RevocationRefusal.self, answer.body).error.text
      // So some say that they do not know it, Google for one.
      if error == "invalid_token" { return }
      throw ProviderError.refused(error ?? "")
    default: throw ProviderError.unavailable("status_\(answer.status)")
    }
  }

  private struct RevocationRefusal: Decodable {
    let error: ProviderValue
  }

  /// Proves to an endpoint of the provider who this client is (RFC 6749, section 2.3.1): by fields of the form, or by the header
  /// `Authorization`, which it returns.
  private func authenticate(
    _ fields: inout [FormFields.Field], _ endpoints: ProviderDirectory.Metadata, now: Instant
  ) async throws -> String? {
    let secret: String? =
      switch settings.secret {
      case .none: nil
      case .shared(let text): text
      case .signed(let assertion): try await assertion.text(client: settings.clientID, issuer: settings.issuer, at: now)
      }
    if let secret, !endpoints.takesSecretInForm {
      // Both are form-encoded first.
      let pair = "\(FormFields.encode(settings.clientID)):\(FormFields.encode(secret))"
      return "Basic \(Data(pair.utf8).base64EncodedString())"
    }
    fields.append(("client_id", settings.clientID))
    if let secret { fields.append(("client_secret", secret)) }
    return nil
  }

  // MARK: - The code

  private struct TokenAnswer: Decodable {
    let id_token: String?
    let refresh_token: ProviderValue?
    let access_token: ProviderValue?
    let expires_in: ProviderValue?
    let error: ProviderValue?

    /// The one that stands for the grant: the refresh token where there is one, which lives longer.
    func grant(now: Instant) -> ProviderToken? {
      token(.refresh, refresh_token, endsAt: nil) ?? token(.access, access_token, endsAt: accessEnd(now: now))
    }

    private func token(_ kind: ProviderToken.Kind, _ value: ProviderValue?, endsAt: Instant?) -> ProviderToken? {
      guard let text = value?.text, (1...ProviderToken.maxBytes).contains(text.utf8.count) else { return nil }
      return ProviderToken(kind: kind, text: text, endsAt: endsAt)
    }

    /// What is no time in seconds says nothing, nor do some hundred years.
    private func accessEnd(now: Instant) -> Instant? {
      guard let seconds = expires_in?.number, (1...1e10).contains(seconds) else { return nil }
      return now.adding(seconds: Int(seconds))
    }
  }

  /// Exchanges the code for tokens: from then on there is a grant, whatever comes of the login.
  ///
  /// - Throws: ``ProviderError``.
  func exchange(
    code: String, _ secrets: ExternalLoginSecrets, redirectURI: String, now: Instant
  ) async throws -> ProviderTokens {
    let endpoints = try await directory.endpoints()
    var fields: [FormFields.Field] = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI), ("code_verifier", secrets.verifier),
    ]
    let authorization = try await authenticate(&fields, endpoints, now: now)
    let answer = try await web.post(endpoints.token, fields, authorization: authorization)
    guard (200...499).contains(answer.status), !(300...399).contains(answer.status), answer.status != 429 else {
      throw ProviderError.unavailable("status_\(answer.status)")
    }
    let tokens: TokenAnswer
    do {
      tokens = try ProviderDocument.decode(TokenAnswer.self, answer.body)
    } catch {
      throw ProviderError.unavailable("tokens_malformed")
    }
    guard answer.status == 200, tokens.error == nil else { throw ProviderError.refused(tokens.error?.text ?? "") }
    return ProviderTokens(idToken: tokens.id_token, grant: endpoints.revocation == nil ? nil : tokens.grant(now: now))
  }

  // MARK: - The ID token

  private func believe(_ text: String, nonce: String, now: Instant) async throws -> ProvenIdentity {
    let token = try SignedToken(text)
    let key = try await directory.key(id: token.keyID, algorithm: token.algorithm).get()
    guard key.isSignature(token.signature, of: token.signed) else { throw IDTokenFault.wrongSignature }
    let claims = IDTokenClaims(token.payload)
    let expected = IDTokenRules.Expected(
      issuer: settings.issuer.description, clientID: settings.clientID, nonce: nonce, now: now)
    if let fault = IDTokenRules.fault(claims, expected) { throw fault }
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
