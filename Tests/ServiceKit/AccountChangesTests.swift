import Foundation
import IdentityContract
import InMemoryBus
import Logging
import Operations
import Storage
import Synchronization
import Testing

@testable import ServiceKit

@Suite("Features reacting to changes of accounts")
final class AccountChangesTests {
  /// What features were told, in order.
  private final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// Since it was last asked for.
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  /// Notes what it is told, with the username that the read model has by then.
  private struct JournalFeature: Feature {
    let name: String
    let journal: Journal

    func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
      try note("moved from \(move.from.timeZone) to \(move.to.timeZone)", move.account, transaction)
    }

    func consentsWithdrawn(_ purposes: Set<ConsentPurpose>, by account: AccountID, _ transaction: Transaction) throws {
      try note("withdrew \(purposes.map(\.rawValue).sorted().joined(separator: ", "))", account, transaction)
    }

    func accountChanged(_ account: AccountID, _ transaction: Transaction) throws { try note("changed", account, transaction) }

    private func note(_ what: String, _ account: AccountID, _ transaction: Transaction) throws {
      let username = try Accounts.find(account, in: transaction.database)?.username
      journal.note("\(name): \(username?.description ?? "nobody") \(what)")
    }
  }

  private let home = Home(path: "/tmp/racha-changes-\(UInt32.random(in: .min ... .max))")

  deinit { try? FileManager.default.removeItem(atPath: home.path) }

  @Test("Each feature is notified in the list's order, after the read model, and late events move and withdraw nothing")
  func everyFeature() async throws {
    let journal = Journal()
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: home, bus: MemoryBus(.social, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let service = ServiceDefinition(
      Contract(.social, operations: [], events: [], words: []), environment,
      features: [
        AccountsFeature(migrations: (table: 1, settings: 2, people: 3, enrollment: 4, everyone: 5)),
        JournalFeature(name: "a", journal: journal), JournalFeature(name: "b", journal: journal),
      ], erasesAccounts: false)
    let store = try ServiceHost(service, environment).store
    var account = AccountChanged(
      accountID: AccountID(), username: try Username(text: "ana"), nickname: nil, timeZone: .utc, dayStartHour: 0,
      language: .english, isVerified: true, consents: [.activityData, .location], revision: 1)
    func notified() async throws -> [String] {
      let (now, watch) = (account, service.accountWatch)
      try await store.write { try Accounts.keep(now, $0, watch) }
      return journal.take()
    }
    // Whoever was not known has not moved.
    #expect(try await notified() == ["a: ana changed", "b: ana changed"])
    account.revision = 2
    account.username = try Username(text: "anna")
    account.timeZone = try TimeZoneName(text: "Europe/Madrid")
    account.consents = [.location]
    #expect(
      try await notified() == [
        "a: anna moved from UTC to Europe/Madrid", "b: anna moved from UTC to Europe/Madrid", "a: anna withdrew activityData",
        "b: anna withdrew activityData", "a: anna changed", "b: anna changed",
      ])
    account.revision = 1
    account.timeZone = .utc
    account.consents = []
    #expect(try await notified() == ["a: anna changed", "b: anna changed"])
    await store.close()
  }
}
