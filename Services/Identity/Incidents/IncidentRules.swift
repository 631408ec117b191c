import IdentityContract
import Operations

/// What failed attempts look like together, all of the time that ``Lockout`` remembers.
struct FailureWindow: Hashable, Sendable {
  /// Attempts at the account, from everywhere.
  var failuresAtAccount = 0
  /// Addresses from which it was tried.
  var addressesAtAccount = 0
  /// Logins that were tried from the address.
  var loginsFromAddress = 0
}

/// What refused proofs of external providers look like together, within an hour.
struct ProofWindow: Hashable, Sendable {
  /// Tokens, states and codes from the address, an IPv6 /64 being one, of whichever provider.
  var proofsFromAddress = 0
  /// Addresses from which proofs of the provider came.
  var addressesAtProvider = 0
}

/// A pattern that was found.
struct IncidentFinding: Hashable, Sendable {
  let pattern: IncidentPattern
  /// How many events it was found in.
  let count: Int

  init(_ pattern: IncidentPattern, count: Int) {
    self.pattern = pattern
    self.count = count
  }

  var severity: SecuritySeverity { IncidentRules.severity(pattern, count: count) }
}

/// Which events are an incident, and what is done about it (requirement ID-15).
enum IncidentRules {
  /// From how many events on a pattern is an incident, and a critical one.
  static func thresholds(_ pattern: IncidentPattern) -> (found: Int, critical: Int) {
    switch pattern {
    // Where the account's attempts begin to wait.
    case .accountGuessed: (Lockout.free, 20)
    case .accountGuessedWidely: (5, 10)
    // Where the address's do.
    case .addressGuessing: (Lockout.free, 20)
    case .tokensReused: (1, 3)
    // The links cannot be guessed: it is a nuisance, and must not drown what matters.
    case .linksGuessed: (10, .max)
    // A person who tries again after a mishap stays below it.
    case .proofsForged: (10, 40)
    case .providerDoubtful: (5, 20)
    case .riskyLogin, .administratorAppointed, .administratorDismissed, .secretsFailing, .ledgerFailing: (1, 1)
    }
  }

  /// How long reused tokens count together: a day.
  static let reuseWindowSeconds = 86_400
  /// How long guessed links do.
  static let guessWindowSeconds = 3600
  /// How long refused proofs of external providers do.
  static let proofWindowSeconds = 3600
  /// After so long without a further event an incident is over.
  static let quietSeconds = 86_400
  /// Of how many incidents of a pattern administrators are notified within an hour. The others are listed and in the report.
  static let maxNoticesPerHour = 10

  static func severity(_ pattern: IncidentPattern, count: Int) -> SecuritySeverity {
    count >= thresholds(pattern).critical ? .critical : .warning
  }

  /// What attempts at passwords are.
  static func findings(_ window: FailureWindow) -> (account: [IncidentFinding], address: [IncidentFinding]) {
    (
      [
        finding(.accountGuessed, window.failuresAtAccount), finding(.accountGuessedWidely, window.addressesAtAccount),
      ].compactMap { $0 }, [finding(.addressGuessing, window.loginsFromAddress)].compactMap { $0 }
    )
  }

  /// What refused proofs of external providers are.
  static func findings(_ window: ProofWindow) -> (address: IncidentFinding?, provider: IncidentFinding?) {
    (finding(.proofsForged, window.proofsFromAddress), finding(.providerDoubtful, window.addressesAtProvider))
  }

  /// What that many events of a pattern are; nil if they are nothing yet.
  static func finding(_ pattern: IncidentPattern, _ count: Int) -> IncidentFinding? {
    count >= thresholds(pattern).found ? IncidentFinding(pattern, count: count) : nil
  }

  /// What is done about it by itself.
  static func measures(_ pattern: IncidentPattern, _ severity: SecuritySeverity) -> [IncidentMeasure] {
    switch pattern {
    case .accountGuessed, .accountGuessedWidely: [.accountSlowedDown]
    case .addressGuessing: [.addressSlowedDown]
    case .tokensReused: severity == .critical ? [.sessionsClosed, .everythingRevoked] : [.sessionsClosed]
    case .riskyLogin: [.loginRefused, .everythingRevoked]
    case .proofsForged, .providerDoubtful: [.loginRefused]
    case .linksGuessed, .administratorAppointed, .administratorDismissed, .secretsFailing, .ledgerFailing: [.observed]
    }
  }

  /// The measure that the account's owner is notified of; nil where there is none. Risky logins are asked about instead, see
  /// ``LoginAlertRaised``.
  static func noticeToOwner(_ pattern: IncidentPattern, _ severity: SecuritySeverity) -> IncidentMeasure? {
    switch pattern {
    case .accountGuessed, .accountGuessedWidely: .accountSlowedDown
    case .tokensReused: severity == .critical ? .everythingRevoked : .sessionsClosed
    case .addressGuessing, .linksGuessed, .riskyLogin, .administratorAppointed, .administratorDismissed, .secretsFailing,
      .ledgerFailing:
      nil
    // No account was reached.
    case .proofsForged, .providerDoubtful: nil
    }
  }

  /// The patterns with the same notice to the owner, who gets only one notice while several of them last.
  static func noticedTogether(_ pattern: IncidentPattern) -> [IncidentPattern] {
    switch pattern {
    case .accountGuessed, .accountGuessedWidely: [.accountGuessed, .accountGuessedWidely]
    default: [pattern]
    }
  }
}
