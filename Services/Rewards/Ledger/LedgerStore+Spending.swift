import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// What a transfer is for.
enum TransferCause: Hashable, Sendable {
  /// A redemption of an offer that was called so then.
  case redemption(RedemptionID, title: String)
}

extension LedgerStore {
  /// A transfer of a person that was made.
  struct Booking: Hashable, Sendable {
    let transferID: TransferID
    let coins: Int
    /// How many coins the person has after it.
    let balance: Int
  }

  /// How many coins a person can spend.
  static func balance(of account: AccountID, at now: Instant, in database: Database) throws -> (coins: Int, endingNext: Int?) {
    (try balance(of: account, in: database), nil)
  }

  /// Coins go for an offer. Its feature publishes that.
  ///
  /// - Throws: ``OfferFailure/notEnoughCoins``; then nothing has changed.
  static func spend(
    _ coins: Int, of account: AccountID, for cause: TransferCause, reference: String, _ transaction: Transaction
  ) throws -> Booking {
    let person = try person(account, in: transaction.database)
    guard person.balance >= coins else { throw OfferFailure.notEnoughCoins }
    let id = try move(coins, from: person.id, to: offers, .redeemed, reference: reference, transaction)
    return Booking(transferID: id, coins: coins, balance: person.balance - coins)
  }

  /// The coins of a spending come back.
  ///
  /// - Returns: nil where whoever spent them was erased.
  static func refund(_ spending: TransferID, reference: String, _ transaction: Transaction) throws -> Booking? {
    let found = try transaction.database.first(
      """
      SELECT a.account_id, t.coins FROM transfers t JOIN ledger_accounts a ON a.ledger_account_id = t.debit_id
      WHERE t.transfer_id = ? AND a.erased_at IS NULL
      """, .id(spending)
    ) { (account: try $0.id(0) as AccountID, coins: $0.number(1)) }
    guard let found else { return nil }
    let person = try person(found.account, in: transaction.database)
    let id = try move(found.coins, from: offers, to: person.id, .corrected, reference: reference, transaction)
    return Booking(transferID: id, coins: found.coins, balance: person.balance + found.coins)
  }
}
