import IdentityContract
import Operations
import Synchronization
import Testing

@testable import GatewayService

@Suite("Changes of an account's language take effect at once (ID-13)", .timeLimit(.minutes(1)))
struct AccountLanguagesTests {
  private let account = AccountID()

  private func identification(of account: AccountID, _ language: Language, at milliseconds: Int64) -> Identification {
    Identification(
      account: account, credential: .session(SessionID()), scopes: nil, isVerified: true, isAdministrator: false,
      language: language, issuedAt: Instant(milliseconds: milliseconds), expiresAt: Identification.never)
  }

  @Test("A token from before a change gets the new language, and one from after it its own")
  func followed() {
    let now = Mutex<Int64>(1_000_000_000)
    let languages = AccountLanguages(bound: 2, clock: Clock { Instant(milliseconds: now.withLock { $0 }) })
    let (before, after) = (
      identification(of: account, .english, at: 999_999_000), identification(of: account, .english, at: 1_000_000_001)
    )
    #expect(languages.language(of: before) == .english)
    languages.note(.spanish, of: account, at: Instant(milliseconds: 1_000_000_000))
    #expect(languages.language(of: before) == .spanish && languages.language(of: after) == .english)
    #expect(languages.language(of: identification(of: AccountID(), .english, at: 1)) == .english)
    // What comes late of an earlier change has no effect, nor what was published when no token from before it lives any more.
    languages.note(.english, of: account, at: Instant(milliseconds: 999_999_999))
    #expect(languages.language(of: before) == .spanish)
    let other = AccountID()
    languages.note(.spanish, of: other, at: Instant(milliseconds: 1_000_000_000 - 700_000))
    #expect(languages.language(of: identification(of: other, .english, at: 0)) == .english)
  }

  @Test("Beyond the limit all changed languages are forgotten, those whose tokens have expired first")
  func bound() {
    let now = Mutex<Int64>(1_000_000_000)
    let languages = AccountLanguages(bound: 2, clock: Clock { Instant(milliseconds: now.withLock { $0 }) })
    let accounts = (0..<4).map { _ in AccountID() }
    func speaks(_ number: Int) -> Language { languages.language(of: identification(of: accounts[number], .english, at: 0)) }
    languages.note(.spanish, of: accounts[0], at: Instant(milliseconds: 1_000_000_000))
    now.withLock { $0 += 600_000 }
    languages.note(.spanish, of: accounts[1], at: Instant(milliseconds: 1_000_600_000))
    now.withLock { $0 += 100_000 }
    languages.note(.spanish, of: accounts[2], at: Instant(milliseconds: 1_000_700_000))
    #expect((0..<3).map(speaks) == [.english, .spanish, .spanish])
    languages.note(.spanish, of: accounts[3], at: Instant(milliseconds: 1_000_700_000))
    #expect((0..<4).map(speaks) == [.english, .english, .english, .spanish])
  }

  @Test(
    "A changed language applies to open sessions, JSON-RPC connections and personal access tokens without a new token")
  func sessions() async throws {
    let (bus, signer, processor) = (FakeBus(), Signer(), TokenIssuer())
    let inboxes = Inboxes(bus, signer, processor: processor)
    bus.answer(.social) { request in Reply(header: ReplyHeader(id: request.header.id, status: 200), body: Array("{}".utf8)) }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await inboxes.run() }
      try await RunningGateway.with(bus: bus, signer: signer) { gateway in
        let bearer = try gateway.bearer(inboxes.account)
        let script = ["Authorization": "Bearer \(try processor.token(of: inboxes.account, [.socialRead]))"]
        let line = try await RawConnection(port: gateway.tcpPort)
        let token = try gateway.signer.token(account: inboxes.account, session: SessionID())
        try await line.send(
          #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","live":false},"id":1}"# + "\n")
        _ = try await line.receiveLine()
        func languages() async throws -> [Language?] {
          var found: [Language?] = []
          for fields in [bearer, script] {
            _ = try await gateway.http("GET", "/v1/things/7", fields)
            found.append(bus.requests.last?.header.caller.language)
          }
          try await line.send(#"{"jsonrpc":"2.0","method":"things.get","params":{"thingID":"7"},"id":2}"# + "\n")
          _ = try await line.receiveLine()
          return found + [bus.requests.last?.header.caller.language]
        }
        #expect(try await languages() == [.english, .english, .english])
        try inboxes.choose(.spanish)
        let deadline = ContinuousClock.now + .seconds(20)
        var spoken: [Language?] = []
        repeat {
          spoken = try await languages()
        } while spoken != [.spanish, .spanish, .spanish] && ContinuousClock.now < deadline
        #expect(spoken == [.spanish, .spanish, .spanish])
        // Refusals of the gateway itself, too.
        let refused = try await gateway.http("GET", "/v1/nothing", bearer)
        #expect(refused.fields["content-language"] == "es")
        try await line.send(#"{"jsonrpc":"2.0","method":"nothing","id":3}"# + "\n")
        #expect(try await line.receiveLine()["error"]?["data"]?["title"] == "No encontrado")
        // Another account speaks its own.
        _ = try await gateway.http("GET", "/v1/things/7", try gateway.bearer())
        #expect(bus.requests.last?.header.caller.language == .english)
      }
      tasks.cancelAll()
    }
  }
}
