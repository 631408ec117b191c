import Foundation
import IdentityContract
import JWTKit
import Operations
import ServiceKit

/// One external provider, from the settings `racha.externalProviders.<name>.*`.
struct ProviderSettings: Sendable {
  /// How this client proves itself to the provider.
  enum Secret: Sendable {
    /// By PKCE alone.
    case none
    case shared(String)
    case signed(ClientAssertion)
  }

  /// Names of the claims that are not those of OpenID Connect everywhere.
  struct ClaimNames: Hashable, Sendable {
    var email = "email"
    var isEmailVerified = "email_verified"
    var name = "name"
    var username = "preferred_username"
  }

  var name: ExternalProviderName
  var title: String
  var issuer: ProviderURL
  var clientID: String
  var secret: Secret
  var scopes: String
  var claims = ClaimNames()
  /// Instead of the one in the provider's metadata.
  var tokenEndpoint: ProviderURL?
  /// Whether the answer comes as a form to the gateway, which sends the browser on (`response_mode=form_post`).
  var usesFormPost = false

  var shown: ExternalProvider { ExternalProvider(name: name, title: title) }
}

/// Every external provider, and where browsers may be sent after a login.
struct ExternalProviderSettings: Sendable {
  static let path = "/v1/external-logins/callback"

  var providers: [ProviderSettings] = []
  var redirectURIs: [String] = []
  /// The URI to which providers send their forms.
  var formURI = ""

  init(providers: [ProviderSettings], redirectURIs: [String], formURI: String = "") {
    self.providers = providers
    self.redirectURIs = redirectURIs
    self.formURI = formURI
  }

  /// Reads the settings; what cannot be used is recorded in them.
  init(_ settings: Settings) {
    var names: Set<ExternalProviderName> = []
    for text in Self.list(settings.string("racha.externalProviders.names")) {
      guard let name = try? ExternalProviderName(text: text), names.insert(name).inserted else {
        settings.refuse("racha.externalProviders.names", "must be different names of a-z, 0-9 and -, not \"\(text)\"")
        continue
      }
      if let provider = ProviderSettings(name, settings) { providers.append(provider) }
    }
    redirectURIs = Self.list(settings.string("racha.externalProviders.redirectUris"))
    for uri in redirectURIs where !Self.mayBeRedirectedTo(uri) {
      settings.refuse(
        "racha.externalProviders.redirectUris",
        "must be https URLs, http ones of this computer, or URIs of an app's own scheme such as org.example.app:/done, not \"\(uri)\""
      )
    }
    if !providers.isEmpty && redirectURIs.isEmpty {
      settings.refuse("racha.externalProviders.redirectUris", "must be set, since external providers are")
    }
    let port = settings.int("racha.http.port", default: 8080, in: 0...65535)
    var url = settings.string("racha.publicUrl", default: "http://127.0.0.1:\(port)")
    while url.ends(with: "/") { url = String(decoding: url.utf8.dropLast(), as: UTF8.self) }
    formURI = url + Self.path
  }

  private static func list(_ text: String?) -> [String] {
    (text ?? "").split(at: ",").map { String($0.withoutBlanks) }.filter { !$0.isEmpty }
  }

  /// Whether a browser can be sent there without giving the answer to whoever listens (RFC 8252, section 7).
  static func mayBeRedirectedTo(_ text: String) -> Bool {
    if ProviderURL(text) != nil { return true }
    guard text.utf8.count <= 500, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let scheme = URLComponents(string: text)?.scheme, !text.utf8.contains(UInt8(ascii: "#"))
    else { return false }
    // An app's own scheme is its reversed domain name.
    return scheme.utf8.contains(UInt8(ascii: "."))
  }
}

extension ProviderSettings {
  /// What is known of a provider beforehand; its settings go before it.
  private struct Preset {
    var title: String?
    var issuer: String?
    var scopes = "openid email profile"
    var tokenEndpoint: String?
    var usesFormPost = false
  }

