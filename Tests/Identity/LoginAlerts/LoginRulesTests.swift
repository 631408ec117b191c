import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("The assessment of logins (ID-7)")
struct LoginRulesTests {
  private static let now = Instant(milliseconds: 1_800_000_000_000)
  private static let madrid = LoginLocation(
    network: "192.0.2.0/24", countryCode: "ES", coordinates: Coordinates(latitude: 40.4168, longitude: -3.7038))
  private static let toledo = LoginLocation(
    network: "198.18.0.0/24", countryCode: "ES", coordinates: Coordinates(latitude: 39.8628, longitude: -4.0273))
  private static let barcelona = LoginLocation(
    network: "198.51.100.0/24", countryCode: "ES", coordinates: Coordinates(latitude: 41.3874, longitude: 2.1686))
  private static let tokyo = LoginLocation(
    network: "203.0.113.0/24", countryCode: "JP", coordinates: Coordinates(latitude: 35.6762, longitude: 139.6503))
  private static let elsewhere = LoginLocation(network: "198.18.9.0/24", countryCode: nil, coordinates: nil)

  /// A login at that place of an account that was last in Madrid so many hours ago.
  private static func facts(
    _ here: LoginLocation, hours: Int = 1000, isKnownDevice: Bool = true, failures: Int = 0, isPasswordFresh: Bool = false,
    hasHistory: Bool = true, isByPassword: Bool = true, isAlertOpen: Bool = false, isProvenDevice: Bool = false,
    notices: Int = 0
  ) -> LoginFacts {
    LoginFacts(
      now: now, here: here, hasHistory: hasHistory, isKnownDevice: isKnownDevice, isProvenDevice: isProvenDevice,
      knownPlaces: hasHistory ? [KnownPlace(location: madrid, lastSeenAt: now.adding(seconds: -hours * 3600))] : [],
      failures: failures, isPasswordFresh: isPasswordFresh, isByPassword: isByPassword, isAlertOpen: isAlertOpen,
      notices: notices)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let facts: LoginFacts
    let level: LoginAlertLevel?
    let reasons: [LoginRisk]

    init(_ name: String, _ facts: LoginFacts, _ level: LoginAlertLevel?, _ reasons: LoginRisk...) {
      (testDescription, self.facts, self.level, self.reasons) = (name, facts, level, reasons)
    }
  }

  @Test(
    "The assessment of logins weighs what is unusual for the account",
    arguments: [
      Case("a new account's first login", facts(tokyo, isKnownDevice: false, failures: 9, hasHistory: false), nil),
      Case("the usual", facts(madrid), nil),
      Case("the usual after mistyping", facts(madrid, failures: 4), nil, .failuresBefore),
      Case("the usual after guessing", facts(madrid, failures: 5), .notice, .manyFailuresBefore),
      Case("a town nearby", facts(toledo, hours: 1), nil),
      Case("a new phone at home", facts(madrid, isKnownDevice: false), .notice, .newDevice),
      Case("a new phone after mistyping", facts(madrid, isKnownDevice: false, failures: 3), .notice, .newDevice, .failuresBefore),
      Case("another city", facts(barcelona), .notice, .newPlace),
      Case(
        "what names itself like one's phone on another network, of which no more is known", facts(elsewhere), .notice, .newPlace),
      Case("the same with the device's own token", facts(elsewhere, isProvenDevice: true), nil, .newPlace),
      Case("the same with the token in another city", facts(barcelona, isProvenDevice: true), .notice, .newPlace),
      Case("a new phone there", facts(elsewhere, isKnownDevice: false), .notice, .newDevice, .newPlace),
      Case("travelling with one's phone", facts(tokyo, hours: 24), .notice, .newPlace, .newCountry),
      Case("a new phone in another city", facts(barcelona, isKnownDevice: false), .suspicious, .newDevice, .newPlace),
      Case(
        "a new phone abroad", facts(tokyo, hours: 24, isKnownDevice: false), .suspicious, .newDevice, .newPlace, .newCountry),
      Case(
        "one's phone behind a network far away", facts(tokyo, hours: 1), .suspicious, .newPlace, .newCountry, .impossibleTravel),
      Case(
        "a guessed password on a new phone at home", facts(madrid, isKnownDevice: false, failures: 5), .suspicious, .newDevice,
        .manyFailuresBefore),
      Case(
        "a guessed password somewhere else, where no places are known", facts(elsewhere, isKnownDevice: false, failures: 99),
        .suspicious, .newDevice, .newPlace, .manyFailuresBefore),
      Case(
        "impossible travel on a new phone", facts(tokyo, hours: 10, isKnownDevice: false), .high, .newDevice, .newPlace,
        .newCountry, .impossibleTravel),
      Case(
        "a guessed password on a new phone in another city", facts(barcelona, isKnownDevice: false, failures: 5), .high,
        .newDevice, .newPlace, .manyFailuresBefore),
      Case(
        "a stolen password after failures, far too fast", facts(tokyo, hours: 0, failures: 3), .high, .newPlace, .newCountry,
        .impossibleTravel, .failuresBefore),
      Case(
        "the same after recovering the password, which took the e-mail account",
        facts(tokyo, hours: 0, isKnownDevice: false, failures: 9, isPasswordFresh: true), .suspicious, .newDevice, .newPlace,
        .newCountry, .impossibleTravel, .manyFailuresBefore),
    ])
  func assessment(_ example: Case) {
    let assessment = LoginRules.assess(example.facts)
    #expect(assessment.level == example.level)
    #expect(assessment.reasons == example.reasons)
  }

  private static let nearHome = LoginLocation(network: "198.18.1.0/24", countryCode: "ES", coordinates: madrid.coordinates)

