import Crypto
import Foundation
import IdentityContract
import JWTKit
import Operations
import ServiceKit
import Testing

@testable import IdentityService

@Suite("External providers by configuration (ID-10)")
struct ProviderSettingsTests {
  private static let redirects = ["racha.externalProviders.redirectUris": "https://app.example.org/done, org.example.app:/done"]

  private static func read(_ values: [String: String]) throws -> ExternalProviderSettings {
    let settings = Settings(redirects.merging(values) { _, new in new })
    let providers = ExternalProviderSettings(settings)
    try settings.check()
    return providers
  }

  private static func keys(_ values: [String: String]) -> [String] {
    do {
      _ = try read(values)
      return []
    } catch let invalid as Settings.Invalid {
      return invalid.problems.map { String($0.key.dropFirst("racha.externalProviders.".count)) }
    } catch {
      return ["\(error)"]
    }
  }

  @Test("Google and Facebook need an id and a secret")
  func presets() throws {
    let read = try Self.read([
      "racha.externalProviders.names": "google,facebook", "racha.externalProviders.google.clientId": "g",
      "racha.externalProviders.google.clientSecret": "s", "racha.externalProviders.facebook.clientId": "f",
    ])
    #expect(read.providers.map(\.title) == ["Google", "Facebook"])
    #expect(read.providers.map(\.issuer.description) == ["https://accounts.google.com", "https://www.facebook.com"])
    #expect(read.providers.map(\.tokenEndpoint?.description) == [nil, "https://graph.facebook.com/oauth/access_token"])
    #expect(read.providers.map(\.usesFormPost) == [false, false])
    #expect(read.redirectURIs == ["https://app.example.org/done", "org.example.app:/done"])
    #expect(read.formURI == "http://127.0.0.1:8080/v1/external-logins/callback")
  }

  @Test("Apple's client secret is a JWT of the team's key, for Apple, good for five minutes")
  func apple() async throws {
    let key = P256.Signing.PrivateKey()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("racha-\(UUID().uuidString).p8").path
    #expect(FileManager.default.createFile(atPath: file, contents: Data(key.pemRepresentation.utf8)))
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: file) } }
    let values = [
      "racha.externalProviders.names": "apple", "racha.externalProviders.apple.clientId": "org.example.racha",
      "racha.externalProviders.apple.keyFile": file, "racha.externalProviders.apple.keyId": "KEY1234567",
      "racha.externalProviders.apple.teamId": "TEAM123456",
    ]
    let apple = try #require(try Self.read(values).providers.first)
    #expect(apple.usesFormPost && apple.issuer.description == "https://appleid.apple.com")
    guard case .signed(let assertion) = apple.secret else {
      Issue.record("it is not signed")
      return
    }
    let now = Clock.system.now
    let token = try SignedToken(try await assertion.text(client: apple.clientID, issuer: apple.issuer, at: now))
    #expect(token.algorithm == "ES256" && token.keyID == "KEY1234567")
    #expect(token.payload["iss"] == .text("TEAM123456") && token.payload["sub"] == .text("org.example.racha"))
    #expect(token.payload["aud"] == .text("https://appleid.apple.com"))
    let seconds = Double(now.milliseconds / 1000)
    #expect(token.payload["iat"] == .number(seconds) && token.payload["exp"] == .number(seconds + 300))
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: Data(token.signature))
    #expect(key.publicKey.isValidSignature(signature, for: Data(token.signed)))
    // A key without its names, or beside a secret, is no configuration.
    #expect(Self.keys(values.filter { !$0.key.hasSuffix("teamId") }) == ["apple.keyFile"])
    #expect(Self.keys(values.merging(["racha.externalProviders.apple.clientSecret": "s"]) { $1 }) == ["apple.keyFile"])
  }

  @Test("Any other provider needs its address, and may name its claims")
  func other() throws {
    let read = try Self.read([
      "racha.externalProviders.names": "my-corp", "racha.externalProviders.my-corp.clientId": "c",
      "racha.externalProviders.my-corp.issuer": "https://id.example.org/realms/a/",
      "racha.externalProviders.my-corp.claims.email": "mail", "racha.externalProviders.my-corp.scopes": "openid mail",
    ])
    let provider = try #require(read.providers.first)
    #expect(provider.title == "my-corp" && provider.scopes == "openid mail" && provider.claims.email == "mail")
    #expect(
      provider.issuer.discovery?.description == "https://id.example.org/realms/a/.well-known/openid-configuration")
  }

  @Test(
    "An invalid setting of a provider stops the start with its key",
    arguments: [
      (["names": "google"], ["google.clientId"]), (["names": "Google"], ["names"]),
      (["names": "a,a", "a.clientId": "c"], ["a.issuer", "names"]),
      (["names": "corp", "corp.clientId": "c"], ["corp.issuer"]),
      (["names": "corp", "corp.clientId": "c", "corp.issuer": "http://id.example.org"], ["corp.issuer"]),
      (["names": "corp", "corp.clientId": "c", "corp.issuer": "https://u:p@id.example.org"], ["corp.issuer"]),
      (["names": "google", "google.clientId": "c", "google.scopes": "email"], ["google.scopes"]),
      (["names": "google", "google.clientId": "c", "redirectUris": "javascript:alert(1)"], ["redirectUris"]),
      (["names": "google", "google.clientId": "c", "redirectUris": "http://app.example.org/"], ["redirectUris"]),
      (["names": "google", "google.clientId": "c", "redirectUris": ""], ["redirectUris"]),
      (
        ["names": "apple", "apple.clientId": "c", "apple.keyFile": "/nowhere", "apple.keyId": "k", "apple.teamId": "t"],
        ["apple.keyFile"]
      ),
    ] as [([String: String], [String])])
  func unusable(values: [String: String], keys: [String]) {
    let full = Dictionary(uniqueKeysWithValues: values.map { ("racha.externalProviders.\($0.key)", $0.value) })
    #expect(Self.keys(full).sorted() == keys)
  }

  @Test(
    "Providers are fetched over https only, or over http on this computer",
    arguments: [
      ("https://a.example", true), ("https://a.example:8443/x?y=1", true), ("http://127.0.0.1:5000/x", true),
      ("http://localhost/x", true), ("http://[::1]:1/x", true), ("http://a.example", false), ("ftp://a.example", false),
      ("file:///etc/passwd", false), ("https://", false), ("https://u@a.example", false), ("https://a.example/#x", false),
      ("https://a.example/ x", false), ("http://127.0.0.1.evil.example/", false), ("HTTPS", false), ("", false),
      (#"http://127.0.0.1\@a.example/"#, false), (#"https://a.example\.b.example/"#, false),
    ])
  func addresses(text: String, isUsable: Bool) { #expect((ProviderURL(text) != nil) == isUsable, "\(text)") }
}
