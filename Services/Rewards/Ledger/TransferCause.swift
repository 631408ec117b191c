import GRDB
import Operations
import RewardsContract
import Storage

/// What a transfer is for, as it is kept beside it and shown to its owner: every transfer has one (REW-2).
enum TransferCause: Hashable, Sendable {
  /// The steps of a local day.
  case day(LocalDay)
  /// Steps of several days, which earlier versions counted together.
  case severalDays
  /// A redemption of an offer that was called so then.
  case redemption(RedemptionID, title: String)
  /// A completed challenge: what names its definition, and its titles.
  case challenge(String, english: String, spanish: String)
  /// An administrator's reason.
  case reason(String)

  /// The columns of `transfers` that keep it.
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

  /// From a row that has the ``columns``.
  ///
  /// - Throws: `DatabaseError` where they hold none.
  init(_ row: Row) throws {
    let (title, subject): (String?, String?) = (row["title"], row["subject"])
    switch (row["cause"] as String, row["day"] as LocalDay?) {
    case ("day", let day?): self = .day(day)
    case ("days", nil): self = .severalDays
    case ("redemption", nil): self = .redemption(try RedemptionID(text: subject ?? ""), title: title ?? "")
    case ("challenge", nil): self = .challenge(subject ?? "", english: title ?? "", spanish: row["spanish_title"] ?? title ?? "")
    // Without the words where its owner was erased.
    case ("reason", nil): self = .reason(title ?? "")
    default: throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a transfer has no cause that is known")
    }
  }

  /// The day of steps, if it is one.
  var day: LocalDay? { values.day }

  /// What it is called, in that language; nil where it has no name.
  func title(_ language: Language) -> String? {
    switch self {
    case .day, .severalDays, .reason: nil
    case .redemption(_, let title): title
    case .challenge(_, let english, let spanish): language == .spanish ? spanish : english
    }
  }

  /// An administrator's reason, if it is one.
  var reason: String? {
    guard case .reason(let reason) = self else { return nil }
    return reason
  }
}

/// The system's sides of the ledger: where coins come from, and where they go. One is opened with its first transfer.
enum SystemAccount: String, CaseIterable, Sendable {
  /// Coins for steps come from it; its balance is what all steps have earned, negated.
  case movement
  /// Coins given for offers go to it.
  case offers
  /// Coins for challenges come from it.
  case challenges
  /// Coins that administrators give come from it, and those that they take go to it.
  case adjustments
  /// Coins that have ended go to it.
  case expiry
}

extension Transfer.Kind {
  /// The other side of such a transfer.
  var systemAccount: SystemAccount {
    switch self {
    case .earned, .corrected: .movement
    case .redeemed, .refunded: .offers
    case .challengeReward, .challengeRewardTakenBack: .challenges
    case .adjusted: .adjustments
    case .expired: .expiry
    }
  }
}
