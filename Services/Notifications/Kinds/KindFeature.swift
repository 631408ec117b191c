import NotificationsContract
import ServiceKit

/// What people are notified of: every kind that is declared.
struct KindFeature: Feature {
  let dispatch: DeliveryDispatch

  func register(in service: inout ServiceDefinition) {
    KindSubscriptions(kinds: NotificationSpec.all, dispatch: dispatch).subscribe(&service)
  }
}

extension NotificationSpec {
  /// All kinds, by what they report.
  static let all: [NotificationSpec] = [
    ofFriends, ofChallenges, ofTasks, ofTeams, ofMessages, ofImports, ofCoins, ofPartners, ofAccounts, ofLogins, ofIncidents,
    ofModeration, ofGoals, ofDailyChecks, [announcement, reminderDue],
  ].flatMap { $0 }

  /// The kind of that name, also of one that it had before it was renamed; nil for a kind that is no more.
  static func named(_ name: String) -> NotificationSpec? { byName[NotificationKind.presentName(of: name)] }

  private static let byName: [String: NotificationSpec] = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// What a kind in the inbox is about.
  static func category(of kind: NotificationKind) -> NotificationCategory { categories[kind] ?? .account }

  private static let categories: [NotificationKind: NotificationCategory] = Dictionary(
    all.compactMap { spec in spec.inbox.map { ($0.kind, spec.category) } }, uniquingKeysWith: { first, _ in first })

  /// How grave it is what a kind in the inbox reports.
  static func severity(of kind: NotificationKind) -> NotificationSeverity { severities[kind] ?? .info }

  private static let severities: [NotificationKind: NotificationSeverity] = Dictionary(
    all.compactMap { spec in spec.inbox.map { ($0.kind, spec.severity) } }, uniquingKeysWith: { first, _ in first })

  /// The kinds that a session in doubt is not shown.
  static let hiddenInDoubt: [NotificationKind] = all.filter { $0.category == .logins }.compactMap { $0.inbox?.kind }
}

/// Kinds in statements: rows may have the former name of one.
extension NotificationKind {
  /// The list in `kind IN (…)` that finds the rows of some kinds.
  static func list(_ names: [String]) -> String {
    names.flatMap(storedNames).map { "'\($0)'" }.joined(separator: ", ")
  }

  /// The present name of a row's `kind`, in SQL.
  static let presentSQL: String = {
    let cases = formerNames.sorted { $0.key < $1.key }.map { "WHEN '\($0.key)' THEN '\($0.value)'" }
    return "CASE kind \(cases.joined(separator: " ")) ELSE kind END"
  }()
}

extension MailSpec {
  /// All mails: of the kinds that have one of their own, and those in the common words.
  static let all: [MailSpec] = NotificationSpec.all.compactMap(\.mail) + [.notification, .digest]

  private static let byName: [String: MailSpec] = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { $1 })

  /// The kind of that name; nil for a former kind.
  static func named(_ name: String) -> MailSpec? { byName[name] }
}
