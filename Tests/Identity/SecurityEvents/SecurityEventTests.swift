import IdentityContract
import InProcess
import Operations
import Testing

@testable import IdentityService

@Suite("Security events (ID-15; S 10)")
struct SecurityEventTests {
  @Test("A security event is recorded with its severity and context, without secrets, and listed by filters (S 10, scenario 1)")
  func events() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      let ana = try await identity.register()
      try await identity.guess(times: 2)
      identity.time.advance(seconds: 100)
      try await identity.guess("nobody.here", from: "203.0.113.7")
      func list(_ input: ListSecurityEvents.Input) async throws -> [RecordedSecurityEvent] {
        try await identity.ask(ListSecurityEvents.self, input, by: .signedIn(administrator)).items
      }
      let all = try await list(.init())
      // The administrator is registered, appointed and logs in, and then Ana is registered.
      #expect(
        all.map(\.kind) == ["loginFailed", "loginFailed", "loginFailed", "accountRegistered", "loginSucceeded"]
          + ["administratorAppointed", "accountRegistered"])
      #expect(all.map(\.severity) == [.info, .info, .info, .info, .info, .critical, .info])
      #expect(all[0].address == "203.0.113.7" && all[0].accountID == nil && all[0].userAgent == "Test/1")
      #expect(all[1].username?.description == "ana" && all[1].at == identity.time.now.adding(seconds: -100))
      for event in all { #expect(!String(decoding: event.json, as: UTF8.self).contains("Wrong-1")) }
      #expect(try await list(.init(severity: .critical)).map(\.kind) == ["administratorAppointed"])
      #expect(try await list(.init(kind: "loginFailed")).count == 3)
      #expect(try await list(.init(accountID: ana.id)).count == 3)
      #expect(try await list(.init(from: identity.time.now)).count == 1)
      #expect(try await list(.init(to: identity.time.now)).count == 6)
      let first = try await identity.ask(ListSecurityEvents.self, .init(limit: 4), by: .signedIn(administrator))
      let rest = try await identity.ask(
        ListSecurityEvents.self, .init(limit: 4, cursor: first.nextCursor), by: .signedIn(administrator))
      #expect(first.items + rest.items == all && rest.nextCursor == nil)
      // Page by page each filter finds what it finds at once, also of those of one instant.
      let filters: [ListSecurityEvents.Input] = [
        .init(severity: .info), .init(kind: "loginFailed"), .init(accountID: ana.id),
        .init(severity: .info, kind: "loginFailed", accountID: ana.id), .init(severity: .critical, kind: "loginFailed"),
        .init(severity: .info, from: all[2].at, to: identity.time.now),
      ]
      for (filter, count) in zip(filters, [6, 3, 3, 2, 0, 5]) {
        var (found, input) = ([RecordedSecurityEvent](), filter)
        input.limit = 1
        repeat {
          let page = try await identity.ask(ListSecurityEvents.self, input, by: .signedIn(administrator))
          found += page.items
          input.cursor = page.nextCursor
        } while input.cursor != nil
        #expect(try await list(filter) == found)
        #expect(found.count == count)
      }
      #expect(try await list(.init(kind: "loginFailed")).count == 3)
      let unknown = try await failure { try await list(.init(kind: "nope")) }
      #expect(unknown.code == "invalid_fields" && unknown.fields.map(\.field) == ["kind"])
      #expect(unknown.fields.map(\.code) == ["not_a_choice"])
    }
  }
}
