import Crypto
import Foundation
import IdentityContract
import Logging
import Operations
import Synchronization
import Testing

@testable import GatewayService

/// A clock that tests move.
final class MovedClock: Sendable {
  private let time: Mutex<Instant>

  init(_ start: Instant = .now) { time = Mutex(start) }

  var clock: Clock { Clock { self.time.withLock { $0 } } }
  var now: Instant { time.withLock { $0 } }
  func move(seconds: Int) { time.withLock { $0 = $0.adding(seconds: seconds) } }
}

@Suite("Access tokens")
struct AccessTokenTests {
  /// A verifier that knows the keys of these signers.
  static func verifier(_ signers: [Signer], _ clock: Clock = .system, remembered: Int = 100) -> TokenVerifier {
    var configuration = GatewayConfiguration.Tokens()
    configuration.remembered = remembered
    let published = signers.map(\.published)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return verifier(configuration, KeyRing(clock: clock, logger: logger) { published }, clock)
  }

  /// A verifier that knows what was revoked: nothing.
  private static func verifier(_ configuration: GatewayConfiguration.Tokens, _ keys: KeyRing, _ clock: Clock) -> TokenVerifier {
    let verifier = TokenVerifier(configuration, keys: keys, clock: clock) { _ in throw Failure(RequestFailure.unauthenticated) }
    verifier.revocations.becomeKnown()
    return verifier
  }

  @Test("An access token that identity signed says whom it speaks for")
  func accepts() async throws {
    let signer = Signer()
    let account = AccountID()
    let session = SessionID()
    let token = try signer.token(account: account, session: session, language: .spanish)
    let verifier = Self.verifier([signer])
    for _ in 0..<2 {
      let found = try await verifier.identify(token)
      #expect(found.account == account)
      #expect(found.session == session)
      #expect(found.isVerified)
      #expect(!found.isAdministrator)
      #expect(found.language == .spanish)
    }
  }

  /// A forged token and why it is refused.
  struct Forgery: Sendable, CustomTestStringConvertible {
    let name: String
    let refusal: TokenRefusal
    let make: @Sendable (Signer) throws -> String

    var testDescription: String { name }

    init(_ name: String, _ refusal: TokenRefusal.Detail, _ make: @escaping @Sendable (Signer) throws -> String) {
      self.init(name, .invalid(refusal), make)
    }

    init(_ name: String, _ refusal: TokenRefusal, _ make: @escaping @Sendable (Signer) throws -> String) {
      self.name = name
      self.refusal = refusal
      self.make = make
    }
  }

