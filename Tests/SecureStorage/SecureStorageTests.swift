import Crypto
import Foundation
import SecureStorage
import ServiceKit
import Testing

@Suite("Secure storage (ID-16; S 1)")
final class SecureStorageTests {
  private static let token = SecretKind("token", .sealed)
  private let secret = Array("a provider's token".utf8)
  private let name = SecretName(token, of: [1, 2, 3])
  private let folder = Home(path: "/tmp/racha-secrets-\(UInt32.random(in: .min ... .max))")

  deinit { try? FileManager.default.removeItem(atPath: folder.path) }

  /// Runs the body and returns what was recorded.
  private func problems(_ body: (@escaping SecureStorage.Record) throws -> Void) rethrows -> [SecretIncident.Problem] {
    var problems: [SecretIncident.Problem] = []
    try body { problems.append($0.problem) }
    return problems
  }

  @Test("Secure storage encrypts, stores, reads back and verifies data (main course)")
  func main() throws {
    let storage = SecureStorage(Keys(id: 1))
    let shelf = Shelf()
    let recorded = try problems { record in
      try storage.save(secret, name, on: shelf, record: record)
      #expect(shelf.gets == 1)
      #expect(try storage.read(name, on: shelf, record: record) == .found(secret))
    }
    #expect(recorded.isEmpty)
    #expect(Data(try #require(shelf.rows[name])).range(of: Data(secret)) == nil)
    #expect(try storage.read(SecretName(Self.token, of: [9]), on: shelf) { _ in } == .missing)
  }

