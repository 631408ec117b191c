import IdentityContract
import Operations

/// Where a login comes from, as far as it is assessed.
struct LoginLocation: Hashable, Sendable {
  /// The network of the address: an IPv4 /24 or an IPv6 /48.
  var network: String
  var countryCode: String?
  var coordinates: Coordinates?
}

/// Where an account logged in before, and when it last did.
struct KnownPlace: Hashable, Sendable {
  var location: LoginLocation
  var lastSeenAt: Instant
}

/// What is known of a login with the right password.
struct LoginFacts: Hashable, Sendable {
  var now: Instant
  var here: LoginLocation
  /// Whether the account has logged in before: a new account's first login has nothing to differ from.
  var hasHistory = true
  var isKnownDevice = true
  /// Whether the device has sent its token, see ``DeviceToken``: everything else that it says about itself can be forged.
  var isProvenDevice = false
  var knownPlaces: [KnownPlace] = []
  /// Failed attempts at the account that still count, see ``Lockout``.
  var failures = 0
  /// Whether the password was chosen by a mailed link within the last day: then whoever has it has the e-mail account too.
  var isPasswordFresh = false
  /// Whether it came by the password alone, and not by a provider.
  var isByPassword = true
  /// Whether somebody else may have the password: since it was last changed a login was disowned, or was suspicious and nobody has
  /// answered for it.
  var isAlertOpen = false
  /// How many notices the owner has had within the last day of logins that came by the same way, the password or a provider.
  var notices = 0
}

/// What a login is held for.
struct LoginAssessment: Hashable, Sendable {
  /// Nil where there is no alert.
  var level: LoginAlertLevel?
  var reasons: [LoginRisk] = []
  /// Whether its device and place are known from then on.
  var isLearnt = true
}

/// Assesses logins (requirement ID-7). Each difference from the account's history has a weight; the sum decides the level.
///
/// A client can forge what it says about its device, and addresses can be borrowed: so no single reason refuses a login, a known device in
/// a known place is always admitted, and the owner always has a way in by mail.
///
/// While somebody else may have the password, nothing after that counts as the owner's: see ``isTrusted(_:)``.
enum LoginRules {
  /// From these sums on.
  static let notice = 2
  static let suspicious = 4
  static let high = 7

  /// As far as people move about from day to day, and databases of places err.
  static let nearKilometres = 100.0
  /// Less may be the database's error.
  static let minTravelKilometres = 500.0
  /// An airliner's.
  static let fastestKilometresPerHour = 1000.0
  /// So many failures are more than mistyping.
  static let fewFailures = 3
  static let passwordFreshSeconds = 86_400

  /// The weight of a reason.
  ///
  /// - Parameter isLocated: whether places are compared by their coordinates. Networks alone say less: every mobile phone changes them.
  static func weight(_ reason: LoginRisk, isLocated: Bool) -> Int {
    switch reason {
    case .newDevice: 2
    case .newPlace: isLocated ? 2 : 1
    case .newCountry: 1
    case .impossibleTravel: 3
    case .failuresBefore: 1
    case .manyFailuresBefore: 3
    // It is no matter of weight: the login is in doubt, whatever else is to be said of it.
    case .earlierAlert: 0
    }
  }

  static func assess(_ facts: LoginFacts) -> LoginAssessment {
    var assessment = assessAlone(facts)
    // Their number is bounded, and the owner's own devices and networks hardly reach it.
    if assessment.level == .notice, facts.notices >= LoginAlertRules.maxNoticesPerDay {
      assessment.level = isTrusted(facts) ? nil : .suspicious
    }
    assessment.isLearnt = assessment.level != .suspicious && assessment.level != .high
    guard facts.isAlertOpen, !isTrusted(facts) else { return assessment }
    assessment.isLearnt = false
    guard facts.isByPassword else { return assessment }
    assessment.reasons.append(.earlierAlert)
    if assessment.level != .high { assessment.level = .suspicious }
    return assessment
  }

  /// Whether the device and the network are both known. While an alert is open, only such a login is not in doubt and makes anything known:
  /// so what is known then was known before, or was confirmed by the owner. The client's own description of its device is not enough, nor
  /// is a nearby place.
  static func isTrusted(_ facts: LoginFacts) -> Bool {
    facts.isKnownDevice && facts.knownPlaces.contains { $0.location.network == facts.here.network }
  }

