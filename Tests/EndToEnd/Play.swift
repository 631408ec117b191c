import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract
import Testing

/// The parts of the play.
enum Play {
  static let cost = 20
  static let messages = 10

  /// How often each of the six is killed: as usual, or as `RACHA_FAULT_ROUNDS` says.
  static func rounds(_ usual: Int) -> Int {
    ProcessInfo.processInfo.environment["RACHA_FAULT_ROUNDS"].flatMap { Int($0) } ?? usual
  }

  /// Every player has one address: its limits are out of the way.
  /// Coins come of steps and of nothing else.
  static let settings = [
    "RACHA_LIMITS_RATE_FACTOR": "100000", "RACHA_LIMITS_CONNECTIONS_PER_ADDRESS": "10000", "RACHA_CHALLENGES_BUILT_IN": "false",
  ]

  static func offers(_ id: OfferID) -> String {
    let now = Instant.now
    return """
      {"offers":[{"id":"\(id)","title":"A coffee","reward":"One coffee of your choice","partnerName":"Café Elcano","costCoins":\(cost),
        "stock":1000,"validFrom":"\(now.adding(seconds: -3600))","validUntil":"\(now.adding(seconds: 86_400))"}]}
      """
  }

  /// Sends every sample twice over in random order, and then goes on repeating some until the chaos is over.
  static func send(_ player: Player, until isOver: Flag) async throws {
    let all = (player.samples + player.samples).shuffled()
    var next = 0
    while next < all.count || !isOver.isUp {
      let count = Int.random(in: 20...200)
      let batch: [MovementSample]
      if next < all.count {
        batch = Array(all[next..<min(next + count, all.count)])
        next += count
      } else {
        batch = Array(all.shuffled().prefix(10))
      }
      let result = try await player.client.callUntilDone(RecordMovementSamples.self, .init(samples: batch))
      #expect(result.rejected.isEmpty)
      #expect(result.accepted + result.repeated == batch.count)
    }
  }

  /// A friendship and a conversation, each step repeated until it is acknowledged.
  static func talk(_ first: Player, _ second: Player) async throws {
    let request = try await first.client.callUntilDone(
      SendFriendRequest.self, .init(username: second.account.username), idempotencyKey: "friend")
    _ = try await second.client.callUntilDone(
      AcceptFriendRequest.self, .init(friendRequestID: request.id), idempotencyKey: "accept")
    for index in 0..<messages {
      _ = try await second.client.callUntilDone(
        SendMessage.self, .init(accountID: first.account.id, text: try ChatText(text: "message \(index)")),
        idempotencyKey: "message-\(index)")
    }
  }

  static func compareTalk(_ first: Player, _ second: Player) async throws {
    let sent = try await first.client.callUntilDone(ListMessages.self, .init(accountID: second.account.id, limit: 100))
    #expect(sent.items.compactMap(\.text?.description) == (0..<messages).reversed().map { "message \($0)" })
    let inbox = try await eventually {
      try await first.inbox()
    } until: { inbox in
      inbox.filter { $0.kind == "messageReceived" }.count >= messages
    }
    #expect(inbox.filter { $0.kind == "messageReceived" }.count == messages)
    #expect(inbox.filter { $0.kind == "friendRequestAccepted" }.count == 1)
    let other = try await eventually {
      try await second.inbox()
    } until: {
      $0.contains { $0.kind == "friendRequestReceived" }
    }
    #expect(other.filter { $0.kind == "friendRequestReceived" }.count == 1)
  }

  /// The coins of each `coins.earned` event in the log of rewards, by account.
  static func coinsEarned(_ cluster: RunningCluster) throws -> [String: [Int]] {
    let events = try read(cluster, .rewards) { database in
      try Data.fetchAll(database, sql: "SELECT body FROM outbox WHERE name = 'coins.earned' ORDER BY number")
    }
    var earned: [String: [Int]] = [:]
    for body in events {
      let event = try CoinsEarned.decode([UInt8](body))
      earned[event.accountID.description, default: []].append(event.coins)
    }
    return earned
  }

  /// Every coin comes from somewhere: the sum over all accounts of the ledger is zero, and each balance is the sum of its transfers.
  static func checkLedger(_ cluster: RunningCluster) throws {
    let (sum, wrong) = try read(cluster, .rewards) { database in
      (
        try Int.fetchOne(database, sql: "SELECT sum(balance) FROM ledger_accounts"),
        try Int.fetchOne(
          database,
          sql: """
            SELECT count(*) FROM ledger_accounts a WHERE balance !=
              (SELECT coalesce(sum(coins), 0) FROM transfers WHERE credit_id = a.ledger_account_id) -
              (SELECT coalesce(sum(coins), 0) FROM transfers WHERE debit_id = a.ledger_account_id)
            """)
      )
    }
    #expect(sum == 0)
    #expect(wrong == 0)
  }

  /// Reads a running service's store.
  static func read<T>(_ cluster: RunningCluster, _ service: ServiceName, _ body: (Database) throws -> T) throws -> T {
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: "\(cluster.home)/stores/\(service.rawValue).sqlite", configuration: configuration).read(body)
  }
}

/// A client that listens live, loses its connection whenever the gateway dies, and resumes after the last event it saw.
actor LiveReader {
  private let player: Player
  private var seen: [Int] = []

  init(_ player: Player) { self.player = player }

  func read() async {
    while !Task.isCancelled {
      do {
        for try await event in try await player.client.live(after: String(seen.last ?? 0)) where event.event == "notification" {
          guard let number = event.id.flatMap({ Int($0) }) else { continue }
          seen.append(number)
        }
      } catch {
        // The gateway was killed: connect again.
      }
      do { try await Task.sleep(for: .milliseconds(50)) } catch { return }
    }
  }

  /// The numbers seen, once that one is among them, or after 30 seconds.
  func numbers(upTo last: Int) async -> [Int] {
    let end = Instant.now.adding(seconds: 30)
    while seen.last ?? 0 < last, Instant.now < end {
      do { try await Task.sleep(for: .milliseconds(50)) } catch { break }
    }
    return seen
  }
}
