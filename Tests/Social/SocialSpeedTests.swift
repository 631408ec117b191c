import Foundation
import GRDB
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

/// How long first pages take, and by which indexes they are found.
@Suite("The speed of friends and conversations", .serialized)
struct SocialSpeedTests {
  /// Gives an account so many friends, and so many messages with each of the first three.
  private func fill(_ services: ServicesInProcess, _ ana: Person, friends: Int, messages: Int) async throws -> [AccountID] {
    let account = ana.id
    let others = (0..<friends).map { _ in AccountID() }
    try await services.store(of: .social).write { transaction in
      for (number, other) in others.enumerated() {
        try transaction.database.execute(
          sql: """
            INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, revision)
            VALUES (?, ?, 'UTC', 0, 'en', 1, 1)
            """, arguments: [other, "friend\(number)"])
        try FriendStore.add(account, other, transaction)
      }
    }
    for other in others.prefix(3) {
      for start in stride(from: 0, to: messages, by: 1000) {
        try await services.store(of: .social).write { transaction in
          for number in start..<min(start + 1000, messages) {
            let text = try ChatText(
              text: "Message \(number): see you at the lake at seven, and bring something to eat and to drink")
            _ = try MessageStore.add(MessageContent(text: text), from: account, to: other, transaction)
          }
        }
      }
    }
    return others
  }

  private func efforts(friends: Int, messages: Int) async throws -> [(name: String, effort: ReadingEffort)] {
    try await ServicesInProcess.running([{ Social.service($0) }]) { services in
      let ana = try await services.register()
      // Her account is known from her first call on.
      _ = try await ana.send(ListFriends.self, .init())
      let others = try await fill(services, ana, friends: friends, messages: messages)
      let (store, account) = (services.store(of: .social), ana.id)
      let conversation = try #require(try await store.read { try ConversationStore.find(account, others[0], in: $0) })
      func first(
        _ sql: String, _ arguments: @escaping @autoclosure @Sendable () -> StatementArguments, expecting count: Int
      ) async throws -> ReadingEffort {
        let found = try await store.read { try Row.fetchAll($0, sql: sql, arguments: arguments()).count }
        #expect(found == count)
        return try await store.effort { database in
          _ = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments())
        }
      }
      let max = Int64.max
      func search(_ text: String, expecting count: Int) async throws -> ReadingEffort {
        let end = try await store.effort { database in
          _ = try Int64.fetchOne(
            database.cachedStatement(sql: MessageSearchStore.endSQL),
            arguments: [conversation, max, MessageSearchStore.maxSearched - 1])
        }
        var effort = try await first(MessageSearchStore.searchSQL, [conversation, max, 0, text, 51], expecting: count)
        effort.milliseconds += end.milliseconds
        effort.steps += end.steps
        return effort
      }
      return [
        ("messages", try await first(MessageStore.listSQL, [conversation, max, 51], expecting: 51)),
        (
          "conversations",
          try await first(ConversationStore.listSQL, ["account": account, "before": max, "limit": 51], expecting: 3)
        ),
        ("search for what is everywhere", try await search("lake", expecting: 51)),
        ("search for what is nowhere", try await search("mountain", expecting: 0)),
        (
          "friends",
          try await first(
            FriendStore.listSQL,
            ["account": account, "after": "", "low": AccountID.placeholder, "high": account, "limit": 51], expecting: 51)
        ),
      ]
    }
  }

  @Test("A first page takes at most 10 ms among 10,000 messages and 1,000 friends, and as many steps as among a tenth")
  func measured() async throws {
    let small = try await efforts(friends: 100, messages: 1000)
    let large = try await efforts(friends: 1000, messages: 10_000)
    for ((name, one), (_, ten)) in zip(small, large) {
      print(String(format: "%8.2f ms %6d steps of ten  ", ten.milliseconds, ten.steps) + name)
      #expect(ten.milliseconds <= max(10, 3 * one.milliseconds), "\(name)")
      // What goes through all messages to find nothing is bounded, and within the time.
      guard !name.hasPrefix("search") else { continue }
      #expect(ten.steps <= one.steps + 20, "\(name): \(one.steps), \(ten.steps)")
    }
  }

  @Test(
    "No statement of social's lists scans a table, or sorts what it could read in order",
    arguments: [
      MessageStore.listSQL, ConversationStore.listSQL, MessageSearchStore.searchSQL, MessageSearchStore.endSQL,
      FriendStore.listSQL,
    ])
  func plans(sql: String) async throws {
    try await ServicesInProcess.running([{ Social.service($0) }]) { services in
      let plan = sql.replacing(/[?:][a-z0-9]*/, with: "1").replacing(/instr\([^)]*\)/, with: "1")
      let steps = try await services.store(of: .social).read { database in
        try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(plan)").map { $0["detail"] as String }
      }
      #expect(!steps.isEmpty && !steps.contains { $0.hasPrefix("SCAN ") || $0.contains("TEMP B-TREE") }, "\(steps)")
    }
  }
}
