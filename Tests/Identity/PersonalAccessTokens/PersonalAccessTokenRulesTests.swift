import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("Rules of personal access tokens (ID-18)")
struct PersonalAccessTokenRulesTests {
  private static let now = Instant(milliseconds: 1_800_000_000_000)
  private static let year = 366 * 86_400

  @Test(
    "A personal access token is accepted until it expires or is revoked",
    arguments: [
      (nil, nil, .accept),
      (1, nil, .accept),
      (0, nil, .expired),
      (-1, nil, .expired),
      (nil, -1, .refuse),
      (1, -1, .refuse),
      (-2, -1, .refuse),
    ] as [(Int?, Int?, PersonalAccessTokenRules.Outcome)])
  func validate(expiresIn: Int?, revokedIn: Int?, outcome: PersonalAccessTokenRules.Outcome) {
    let found = PersonalAccessTokenRules.validate(
      expiresAt: expiresIn.map { Self.now.adding(seconds: $0) }, revokedAt: revokedIn.map { Self.now.adding(seconds: $0) },
      now: Self.now)
    #expect(found == outcome)
  }

  @Test(
    "A personal access token expires in the future, within a year, or never",
    arguments: [
      (nil, nil),
      (1, nil),
      (year, nil),
      (0, "expires_in_the_past"),
      (-1, "expires_in_the_past"),
      (year + 1, "expires_too_late"),
    ] as [(Int?, String?)])
  func expiry(seconds: Int?, code: String?) {
    #expect(PersonalAccessTokenRules.expiryRule(seconds.map { Self.now.adding(seconds: $0) }, now: Self.now)?.code == code)
  }

  @Test(
    "The use of a personal access token is recorded once in five minutes",
    arguments: [(nil, true), (0, false), (-299, false), (-300, true)] as [(Int?, Bool)])
  func use(seconds: Int?, isDue: Bool) {
    let last = seconds.map { Self.now.adding(seconds: $0) }
    #expect(PersonalAccessTokenRules.shouldRecordUse(lastUsedAt: last, now: Self.now) == isDue)
  }

  @Test("Every scope of personal access tokens has a service and an effect, and identity has none")
  func scopes() {
    for operation in Contract.identity.operations { #expect(AccessScope(for: operation.spec) == nil, "\(operation.spec.name)") }
    func spec(
      _ service: ServiceName, _ caller: CallerRule, _ effect: Effect, isForSessionsOnly: Bool = false
    ) -> OperationSpec {
      OperationSpec(
        "things.do", of: service, .get("/v1/things"), by: caller, effect: effect, isForSessionsOnly: isForSessionsOnly,
        requirements: [], "Do.")
    }
    #expect(AccessScope(for: spec(.activity, .account, .read)) == .activityRead)
    #expect(AccessScope(for: spec(.social, .verifiedAccount, .write)) == .socialWrite)
    #expect(AccessScope(for: spec(.rewards, .account, .create)) == .rewardsWrite)
    #expect(AccessScope(for: spec(.notifications, .anyone, .read)) == .notificationsRead)
    #expect(AccessScope(for: spec(.social, .account, .create, isForSessionsOnly: true)) == nil)
    #expect(AccessScope(for: spec(.rewards, .administrator, .read)) == nil)
    #expect(AccessScope(for: spec(.rewards, .partnerClerk, .write)) == .rewardsWrite)
    #expect(AccessScope(for: spec(.rewards, .partnerOwner, .write)) == nil)
    #expect(AccessScope(for: spec(.rewards, .services([.activity]), .read)) == nil)
    #expect(AccessScope(for: spec(.gateway, .account, .read)) == nil)
  }
}
