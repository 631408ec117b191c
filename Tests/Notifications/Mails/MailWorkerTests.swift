import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

@Suite("Sending mails")
final class MailWorkerTests {
  let identity = IdentityDouble()
  let home = "/tmp/racha-mails-\(UInt32.random(in: .min ... .max))"
  static let token = "tWqUgWuOYw0vVvKzv8f2jW1TNSnQ1LxC7uQ3gX2dB4E"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func requested(_ username: String = "ana", language: Language = .english) throws -> VerificationMailRequested {
    let person = try identity.person(username, language: language)
    let link = try identity.link(of: person, token: MailWorkerTests.token)
    return VerificationMailRequested(linkID: link, accountID: person.account, reason: .registered)
  }

  /// The queue as a stopped service left it.
  private func rows() throws -> [(state: String, attempts: Int, failure: String?)] {
    let queue = try DatabaseQueue(path: "\(Home(path: home).stores)/notifications.sqlite")
    return try queue.read { database in
      try Row.fetchAll(database, sql: "SELECT state, attempts, failure FROM mails ORDER BY mail_id").map {
        ($0["state"], $0["attempts"], $0["failure"])
      }
    }
  }

  @Test(
    "A mail is written into the folder as a private file named by time, with the token there and nowhere else",
    arguments: Language.allCases)
  func folder(language: Language) async throws {
    let event = try requested(language: language)
    let folder = MailFolder(path: Home(path: home).mails, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let carrier = WatchedCarrier { letter throws(MailFailure) in try await folder.carry(letter) }
    try await ServicesInProcess.mails(identity, carrier, home: home, settings: ["racha.publicUrl": "https://racha.example/"]) {
      services in
      try await services.publish(.identity, event)
      let letter = try await carrier.next(1)[0].letter
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names == [MailFolder.name(letter)])
      #expect(names[0].contains(/^\d{8}T\d{9}Z-[0-9a-f-]{36}\.eml$/))
      let path = "\(folder.path)/\(names[0])"
      let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(permissions == 0o600)
      let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
      #expect(text.contains("https://racha.example/verify?token=3D"))
      #expect(text.contains("To: <ana@example.org>"))
      #expect(try !contains(services.storedBytes(), MailWorkerTests.token))
    }
    #expect(try rows().map(\.state) == ["delivered"])
  }

