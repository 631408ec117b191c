import Operations
import RewardsContract
import ServiceKit
import Storage

/// The coins of challenges, in the ledger: paid once for each completion, and taken back as far as they were not spent.
struct ChallengeRewards: Sendable {
  /// Until when coins can be spent.
  let expiry: CoinExpiry
  /// Of which month they are on leaderboards.
  let calendars: AccountCalendars

  func pay(
    _ coins: Int, for challenge: KnownChallenge, _ completion: ID<CompletedChallenge>, to account: AccountID,
    _ transaction: Transaction
  ) throws -> TransferID {
    let texts = challenge.terms.texts
    let booking = try LedgerStore.reward(
      coins, to: account, for: .challenge(challenge.id.description, english: texts.en.title, spanish: texts.es.title),
      reference: "challenge/\(completion)", expiry: expiry, calendars: calendars, transaction)
    try transaction.database.run(
      "INSERT INTO challenge_rewards (transfer_id, completion_id, challenge_id) VALUES (?, ?, ?)", .id(booking.transferID),
      .id(completion), .id(challenge.id))
    return booking.transferID
  }

  /// - Returns: how many were taken: what is left of the coins that were paid last.
  func takeBack(_ completion: ChallengeCompletion, _ transaction: Transaction) throws -> Int {
    guard completion.coins > 0, let transfer = completion.transfer else { return 0 }
    let booking = try LedgerStore.takeBackReward(
      transfer, reference: "challenge/\(completion.id)/back", calendars: calendars, transaction)
    return min(completion.coins, booking?.coins ?? 0)
  }
}
