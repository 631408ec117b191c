import Operations
import Testing

@testable import ServiceKit

@Suite("Owners of idempotency records")
struct ServiceKeysTests {
  private let keys = ServiceKeys(secret: Array(repeating: 42, count: 32))

  @Test("An idempotency record counts for the account, or for the caller's address, which is not stored in clear")
  func owners() throws {
    let account = Caller(kind: .account, account: AccountID(), address: "203.0.113.9")
    #expect(keys.idempotencyOwner(account) == nil)
    func owner(_ address: String?) throws -> String {
      try #require(keys.idempotencyOwner(Caller(kind: .anonymous, address: address)))
    }
    let one = try owner("203.0.113.9")
    #expect(try owner("203.0.113.9") == one && owner("203.0.113.10") != one && owner(nil) != one)
    #expect(one.hasPrefix("anonymous ") && !one.contains("203"))
    // An IPv6 line is one subscriber, whatever it calls from.
    #expect(try owner("2001:db8:0:1::1") == owner("2001:db8:0:1:ffff::2"))
    #expect(try owner("2001:db8:0:1::1") != owner("2001:db8:0:2::1"))
  }
}
