import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

/// Usernames are changed in the store without waking the worker, so that lists are asked for while some of them still have the order of the
/// former name.
@Suite("New usernames in the lists of others", .timeLimit(.minutes(1)))
struct NameChangeTests {
  /// So many that they are in several steps.
  static let count = 600

  private func run(
    _ identity: IdentityDouble = IdentityDouble(), home: String? = nil, _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    try await ServicesInProcess.running([{ Social.service($0) }], identity: identity, home: home, body)
  }

  /// Somebody whom social knows.
  private func person(_ services: ServicesInProcess) async throws -> Person {
    let person = try await services.register()
    try await services.hasReceived(.social, of: .identity)
    return person
  }

  /// Makes up further friends of an account, each of whom it follows.
  private func fill(_ services: ServicesInProcess, _ person: Person, _ count: Int) async throws {
    let account = person.id
    try await services.store(of: .social).write { transaction in
      for number in 0..<count {
        let other = AccountID()
        try Self.add(other, "friend\(number)", transaction)
        try Self.connect(account, other, transaction)
      }
    }
  }

  private static func add(_ account: AccountID, _ username: String, _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, revision)
      VALUES (?, ?, 'UTC', 0, 'en', 1, 1)
      """, .id(account), .text(username))
  }

  /// Makes two accounts friends, of whom the first follows the other.
  private static func connect(_ account: AccountID, _ other: AccountID, _ transaction: Transaction) throws {
    try FriendStore.add(account, other, transaction)
    try transaction.database.run(
      """
      INSERT INTO follows (follower_account, followed_account, state, changed_at, revision) VALUES (?, ?, 'accepted', 1, 1)
      """, .id(account), .id(other))
  }

  private func connect(_ person: Person, _ others: Person..., services: ServicesInProcess) async throws {
    let (account, ids) = (person.id, others.map(\.id))
    try await services.store(of: .social).write { transaction in
      for other in ids { try Self.connect(account, other, transaction) }
    }
  }

  /// Gives an account another username.
  ///
  /// - Returns: how many rows that changed.
  @discardableResult
  private func rename(_ person: Person, _ name: String, _ services: ServicesInProcess) async throws -> Int {
    let account = person.id
    return try await services.store(of: .social).write { transaction in
      let before = transaction.database.totalChangesCount
      try transaction.database.run("UPDATE accounts SET username = ? WHERE account_id = ?", .text(name), .id(account))
      try NameChangeFeature().accountChanged(account, transaction)
      return transaction.database.totalChangesCount - before
    }
  }

  private func settle(_ person: Person, _ services: ServicesInProcess) async throws -> Bool {
    let account = person.id
    return try await services.store(of: .social).write { try NameChangeStore.settle(account, people: 150, $0) }
  }

  /// The names that an account has in the order of others' lists.
  private func places(of person: Person, _ services: ServicesInProcess) async throws -> [String] {
    let account = person.id
    return try await services.store(of: .social).read { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT username FROM friend_names WHERE account_id <> ?1 AND (low_account = ?1 OR high_account = ?1)
          UNION SELECT username FROM follower_names WHERE follower_account = ?1 ORDER BY username
          """, arguments: [account])
    }
  }

  /// A person's friends, and its followers, page by page.
  private func lists(_ person: Person) async throws -> [[String]] {
    var (friends, followers): ([String], [String]) = ([], [])
    var page = ListPage(limit: 1)
    repeat {
      let found = try await person.send(ListFriends.self, page)
      friends += found.items.map(\.username.description)
      page.cursor = found.nextCursor
    } while page.cursor != nil
    repeat {
      let found = try await person.send(ListFollowers.self, page)
      followers += found.items.map(\.username.description)
      page.cursor = found.nextCursor
    } while page.cursor != nil
    return [friends, followers]
  }

  @Test("To receive a new username changes as many rows, and takes as long to find them, with 3,000 friends as with 300")
  func bounded() async throws {
    try await run { services in
      var (changes, steps): ([Int], [Int]) = ([], [])
      for count in [300, 3_000] {
        let ana = try await person(services)
        try await fill(services, ana, count)
        changes.append(try await rename(ana, "ana\(count)", services))
        let account = ana.id
        let effort = try await services.store(of: .social).effort { database in
          let people = try NameChangeStore.people(
            of: account, after: .placeholder, limit: NameChangeStore.peopleAtOnce, in: database)
          #expect(people.count == NameChangeStore.peopleAtOnce)
        }
        steps.append(effort.steps)
      }
      // The name itself, what is left to do, and two lists of each of the first friends.
      #expect(changes[0] == changes[1] && changes[0] <= 3 + 2 * NameChangeStore.peopleAtOnce, "\(changes)")
      #expect(steps[1] <= steps[0] + 20, "\(steps)")
      #expect(try await services.store(of: .social).rows("name_changes") == 2)
    }
  }

  @Test("With few friends, a new username has its place in all lists at once, and nothing is left to do")
  func few() async throws {
    try await run { services in
      let (ana, ben) = (try await person(services), try await person(services))
      try await fill(services, ana, 40)
      try await connect(ana, ben, services: services)
      try await rename(ana, "zora", services)
      #expect(try await places(of: ana, services) == ["zora"])
      #expect(try await services.store(of: .social).rows("name_changes") == 0)
      #expect(try await lists(ben) == [["zora"], ["zora"]])
    }
  }

  @Test("Lists show a new username at once, and nobody is missing from their pages while its place is still the former name's")
  func shown() async throws {
    try await run { services in
      let (ben, ana) = (try await person(services), try await person(services))
      try await fill(services, ana, Self.count)
      let (eva, kim) = (try await person(services), try await person(services))
      try await rename(ana, "alba", services)
      while try await !settle(ana, services) {}
      try await rename(kim, "kim", services)
      // Ben is among the first whose lists are changed, and Eva is the last.
      try await connect(ana, ben, eva, services: services)
      try await connect(kim, ben, eva, services: services)
      for other in [ben, eva] { #expect(try await lists(other) == [["alba", "kim"], ["alba", "kim"]]) }

      try await rename(ana, "zora", services)
      #expect(try await places(of: ana, services) == ["alba", "zora"])
      #expect(try await lists(ben) == [["kim", "zora"], ["kim", "zora"]])
      #expect(try await lists(eva) == [["zora", "kim"], ["zora", "kim"]])

      // A further name begins anew, and a new friend has it at once.
      #expect(try await !settle(ana, services))
      try await rename(ana, "bea", services)
      let leo = try await person(services)
      try await connect(kim, leo, services: services)
      try await connect(ana, leo, services: services)
      #expect(try await places(of: ana, services) == ["alba", "bea", "zora"])
      for other in [ben, eva, leo] { #expect(try await lists(other) == [["bea", "kim"], ["bea", "kim"]]) }

      while try await !settle(ana, services) {}
      #expect(try await places(of: ana, services) == ["bea"])
      for other in [ben, eva, leo] { #expect(try await lists(other) == [["bea", "kim"], ["bea", "kim"]]) }
      let store = services.store(of: .social)
      #expect(try await store.rows("name_changes") == 0)
      #expect(try await store.rows("friend_names") == 2 * (Self.count + 6))
      #expect(try await store.rows("follower_names") == Self.count + 6)
    }
  }

  @Test("Nobody is missing from pages where somebody has a username that its former owner still has in the list")
  func taken() async throws {
    try await run { services in
      let ana = try await person(services)
      try await fill(services, ana, Self.count)
      let (eva, kim) = (try await person(services), try await person(services))
      try await rename(ana, "alba", services)
      while try await !settle(ana, services) {}
      // Eva is the last whose lists are changed.
      try await connect(ana, eva, services: services)
      try await connect(kim, eva, services: services)
      try await rename(ana, "zora", services)
      try await rename(kim, "alba", services)
      #expect(try await lists(eva) == [["zora", "alba"], ["zora", "alba"]])
      while try await !settle(ana, services) {}
      #expect(try await lists(eva) == [["alba", "zora"], ["alba", "zora"]])
    }
  }

  @Test("What identity publishes wakes the worker, which brings a new username into all lists")
  func worker() async throws {
    try await run { services in
      let ana = try await person(services)
      try await fill(services, ana, Self.count)
      try await services.change(ana, receivedBy: .social) { $0.username = try Username(text: "zora") }
      let store = services.store(of: .social)
      try await store.until { try await store.rows("name_changes") == 0 }
      #expect(try await places(of: ana, services) == ["zora"])
    }
  }

  @Test("A new username that has come into some lists comes into the others after a restart")
  func resumed() async throws {
    let (home, identity) = ("/tmp/racha-names-\(UInt32.random(in: .min ... .max))", IdentityDouble())
    defer { try? FileManager.default.removeItem(atPath: home) }
    let known = try identity.person("alba")
    try await run(identity, home: home) { services in
      let ana = Person(bus: services.gateway, caller: known.caller)
      // Its first call makes it known.
      _ = try await ana.send(ListFriends.self, .init())
      try await fill(services, ana, Self.count)
      try await rename(ana, "zora", services)
      #expect(try await !settle(ana, services))
      #expect(try await places(of: ana, services) == ["alba", "zora"])
    }
    try await run(identity, home: home) { services in
      let store = services.store(of: .social)
      try await store.until { try await store.rows("name_changes") == 0 }
      #expect(try await places(of: Person(bus: services.gateway, caller: known.caller), services) == ["zora"])
    }
  }

  @Test("Erasing an account ends what is left to do for its new username")
  func erased() async throws {
    try await run { services in
      let ana = try await person(services)
      try await fill(services, ana, Self.count)
      try await rename(ana, "zora", services)
      let store = services.store(of: .social)
      #expect(try await store.rows("name_changes") == 1)
      try await services.delete(ana, receivedBy: .social)
      for table in ["name_changes", "friend_names", "follower_names"] { #expect(try await store.rows(table) == 0, "\(table)") }
    }
  }
}
