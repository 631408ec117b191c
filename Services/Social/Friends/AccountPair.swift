import Operations

/// Two accounts without an order between them: the key of what they share.
struct AccountPair: Hashable, Sendable {
  let low: AccountID
  let high: AccountID

  init(_ one: AccountID, _ other: AccountID) {
    low = min(one, other)
    high = max(one, other)
  }
}
