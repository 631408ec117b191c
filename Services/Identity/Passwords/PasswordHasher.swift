import CSodium
import IdentityContract
import Operations
import ServiceKit
import Workers

/// How costly a password is to guess: Argon2id's memory and passes (RFC 9106).
struct HashCost: Sendable, Equatable {
  let memoryBytes: Int
  let passes: Int

  /// OWASP's first choice for Argon2id: 19 MiB, 2 passes, 1 slot; some 26 ms.
  static let standard = HashCost(memoryBytes: 19 << 20, passes: 2)
}

/// A password's hash, in PHC string form: algorithm, cost, salt and digest.
struct PasswordHash: Hashable, Sendable {
  let text: String
}

/// Hashes and checks passwords by Argon2id, two at a time, on threads of their own. Where as many wait as may, the call is refused with
/// `overloaded`.
struct PasswordHasher: Sendable {
  /// Whether the password is right, and its hash at today's cost if the kept one is not.
  struct Verdict: Sendable {
    let isRight: Bool
    let renewed: PasswordHash?
  }

  private let cost: HashCost
  private let pool: WorkerPool
  /// What the passwords of unknown logins are checked against, so that their refusal takes as long.
  private let decoy: PasswordHash

  /// - Throws: ``HashingFailure``
  init(cost: HashCost = .standard, threads: Int = 2, maxWaiting: Int = 32) throws {
    guard sodium_init() >= 0 else { throw HashingFailure.unavailable }
    self.cost = cost
    pool = WorkerPool(label: "racha.passwords", threads: threads, maxWaiting: maxWaiting)
    decoy = try Self.hash("", cost)
  }

  /// The password's hash, with a salt of its own.
  func hash(_ password: Password) async throws -> PasswordHash {
    let (text, cost) = (password.normalized, cost)
    return try await pool.run { try Self.hash(text, cost) }
  }

  /// A hash without a known password, for accounts that have none: trying to log in to one takes as long.
  func hashOfNothing() async throws -> PasswordHash {
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let cost = cost
    return try await pool.run { try Self.hash(Base64URL.encode(bytes), cost) }
  }

  /// Checks the password against the hash; with no hash, it takes as long and is wrong.
  func verify(_ password: Password, against hash: PasswordHash?) async throws -> Verdict {
    let (text, cost, decoy) = (password.normalized, cost, decoy)
    return try await pool.run {
      let isRight = Self.verify(text, hash ?? decoy) && hash != nil
      guard isRight, let hash, Self.isOutdated(hash, cost) else { return Verdict(isRight: isRight, renewed: nil) }
      return Verdict(isRight: true, renewed: try Self.hash(text, cost))
    }
  }

  private static func hash(_ password: String, _ cost: HashCost) throws -> PasswordHash {
    var output = [CChar](repeating: 0, count: Int(crypto_pwhash_argon2id_STRBYTES))
    let bytes = Array(password.utf8).map { CChar(bitPattern: $0) }
    let status = crypto_pwhash_argon2id_str(&output, bytes, UInt64(bytes.count), UInt64(cost.passes), cost.memoryBytes)
    guard status == 0 else { throw HashingFailure.outOfMemory }
    return PasswordHash(text: String(decoding: output.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  private static func verify(_ password: String, _ hash: PasswordHash) -> Bool {
    let bytes = Array(password.utf8).map { CChar(bitPattern: $0) }
    // libsodium compares the digests in constant time.
    return crypto_pwhash_argon2id_str_verify(hash.text, bytes, UInt64(bytes.count)) == 0
  }

  private static func isOutdated(_ hash: PasswordHash, _ cost: HashCost) -> Bool {
    crypto_pwhash_argon2id_str_needs_rehash(hash.text, UInt64(cost.passes), cost.memoryBytes) != 0
  }
}

/// Why a password was not hashed.
enum HashingFailure: Error {
  case unavailable
  case outOfMemory
}