  private static let presets: [String: Preset] = [
    "google": Preset(title: "Google", issuer: "https://accounts.google.com"),
    // Apple answers with a form if the address is requested. The name in that form is unsigned, and is not used.
    "apple": Preset(title: "Apple", issuer: "https://appleid.apple.com", scopes: "openid email name", usesFormPost: true),
    // Its metadata has no token endpoint; the code flow with PKCE answers with an ID token all the same. It never says that an address is
    // verified, so a mail does that, and it announces no endpoint at which a grant could be given back.
    "facebook": Preset(
      title: "Facebook", issuer: "https://www.facebook.com", scopes: "openid email public_profile",
      tokenEndpoint: "https://graph.facebook.com/oauth/access_token"),
  ]

  /// Nil where the settings cannot be used, which is recorded in them.
  init?(_ name: ExternalProviderName, _ settings: Settings) {
    let key = "racha.externalProviders.\(name)"
    let preset = Self.presets[name.description] ?? Preset()
    func url(_ part: String, _ otherwise: String?) -> ProviderURL? {
      guard let text = settings.string("\(key).\(part)", default: otherwise ?? "").nonEmpty else { return nil }
      guard let url = ProviderURL(text) else {
        settings.refuse("\(key).\(part)", "must be an https URL, or an http one of this computer, not \"\(text)\"")
        return nil
      }
      return url
    }
    let tokenEndpoint = url("tokenEndpoint", preset.tokenEndpoint)
    let secret = Secret(key, settings)
    let scopes = settings.string("\(key).scopes", default: preset.scopes)
    if !scopes.split(at: " ").contains("openid") { settings.refuse("\(key).scopes", "must have openid among them") }
    guard let clientID = settings.string("\(key).clientId") else {
      settings.refuse("\(key).clientId", "must be set, since the provider is named")
      return nil
    }
    guard let issuer = url("issuer", preset.issuer) else {
      if preset.issuer == nil, settings.string("\(key).issuer") == nil {
        settings.refuse("\(key).issuer", "must be set, since \(name) is none of google, apple and facebook")
      }
      return nil
    }
    guard let secret else { return nil }
    self.init(
      name: name, title: settings.string("\(key).title", default: preset.title ?? name.description), issuer: issuer,
      clientID: clientID, secret: secret, scopes: scopes, tokenEndpoint: tokenEndpoint,
      usesFormPost: settings.bool("\(key).formPost", default: preset.usesFormPost))
    claims.email = settings.string("\(key).claims.email", default: claims.email)
    claims.isEmailVerified = settings.string("\(key).claims.emailVerified", default: claims.isEmailVerified)
    claims.name = settings.string("\(key).claims.name", default: claims.name)
    claims.username = settings.string("\(key).claims.username", default: claims.username)
  }
}

extension ProviderSettings.Secret {
  /// Nil where the settings cannot be used.
  fileprivate init?(_ key: String, _ settings: Settings) {
    let shared = settings.string("\(key).clientSecret", isSecret: true)
    let parts = ["keyFile", "keyId", "teamId"].map { settings.string("\(key).\($0)") }
    if parts.allSatisfy({ $0 == nil }) {
      self = shared.map { .shared($0) } ?? .none
      return
    }
    guard shared == nil, let file = parts[0], let keyID = parts[1], let team = parts[2] else {
      settings.refuse("\(key).keyFile", "must be set together with keyId and teamId, and without clientSecret")
      return nil
    }
    guard let pem = FileManager.default.contents(atPath: file) else {
      settings.refuse("\(key).keyFile", "must name a readable file, not \"\(file)\"")
      return nil
    }
    do {
      self = .signed(ClientAssertion(key: try ES256PrivateKey(pem: pem), keyID: keyID, team: team))
    } catch {
      settings.refuse("\(key).keyFile", "must hold a P-256 private key as PEM, such as Apple's .p8 files")
      return nil
    }
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
