import Crypto
import Foundation
import GRDB
import Operations
import Synchronization

/// A store's records of requests that carry an ``IdempotencyKey``.
///
/// Payloads may hold passwords, and replies tokens. So only a keyed hash of a payload is kept, which cannot be guessed at without the
/// secret, and a reply is sealed with the secret; a stolen copy of the file reveals neither.
struct Idempotency: Sendable {
  private struct Name: Hashable {
    let caller: String
    let key: String
  }

  private final class Running: Sendable {
    let names = Mutex<Set<Name>>([])
  }

  private let running = Running()
  private let hashKey: SymmetricKey
  private let sealKey: SymmetricKey
  private let allowance: IdempotencyAllowance
  let seconds: Int

  init(secret: [UInt8], limits: StoreLimits) throws(StoreFailure) {
    guard secret.count >= 32 else { throw .weakSecret(bytes: secret.count) }
    let secret = SymmetricKey(data: secret)
    hashKey = HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Data("idempotency payload".utf8), outputByteCount: 32)
    sealKey = HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Data("idempotency reply".utf8), outputByteCount: 32)
    seconds = limits.idempotencySeconds
    allowance = IdempotencyAllowance(bytes: limits.idempotencyBytes, seconds: limits.idempotencySeconds)
  }

  /// Runs the body unless a request with the same caller and key is already running in this process.
  func alone<T>(_ key: IdempotencyKey, _ body: () async throws -> T) async throws -> T {
    let name = Name(caller: key.caller, key: key.key)
    guard running.names.withLock({ $0.insert(name).inserted }) else {
      throw Failure(RequestFailure.stillRunning, retryAfterSeconds: 1)
    }
    defer { running.names.withLock { _ = $0.remove(name) } }
    return try await body()
  }

  func hash(_ key: IdempotencyKey) -> Data {
    var hash = HMAC<SHA256>(key: hashKey)
    for part in [Array(key.caller.utf8), Array(key.key.utf8), Array(key.operation.utf8), key.payload] {
      withUnsafeBytes(of: UInt64(part.count).littleEndian) { hash.update(data: $0) }
      hash.update(data: part)
    }
    return Data(hash.finalize())
  }

  /// The recorded reply to that request, if it is not too old.
  ///
  /// - Throws: ``Failure`` `idempotency_key_reused` if the reply was recorded for another payload; `idempotency_allowance_exceeded` if
  ///   there is no record and none can be added: nothing may take effect if a retry of it would not be recognized.
  func reply(to key: IdempotencyKey, hash: Data, now: Instant, in database: Database) throws -> [UInt8]? {
    let statement = try database.cachedStatement(
      sql: "SELECT payload_hash, sealed_reply FROM idempotency_records WHERE caller = ? AND key = ? AND at > ?")
    let oldest = now.adding(seconds: -seconds)
    guard let row = try Row.fetchOne(statement, arguments: [key.caller, key.key, oldest]) else {
      try allowance.requireRoom(for: key.owner, now: now, in: database)
      return nil
    }
    guard row["payload_hash"] == hash else { throw Failure(RequestFailure.idempotencyKeyReused) }
    let reply = try AES.GCM.open(AES.GCM.SealedBox(combined: row["sealed_reply"] as Data), using: sealKey, authenticating: hash)
    return [UInt8](reply)
  }

  func record(_ reply: [UInt8], to key: IdempotencyKey, hash: Data, _ transaction: Transaction) throws {
    let sealed = try AES.GCM.seal(reply, using: sealKey, authenticating: hash)
    // Nonce, ciphertext and tag; nil only if the nonce has an unusual length.
    guard let combined = sealed.combined else { throw CryptoKitError.incorrectParameterSize }
    try transaction.database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO idempotency_records (caller, key, operation, payload_hash, sealed_reply, at) VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [key.caller, key.key, key.operation, hash, combined, transaction.now])
    try allowance.draw(IdempotencyAllowance.size(of: key, sealedReply: combined.count), for: key.owner, by: hash, transaction)
  }
}

extension Store {
  /// Writes like ``write(traceparent:usingReserve:_:)``, and records the reply in the same transaction. A retry with the same payload gets
  /// the recorded reply for seven days, without running the body. A body that throws leaves no record.
  ///
  /// - Throws: what the body throws; ``Failure`` `idempotency_key_reused` if the key came with another payload, `still_running` while the
  ///   first request runs, `idempotency_allowance_exceeded` if too much is kept for the key's owner.
  public func write(
    idempotency key: IdempotencyKey, traceparent: String? = nil, usingReserve usesReserve: Bool = false,
    largeOf owner: String? = nil, _ body: @escaping @Sendable (Transaction) throws -> [UInt8]
  ) async throws -> [UInt8] {
    try await idempotency.alone(key) {
      let hash = idempotency.hash(key)
      return try await write(traceparent: traceparent, usingReserve: usesReserve, largeOf: owner) { [idempotency] transaction in
        if let reply = try idempotency.reply(to: key, hash: hash, now: transaction.now, in: transaction.database) { return reply }
        let reply = try body(transaction)
        try idempotency.record(reply, to: key, hash: hash, transaction)
        return reply
      }
    }
  }

  /// Writes like ``write(idempotency:traceparent:usingReserve:_:)`` for a request of more than one transaction: a retry repeats none of
  /// them.
  ///
  /// - Parameters:
  ///   - prepare: what comes before the transaction.
  ///   - repeated: makes the answer to a retry from the recorded reply.
  ///   - body: returns the answer and what to record: nil if it refuses the request and yet its changes are to stay.
  /// - Throws: what these throw; ``Failure`` `idempotency_key_reused`, `still_running` and `idempotency_allowance_exceeded` as there.
  public func write<Prepared: Sendable, T: Sendable>(
    idempotency key: IdempotencyKey, traceparent: String? = nil, usingReserve usesReserve: Bool = false,
    largeOf owner: String? = nil, prepare: () async throws -> Prepared, repeated: ([UInt8]) async throws -> T,
    _ body: @escaping @Sendable (Prepared, Transaction) throws -> (answer: T, record: [UInt8]?)
  ) async throws -> T {
    try await idempotency.alone(key) {
      let (hash, now) = (idempotency.hash(key), clock.now)
      if let reply = try lookUp({ try idempotency.reply(to: key, hash: hash, now: now, in: $0) }) {
        return try await repeated(reply)
      }
      let prepared = try await prepare()
      return try await write(traceparent: traceparent, usingReserve: usesReserve, largeOf: owner) { [idempotency] transaction in
        let (answer, record) = try body(prepared, transaction)
        if let record { try idempotency.record(record, to: key, hash: hash, transaction) }
        return answer
      }
    }
  }

  /// Deletes expired records and their draws on the allowance, a few at a time.
  func purgeIdempotencyRecords(willStep: () -> Void) async throws {
    let seconds = idempotency.seconds
    for table in ["idempotency_records", "idempotency_draws"] {
      try await writeInSteps(of: "housekeeping", limits.stepsOfPurge, willStep: willStep) { rows, transaction in
        // The oldest records have the lowest ids. If the clock was set back, some records wait for those before them.
        try transaction.database.cachedStatement(
          sql: "DELETE FROM \(table) WHERE id IN (SELECT id FROM (SELECT id, at FROM \(table) ORDER BY id LIMIT ?) WHERE at <= ?)"
        ).execute(arguments: [rows, transaction.now.adding(seconds: -seconds)])
        return transaction.database.changesCount == rows
      }
    }
  }
}