  @Test(
    "While an alert is open, a login by the password is in doubt unless both device and network are known",
    arguments: [
      Case("the usual", facts(madrid, isAlertOpen: true), nil),
      Case("the usual after guessing", facts(madrid, failures: 5, isAlertOpen: true), .notice, .manyFailuresBefore),
      Case(
        "a new phone at home", facts(madrid, isKnownDevice: false, isAlertOpen: true), .suspicious, .newDevice, .earlierAlert),
      Case(
        "what calls itself one's phone, on another network of the town", facts(nearHome, isAlertOpen: true), .suspicious,
        .earlierAlert),
      Case(
        "the same where no places are known", facts(elsewhere, isAlertOpen: true), .suspicious, .newPlace, .earlierAlert),
      Case(
        "a new phone there", facts(elsewhere, isKnownDevice: false, isAlertOpen: true), .suspicious, .newDevice, .newPlace,
        .earlierAlert),
      Case(
        "where nothing is known any more", facts(madrid, isKnownDevice: false, hasHistory: false, isAlertOpen: true), .suspicious,
        .earlierAlert),
      Case(
        "what is of high risk by itself stays so", facts(barcelona, isKnownDevice: false, failures: 5, isAlertOpen: true), .high,
        .newDevice, .newPlace, .manyFailuresBefore, .earlierAlert),
      Case(
        "a new phone by a provider", facts(elsewhere, isKnownDevice: false, isByPassword: false, isAlertOpen: true), .notice,
        .newDevice, .newPlace),
    ])
  func openAlert(_ example: Case) {
    assessment(example)
    // Whoever is trusted makes known what was known before.
    #expect(LoginRules.assess(example.facts).isLearnt == LoginRules.isTrusted(example.facts))
  }

  @Test(
    "After the notices of a day, the owner is asked about a login, unless device and network are known; nothing else changes",
    arguments: [
      Case("the usual", facts(madrid, notices: 20), nil),
      Case("the last new phone at home", facts(madrid, isKnownDevice: false, notices: 19), .notice, .newDevice),
      Case("a further new phone at home", facts(madrid, isKnownDevice: false, notices: 20), .suspicious, .newDevice),
      Case(
        "the same by a provider", facts(madrid, isKnownDevice: false, isByPassword: false, notices: 20), .suspicious, .newDevice),
      Case("another city", facts(barcelona, notices: 20), .suspicious, .newPlace),
      Case("the usual after guessing", facts(madrid, failures: 5, notices: 20), nil, .manyFailuresBefore),
      Case(
        "impossible travel on a new phone", facts(tokyo, hours: 10, isKnownDevice: false, notices: 20), .high, .newDevice,
        .newPlace, .newCountry, .impossibleTravel),
    ])
  func manyNotices(_ example: Case) {
    #expect(LoginAlertRules.maxNoticesPerDay == 20)
    assessment(example)
    let isLearnt = example.level == nil || example.level == .notice
    #expect(LoginRules.assess(example.facts).isLearnt == isLearnt)
  }

  @Test("Device and place of a login become known unless the login is in doubt or refused")
  func learning() {
    for place in [Self.madrid, Self.barcelona, Self.tokyo, Self.elsewhere] {
      for (isKnownDevice, failures) in [(true, 0), (false, 0), (false, 3), (false, 5)] {
        let assessment = LoginRules.assess(Self.facts(place, isKnownDevice: isKnownDevice, failures: failures))
        #expect(assessment.isLearnt == (assessment.level == nil || assessment.level == .notice))
      }
    }
  }

  @Test(
    "A session can confirm an alert unless its own is open, and close one unless it is in doubt, except its own",
    arguments: [
      (AnsweringSession(), true, true), (AnsweringSession(isOfAlert: true, isInQuestion: true), false, true),
      (AnsweringSession(isInQuestion: true), false, true), (AnsweringSession(isUntrusted: true), false, true),
      (AnsweringSession(isInQuestion: true, isInDoubt: true, isUntrusted: true), false, false),
      (AnsweringSession(isOfAlert: true, isInQuestion: true, isInDoubt: true, isUntrusted: true), false, true),
    ])
  func answering(_ session: AnsweringSession, mayConfirm: Bool, mayClose: Bool) {
    #expect((LoginAlertRules.refusal(.confirm, by: session) == nil) == mayConfirm)
    #expect((LoginAlertRules.refusal(.close, by: session) == nil) == mayClose)
  }

  @Test("An airliner's speed is plausible, and anything above is not", arguments: [(10, true), (11, false)])
  func speed(hours: Int, isTooFast: Bool) {
    let reasons = LoginRules.assess(Self.facts(Self.tokyo, hours: hours, isKnownDevice: false)).reasons
    #expect(reasons.contains(.impossibleTravel) == isTooFast)
  }

  @Test("One reason alone never refuses a login", arguments: LoginRisk.allCases)
  func single(reason: LoginRisk) {
    for isLocated in [true, false] { #expect(LoginRules.weight(reason, isLocated: isLocated) < LoginRules.suspicious) }
  }

  @Test("A login alert can be answered once, and in time")
  func answers() {
    let end = Self.now.adding(seconds: 10)
    #expect(LoginAlertRules.refusal(expiresAt: end, answeredAt: nil, now: Self.now) == nil)
    #expect(LoginAlertRules.refusal(expiresAt: end, answeredAt: nil, now: end) == .expired)
    #expect(LoginAlertRules.refusal(expiresAt: end, answeredAt: Self.now, now: Self.now) == .answered)
    #expect(LoginAlertRules.lifetimeSeconds(.high) == 86_400 && LoginAlertRules.lifetimeSeconds(.notice) == 7 * 86_400)
  }
}
