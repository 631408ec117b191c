import GRDB
import Operations
import RewardsContract
import Storage

/// What a transfer is for, as stored with it and shown to its owner: every transfer has a cause (REW-2).
enum TransferCause: Hashable, Sendable {
  /// The steps of a local day.
  case day(LocalDay)
  /// Steps of several days, which earlier versions combined.
  case severalDays
  /// A redemption, with the offer's title at the time.
  case redemption(RedemptionID, title: String)
  /// A completed challenge: the id of its definition, and its titles.
  case challenge(String, english: String, spanish: String)
  /// An administrator's reason.
  case reason(String)

  /// The columns of `transfers` that store a cause.
  static let columns = "cause, day, subject, title, spanish_title"

  /// The values of ``columns``.
  var values: (cause: String, day: LocalDay?, subject: String?, title: String?, spanishTitle: String?) {
    switch self {
    case .day(let day): ("day", day, nil, nil, nil)
    case .severalDays: ("days", nil, nil, nil, nil)
    case .redemption(let id, let title): ("redemption", nil, id.description, title, nil)
    case .challenge(let key, let english, let spanish): ("challenge", nil, key, english, spanish)
    case .reason(let reason): ("reason", nil, nil, reason, nil)
    }
  }

  /// Creates a cause from a row with the ``columns``.
  ///
  /// - Throws: `DatabaseError` where they contain none.
  init(_ row: Row) throws {
    let (title, subject): (String?, String?) = (row["title"], row["subject"])
    switch (row["cause"] as String, row["day"] as LocalDay?) {
    case ("day", let day?): self = .day(day)
    case ("days", nil): self = .severalDays
    case ("redemption", nil): self = .redemption(try RedemptionID(text: subject ?? ""), title: title ?? "")
    case ("challenge", nil): self = .challenge(subject ?? "", english: title ?? "", spanish: row["spanish_title"] ?? title ?? "")
    // The text is absent where the owner was erased.
    case ("reason", nil): self = .reason(title ?? "")
    default: throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a transfer has no cause that is known")
    }
  }

  /// The day of steps, for such a cause.
  var day: LocalDay? { values.day }

  /// The title in that language; nil where the cause has none.
  func title(_ language: Language) -> String? {
    switch self {
    case .day, .severalDays, .reason: nil
    case .redemption(_, let title): title
    case .challenge(_, let english, let spanish): language == .spanish ? spanish : english
    }
  }

  /// The administrator's reason, for such a cause.
  var reason: String? {
    guard case .reason(let reason) = self else { return nil }
    return reason
  }
}

/// The system's ledger accounts, from which coins come and to which they go. Each is opened with its first transfer.
enum SystemAccount: String, CaseIterable, Sendable {
  /// The source of coins for steps; its balance is the negated sum of all coins for steps.
  case movement
  /// The destination of coins spent on offers.
  case offers
  /// The source of coins for challenges.
  case challenges
  /// The source of coins that administrators credit, and the destination of those that they debit.
  case adjustments
  /// The destination of expired coins.
  case expiry
}

extension Transfer.Kind {
  /// The other side of a transfer of this kind.
  var systemAccount: SystemAccount {
    switch self {
    case .earned, .corrected: .movement
    case .redeemed, .refunded: .offers
    case .challengeReward, .challengeRewardReversed: .challenges
    case .adjusted: .adjustments
    case .expired: .expiry
    }
  }
}
