public import Operations

/// The kind of a notification, which has the texts `notification.<kind>.title` and `.text` (NOT-4).
///
/// The list of kinds follows from these texts, so a new kind needs only its texts here; the event that it reports is declared in the
/// service.
public struct NotificationKind: Choice, ExpressibleByStringLiteral {
  public let rawValue: String

  /// The present names of renamed kinds by their former ones, which stay in stores and in links of mails. Whoever reads a kind's name from
  /// there uses ``presentName(of:)``, and whoever selects rows by kind ``storedNames(of:)``.
  public static let formerNames = [
    "coinsEnding": "coinsExpiring", "inactivityNoticed": "inactivityDetected",
    "leaderboardPlacesLost": "leaderboardPositionsLost",
  ]

  /// The kind of that name, also of a former one; nil for an unknown kind.
  public init?(rawValue: String) {
    let name = NotificationKind.presentName(of: rawValue)
    guard NotificationKind.names.contains(name) else { return nil }
    self.rawValue = name
  }

  /// A kind's present name for one that may be former; others are returned as they are.
  public static func presentName(of name: String) -> String { formerNames[name] ?? name }

  /// The names by which stores may have a kind: its present name, then a former one.
  public static func storedNames(of name: String) -> [String] { [name] + formerNames.filter { $0.value == name }.keys.sorted() }

  /// A kind that there must be: a name without words is a mistake of the program, and ends it.
  public init(stringLiteral name: String) {
    precondition(NotificationKind.names.contains(name), "\(name) has no words")
    rawValue = name
  }

  private init(name: String) { rawValue = name }

  public static let allCases: [NotificationKind] = names.sorted().map { NotificationKind(name: $0) }

  private static let names: Set<String> = {
    let keys = Words(Contract.notifications.words).keys(.english)
    return Set(keys.filter { $0.begins(with: "notification.") && $0.ends(with: ".title") }.map { String($0.split(at: ".")[1]) })
  }()
}

/// How grave it is what a notification reports, by which a client chooses how to show it.
public enum NotificationSeverity: String, Choice {
  /// Nothing need be done.
  case info
  /// Something went wrong, or is worth a look: it may not have been the account's owner.
  case warning
  /// The account is in danger or cut off: something is to be done now.
  case critical
}