  private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    Data(bytes).range(of: Data(text.utf8)) != nil
  }

  @Test("A mail is sent once for each link, however often the event arrives")
  func once() async throws {
    let (first, second) = (try requested("ana"), try requested("ben"))
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, home: home) { services in
      try await services.publish(.identity, first, first)
      try await services.publish(.identity, first, second)
      #expect(try await Set(carrier.next(2).map(\.letter.to.description)) == ["ana@example.org", "ben@example.org"])
    }
    #expect(try rows().map(\.attempts) == [1, 1])
  }

  @Test("A failed mail is sent again, also after a restart, as the same mail")
  func again() async throws {
    let event = try requested()
    let failing = WatchedCarrier { _ throws(MailFailure) in throw .connection }
    // The delay is longer than the first run.
    let patient = MailRetry(firstDelayMilliseconds: 60_000)
    var first: Letter?
    try await ServicesInProcess.mails(identity, failing, home: home, retry: patient) { services in
      try await services.publish(.identity, event)
      first = try await failing.next(1)[0].letter
    }
    #expect(try rows().map(\.failure) == ["connection"])
    #expect(try rows().map(\.state) == ["waiting"])
    try await DatabaseQueue(path: "\(Home(path: home).stores)/notifications.sqlite").write {
      try $0.execute(sql: "UPDATE mails SET next_at = 0")
    }
    let working = WatchedCarrier()
    try await ServicesInProcess.mails(identity, working, home: home) { _ in
      let letter = try await working.next(1)[0].letter
      #expect(letter == first)
    }
    #expect(try rows().map(\.state) == ["delivered"])
    #expect(try rows().map(\.attempts) == [2])
  }

  @Test("A mail interrupted by the end of the program is sent again, as the same mail")
  func interrupted() async throws {
    let event = try requested()
    let first = WatchedCarrier()
    var letter: Letter?
    try await ServicesInProcess.mails(identity, first, home: home) { services in
      try await services.publish(.identity, event)
      letter = try await first.next(1)[0].letter
    }
    // As a kill between handing over and noting it leaves the row.
    try await DatabaseQueue(path: "\(Home(path: home).stores)/notifications.sqlite").write {
      try $0.execute(sql: "UPDATE mails SET state = 'sending', finished_at = NULL")
    }
    let second = WatchedCarrier()
    try await ServicesInProcess.mails(identity, second, home: home) { _ in
      let again = try await second.next(1)[0].letter
      #expect(again == letter)
    }
    #expect(try rows().map(\.attempts) == [2])
  }

  @Test("A mail interrupted by a stop has not failed, and is sent again at once after the next start")
  func cutOff() async throws {
    let event = try requested()
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let hanging = WatchedCarrier { _ throws(MailFailure) in
      begin.yield()
      do { try await Task.sleep(for: .seconds(600)) } catch { throw .connection }
    }
    let patient = MailRetry(firstDelayMilliseconds: 600_000)
    try await ServicesInProcess.mails(identity, hanging, home: home, retry: patient) { services in
      try await services.publish(.identity, event)
      for await _ in begun { break }
    }
    #expect(try rows().map(\.state) == ["sending"])
    let working = WatchedCarrier()
    try await ServicesInProcess.mails(identity, working, home: home, retry: patient) { _ in
      _ = try await working.next(1)
    }
    #expect(try rows().map(\.state) == ["delivered"])
    #expect(try rows().map(\.attempts) == [2])
  }

  @Test("A mail becomes a dead letter after the last attempt, or at once if the server refuses it permanently")
  func dead() async throws {
    let (worn, refused) = (try requested("worn"), try requested("refused"))
    let carrier = WatchedCarrier { letter throws(MailFailure) in
      throw letter.to.description.hasPrefix("worn") ? .connection : .rejected(reply: 550)
    }
    try await ServicesInProcess.mails(identity, carrier, home: home) { services in
      try await services.publish(.identity, worn, refused)
      #expect(try await carrier.next(6).count == 6)
    }
    #expect(
      Set(try rows().map { "\($0.state) \($0.attempts) \($0.failure ?? "")" }) == ["dead 5 connection", "dead 1 rejected_550"])
  }

  @Test("However many mails are due, none behind those that are taken on is looked at, not even to give it up")
  func claimed() async throws {
    try await ServicesInProcess.mails(identity, WatchedCarrier()) { services in
      let (claims, left) = try await services.store(of: .notifications).write { transaction in
        let database = transaction.database
        // All but the third have had every attempt.
        try database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6)
            INSERT INTO mails (mail_id, kind, account_id, subject_id, state, attempts, next_at, created_at)
            SELECT randomblob(16), 'verification', ?1, randomblob(16), 'waiting', iif(i = 3, 4, 5), i, 0 FROM n
            """, arguments: [AccountID()])
        let claims = try (0..<3).map { _ in
          let (jobs, givenUp) = try MailStore.claim(atMost: 2, maxAttempts: 5, transaction)
          return [jobs.count, givenUp.count]
        }
        let left = try String.fetchAll(
          database, sql: "SELECT state || ' ' || attempts || ' ' || (finished_at IS NULL) FROM mails ORDER BY next_at")
        try database.execute(sql: "DELETE FROM mails")
        return (claims, left)
      }
      #expect(claims == [[0, 2], [1, 1], [0, 2]])
      #expect(left == ["dead 5 0", "dead 5 0", "sending 5 1", "dead 5 0", "dead 5 0", "dead 5 0"])
    }
  }

  @Test("No mail is sent once its link no longer works")
  func obsolete() async throws {
    let (old, new) = (try requested("old"), try requested("new"))
    identity.forget(old.linkID)
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, home: home, settings: ["racha.smtp.connections": "1"]) { services in
      try await services.publish(.identity, old)
      try await services.publish(.identity, new)
      #expect(try await carrier.next(1)[0].letter.to.description == "new@example.org")
    }
    #expect(try rows().map(\.state) == ["obsolete", "delivered"])
  }

  @Test("A mail waits while identity is down, and is sent once the secret can be read")
  func identityAway() async throws {
    let event = try requested()
    identity.goAway(true)
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, home: home) { services in
      try await services.publish(.identity, event)
      var asked = identity.asked.makeAsyncIterator()
      _ = await asked.next()
      _ = await asked.next()
      identity.goAway(false)
      #expect(try await carrier.next(1).count == 1)
    }
    #expect(try rows().map(\.state) == ["delivered"])
  }

  @Test("As many mails are sent at the same time as there are connections, and no more")
  func connections() async throws {
    let events = try (0..<12).map { try requested("person\($0)") }
    let crowd = Crowd()
    let carrier = WatchedCarrier { _ in await crowd.passThrough() }
    try await ServicesInProcess.mails(identity, carrier, home: home, settings: ["racha.smtp.connections": "3"]) { services in
      for event in events { try await services.publish(.identity, event) }
      #expect(try await carrier.next(12).count == 12)
    }
    #expect(await crowd.maximum <= 3)
    #expect(try rows().allSatisfy { $0.state == "delivered" && $0.attempts == 1 })
  }

  /// Counts who is inside at the same time.
  private actor Crowd {
    private var inside = 0
    private(set) var maximum = 0

    func passThrough() async {
      inside += 1
      maximum = max(maximum, inside)
      for _ in 0..<20 { await Task.yield() }
      inside -= 1
    }
  }
}
