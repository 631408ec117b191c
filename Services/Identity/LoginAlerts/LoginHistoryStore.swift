import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// What logins are watched with: the database of places, and the key of devices.
struct LoginWatch: Sendable {
  let places: PlaceDatabase
  let key: SecretKey

  init(_ places: PlaceDatabase, _ keys: IdentityKeys) {
    self.places = places
    key = keys.devices
  }

  /// Where a login of that account comes from.
  func origin(_ account: AccountID, device: String?, userAgent: String?, address: String?) -> LoginOrigin {
    let agent = UserAgent(userAgent)
    let said = [device ?? "", agent.program ?? "", agent.system ?? ""].flatMap { text -> [UInt8] in
      Array(text.utf8) + [0]
    }
    let found = address.flatMap { IPAddress($0) }
    let place = found.flatMap { places.place($0) }
    return LoginOrigin(
      device: device, userAgent: userAgent, address: address,
      deviceKey: Data(key.code(for: Array("device".utf8) + [0] + account.bytes + said)),
      location: LoginLocation(
        network: found?.network ?? "unknown", countryCode: place?.countryCode, coordinates: place?.coordinates))
  }
}

/// The origin of a login: what the client says about itself, and what its address shows.
struct LoginOrigin: Sendable {
  let device: String?
  let userAgent: String?
  let address: String?
  let deviceKey: Data
  let location: LoginLocation
}

/// How an account logged in before.
enum LoginHistoryStore {
  /// The devices and places of an account that are known, the latest; older ones are forgotten.
  static let maxKnown = 30
  /// Those that were not seen for so long are forgotten, too.
  static let keptSeconds = 400 * 86_400

  /// What is known of a login at that instant.
  static func facts(
    of account: AccountID, _ origin: LoginOrigin, failures: Int, isByPassword: Bool, now: Instant, in database: Database
  ) throws -> LoginFacts {
    let devices = try Data.fetchAll(
      database.cachedStatement(sql: "SELECT device_key FROM known_devices WHERE account_id = ?"), arguments: [account])
    let places = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT * FROM known_places WHERE account_id = ?"), arguments: [account]
    ).map(KnownPlace.init)
    let recoveredAt = try Instant.fetchOne(
      database.cachedStatement(
        sql: "SELECT used_at FROM password_recoveries WHERE account_id = ? AND used_at > ? ORDER BY used_at DESC LIMIT 1"),
      arguments: [account, now.adding(seconds: -LoginRules.passwordFreshSeconds)])
    return LoginFacts(
      now: now, here: origin.location, hasHistory: !devices.isEmpty, isKnownDevice: devices.contains(origin.deviceKey),
      knownPlaces: places, failures: failures, isPasswordFresh: recoveredAt != nil, isByPassword: isByPassword,
      isAlertOpen: try LoginAlertStore.isOpen(of: account, at: now, in: database),
      notices: try LoginAlertStore.notices(of: account, isByPassword: isByPassword, now: now, in: database))
  }

  /// Whether the session began while an alert was open, from where its account was not known and is not yet. By the password it would be in
  /// doubt.
  static func isUntrusted(_ session: SessionID, _ watch: LoginWatch, in database: Database) throws -> Bool {
    guard let session = try SessionStore.find(session, in: database) else { return true }
    let origin = watch.origin(
      session.accountID, device: session.device, userAgent: session.userAgent, address: session.address)
    let facts = try LoginHistoryStore.facts(
      of: session.accountID, origin, failures: 0, isByPassword: true, now: session.createdAt, in: database)
    return facts.isAlertOpen && !LoginRules.isTrusted(facts)
  }
}

extension KnownPlace {
  fileprivate init(_ row: Row) {
    let (latitude, longitude) = (row["latitude"] as Double?, row["longitude"] as Double?)
    var coordinates: Coordinates?
    if let latitude, let longitude { coordinates = Coordinates(latitude: latitude, longitude: longitude) }
    self.init(
      location: LoginLocation(network: row["network"], countryCode: row["country_code"], coordinates: coordinates),
      lastSeenAt: row["last_seen_at"])
  }
}

extension LoginHistoryStore {
  /// Knows the device and the place from now on.
  static func learn(_ origin: LoginOrigin, of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO known_devices (account_id, device_key, last_seen_at) VALUES (?, ?, ?)
        ON CONFLICT (account_id, device_key) DO UPDATE SET last_seen_at = excluded.last_seen_at
        """
    ).execute(arguments: [account, origin.deviceKey, transaction.now])
    let place = origin.location
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO known_places (account_id, network, country_code, latitude, longitude, last_seen_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (account_id, network) DO UPDATE SET country_code = excluded.country_code, latitude = excluded.latitude,
          longitude = excluded.longitude, last_seen_at = excluded.last_seen_at
        """
    ).execute(arguments: [
      account, place.network, place.countryCode, place.coordinates?.latitude, place.coordinates?.longitude, transaction.now,
    ])
    for (table, key) in [("known_devices", "device_key"), ("known_places", "network")] {
      try transaction.database.cachedStatement(
        sql: """
          DELETE FROM \(table) WHERE account_id = ?1 AND \(key) IN (
            SELECT \(key) FROM \(table) WHERE account_id = ?1 ORDER BY last_seen_at DESC LIMIT -1 OFFSET ?2)
          """
      ).execute(arguments: [account, LoginHistoryStore.maxKnown])
    }
  }

  /// Forgets a device and a network; nil forgets none.
  static func forget(deviceKey: Data?, network: String?, of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM known_devices WHERE account_id = ? AND device_key = ?")
      .execute(arguments: [account, deviceKey])
    try transaction.database.cachedStatement(sql: "DELETE FROM known_places WHERE account_id = ? AND network = ?")
      .execute(arguments: [account, network])
  }
}
