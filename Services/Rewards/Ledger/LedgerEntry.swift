import Operations
import RewardsContract

/// A person's transfer with the data for its event.
struct LedgerEntry: Sendable {
  let id: TransferID
  let account: AccountID
  let kind: Transfer.Kind
  let cause: TransferCause
  /// Positive if credited, negative if debited.
  let change: Int
  /// The person's balance after the transfer.
  let balance: Int
  let at: Instant

  /// The event of the transfer; nil for a spending, which its feature publishes with more detail.
  var event: (any Event)? {
    let coins = abs(change)
    switch (kind, cause) {
    case (.redeemed, _): return nil
    case (.earned, _):
      return CoinsEarned(accountID: account, transferID: id, coins: coins, balance: balance, at: at, day: cause.day)
    case (.corrected, _):
      return CoinsCorrected(accountID: account, transferID: id, coins: coins, balance: balance, at: at, day: cause.day)
    case (.refunded, .redemption(let redemption, let title)):
      return CoinsRefunded(
        accountID: account, transferID: id, redemptionID: redemption, title: title, coins: coins, balance: balance, at: at)
    case (.challengeReward, .challenge(let key, _, _)):
      return CoinsRewarded(accountID: account, transferID: id, challenge: key, coins: coins, balance: balance, at: at)
    case (.challengeRewardReversed, .challenge(let key, _, _)):
      return CoinsRewardReversed(accountID: account, transferID: id, challenge: key, coins: coins, balance: balance, at: at)
    case (.adjusted, .reason(let reason)):
      return CoinsAdjusted(accountID: account, transferID: id, coins: change, reason: reason, balance: balance, at: at)
    case (.expired, _): return CoinsExpired(accountID: account, transferID: id, coins: coins, balance: balance, at: at)
    case (.refunded, _), (.challengeReward, _), (.challengeRewardReversed, _), (.adjusted, _): return nil
    }
  }
}
