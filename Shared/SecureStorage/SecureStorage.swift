import Crypto

/// Where sealed secrets are stored, such as a table; it sees only ciphertexts.
public protocol SecretShelf {
  func put(_ sealed: [UInt8], _ name: SecretName) throws
  func get(_ name: SecretName) throws -> [UInt8]?
  func remove(_ name: SecretName) throws
}

/// Something that went wrong with a secret, to be recorded; it never holds the secret.
public struct SecretIncident: Hashable, Sendable {
  /// What went wrong.
  public enum Problem: String, Sendable {
    /// A key store cannot be used, so the next one was.
    case keyStoreFailed
    /// What was read back was not what had been written.
    case notVerified
    /// No key store could be used: the secret was not stored.
    case notStored
    /// The ciphertext is damaged, or another's; it was removed.
    case corrupt
    /// Its key is not available: it was left as it is.
    case keyMissing
  }

  public let name: SecretName
  public let problem: Problem
}

/// Why a secret was not stored, or cannot be read now.
public enum SecureStorageFailure: Error, Hashable {
  /// A kind whose secrets are never read back: keep a digest.
  case digestOnly
  case notStored
  case keyMissing
}

/// Keeps secrets that have to be read back (ID-16): encrypted under a key outside their shelf, verified by reading back, with a second key
/// store if the first one fails. A damaged secret is detected, removed and reported.
///
///     try storage.save(secret, .init(.providerToken, of: account.bytes), on: shelf) { try transaction.record($0) }
public struct SecureStorage: Sendable {
  /// Records an incident; an error that it throws ends the call.
  public typealias Record = (SecretIncident) throws -> Void

  /// The result of reading a secret.
  public enum Reading: Hashable, Sendable {
    case found([UInt8])
    case missing
    /// It was damaged and has been removed; its owner has to provide it again.
    case removed
  }

  private let first: any KeyStore
  private let second: (any KeyStore)?

  public init(_ first: any KeyStore, second: (any KeyStore)? = nil) {
    precondition(first.id != second?.id, "two key stores of one id")
    self.first = first
    self.second = second
  }

  /// Stores a secret, replacing an older one of its name, and returns once it was read back correctly.
  ///
  /// - Throws: ``SecureStorageFailure``, what the shelf throws on removing, and what `record` throws. Then nothing is kept.
  public func save(_ secret: [UInt8], _ name: SecretName, on shelf: any SecretShelf, record: Record) throws {
    let stores: [any KeyStore]
    switch name.kind.protection {
    case .digest: throw SecureStorageFailure.digestOnly
    case .sealed: stores = [first] + (second.map { [$0] } ?? [])
    case .sealedStrictly: stores = [first]
    }
    for store in stores {
      guard let problem = attempt(secret, name, under: store, on: shelf) else { return }
      try record(SecretIncident(name: name, problem: problem))
    }
    try shelf.remove(name)
    try record(SecretIncident(name: name, problem: .notStored))
    throw SecureStorageFailure.notStored
  }

  /// Reads a secret.
  ///
  /// - Throws: ``SecureStorageFailure/keyMissing`` if its key is not available now, and what shelf and `record` throw.
  public func read(_ name: SecretName, on shelf: any SecretShelf, record: Record) throws -> Reading {
    guard let bytes = try shelf.get(name) else { return .missing }
    guard let sealed = SealedSecret(bytes: bytes), let store = store(sealed.store) else {
      return try remove(name, on: shelf, record)
    }
    let key: SymmetricKey
    do {
      key = try store.key(sealed.number)
    } catch {
      try record(SecretIncident(name: name, problem: .keyMissing))
      throw SecureStorageFailure.keyMissing
    }
    do {
      return .found(try sealed.open(name, key: key))
    } catch {
      return try remove(name, on: shelf, record)
    }
  }

  /// The first bytes of what is sealed now: the format, the first key store and its newest key. What begins otherwise is to be renewed.
  ///
  /// - Throws: what the key store throws.
  public func newestHead() throws -> [UInt8] { try SealedSecret.head(first.id, first.newest().number) }

  /// Seals a secret again under the newest key of the first key store, unless it already is. If that fails, it stays as it was.
  ///
  /// - Returns: whether it was sealed again.
  /// - Throws: ``SecureStorageFailure``, and what shelf and `record` throw.
  public func renew(_ name: SecretName, on shelf: any SecretShelf, record: Record) throws -> Bool {
    guard let bytes = try shelf.get(name), let sealed = SealedSecret(bytes: bytes) else { return false }
    let newest: UInt32
    do {
      newest = try first.newest().number
    } catch {
      try record(SecretIncident(name: name, problem: .keyStoreFailed))
      throw SecureStorageFailure.notStored
    }
    if sealed.store == first.id, sealed.number == newest { return false }
    guard case .found(let secret) = try read(name, on: shelf, record: record) else { return false }
    do {
      try save(secret, name, on: shelf, record: record)
    } catch {
      try shelf.put(bytes, name)
      throw error
    }
    return true
  }

  /// Why the secret was not stored under that key store; nil if it was.
  private func attempt(
    _ secret: [UInt8], _ name: SecretName, under store: any KeyStore, on shelf: any SecretShelf
  ) -> SecretIncident.Problem? {
    do {
      let (number, key) = try store.newest()
      try shelf.put(SealedSecret(secret, name, store: store.id, number: number, key: key).bytes, name)
      return try isKept(secret, name, on: shelf) ? nil : .notVerified
    } catch {
      return .keyStoreFailed
    }
  }

  private func isKept(_ secret: [UInt8], _ name: SecretName, on shelf: any SecretShelf) throws -> Bool {
    guard let bytes = try shelf.get(name), let sealed = SealedSecret(bytes: bytes), let store = store(sealed.store) else {
      return false
    }
    do {
      return try sealed.open(name, key: store.key(sealed.number)) == secret
    } catch is CryptoKitError {
      return false
    }
  }

  private func remove(_ name: SecretName, on shelf: any SecretShelf, _ record: Record) throws -> Reading {
    try shelf.remove(name)
    try record(SecretIncident(name: name, problem: .corrupt))
    return .removed
  }

  private func store(_ id: UInt8) -> (any KeyStore)? { [first, second].compactMap { $0 }.first { $0.id == id } }
}
