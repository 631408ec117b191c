import Operations
import Testing

@testable import SocialService

@Suite("Pairs of accounts")
struct AccountPairTests {
  @Test("Two accounts make the same pair in either order")
  func order() {
    let (one, other) = (AccountID(), AccountID())
    #expect(AccountPair(one, other) == AccountPair(other, one))
    #expect(AccountPair(one, other).low < AccountPair(one, other).high)
  }
}