  @Test(
    "Secure storage protects by kind: data only for comparison is not stored, and strict data has no second key store")
  func levels() throws {
    let shelf = Shelf()
    #expect(throws: SecureStorageFailure.digestOnly) {
      try SecureStorage(Keys(id: 1)).save(secret, SecretName(SecretKind("password", .digest), of: [1]), on: shelf) { _ in }
    }
    let broken = SecureStorage(Keys(id: 1, isBroken: true), second: Keys(id: 2))
    let recorded = problems { record in
      #expect(throws: SecureStorageFailure.notStored) {
        try broken.save(secret, SecretName(SecretKind("seed", .sealedStrictly), of: [1]), on: shelf, record: record)
      }
    }
    #expect(recorded == [.keyStoreFailed, .notStored] && shelf.rows.isEmpty)
  }

  @Test(
    "Secure storage uses the alternative key store if the first one fails, and records that (error course, strategy)")
  func alternative() throws {
    let storage = SecureStorage(Keys(id: 1, isBroken: true), second: Keys(id: 2))
    let shelf = Shelf()
    let recorded = try problems { record in
      try storage.save(secret, name, on: shelf, record: record)
      #expect(try storage.read(name, on: shelf, record: record) == .found(secret))
    }
    #expect(recorded == [.keyStoreFailed])
  }

  @Test(
    "Secure storage reports and records failing key stores, and stores nothing partially (error course, notice)"
  )
  func bothFail() {
    let storage = SecureStorage(Keys(id: 1, isBroken: true), second: Keys(id: 2, isBroken: true))
    let shelf = Shelf()
    let recorded = problems { record in
      #expect(throws: SecureStorageFailure.notStored) { try storage.save(secret, name, on: shelf, record: record) }
    }
    #expect(recorded == [.keyStoreFailed, .keyStoreFailed, .notStored] && shelf.rows.isEmpty)
  }

  @Test("Secure storage detects, by reading back, that a shelf returns something else")
  func verification() {
    let storage = SecureStorage(Keys(id: 1))
    let shelf = Shelf()
    shelf.spoils = .max
    let recorded = problems { record in
      #expect(throws: SecureStorageFailure.notStored) { try storage.save(secret, name, on: shelf, record: record) }
    }
    #expect(recorded == [.notVerified, .notStored] && shelf.rows.isEmpty)
  }

  @Test("Secure storage detects any changed byte of sealed data; the data is removed and recorded (error course, corrupt data)")
  func corrupt() throws {
    let storage = SecureStorage(Keys(id: 1))
    let shelf = Shelf()
    try storage.save(secret, name, on: shelf) { _ in }
    let sound = try #require(shelf.rows[name])
    // The number of the key is another matter: it names a key that there is not.
    for index in sound.indices where !(2..<6).contains(index) {
      shelf.rows[name] = sound
      shelf.rows[name]?[index] ^= 1
      let recorded = try problems { record in
        let reading = try storage.read(name, on: shelf, record: record)
        #expect(reading == .removed)
      }
      #expect(recorded == [.corrupt] && shelf.rows.isEmpty, "byte \(index)")
    }
    for length in [0, 1, 6, 20, sound.count - 1] {
      shelf.rows[name] = Array(sound.prefix(length))
      #expect(try storage.read(name, on: shelf) { _ in } == .removed)
    }
  }

  @Test("A ciphertext of secure storage is invalid for any other owner or kind")
  func swapped() throws {
    let storage = SecureStorage(Keys(id: 1))
    let shelf = Shelf()
    try storage.save(secret, name, on: shelf) { _ in }
    for other in [SecretName(Self.token, of: [1, 2, 4]), SecretName(SecretKind("tokenA", .sealed), of: [2, 3])] {
      shelf.rows[other] = shelf.rows[name]
      #expect(try storage.read(other, on: shelf) { _ in } == .removed)
    }
    #expect(try storage.read(name, on: shelf) { _ in } == .found(secret))
  }

  @Test("Secure storage reports a key that is unavailable now, and keeps its ciphertext")
  func missingKey() throws {
    let shelf = Shelf()
    try SecureStorage(Keys(id: 1)).save(secret, name, on: shelf) { _ in }
    let recorded = problems { record in
      #expect(throws: SecureStorageFailure.keyMissing) {
        try SecureStorage(Keys(id: 1, isBroken: true)).read(name, on: shelf, record: record)
      }
    }
    #expect(recorded == [.keyMissing] && shelf.rows[name] != nil)
  }

  @Test(
    "Keys of secure storage are private files; after a rotation old data is still read, and sealed again under the newest key")
  func rotation() throws {
    let storage = SecureStorage(KeyFolder(id: 1, home: folder))
    let shelf = Shelf()
    try storage.save(secret, name, on: shelf) { _ in }
    let first = "\(folder.keys)/secrets-1"
    let permissions = try FileManager.default.attributesOfItem(atPath: first)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
    #expect(try !storage.renew(name, on: shelf) { _ in })
    _ = try folder.secret("secrets-2")
    #expect(try storage.read(name, on: shelf) { _ in } == .found(secret))
    #expect(try shelf.rows[name].map { Array($0.prefix(6)) } != storage.newestHead())
    #expect(try storage.renew(name, on: shelf) { _ in })
    #expect(try shelf.rows[name].map { Array($0.prefix(6)) } == storage.newestHead())
    try FileManager.default.removeItem(atPath: first)
    #expect(try storage.read(name, on: shelf) { _ in } == .found(secret))
  }

  @Test("Data sealed under the alternative key store is moved to the first one when that works again")
  func comesBack() throws {
    let (keys, spare, shelf) = (Keys(id: 1), Keys(id: 2), Shelf())
    try SecureStorage(Keys(id: 1, isBroken: true), second: spare).save(secret, name, on: shelf) { _ in }
    #expect(try SecureStorage(keys, second: spare).renew(name, on: shelf) { _ in })
    #expect(try SecureStorage(keys).read(name, on: shelf) { _ in } == .found(secret))
  }

  @Test("Data that secure storage fails to seal again stays as it was, and readable")
  func failedRenewal() throws {
    let (spare, shelf) = (Keys(id: 2), Shelf())
    try SecureStorage(Keys(id: 1, isBroken: true), second: spare).save(secret, name, on: shelf) { _ in }
    let before = try #require(shelf.rows[name])
    let storage = SecureStorage(Keys(id: 1), second: spare)
    shelf.spoils = 2
    let recorded = problems { record in
      #expect(throws: SecureStorageFailure.notStored) { try storage.renew(name, on: shelf, record: record) }
    }
    #expect(recorded == [.notVerified, .notVerified, .notStored])
    #expect(shelf.rows[name] == before)
    #expect(try storage.read(name, on: shelf) { _ in } == .found(secret))
  }

  @Test(
    "A first key store of secure storage that cannot name its newest key is recorded and reported"
  )
  func renewalWithoutKeys() throws {
    let (spare, shelf) = (Keys(id: 2), Shelf())
    let storage = SecureStorage(Keys(id: 1, isBroken: true), second: spare)
    try storage.save(secret, name, on: shelf) { _ in }
    let recorded = problems { record in
      #expect(throws: SecureStorageFailure.notStored) { try storage.renew(name, on: shelf, record: record) }
    }
    #expect(recorded == [.keyStoreFailed])
    #expect(try storage.read(name, on: shelf) { _ in } == .found(secret))
  }
}

/// One key in memory.
private struct Keys: KeyStore {
  struct Broken: Error {}

  let id: UInt8
  var isBroken = false

  func newest() throws -> (number: UInt32, key: SymmetricKey) { (1, try key(1)) }

  func key(_ number: UInt32) throws -> SymmetricKey {
    if isBroken || number != 1 { throw Broken() }
    return SymmetricKey(data: [UInt8](repeating: id, count: 32))
  }
}

/// A shelf in memory, which can spoil what it is given.
private final class Shelf: SecretShelf {
  var rows: [SecretName: [UInt8]] = [:]
  var gets = 0
  /// How many of the next it spoils.
  var spoils = 0

  func put(_ sealed: [UInt8], _ name: SecretName) {
    rows[name] = spoils > 0 ? sealed.dropLast() + [~sealed[sealed.count - 1]] : sealed
    spoils = max(spoils - 1, 0)
  }
  func get(_ name: SecretName) -> [UInt8]? {
    gets += 1
    return rows[name]
  }
  func remove(_ name: SecretName) { rows[name] = nil }
}
