import IdentityContract
import Operations

/// A live session, as far as it matters for how many of them an account has.
struct LiveSession: Hashable, Sendable {
  var id: SessionID
  var lastSeenAt: Instant
  /// The alert for which it is in doubt; nil if it is not.
  var alert: LoginAlertID?

  var isInDoubt: Bool { alert != nil }
}

/// How many live sessions an account has: some dozen devices do with fewer, and to end all of them at once must be short, since others'
/// writes wait for it.
///
/// No login is refused for that. It ends other sessions, those seen the longest ago: of those that are not in doubt what is above the
/// bound, then of those in doubt. A login in doubt may be anybody's who knows the password: it ends only others in doubt, first those under its own alert, which came from the same device and
/// network. So nobody ends a trusted session by logging in again and again; nor, from one device and network, the owner's that is in doubt.
/// Without a database of places fewer logins are in doubt: a new device in a new place is only a notice, see ``LoginRules``.
///
/// Sessions in doubt, and those confirmed meanwhile, may exceed the bound until the owner's next login.
enum SessionRules {
  static let maxLive = 100
  static let maxInDoubt = 10
  /// Many more, from before there was a bound, are ended by ``SurplusSessionWorker``, and until then by several logins, so that each is
  /// short.
  static let maxEndedByLogin = 10
  /// Where there are more, only so many are looked at, those that began last: any in doubt that began under this bound are
  /// among them. Those that end are then the
  /// longest unused of these and not of all.
  static let maxCompared = 1000

  /// The sessions that a new one ends.
  ///
  /// - Parameters:
  ///   - others: the account's live sessions but the new one.
  ///   - alert: for which the new one is in doubt; nil if it is not.
  static func replaced(among others: [LiveSession], byOneUnder alert: LoginAlertID?) -> [SessionID] {
    let sorted = others.sorted { $0.lastSeenAt < $1.lastSeenAt }
    let doubtful = sorted.filter(\.isInDoubt)
    if let alert {
      let ordered = doubtful.filter { $0.alert == alert } + doubtful.filter { $0.alert != alert }
      return ordered.prefix(min(maxEndedByLogin, max(0, doubtful.count + 1 - maxInDoubt))).map(\.id)
    }
    // What those in doubt cannot make up for. It comes first, so that it shrinks even where somebody refills those in doubt.
    let trusted = sorted.filter { !$0.isInDoubt }
    let surplus = trusted.prefix(max(0, trusted.count + 1 - maxLive))
    let rest = doubtful.prefix(max(0, others.count - surplus.count + 1 - maxLive))
    return (surplus + rest).prefix(maxEndedByLogin).map(\.id)
  }
}
