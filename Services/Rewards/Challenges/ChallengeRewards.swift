import Operations
import RewardsContract
import ServiceKit
import Storage

/// Pays the coins of challenges in the ledger: once for each completion; unspent coins can be taken back.
struct ChallengeRewards: Sendable {
  /// How long coins can be spent.
  let expiry: CoinExpiry
  /// Determine the month in which the coins count on leaderboards.
  let calendars: AccountCalendars

  func pay(
    _ coins: Int, for challenge: KnownChallenge, _ completion: ID<CompletedChallenge>, to account: AccountID,
    _ transaction: Transaction
  ) throws -> TransferID {
    let texts = challenge.terms.texts
    let booking = try LedgerStore.reward(
      coins, to: account, for: .challenge(challenge.id.description, english: texts.en.title, spanish: texts.es.title),
      reference: "challenge/\(completion)", expiry: expiry, calendars: calendars, transaction)
    try ChallengeCompletionStore.notePayment(booking.transferID, for: challenge.id, completion, in: transaction.database)
    return booking.transferID
  }

  /// - Returns: how many coins were taken back: the unspent rest of the last payment.
  func takeBack(_ completion: ChallengeCompletion, _ transaction: Transaction) throws -> Int {
    guard completion.coins > 0, let transfer = completion.transfer else { return 0 }
    let booking = try LedgerStore.takeBackReward(
      transfer, reference: "challenge/\(completion.id)/back", calendars: calendars, transaction)
    return min(completion.coins, booking?.coins ?? 0)
  }
}
