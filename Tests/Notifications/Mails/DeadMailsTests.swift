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
final class DeadMailsTests {
  private let identity = IdentityStub()
  private let home = "/tmp/racha-dead-\(UInt32.random(in: .min ... .max))"
  private let administrator = Caller(kind: .account, account: AccountID(), session: SessionID(), isAdministrator: true)

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func requested(_ username: String) throws -> VerificationMailRequested {
    let person = try identity.person(username)
    let link = try identity.link(of: person, token: MailWorkerTests.token)
    return VerificationMailRequested(linkID: link, accountID: person.account, reason: .registered)
  }

  /// Mails that died, each in its way.
  private func die(
    _ usernames: [String], _ body: (Stage, [VerificationMailRequested], WatchedCarrier) async throws -> Void
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
    try await Stage.mails(identity, carrier, home: home, retry: retry) { stage in
      for event in events { try await stage.publish(.identity, event) }
      try await untilDead(usernames.count, stage)
      try await body(stage, events, carrier)
    }
  }

  private func untilDead(_ count: Int, _ stage: Stage) async throws {
    let store = try stage.store(.notifications)
    // Each end is a commit that nothing announces.
    while try await store.read({ try Int.fetchOne($0, sql: "SELECT count(*) FROM mails WHERE state = 'dead'") }) != count {
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  @Test("are listed for administrators, newest first, with what the last attempt failed of and without any address")
  func list() async throws {
    try await die(["worn", "login", "refused"]) { stage, events, _ in
      let page = try await stage.call(ListDeadMails.self, .init(), as: administrator)
      let accounts = page.items.map(\.accountID)
      #expect(Set(accounts) == Set(events.map(\.accountID)) && page.nextCursor == nil)
      let byAccount = Dictionary(uniqueKeysWithValues: page.items.map { ($0.accountID, $0) })
      let mails = events.compactMap { byAccount[$0.accountID] }
      #expect(mails.map(\.failure) == ["connection", "authentication", "rejected_550"])
      #expect(mails.map(\.attempts) == [2, 2, 1] && mails.allSatisfy { $0.kind == "verification" })
      #expect(mails[2].explanation == "The mail server refuses the mail with the reply 550.")
      var spanish = administrator
      spanish.language = .spanish
      let other = try await stage.call(ListDeadMails.self, .init(limit: 2), as: spanish)
      #expect(
        other.items.count == 2
          && other.items.allSatisfy { $0.explanation.hasPrefix("El servidor") || $0.explanation.hasPrefix("No se") })
      let rest = try await stage.call(ListDeadMails.self, .init(cursor: other.nextCursor), as: spanish)
      #expect((other.items + rest.items).map(\.id) == page.items.map(\.id))
      #expect(!String(decoding: page.json, as: UTF8.self).contains("@"))
    }
  }

  @Test("are sent again when an administrator says so, as the same mail, with all attempts before them")
  func retry() async throws {
    var first: DeadMail?
    try await die(["worn"]) { stage, _, carrier in
      #expect(try await carrier.next(2).allSatisfy { $0.failure == .connection })
      first = try await stage.call(ListDeadMails.self, .init(), as: administrator).items.first
      let id = try #require(first?.id)
      _ = try await stage.call(RetryDeadMail.self, .init(mailID: id), as: administrator)
      // As often as one that was never tried.
      #expect(try await carrier.next(2).allSatisfy { $0.letter.id == id && $0.failure == .connection })
      try await untilDead(1, stage)
      #expect(try await stage.call(ListDeadMails.self, .init(), as: administrator).items.first?.attempts == 2)
    }
    let dead = try #require(first)
    let working = WatchedCarrier()
    try await Stage.mails(identity, working, home: home) { stage in
      _ = try await stage.call(RetryDeadMail.self, .init(mailID: dead.id), as: administrator)
      let letter = try await working.next(1)[0].letter
      #expect(letter.id == dead.id && letter.to.description == "worn@example.org")
      #expect(try await stage.call(ListDeadMails.self, .init(), as: administrator).items.isEmpty)
      #expect(try await stage.refusal(RetryDeadMail.self, .init(mailID: dead.id), as: administrator) == "not_found")
    }
  }

  @Test("are dropped when their link has stopped working meanwhile")
  func obsolete() async throws {
    try await die(["refused"]) { stage, events, _ in
      identity.forget(events[0].linkID)
      let dead = try await stage.call(ListDeadMails.self, .init(), as: administrator).items[0]
      _ = try await stage.call(RetryDeadMail.self, .init(mailID: dead.id), as: administrator)
      let store = try stage.store(.notifications)
      while try await store.read({ try String.fetchOne($0, sql: "SELECT state FROM mails") }) != "obsolete" {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  @Test("that ended the program each time are given up after as many attempts, and listed")
  func poison() async throws {
    try await die(["refused"]) { _, _, _ in }
    let queue = try DatabaseQueue(path: "\(Home(path: home).stores)/notifications.sqlite")
    // As twelve kills in the middle of sending leave the row.
    try await queue.write {
      try $0.execute(sql: "UPDATE mails SET state = 'sending', attempts = 12, finished_at = NULL, failure = NULL")
    }
    try queue.close()
    let carrier = WatchedCarrier()
    try await Stage.mails(identity, carrier, home: home, retry: MailRetry()) { stage in
      try await untilDead(1, stage)
      let dead = try await stage.call(ListDeadMails.self, .init(), as: administrator).items[0]
      #expect(dead.failure == "interrupted" && dead.attempts == 12)
      #expect(dead.explanation == "The program ended each time while the mail was being sent.")
    }
  }

  @Test("are for administrators alone")
  func callers() async throws {
    try await die(["refused"]) { stage, _, _ in
      let person = try identity.person("ana").caller
      #expect(try await stage.refusal(ListDeadMails.self, .init(), as: person) == "forbidden")
      #expect(try await stage.refusal(RetryDeadMail.self, .init(mailID: ID()), as: person) == "forbidden")
      #expect(try await stage.refusal(RetryDeadMail.self, .init(mailID: ID()), as: administrator) == "not_found")
    }
  }
}
