import Operations
import Testing

@testable import IdentityService

@Suite("The rules of refresh tokens")
struct RefreshRulesTests {
  static let now = Instant(milliseconds: 1_800_000_000_000)

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var token: PresentedToken?
    let outcome: RefreshRules.Outcome

    init(_ name: String, _ token: PresentedToken?, _ outcome: RefreshRules.Outcome) {
      (testDescription, self.token, self.outcome) = (name, token, outcome)
    }
  }

  private static func token(
    expiresIn: Int = 60, usedAgo: Int? = nil, isSuccessorUsed: Bool = false, isSessionOver: Bool = false
  ) -> PresentedToken {
    PresentedToken(
      expiresAt: now.adding(seconds: expiresIn), usedAt: usedAgo.map { now.adding(seconds: -$0) },
      isSuccessorUsed: isSuccessorUsed,
      isSessionOver: isSessionOver)
  }

  static let cases = [
    Case("an unknown one is invalid", nil, .invalid),
    Case("an unused one is exchanged", token(), .rotate),
    Case("an unused one past its 30 days has expired", token(expiresIn: 0), .expired),
    Case("one used 29 s ago gives the same again", token(usedAgo: 29), .repeated(of: now.adding(seconds: -29))),
    Case("one used in this instant gives the same again", token(usedAgo: 0), .repeated(of: now)),
    Case("one used 30 s ago is a reuse", token(usedAgo: 30), .reused),
    Case("one whose successor was used is a reuse, however soon", token(usedAgo: 1, isSuccessorUsed: true), .reused),
    Case("a used one past its 30 days is still a reuse", token(expiresIn: -5, usedAgo: 90), .reused),
    Case("one of an ended session is invalid", token(isSessionOver: true), .invalid),
    Case("a used one of an ended session is invalid too", token(usedAgo: 1, isSessionOver: true), .invalid),
  ]

  @Test("A refresh token's outcome depends on its state", arguments: cases)
  func outcome(_ item: Case) { #expect(RefreshRules.validate(item.token, now: Self.now) == item.outcome) }

  @Test("A refresh token always has the same successor, which only the key's owner can compute")
  func successor() throws {
    let (key, other) = (SecretKey([1, 2, 3], purpose: "x"), SecretKey([1, 2, 3], purpose: "y"))
    let token = RefreshToken()
    #expect(token.successor(key: key) == token.successor(key: key))
    #expect(token.successor(key: key) != token.successor(key: other))
    #expect(token.successor(key: key) != token)
    let replacement = RefreshToken.replacing(token.hash, key: key)
    #expect(replacement == RefreshToken.replacing(token.hash, key: key))
    #expect(replacement != token.successor(key: key) && replacement != RefreshToken.replacing(token.hash, key: other))
    #expect(RefreshToken(token.text) == token)
    #expect(RefreshToken() != RefreshToken())
  }

  @Test(
    "A malformed refresh token is refused",
    arguments: [
      "", "x", "!!!", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
      String(repeating: "A", count: 42) + "B", String(repeating: "=", count: 43),
    ])
  func malformed(text: String) { #expect(RefreshToken(text) == nil) }
}
