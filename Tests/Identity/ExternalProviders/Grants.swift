import Foundation
import IdentityContract
import InProcess
import Logging
import Operations
import SecureStorage
import ServiceKit
import Testing

@testable import IdentityService

extension RunningIdentity {
  /// Counts the grants that wait to be given back.
  static let waitingGrants = "SELECT COUNT(*) FROM provider_grants WHERE identity_id IS NULL"

  /// Its secure storage.
  var secretStorage: SecureStorage {
    SecureStorage(KeyFolder(id: 1, home: home), second: KeyFolder(id: 2, home: Home(path: "\(home.path)/spare")))
  }

  /// How many grants it keeps, and how many of their tokens.
  func grants() async throws -> [Int] {
    [
      try await count("SELECT COUNT(*) FROM provider_grants"),
      try await count("SELECT COUNT(*) FROM secrets WHERE kind = 'providerToken'"),
    ]
  }

  /// What gives grants back, with those providers.
  func revocations(_ settings: [String: String]) async throws -> ProviderRevocationWorker {
    let logins = ExternalLogins(
      ExternalProviderSettings(Settings(settings)), web: ProviderWeb(), clock: time.clock,
      key: try await IdentityKeys(home).externalLogins, secrets: secretStorage)
    let logger = Logger(label: "identity") { _ in SwiftLogNoOpLogHandler() }
    return ProviderRevocationWorker(store: store, logins: logins, clock: time.clock, logger: logger)
  }

  /// A new account that is linked to the person at the provider.
  func linked(to provider: TestProvider, _ username: String = "bea") async throws -> (SignedIn, ExternalIdentity) {
    try await register(username)
    let session = try await logIn(username)
    return (session, try await link(session, to: provider))
  }

  /// The same, unlinked again.
  func unlinked(from provider: TestProvider, _ username: String = "bea") async throws {
    _ = try await linked(to: provider, username)
    try await unlink(username)
  }

  func unlink(_ username: String) async throws {
    let session = try await logIn(username)
    let identity = try #require(try await ask(ListIdentities.self, Empty(), by: .signedIn(session)).identities.first)
    _ = try await ask(UnlinkIdentity.self, .init(identityID: identity.id), by: .signedIn(session))
  }

  /// Whether any file of its home holds the text.
  func keeps(_ text: String) throws -> Bool {
    try FileManager.default.subpathsOfDirectory(atPath: home.path).contains { name in
      FileManager.default.contents(atPath: "\(home.path)/\(name)")?.range(of: Data(text.utf8)) != nil
    }
  }
}
