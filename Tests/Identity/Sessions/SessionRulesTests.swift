import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("The rules of how many sessions an account has")
struct SessionRulesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// The account's other sessions: those not in doubt, and those in doubt.
    let trusted: Int
    let doubtful: Int
    /// Whether the new one is in doubt.
    let isInDoubt: Bool
    /// How many of each it ends.
    let endedTrusted: Int
    let endedDoubtful: Int

    init(_ trusted: Int, _ doubtful: Int, isInDoubt: Bool = false, ends endedTrusted: Int, _ endedDoubtful: Int) {
      self.trusted = trusted
      self.doubtful = doubtful
      self.isInDoubt = isInDoubt
      self.endedTrusted = endedTrusted
      self.endedDoubtful = endedDoubtful
    }

    var testDescription: String { "\(trusted) and \(doubtful) in doubt\(isInDoubt ? ", by one in doubt" : "")" }
  }

  static let cases = [
    Case(0, 0, ends: 0, 0),
    Case(99, 0, ends: 0, 0),
    Case(100, 0, ends: 1, 0),
    Case(89, 10, ends: 0, 0),
    Case(99, 1, ends: 0, 1),
    Case(99, 10, ends: 0, 10),
    Case(100, 3, ends: 1, 3),
    // In the end both are as many as they may be, also where somebody refills those in doubt each time.
    Case(100, 10, ends: 1, 9),
    Case(101, 10, ends: 2, 8),
    Case(300, 10, ends: 10, 0),
    Case(0, 300, ends: 0, 10),
    Case(0, 9, isInDoubt: true, ends: 0, 0),
    Case(0, 10, isInDoubt: true, ends: 0, 1),
    Case(100, 9, isInDoubt: true, ends: 0, 0),
    Case(100, 10, isInDoubt: true, ends: 0, 1),
    Case(300, 0, isInDoubt: true, ends: 0, 0),
    Case(300, 300, isInDoubt: true, ends: 0, 10),
  ]

  @Test("Of each kind, those end that were seen the longest ago", arguments: cases)
  func replaced(_ test: Case) {
    let now = Instant(milliseconds: 1_800_000_000_000)
    func sessions(_ count: Int, _ alert: LoginAlertID?) -> [LiveSession] {
      (0..<count).map { LiveSession(id: SessionID(), lastSeenAt: now.adding(seconds: $0), alert: alert) }
    }
    let alert = LoginAlertID()
    let (trusted, doubtful) = (sessions(test.trusted, nil), sessions(test.doubtful, alert))
    let ended = SessionRules.replaced(among: (trusted + doubtful).shuffled(), byOneUnder: test.isInDoubt ? alert : nil)
    #expect(ended == (trusted.prefix(test.endedTrusted) + doubtful.prefix(test.endedDoubtful)).map(\.id))
  }

  @Test("A login in doubt ends the oldest of its own device and network, and only without such the oldest of all in doubt")
  func ownFirst() {
    let now = Instant(milliseconds: 1_800_000_000_000)
    let (owners, others) = (LoginAlertID(), LoginAlertID())
    let sessions = (0..<SessionRules.maxInDoubt).map { number in
      LiveSession(id: SessionID(), lastSeenAt: now.adding(seconds: number), alert: number == 0 ? owners : others)
    }
    for (alert, ended) in [(others, 1), (owners, 0), (LoginAlertID(), 0)] {
      #expect(SessionRules.replaced(among: sessions.shuffled(), byOneUnder: alert) == [sessions[ended].id])
    }
  }
}
