import Foundation
import GRDB
import IdentityContract
import InMemoryBus
import InProcess
import Logging
import Operations
import ServiceKit
import SocialContract
import Storage
import Synchronization

@testable import IdentityService

extension RunningIdentity {
  /// A registered account in a session of its own.
  ///
  /// - Parameter isListed: whether others find it in the directory.
  func join(_ username: String, _ nickname: String? = nil, isVerified: Bool = true, isListed: Bool = true) async throws
    -> SignedIn
  {
    var form = Self.form(username)
    form.nickname = nickname.map { FormField(text: $0) }
    _ = try await ask(RegisterAccount.self, form)
    if isVerified { _ = try await ask(VerifyAccount.self, .init(token: try await mailedToken())) }
    let signedIn = try await logIn(username)
    if isListed { _ = try await ask(UpdateSettings.self, .init(directoryVisibility: .set(.listed)), by: .signedIn(signedIn)) }
    return signedIn
  }

  /// Lets identity know what is between an account and another, as the first one sees it.
  func relate(
    _ account: AccountID, _ other: AccountID, _ relation: Relation, isBlockedByOther: Bool = false, revision: Int = 1
  ) async throws {
    let event = RelationChanged(
      accountID: account, otherAccountID: other, relation: relation, isBlockedByOther: isBlockedByOther, revision: revision,
      at: time.now)
    try await store.write { try RelationStore.keep(event, $0) }
  }

  /// Lets identity know that an account has blocked another, or has unblocked it.
  func block(_ account: AccountID, _ other: AccountID, _ isBlocked: Bool = true, revision: Int = 1) async throws {
    try await relate(account, other, Relation(isBlocked: isBlocked), revision: revision)
    try await relate(other, account, Relation(), isBlockedByOther: isBlocked, revision: revision)
  }

  /// Lets an account be suspended until then.
  func suspend(_ account: AccountID, until end: Instant) async throws {
    try await store.write { transaction in
      try transaction.database.execute(
        sql: "UPDATE accounts SET suspended_until = ?, revision = revision + 1 WHERE account_id = ?", arguments: [end, account])
      _ = try AccountStore.publish(account, transaction)
    }
  }
}

/// Social as far as identity knows it: it publishes what is between accounts, and has it in its snapshot.
///
/// It stands on an exchange without the double of identity that ``ServicesInProcess`` has, since the real identity takes part.
final class PublishingSocial: Sendable {
  /// Where identity takes part.
  let exchange = MemoryExchange()
  private let host: ServiceHost
  private let state: State

  /// All that was published.
  private final class State: Sendable {
    private let events = Mutex<[RelationChanged]>([])

    var all: [RelationChanged] { events.withLock { $0 } }

    func add(_ event: RelationChanged) { events.withLock { $0.append(event) } }
  }

  /// Starts it and stops it after the body, removing its folder.
  static func run(_ time: MovableClock, _ body: (PublishingSocial) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-social-\(UUID().uuidString)").path
    let social = try PublishingSocial(Home(path: folder), time)
    let result: Result<Void, any Error>
    do {
      try await withThrowingTaskGroup { group in
        group.addTask { try await social.host.run() }
        try await body(social)
        group.cancelAll()
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await social.host.store.close()
    try FileManager.default.removeItem(atPath: folder)
    try result.get()
  }

  private init(_ home: Home, _ time: MovableClock) throws {
    let state = State()
    self.state = state
    var definition = ServiceDefinition(.social, migrations: [])
    definition.publishSnapshot { _, _, _ in (state.all, nil) }
    host = try ServiceHost(
      definition,
      ServiceEnvironment(
        settings: Settings([:]), home: home, bus: MemoryBus(.social, on: exchange), clock: time.clock,
        logger: Logger(label: "social") { _ in SwiftLogNoOpLogHandler() }))
  }

  /// Publishes in one transaction what both see of a block.
  func publishBlock(_ account: AccountID, _ other: AccountID, _ isBlocked: Bool = true, revision: Int) async throws {
    try await publish(
      RelationChanged(
        accountID: account, otherAccountID: other, relation: Relation(isBlocked: isBlocked), isBlockedByOther: false,
        revision: revision, at: .now),
      RelationChanged(
        accountID: other, otherAccountID: account, relation: Relation(), isBlockedByOther: isBlocked, revision: revision, at: .now
      ))
  }

  func publish(_ events: RelationChanged...) async throws {
    for event in events { state.add(event) }
    try await host.store.write { transaction in for event in events { try transaction.publish(event) } }
  }

  /// Forgets every event but the last, as pruning does once all subscribers have received them.
  func prune() async throws {
    try await host.store.write {
      try $0.database.execute(sql: "DELETE FROM outbox WHERE number < (SELECT max(number) FROM outbox)")
    }
  }
}
