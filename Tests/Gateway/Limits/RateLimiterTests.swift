import NIOCore
import Operations
import ServiceKit
import Testing

@testable import GatewayService

@Suite("Budgets of calls")
struct RateLimiterTests {
  static func limiter(_ rate: GatewayConfiguration.Rate, _ clock: MovedClock, remembered: Int = 1000) -> RateLimiter {
    var rates = GatewayConfiguration.Rates()
    rates.account = [.read: rate]
    rates.address = [.read: rate, .write: rate]
    rates.remembered = remembered
    return RateLimiter(rates, clock: clock.clock)
  }

  @Test("The rate limiter has a budget for every class, for accounts and for addresses")
  func classes() {
    let rates = GatewayConfiguration.Rates()
    for rateClass in RateClass.allCases {
      #expect(rates.account[rateClass] != nil && rates.address[rateClass] != nil, "\(rateClass)")
    }
  }

  @Test("A budget allows its number at once, and then as many as time restores")
  func allows() {
    let clock = MovedClock()
    let limiter = Self.limiter(.init(5, per: 10), clock)
    let party = RateLimiter.Party.account(AccountID())
    #expect((0..<5).map { _ in limiter.take(party, .read).remaining } == [4, 3, 2, 1, 0])
    let refused = limiter.take(party, .read)
    #expect(!refused.isAllowed)
    #expect(refused.seconds == 2)
    clock.move(seconds: 2)
    #expect(limiter.take(party, .read).isAllowed)
    #expect(!limiter.take(party, .read).isAllowed)
    clock.move(seconds: 10)
    #expect((0..<6).map { _ in limiter.take(party, .read).isAllowed } == [true, true, true, true, true, false])
  }

  @Test("A clock that is set back makes nobody wait longer than for the whole budget")
  func putBack() {
    let clock = MovedClock()
    let limiter = Self.limiter(.init(5, per: 10), clock)
    let party = RateLimiter.Party.account(AccountID())
    for _ in 0..<3 { _ = limiter.take(party, .read) }
    clock.move(seconds: -3600)
    let refused = limiter.take(party, .read)
    #expect(!refused.isAllowed && refused.seconds == 2)
    clock.move(seconds: 2)
    #expect(limiter.take(party, .read).isAllowed)
    #expect(limiter.take(party, .read).seconds == 2)
    clock.move(seconds: 10)
    #expect((0..<6).map { _ in limiter.take(party, .read).isAllowed } == [true, true, true, true, true, false])
  }

  @Test("A budget of one call allows one")
  func one() {
    let limiter = Self.limiter(.init(1, per: 60), MovedClock())
    let party = RateLimiter.Party.account(AccountID())
    #expect(limiter.take(party, .read).isAllowed)
    #expect(!limiter.take(party, .read).isAllowed)
  }

  @Test("Each caller and class has its own budget")
  func separate() {
    let limiter = Self.limiter(.init(1, per: 60), MovedClock())
    let address = RateLimiter.Party.address(.v6(1))
    #expect(limiter.take(address, .read).isAllowed)
    #expect(limiter.take(address, .write).isAllowed)
    #expect(limiter.take(.address(.v6(2)), .read).isAllowed)
    #expect(!limiter.take(address, .read).isAllowed)
  }

  @Test("Beyond the maximum of callers new ones share a budget, and full budgets are forgotten")
  func bounded() {
    let clock = MovedClock()
    let limiter = Self.limiter(.init(2, per: 10), clock, remembered: 100)
    let known = (0..<100).map { RateLimiter.Party.address(.v6(UInt64($0))) }
    for party in known { _ = limiter.take(party, .read) }
    let newcomers = (0..<3).map { limiter.take(.address(.v6(UInt64(1000 + $0))), .read).isAllowed }
    #expect(newcomers == [true, true, false])
    #expect(limiter.take(known[0], .read).isAllowed)
    #expect(limiter.count <= 101)
    clock.move(seconds: 60)
    #expect(limiter.take(.address(.v6(9999)), .read).isAllowed)
    #expect(limiter.count == 1)
  }