  private static func assessAlone(_ facts: LoginFacts) -> LoginAssessment {
    guard facts.hasHistory else { return LoginAssessment() }
    let reasons = reasons(facts)
    let isLocated = isLocated(facts)
    let sum = reasons.reduce(0) { $0 + weight($1, isLocated: isLocated) }
    switch sum {
    case high... where !facts.isPasswordFresh: return LoginAssessment(level: .high, reasons: reasons)
    case suspicious...: return LoginAssessment(level: .suspicious, reasons: reasons)
    case notice...: return LoginAssessment(level: .notice, reasons: reasons)
    // Without places, a network is all that distinguishes one's own device from another that names itself like it.
    case _ where !isLocated && reasons.contains(.newPlace) && !facts.isProvenDevice:
      return LoginAssessment(level: .notice, reasons: reasons)
    default: return LoginAssessment(reasons: reasons)
    }
  }

  private static func reasons(_ facts: LoginFacts) -> [LoginRisk] {
    var reasons: [LoginRisk] = []
    if !facts.isKnownDevice { reasons.append(.newDevice) }
    if isNewPlace(facts) {
      reasons.append(.newPlace)
      let countries = facts.knownPlaces.compactMap(\.location.countryCode)
      if let country = facts.here.countryCode, !countries.isEmpty, !countries.contains(country) { reasons.append(.newCountry) }
      if isTooFast(facts) { reasons.append(.impossibleTravel) }
    }
    if facts.failures >= Lockout.free {
      reasons.append(.manyFailuresBefore)
    } else if facts.failures >= fewFailures {
      reasons.append(.failuresBefore)
    }
    return reasons
  }

  private static func isLocated(_ facts: LoginFacts) -> Bool {
    facts.here.coordinates != nil && facts.knownPlaces.contains { $0.location.coordinates != nil }
  }

  private static func isNewPlace(_ facts: LoginFacts) -> Bool {
    !facts.knownPlaces.contains { known in
      if known.location.network == facts.here.network { return true }
      guard let here = facts.here.coordinates, let there = known.location.coordinates else { return false }
      return here.kilometres(to: there) <= nearKilometres
    }
  }

  /// Whether nobody can have come here since the last login.
  private static func isTooFast(_ facts: LoginFacts) -> Bool {
    let last = facts.knownPlaces.filter { $0.location.coordinates != nil }.max { $0.lastSeenAt < $1.lastSeenAt }
    guard let last, let there = last.location.coordinates, let here = facts.here.coordinates else { return false }
    let kilometres = here.kilometres(to: there)
    guard kilometres > minTravelKilometres else { return false }
    let hours = Double(max(0, facts.now.milliseconds - last.lastSeenAt.milliseconds)) / 3_600_000
    return kilometres > hours * fastestKilometresPerHour
  }
}

/// A session that answers for a login.
struct AnsweringSession: Hashable, Sendable {
  /// Whether it stands under the alert itself.
  var isOfAlert = false
  /// Whether it began with a login that nobody has answered for.
  var isInQuestion = false
  var isInDoubt = false
  /// Whether it began while an alert was open, and was not trusted then: see ``LoginRules/isTrusted(_:)``.
  var isUntrusted = false
}

/// What an answer to an alert leads to.
enum LoginAlertRules {
  /// How long an alert can be answered.
  static let lifetimeSeconds = 7 * 86_400
  /// The same where the login was refused: until then a further attempt from there is refused without a further mail.
  static let refusedLifetimeSeconds = 86_400
  /// How many logins of a day an account is asked about; what is as unlike it beyond that is refused without a mail. Logins by password
  /// and by a provider have this bound each, and the next: whoever has only the password uses up nothing of the provider's, and to use
  /// those up takes the account there.
  static let maxPerDay = 10
  /// How many logins of a day an account's owner is only notified of. About further ones the owner is asked, except where device and
  /// network are both known.
  static let maxNoticesPerDay = 20

  static func lifetimeSeconds(_ level: LoginAlertLevel) -> Int { level == .high ? refusedLifetimeSeconds : lifetimeSeconds }

  /// Why an alert takes no answer; nil if it does.
  static func refusal(expiresAt: Instant, answeredAt: Instant?, now: Instant) -> LoginAlertFailure? {
    if answeredAt != nil { return .answered }
    return now < expiresAt ? nil : .expired
  }

  /// Why the session may not give that answer; nil if it may. A session in doubt may be anybody's: it may only close itself.
  static func refusal(_ answer: LoginAlertAnswer, by session: AnsweringSession) -> Failure? {
    switch answer {
    case .confirm: session.isInQuestion || session.isInDoubt || session.isUntrusted ? Failure(LoginAlertFailure.ownSession) : nil
    case .close: session.isInDoubt && !session.isOfAlert ? Failure(RequestFailure.loginUnanswered) : nil
    }
  }
}
