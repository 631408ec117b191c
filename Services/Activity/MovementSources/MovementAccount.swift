import Operations

/// An account with its short number.
struct MovementAccount: Hashable, Sendable {
  /// Selects the rows of an account, as ``ErasedTable`` needs it.
  static let ownedRows = "account_number = (SELECT account_number FROM movement_accounts WHERE account_id = :account)"

  let id: AccountID
  let number: Int64
}