  static let forgeries: [Forgery] = [
    Forgery("empty", .malformed) { _ in "" },
    Forgery("two parts", .malformed) { try $0.token().split(separator: ".").dropLast().joined(separator: ".") },
    Forgery("four parts", .malformed) { try $0.token() + ".x" },
    Forgery("no signature", .signature) { try $0.token().split(separator: ".").dropLast().joined(separator: ".") + "." },
    Forgery("alg none, unsigned", .algorithm) { signer in
      try signer.token(header: ["alg": "none"]).split(separator: ".").dropLast().joined(separator: ".") + "."
    },
    Forgery("alg none, signed", .algorithm) { try $0.token(header: ["alg": "none"]) },
    Forgery("alg in other letters", .algorithm) { try $0.token(header: ["alg": "eddsa"]) },
    Forgery("HS256 with the public key as secret", .algorithm) { signer in
      let text = try signer.token(header: ["alg": "HS256"]).split(separator: ".").dropLast().joined(separator: ".")
      let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: signer.publicBytes))
      return text + "." + Signer.encode(Array(code))
    },
    Forgery("HS256 with the public key as secret, said to be EdDSA", .signature) { signer in
      let text = try signer.token().split(separator: ".").dropLast().joined(separator: ".")
      let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: signer.publicBytes))
      return text + "." + Signer.encode(Array(code))
    },
    Forgery("no alg", .algorithm) { try $0.token(header: ["alg": JSON?.none]) },
    Forgery("no kid", .key) { try $0.token(header: ["kid": JSON?.none]) },
    Forgery("empty kid", .key) { try $0.token(header: ["kid": ""]) },
    Forgery("unknown kid", .key) { try $0.token(header: ["kid": "k2"]) },
    Forgery("another's key under our kid", .signature) { _ in try Signer(keyID: "k1").token() },
    Forgery("a key in the header", .signature) { _ in
      let other = Signer(keyID: "k1")
      return try other.token(header: ["jwk": ["kty": "OKP", "crv": "Ed25519", "x": .string(Signer.encode(other.publicBytes))]])
    },
    Forgery("an id token", .type) { try $0.token(header: ["typ": "JWT"]) },
    Forgery("no type", .type) { try $0.token(header: ["typ": JSON?.none]) },
    Forgery("critical extension", .critical) { try $0.token(header: ["crit": ["exp"]]) },
    Forgery("other issuer", .issuer) { try $0.token(claims: ["iss": "racha2"]) },
    Forgery("no issuer", .issuer) { try $0.token(claims: ["iss": JSON?.none]) },
    Forgery("other audience", .audience) { try $0.token(claims: ["aud": "other"]) },
    Forgery("several audiences", .audience) { try $0.token(claims: ["aud": ["racha", "other"]]) },
    Forgery("not yet valid", .notYetValid) { try $0.token(claims: ["nbf": .integer(Int(Instant.now.milliseconds / 1000) + 60)]) },
    Forgery("from the future", .notYetValid) {
      try $0.token(claims: ["iat": .integer(Int(Instant.now.milliseconds / 1000) + 60)])
    },
    Forgery("expired", .expired) { try $0.token(now: Instant.now.adding(seconds: -601)) },
    Forgery("no expiry", .claims) { try $0.token(claims: ["exp": JSON?.none]) },
    Forgery("expiry as text", .claims) { try $0.token(claims: ["exp": "9999999999"]) },
    Forgery("valid for longer than identity's are", .claims) { try $0.token(lifetime: 601) },
    Forgery("no session", .claims) { try $0.token(claims: ["sid": JSON?.none]) },
    Forgery("subject that is no id", .claims) { try $0.token(claims: ["sub": "admin"]) },
    Forgery("administrator as text", .claims) { try $0.token(claims: ["adm": "true"]) },
    Forgery("changed claims", .signature) { signer in
      var parts = try signer.token().split(separator: ".").map(String.init)
      parts[1] = try signer.token(claims: ["adm": true]).split(separator: ".").map(String.init)[1]
      return parts.joined(separator: ".")
    },
    Forgery("a second text for the same signature", .malformed) { try $0.token() + "=" },
    Forgery("header with a repeated name", .malformed) { signer in
      let header = Signer.encode(Array(#"{"alg":"EdDSA","alg":"none","typ":"at+jwt","kid":"k1"}"#.utf8))
      return try header + "." + signer.token().split(separator: ".").dropFirst().joined(separator: ".")
    },
    Forgery("too long", .malformed) { try $0.token(claims: ["pad": .string(String(repeating: "x", count: 5000))]) },
  ]

  @Test("A forged access token is refused", arguments: forgeries)
  func refuses(forgery: Forgery) async throws {
    let signer = Signer()
    let token = try forgery.make(signer)
    let verifier = Self.verifier([signer])
    await #expect(throws: forgery.refusal) { try await verifier.identify(token) }
  }

  @Test("A cached access token still expires")
  func expires() async throws {
    let time = MovedClock()
    let signer = Signer()
    let verifier = Self.verifier([signer], time.clock)
    let token = try signer.token(now: time.now, lifetime: 60)
    _ = try await verifier.identify(token)
    time.move(seconds: 61)
    await #expect(throws: TokenRefusal.expired) { try await verifier.identify(token) }
  }

  @Test("An access token of a closed session is refused, cached or not")
  func revoked() async throws {
    let signer = Signer()
    let verifier = Self.verifier([signer])
    let session = SessionID()
    let known = try signer.token(session: session)
    let fresh = try signer.token(session: session)
    _ = try await verifier.identify(known)
    verifier.revocations.revoke(.session(session), until: Instant.now.adding(seconds: 600))
    await #expect(throws: TokenRefusal.revoked) { try await verifier.identify(known) }
    await #expect(throws: TokenRefusal.revoked) { try await verifier.identify(fresh) }
    _ = try await verifier.identify(signer.token())
  }

  @Test(
    "An invalidated access token counts as expired at once, cached or not; the session's next one is accepted"
  )
  func invalidated() async throws {
    let signer = Signer()
    let verifier = Self.verifier([signer])
    let session = SessionID()
    let known = try signer.token(session: session)
    let fresh = try signer.token(session: session, claims: ["gen": 0])
    let next = try signer.token(session: session, claims: ["gen": 1])
    _ = try await verifier.identify(known)
    for generation in [1, 0] {
      verifier.revocations.invalidateTokens(session, before: generation, until: Instant.now.adding(seconds: 600))
      await #expect(throws: TokenRefusal.expired) { try await verifier.identify(known) }
      await #expect(throws: TokenRefusal.expired) { try await verifier.identify(fresh) }
      #expect(try await verifier.identify(next).generation == 1)
    }
    _ = try await verifier.identify(signer.token())
  }

  @Test("An access token of a session in doubt says so to the services, and others do not", arguments: [true, false])
  func doubt(isInDoubt: Bool) async throws {
    let signer = Signer()
    let identification = try await Self.verifier([signer]).identify(signer.token(claims: isInDoubt ? ["dbt": true] : [:]))
    let caller = Caller(identification, language: .english, address: nil, userAgent: nil)
    #expect(caller.isInDoubt == (isInDoubt ? true : nil))
  }

  @Test("If more sessions are closed than can be remembered, every older access token must be refreshed")
  func overflow() async throws {
    let time = MovedClock()
    let revocations = Revocations(bound: 3, clock: time.clock)
    let signer = Signer()
    let old = try AccessToken.identification(AccessToken.parse(signer.token(now: time.now)).claims, now: time.now)
    time.move(seconds: 10)
    for _ in 0..<3 { revocations.revoke(.session(SessionID()), until: time.now.adding(seconds: 600)) }
    #expect(revocations.refusal(of: old, now: time.now) == nil)
    let last = SessionID()
    revocations.revoke(.session(last), until: time.now.adding(seconds: 600))
    #expect(revocations.refusal(of: old, now: time.now) == .expired)
    time.move(seconds: 1)
    let new = try AccessToken.identification(AccessToken.parse(signer.token(now: time.now)).claims, now: time.now)
    #expect(revocations.refusal(of: new, now: time.now) == nil)
  }

  @Test("An unknown key makes the gateway ask identity again, but not more than once a second")
  func asksAgain() async throws {
    let time = MovedClock()
    let first = Signer(keyID: "k1")
    let second = Signer(keyID: "k2")
    let asked = Mutex(0)
    let published = Mutex([first.published])
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let keys = KeyRing(clock: time.clock, logger: logger) {
      asked.withLock { $0 += 1 }
      return published.withLock { $0 }
    }
    let verifier = Self.verifier(GatewayConfiguration.Tokens(), keys, time.clock)
    _ = try await verifier.identify(first.token(now: time.now))
    for _ in 0..<10 { await #expect(throws: TokenRefusal.self) { try await verifier.identify(second.token(now: time.now)) } }
    #expect(asked.withLock { $0 } == 1)
    published.withLock { $0.append(second.published) }
    time.move(seconds: 1)
    _ = try await verifier.identify(second.token(now: time.now))
    #expect(asked.withLock { $0 } == 2)
  }

  @Test("A key that identity no longer publishes is no longer trusted, nor are cached tokens signed with it")
  func retiredKey() async throws {
    let time = MovedClock()
    let (old, new) = (Signer(keyID: "k1"), Signer(keyID: "k2"))
    let published = Mutex([old.published])
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let keys = KeyRing(clock: time.clock, logger: logger) { published.withLock { $0 } }
    let verifier = Self.verifier(GatewayConfiguration.Tokens(), keys, time.clock)
    let token = try old.token(now: time.now)
    _ = try await verifier.identify(token)
    published.withLock { $0 = [old.published, new.published] }
    time.move(seconds: 1)
    try await keys.refresh()
    for signer in [old, new] { _ = try await verifier.identify(signer.token(now: time.now)) }
    published.withLock { $0 = [new.published] }
    time.move(seconds: 1)
    try await keys.refresh()
    for retired in [token, try old.token(now: time.now)] {
      await #expect(throws: TokenRefusal.invalid(.key)) { try await verifier.identify(retired) }
    }
    _ = try await verifier.identify(new.token(now: time.now))
  }

  @Test("While identity cannot be reached, its last published keys stay valid")
  func keysStay() async throws {
    let time = MovedClock()
    let signer = Signer()
    let isAway = Mutex(false)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let keys = KeyRing(clock: time.clock, logger: logger) {
      if isAway.withLock({ $0 }) { throw Failure(RequestFailure.unavailable) }
      return [signer.published]
    }
    let verifier = Self.verifier(GatewayConfiguration.Tokens(), keys, time.clock)
    _ = try await verifier.identify(signer.token(now: time.now))
    isAway.withLock { $0 = true }
    time.move(seconds: 60)
    await #expect(throws: Failure.self) { try await keys.refresh() }
    _ = try await verifier.identify(signer.token(now: time.now))
  }

  private static let someone = Identification(
    account: AccountID(), credential: .session(SessionID()), scopes: nil, isVerified: true, isAdministrator: false,
    language: .english, issuedAt: .now, expiresAt: .now)

  @Test("The cache of access tokens forgets those that nobody uses after twice their lifetime at most, and keeps those in use")
  func aged() {
    let time = MovedClock()
    let cache = TokenCache(bound: 1000, lifetimeSeconds: 600, clock: time.clock)
    let someone = Self.someone
    cache.insert("used", someone)
    for minute in 0..<100 {
      cache.insert("t\(minute)", someone)
      #expect(cache["used"] != nil)
      #expect(cache.count <= 22)
      time.move(seconds: 60)
    }
    #expect(cache["t79"] == nil && cache["t95"] != nil)
  }

  @Test("The cache of access tokens is bounded, and keeps those in use")
  func bounded() {
    let cache = TokenCache(bound: 10, lifetimeSeconds: 600, clock: .system)
    let someone = Self.someone
    cache.insert("used", someone)
    for index in 0..<100 {
      cache.insert("t\(index)", someone)
      #expect(cache["used"] != nil)
      #expect(cache.count <= 10)
    }
    #expect(cache["t0"] == nil)
  }
}
