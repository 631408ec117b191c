import Crypto
import Foundation
import IdentityContract
import InProcess
import JWTKit
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Access tokens and keys (ID-4, ID-16)")
struct TokenTests {
  /// What RFC 8725 asks a checker to do, with the published keys alone.
  private func claims(of token: String, _ keys: [PublicSigningKey]) throws -> (
    header: [String: String], payload: AccessTokenClaims
  ) {
    let parts = token.split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    let header = try JSONDecoder().decode([String: String].self, from: Data(try #require(Base64URL.decode(parts[0]))))
    let key = try #require(keys.first { $0.kid == header["kid"] })
    let publicKey = try Curve25519.Signing.PublicKey(rawRepresentation: try #require(Base64URL.decode(key.x)))
    let signature = try #require(Base64URL.decode(parts[2]))
    #expect(publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
    let payload = try JSONDecoder().decode(AccessTokenClaims.self, from: Data(try #require(Base64URL.decode(parts[1]))))
    return (header, payload)
  }

  /// What a token says, unchecked.
  static func payload(of token: String) throws -> AccessTokenClaims {
    let parts = token.split(separator: ".")
    try #require(parts.count == 3)
    return try JSONDecoder().decode(AccessTokenClaims.self, from: Data(try #require(Base64URL.decode(parts[1]))))
  }

  @Test("An access token names account, session and lifetime, and is signed by a published Ed25519 key")
  func token() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.ask(RegisterAccount.self, RunningIdentity.form(), by: .person(language: .spanish))
      let signedIn = try await identity.logIn()
      let keys = try await identity.ask(ListKeys.self, .init()).keys
      let (header, payload) = try claims(of: signedIn.accessToken, keys)
      #expect(header == ["alg": "EdDSA", "typ": "at+jwt", "kid": keys[0].kid])
      #expect(payload.iss == "racha" && payload.aud == "racha")
      #expect(payload.sub == account.id.description && payload.sid == signedIn.session.id.description)
      #expect(!payload.ver && !payload.adm && payload.lang == "es")
      #expect(
        payload.iat == identity.time.now.milliseconds / 1000 && payload.nbf == payload.iat && payload.exp == payload.iat + 600)
      #expect(payload.expiresAt == signedIn.accessTokenExpiresAt)
      #expect(payload.jti.count == 22)

      let other = try await identity.logIn()
      #expect(try claims(of: other.accessToken, keys).payload.jti != payload.jti)
    }
  }

  @Test("A key's id is its RFC 7638 thumbprint, as in the example of RFC 8037, appendix A.3")
  func thumbprint() async throws {
    let keys = try await withHome { home in
      let example = try #require(Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
      try Home.makePrivateFolder(home.keys)
      try Data(example).write(to: URL(fileURLWithPath: "\(home.keys)/identity-signing-1"))
      return try await SigningKeys(home).published
    }
    #expect(
      keys == [
        PublicSigningKey(keyID: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
      ])
  }

  @Test("The newest key signs, and tokens of older ones stay valid")
  func rotation() async throws {
    try await RunningIdentity.run { first in
      try await first.register()
      let old = try await first.logIn()
      let oldKeys = try await first.ask(ListKeys.self, .init()).keys
      _ = try first.home.secret("identity-signing-2")
      let second = try await first.restarted()
      let keys = try await second.ask(ListKeys.self, .init()).keys
      #expect(keys.count == 2 && keys[1] == oldKeys[0])
      let new = try await second.logIn()
      #expect(try claims(of: new.accessToken, keys).header["kid"] == keys[0].kid)
      #expect(try claims(of: old.accessToken, keys).header["kid"] == oldKeys[0].kid)
      await second.store.close()
    }
  }

  @Test("Key files are readable by their owner only, and the same after a restart")
  func files() async throws {
    try await withHome { home in
      let (one, two) = (try await IdentityKeys(home), try await IdentityKeys(home))
      #expect(one.signing.published == two.signing.published)
      #expect(one.refresh.code(for: [1]) == two.refresh.code(for: [1]))
      #expect(one.refresh.code(for: [1]) != one.verification.code(for: [1]))
      func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      }
      #expect(try mode(home.keys) == 0o700)
      for name in ["identity.secret", "identity-signing-1"] { #expect(try mode("\(home.keys)/\(name)") == 0o600) }
    }
  }

  @Test("Base64url is accepted only in its canonical form", arguments: ["AA==", "AB", "A", "+A", "A A", "A\n", "AA="])
  func base64(text: String) { #expect(Base64URL.decode(text) == nil) }

  @Test("No password, token, link or failed login is in the store's files")
  func nothingInClear() async throws {
    try await RunningIdentity.run { identity in
      let form = RunningIdentity.form(password: "Planted-pa55word")
      _ = try await identity.ask(RegisterAccount.self, form, key: "key")
      let link = try await identity.mailedToken()
      let first = try await identity.ask(LogIn.self, .init(login: "ana", password: "Planted-pa55word"), key: "key2")
      let second = try await identity.ask(RefreshSession.self, .init(refreshToken: first.refreshToken), key: "key3")
      _ = try? await identity.logIn("Planted-l0gin", "Planted-wr0ng")
      _ = try await identity.ask(VerifyAccount.self, .init(token: link))
      var secrets = ["Planted-pa55word", "Planted-wr0ng", "Planted-l0gin", "planted-l0gin", link]
      for tokens in [first, second] { secrets += [tokens.refreshToken, tokens.accessToken] }
      var needles = secrets.map { Data($0.utf8) }
      for text in [link, first.refreshToken, second.refreshToken] {
        needles.append(Data(try #require(Base64URL.decode(text)).suffix(32)))
      }

      let folder = URL(fileURLWithPath: identity.home.stores)
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      #expect(files.contains { $0.lastPathComponent == "identity.sqlite-wal" })
      for file in files {
        let bytes = try Data(contentsOf: file)
        for (index, needle) in needles.enumerated() {
          #expect(bytes.range(of: needle) == nil, "secret \(index) lies in \(file.lastPathComponent)")
        }
      }
      // The search finds what is there.
      let all = try files.map { try Data(contentsOf: $0) }
      #expect(all.contains { $0.range(of: Data("ana@example.com".utf8)) != nil })
    }
  }

  private func withHome<T>(_ body: (Home) async throws -> T) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-keys-\(UUID().uuidString)").path
    let result: Result<T, any Error>
    do { result = .success(try await body(Home(path: folder))) } catch { result = .failure(error) }
    try FileManager.default.removeItem(atPath: folder)
    return try result.get()
  }
}
