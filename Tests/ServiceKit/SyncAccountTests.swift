import Foundation
import IdentityContract
import InMemoryBus
import Logging
import Messaging
import Operations
import ServiceKit
import Storage
import Testing

@Suite("The read model of accounts, synchronized by identity itself (ID-13)")
struct SyncAccountTests {
  @Test("The read model of accounts knows a withdrawn consent before any event, and is never reverted")
  func withdrawal() async throws {
    let home = Home(path: "/tmp/racha-kit-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let exchange = MemoryExchange()
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: home, bus: MemoryBus(.social, on: exchange),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let service = ServiceDefinition(
      Contract(.social, operations: [], events: [], words: []), environment,
      features: [AccountsFeature(migrations: (table: 1, settings: 2, people: 3, enrollment: 4, everyone: 5))])
    let host = try ServiceHost(service, environment)
    var account = AccountChanged(
      accountID: AccountID(), username: try Username(text: "ana"), nickname: nil, timeZone: .utc, dayStartHour: 0,
      language: .english, isVerified: true, consents: [.location], revision: 1)
    func follow(as caller: ServiceName = .identity) async throws {
      let header = RequestHeader(
        id: "1", operation: SyncAccount.spec.name, caller: .service(caller), deadline: Instant.now.adding(seconds: 10))
      let reply = try await MemoryBus(caller, on: exchange).request(Request(header: header, body: account.json), to: .social)
      _ = try reply.output(Empty.self)
    }
    func isGiven() async throws -> Bool {
      let id = account.accountID
      return try await host.store.read { database in
        do {
          try Accounts.requireConsent(.location, of: id, in: database)
          return true
        } catch let failure as Failure where failure.code == "consent_required" {
          return false
        }
      }
    }
    try await follow()
    #expect(try await isGiven())
    account.revision = 2
    account.consents = []
    await #expect(throws: Failure.self) { try await follow(as: .rewards) }
    try await follow()
    #expect(try await !isGiven())
    account.revision = 1
    account.consents = [.location]
    try await follow()
    #expect(try await !isGiven())
    await host.store.close()
  }
}
