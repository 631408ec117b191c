import Operations
import ServiceKit
import Testing

@testable import IdentityService

@Suite("The lock after failed logins")
struct LockoutTests {
  let now = Instant(milliseconds: 1_800_000_000_000)

  @Test(
    "The lock after failed logins begins with the fifth failure at 30 s and doubles up to an hour",
    arguments: [
      (0, 0), (1, 0), (4, 0), (5, 30), (6, 60), (7, 120), (8, 240), (9, 480), (10, 960), (11, 1920), (12, 3600), (13, 3600),
      (100, 3600), (Int.max, 3600),
    ])
  func delays(failures: Int, seconds: Int) { #expect(Lockout.delaySeconds(failures: failures) == seconds) }

  @Test(
    "The lock after failed logins lasts from the last failure on, in whole seconds",
    arguments: [
      (5, 0, 30), (5, 1, 30), (5, 1000, 29), (5, 29_999, 1), (5, 30_000, 0), (6, 30_000, 30), (4, 0, 0), (20, 3_599_001, 1),
    ])
  func remaining(failures: Int, elapsedMilliseconds: Int64, seconds: Int) {
    let tally = FailureTally(count: failures, lastAt: now.adding(milliseconds: -elapsedMilliseconds))
    #expect(Lockout.remainingSeconds(tally, now: now) == seconds)
  }

  @Test("The lock after failed logins is the longer one of login and address")
  func both() {
    let (short, long) = (FailureTally(count: 5, lastAt: now), FailureTally(count: 6, lastAt: now))
    #expect(Lockout.remainingSeconds(login: short, address: long, now: now) == 60)
    #expect(Lockout.remainingSeconds(login: long, address: short, now: now) == 60)
    #expect(Lockout.remainingSeconds(login: .none, address: .none, now: now) == 0)
  }

  @Test(
    "The lock after failed logins counts an IPv4 address and an IPv6 network",
    arguments: [
      ("192.0.2.7", "192.0.2.8", false), ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "::ffff:192.0.2.7", true),
      ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
      ("fe80::1%eth0", "fe80::2", true), ("unix", "unix", true), ("unix", "", false),
    ])
  func addresses(one: String, other: String, isSame: Bool) { #expect((ClientAddress(one) == ClientAddress(other)) == isSame) }

  @Test(
    "The lock after failed logins treats all spellings of a login alike",
    arguments: [
      ("ana", "ANA", true), (" ana ", "ana", true), ("Ana@Example.com", "ana@EXAMPLE.com", true), ("ana", "bea", false),
      ("a", "A", true), ("", "", true), ("ana@münchen.de", "ana@xn--mnchen-3ya.de", true),
    ])
  func logins(one: String, other: String, isSame: Bool) { #expect((Login(one).bytes == Login(other).bytes) == isSame) }
}
