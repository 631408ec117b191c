import Foundation
import GRDB
import Operations

/// How much a store keeps for the idempotency keys of one account, or of one address for requests without sign-in (GW-3).
///
/// Otherwise a caller that sends a new key with every request would fill the disk. The sizes of records are not summed up: a sum per owner
/// would be one more page to write with every request. Instead each record draws whole shares for its size, and for the remainder one more
/// share with the probability remainder / share. The draw is a keyed hash of the request, which its sender can neither predict nor see. So
/// most requests write nothing here, and the number of shares is right within some 3 percent.
struct IdempotencyAllowance: Sendable {
  /// How many shares an allowance has.
  static let shares = 1024

  /// The bytes of a share.
  private let share: Int
  private let seconds: Int

  init(bytes: Int, seconds: Int) {
    share = max(1, bytes / IdempotencyAllowance.shares)
    self.seconds = seconds
  }

  static func migration(_ number: Int) -> Migration {
    Migration(number, "allowances of idempotency records") { database in
      // Earlier records draw on no allowance, and are gone in a week.
      try database.execute(
        sql: """
          -- The share of an account or an address in what is kept.
          CREATE TABLE idempotency_draws (
            id INTEGER PRIMARY KEY,
            owner TEXT NOT NULL,
            at INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX idempotency_draws_by_owner ON idempotency_draws (owner, at);
          CREATE INDEX idempotency_draws_by_age ON idempotency_draws (at);
          """)
    }
  }

  /// The bytes that a record takes up with its index entries, within some bytes.
  static func size(of key: IdempotencyKey, sealedReply: Int) -> Int {
    2 * (key.caller.utf8.count + key.key.utf8.count) + key.operation.utf8.count + sealedReply + 96
  }

  /// - Throws: ``Failure`` `idempotency_allowance_exceeded` with the time until a share is free again.
  func requireRoom(for owner: String, now: Instant, in database: Database) throws {
    let last = try database.first(
      "SELECT at FROM idempotency_draws WHERE owner = ? AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?", .text(owner),
      .instant(now.adding(seconds: -seconds)), .number(IdempotencyAllowance.shares - 1)
    ) { $0.instant(0) }
    guard let last else { return }
    let wait = (last.adding(seconds: seconds).milliseconds - now.milliseconds + 999) / 1000
    throw Failure(
      RequestFailure.idempotencyAllowanceExceeded, ["seconds": .number(max(1, Int(wait)))], retryAfterSeconds: max(1, Int(wait)))
  }

  /// Draws shares for a record of that size.
  ///
  /// - Parameter hash: evenly distributed, and unique to the record.
  func draw(_ size: Int, for owner: String, by hash: Data, _ transaction: Transaction) throws {
    let chance = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % UInt64(share)
    let shares = size / share + (chance < UInt64(size % share) ? 1 : 0)
    for _ in 0..<min(shares, IdempotencyAllowance.shares) {
      try transaction.database.run(
        "INSERT INTO idempotency_draws (owner, at) VALUES (?, ?)", .text(owner), .instant(transaction.now))
    }
  }
}