  @Test("Full budgets are forgotten even if the clock was set back meanwhile", arguments: [false, true])
  func boundedPutBack(isSwept: Bool) {
    let clock = MovedClock()
    let limiter = Self.limiter(.init(2, per: 10), clock, remembered: 100)
    for number in 0..<(isSwept ? 101 : 100) { _ = limiter.take(.address(.v6(UInt64(number))), .read) }
    clock.move(seconds: -3600)
    _ = limiter.take(.address(.v6(1000)), .read)
    #expect(limiter.count == 101)
    clock.move(seconds: 11)
    #expect(limiter.take(.address(.v6(9999)), .read).isAllowed)
    #expect(limiter.count == 1)
  }

  @Test("An IPv6 network counts as one caller, and an IPv4 address mapped to IPv6 as itself")
  func addresses() throws {
    func address(_ text: String) throws -> ClientAddress { ClientAddress(try SocketAddress(ipAddress: text, port: 1)) }
    #expect(try address("2001:db8::1") == address("2001:db8::ffff:2"))
    #expect(try address("2001:db8::1") != address("2001:db8:0:1::1"))
    #expect(try address("10.0.0.1") != address("10.0.0.2"))
    #expect(try address("::ffff:10.0.0.1") == address("10.0.0.1"))
  }

  @Test(
    "Rates of budgets are parsed from text",
    arguments: [
      ("600/60", GatewayConfiguration.Rate(600, per: 60)), ("0/1", nil), ("5", nil), ("5/", nil), ("a/b", nil), ("5/0", nil),
    ])
  func reads(text: String, rate: GatewayConfiguration.Rate?) { #expect(GatewayConfiguration.Rate(text: text) == rate) }
}

@Suite("Deadlines of a connection")
struct ConnectionDeadlinesTests {
  static let limits = GatewayConfiguration.Limits()
  static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

  func after(_ seconds: Int64) -> NIODeadline { Self.start + .seconds(seconds) }

  @Test("A connection that says nothing, or never ends its headers or body, expires")
  func arriving() {
    var deadlines = ConnectionDeadlines(Self.limits, now: Self.start)
    #expect(deadlines.expiry(after(9), buffered: 0) == nil)
    #expect(deadlines.expiry(after(10), buffered: 0) == .silence)
    deadlines.bytesArrived(after(5))
    #expect(deadlines.expiry(after(14), buffered: 0) == nil)
    #expect(deadlines.expiry(after(15), buffered: 0) == .head)
    deadlines.headArrived(after(6))
    #expect(deadlines.expiry(after(14), buffered: 0) == nil)
    #expect(deadlines.expiry(after(15), buffered: 0) == .request)
    deadlines.requestArrived()
    #expect(deadlines.expiry(after(500), buffered: 0) == nil)
    deadlines.answered(after(20))
    #expect(deadlines.expiry(after(79), buffered: 0) == nil)
    #expect(deadlines.expiry(after(80), buffered: 0) == .idle)
    deadlines.mayIdle = true
    #expect(deadlines.expiry(after(800), buffered: 0) == nil)
  }

  @Test("Sending a request byte by byte does not extend its deadline")
  func trickle() {
    var deadlines = ConnectionDeadlines(Self.limits, now: Self.start)
    for second in 0..<10 { deadlines.bytesArrived(after(Int64(second))) }
    #expect(deadlines.expiry(after(10), buffered: 0) == .head)
  }

  @Test("A reader that takes too little expires; one that takes enough does not")
  func writing() {
    var slow = ConnectionDeadlines(Self.limits, now: Self.start)
    slow.lineArrived(after(0))
    slow.mayIdle = true
    slow.wrote(1_000_000)
    #expect(slow.expiry(after(1), buffered: 900_000) == nil)
    #expect(slow.expiry(after(10), buffered: 890_000) == nil)
    #expect(slow.expiry(after(11), buffered: 880_000) == .write)
    var steady = ConnectionDeadlines(Self.limits, now: Self.start)
    steady.lineArrived(after(0))
    steady.mayIdle = true
    steady.wrote(1_000_000)
    var buffered = 1_000_000
    for second in 1...60 {
      buffered = max(0, buffered - 7000)
      #expect(steady.expiry(after(Int64(second)), buffered: buffered) == nil)
    }
  }
}
