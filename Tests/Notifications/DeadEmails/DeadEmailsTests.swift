import Foundation
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

@Suite("Mails that were given up", .timeLimit(.minutes(1)))
final class DeadEmailsTests {
  private let identity = IdentityDouble()
  private let home = "/tmp/racha-dead-\(UInt32.random(in: .min ... .max))"
  private let administrator: Caller

  init() throws {
    let person = try identity.person("administrator")
    administrator = Caller(kind: .account, account: person.account, session: SessionID(), isAdministrator: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func requested(_ username: String) throws -> VerificationMailRequested {
    let person = try identity.person(username)
    let link = try identity.link(of: person, token: MailWorkerTests.token)
    return VerificationMailRequested(linkID: link, accountID: person.account, reason: .registered)
  }

  /// Mails that died, each in its way.
  private func die(
    _ usernames: [String], _ body: (ServicesInProcess, [VerificationMailRequested], WatchedCarrier) async throws -> Void
  ) async throws {
    let carrier = WatchedCarrier { letter throws(MailFailure) in
      switch letter.to.description.prefix(2) {
      case "wo": throw .connection
      case "lo": throw .authentication
      default: throw .rejected(reply: 550)
      }
    }
    let events = try usernames.map { try requested($0) }
    let retry = MailRetry(firstDelayMilliseconds: 0, growth: 1, longestDelayMilliseconds: 0, maxAttempts: 2)
    try await ServicesInProcess.mails(identity, carrier, home: home, retry: retry) { services in
      for event in events { try await services.publish(.identity, event) }
      try await untilDead(usernames.count, services)
      try await body(services, events, carrier)
    }
  }

  private func untilDead(_ count: Int, _ services: ServicesInProcess) async throws {
    let store = services.store(of: .notifications)
    try await store.until {
      try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM mails WHERE state = 'dead'") } == count
    }
  }

  @Test(
    "Mails that were given up are listed for administrators, newest first, with the last failure and without addresses"
  )
  func list() async throws {
    try await die(["worn", "login", "refused"]) { services, events, _ in
      let page = try await services.call(ListDeadEmails.self, .init(), as: administrator)
      let accounts = page.items.map(\.accountID)
      #expect(Set(accounts) == Set(events.map(\.accountID)) && page.nextCursor == nil)
      let byAccount = Dictionary(uniqueKeysWithValues: page.items.map { ($0.accountID, $0) })
      let mails = events.compactMap { byAccount[$0.accountID] }
      #expect(mails.map(\.failure) == ["connection", "authentication", "rejected_550"])
      #expect(mails.map(\.attempts) == [2, 2, 1] && mails.allSatisfy { $0.kind == "verification" })
      #expect(mails[2].explanation == "The mail server refuses the mail with the reply 550.")
      var spanish = administrator
      spanish.language = .spanish
      let other = try await services.call(ListDeadEmails.self, .init(limit: 2), as: spanish)
      #expect(
        other.items.count == 2
          && other.items.allSatisfy { $0.explanation.hasPrefix("El servidor") || $0.explanation.hasPrefix("No se") })
      let rest = try await services.call(ListDeadEmails.self, .init(cursor: other.nextCursor), as: spanish)
      #expect((other.items + rest.items).map(\.id) == page.items.map(\.id))
      #expect(!String(decoding: page.json, as: UTF8.self).contains("@"))
    }
  }

  @Test("An administrator can send a mail again that was given up, as the same mail, with its former attempts counted")
  func retry() async throws {
    var first: DeadEmail?
    try await die(["worn"]) { services, _, carrier in
      #expect(try await carrier.next(2).allSatisfy { $0.failure == .connection })
      first = try await services.call(ListDeadEmails.self, .init(), as: administrator).items.first
      let id = try #require(first?.id)
      _ = try await services.call(RetryDeadEmail.self, .init(deadEmailID: id), as: administrator)
      // As often as one that was never tried.
      #expect(try await carrier.next(2).allSatisfy { $0.letter.id == id && $0.failure == .connection })
      try await untilDead(1, services)
      #expect(try await services.call(ListDeadEmails.self, .init(), as: administrator).items.first?.attempts == 2)
    }
    let dead = try #require(first)
    let working = WatchedCarrier()
    try await ServicesInProcess.mails(identity, working, home: home) { services in
      _ = try await services.call(RetryDeadEmail.self, .init(deadEmailID: dead.id), as: administrator)
      let letter = try await working.next(1)[0].letter
      #expect(letter.id == dead.id && letter.to.description == "worn@example.org")
      #expect(try await services.call(ListDeadEmails.self, .init(), as: administrator).items.isEmpty)
      #expect(try await services.refusal(RetryDeadEmail.self, .init(deadEmailID: dead.id), as: administrator) == "not_found")
    }
  }

  @Test("Mails that were given up are dropped when they are retried after their link stopped working")
  func obsolete() async throws {
    try await die(["refused"]) { services, events, _ in
      identity.forget(events[0].linkID)
      let dead = try await services.call(ListDeadEmails.self, .init(), as: administrator).items[0]
      _ = try await services.call(RetryDeadEmail.self, .init(deadEmailID: dead.id), as: administrator)
      let store = services.store(of: .notifications)
      try await store.until { try await store.read { try String.fetchOne($0, sql: "SELECT state FROM mails") } == "obsolete" }
    }
  }

  @Test("Mails whose sending ends the program each time are given up after the maximum of attempts, and listed")
  func poison() async throws {
    try await die(["refused"]) { _, _, _ in }
    let queue = try DatabaseQueue(path: "\(Home(path: home).stores)/notifications.sqlite")
    // As twelve kills in the middle of sending leave the row.
    try await queue.write {
      try $0.execute(sql: "UPDATE mails SET state = 'sending', attempts = 12, finished_at = NULL, failure = NULL")
    }
    try queue.close()
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, home: home, retry: MailRetry()) { services in
      try await untilDead(1, services)
      let dead = try await services.call(ListDeadEmails.self, .init(), as: administrator).items[0]
      #expect(dead.failure == "interrupted" && dead.attempts == 12)
      #expect(dead.explanation == "The program ended each time while the mail was being sent.")
    }
  }

  @Test("Only administrators can read and retry mails that were given up")
  func callers() async throws {
    try await die(["refused"]) { services, _, _ in
      let person = try identity.person("ana").caller
      #expect(try await services.refusal(ListDeadEmails.self, .init(), as: person) == "forbidden")
      #expect(try await services.refusal(RetryDeadEmail.self, .init(deadEmailID: ID()), as: person) == "forbidden")
      #expect(try await services.refusal(RetryDeadEmail.self, .init(deadEmailID: ID()), as: administrator) == "not_found")
    }
  }
}
