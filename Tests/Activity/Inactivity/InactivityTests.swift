import ActivityContract
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("When an inactivity notice is due (NOT-3)")
struct InactivityRulesTests {
  @Test(
    "An inactivity notice is sent at ten local time, after the chosen number of whole days",
    arguments: [
      ("UTC", 1, "2026-11-22T10:00:00.000Z"), ("UTC", 3, "2026-11-24T10:00:00.000Z"),
      ("Asia/Kolkata", 3, "2026-11-24T04:30:00.000Z"), ("America/New_York", 3, "2026-11-24T15:00:00.000Z"),
      ("Pacific/Kiritimati", 60, "2027-01-19T20:00:00.000Z"),
    ])
  func due(zone: String, days: Int, expected: String) throws {
    let calendar = LocalCalendar(TimeZones().offsets(zone), dayStartHour: 0)
    let due = InactivityRules.due(since: try LocalDay(text: "2026-11-20"), days: days, calendar)
    #expect(due.description == expected)
  }

  @Test("Late steps for a day before an inactivity notice do not trigger another one at once")
  func start() throws {
    let (told, late, after) = (
      try LocalDay(text: "2026-11-24"), try LocalDay(text: "2026-11-22"), try LocalDay(text: "2026-11-25")
    )
    #expect(InactivityRules.start(moved: late, notifiedOn: nil) == late)
    #expect(InactivityRules.start(moved: late, notifiedOn: told).description == "2026-11-23")
    #expect(InactivityRules.start(moved: after, notifiedOn: told) == after)
  }
}

@Suite("Inactivity notices (NOT-3)")
struct InactivityTests {
  /// A Saturday.
  private static let now = "2026-11-21T12:00:00.000Z"

  private func run(_ body: (ServicesInProcess) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: Self.now, body)
  }

  /// Looks at all that are due then.
  private func look(_ services: ServicesInProcess, at now: String) async throws {
    try services.clock.set(now)
    try await InactivityWorker(
      store: services.store(of: .activity), calendars: AccountCalendars(), clock: services.clock.clock
    ).sweep()
  }

  private func published(_ services: ServicesInProcess) async throws -> [String] {
    try await services.published(by: .activity).compactMap { event in
      switch event.name {
      case InactivityDetected.spec.name: "detected \(try InactivityDetected.decode(event.body).days)"
      case InactivityEnded.spec.name: "ended"
      default: nil
      }
    }
  }

  @Test("Inactivity notices are chosen, shown and ended; they are off by default, and need consent to activity data")
  func chosen() async throws {
    try await run { services in
      let (ana, ben) = (try await services.register(), try await services.register(consents: []))
      #expect(try await ana.send(GetInactivityNotice.self, .init()).days == nil)
      #expect(try await ana.send(SetInactivityNotice.self, .init(days: 3)).days == 3)
      #expect(try await ana.send(GetInactivityNotice.self, .init()).days == 3)
      #expect(try await ben.send(GetInactivityNotice.self, .init()).days == nil)
      #expect(try await ben.failure(SetInactivityNotice.self, .init(days: 3)) == "consent_required")
      for days in [0, 61] {
        #expect(try await ana.refusedFields(SetInactivityNotice.self, .init(days: days)) == ["days out_of_range"])
      }
      for _ in 0..<2 { _ = try await ana.send(ClearInactivityNotice.self, .init()) }
      #expect(try await ana.send(GetInactivityNotice.self, .init()).days == nil)
      try await look(services, at: "2027-11-21T12:00:00.000Z")
      #expect(try await published(services).isEmpty)
    }
  }

  @Test(
    "An account gets one notice for each inactive period, whatever steps are corrected, and another after it has moved"
  )
  func once() async throws {
    try await run { services in
      let ana = try await services.register()
      _ = try await ana.send(SetInactivityNotice.self, .init(days: 3))
      try await ana.walk("a", 100, "2026-11-21T08:00:00Z")
      // Three whole days are over at midnight; nobody is woken.
      try await look(services, at: "2026-11-25T09:59:00.000Z")
      #expect(try await published(services).isEmpty)
      try await look(services, at: "2026-11-25T10:00:00.000Z")
      try await look(services, at: "2026-11-30T10:00:00.000Z")
      #expect(try await published(services) == ["detected 3"])
      // The last steps are taken away, and come back: that is no movement of another day.
      _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["a"]))
      try await ana.walk("b", 100, "2026-11-21T08:00:00Z")
      try await look(services, at: "2026-12-02T10:00:00.000Z")
      #expect(try await published(services) == ["detected 3"])
      try await ana.walk("c", 100, "2026-12-02T08:00:00Z")
      #expect(try await published(services) == ["detected 3", "ended"])
      try await look(services, at: "2026-12-06T10:00:00.000Z")
      #expect(try await published(services) == ["detected 3", "ended", "detected 3"])
      // Another number counts from its day on, and takes the notice back; the same one changes nothing.
      _ = try await ana.send(SetInactivityNotice.self, .init(days: 3))
      _ = try await ana.send(SetInactivityNotice.self, .init(days: 1))
      try await look(services, at: "2026-12-08T10:00:00.000Z")
      #expect(try await published(services).suffix(3) == ["detected 3", "ended", "detected 1"])
    }
  }

  @Test("Late steps for a day before an inactivity notice end it, and do not trigger another one at once")
  func late() async throws {
    try await run { services in
      let ana = try await services.register()
      _ = try await ana.send(SetInactivityNotice.self, .init(days: 2))
      try await look(services, at: "2026-11-24T10:00:00.000Z")
      try await ana.walk("late", 100, "2026-11-22T08:00:00Z")
      try await look(services, at: "2026-11-25T12:00:00.000Z")
      #expect(try await published(services) == ["detected 2", "ended"])
      try await look(services, at: "2026-11-26T10:00:00.000Z")
      #expect(try await published(services) == ["detected 2", "ended", "detected 2"])
    }
  }

  @Test("UC-07 AF-03: once inactivity notices are turned off none is sent, and the one that was sent is withdrawn")
  func cleared() async throws {
    try await run { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      for person in [ana, ben] { _ = try await person.send(SetInactivityNotice.self, .init(days: 1)) }
      _ = try await ben.send(ClearInactivityNotice.self, .init())
      try await look(services, at: "2026-11-24T10:00:00.000Z")
      #expect(try await published(services) == ["detected 2"])
      _ = try await ana.send(ClearInactivityNotice.self, .init())
      try await look(services, at: "2026-11-29T10:00:00.000Z")
      #expect(try await published(services) == ["detected 2", "ended"])
    }
  }

  @Test("Suspended, unconsenting and erased accounts get no inactivity notice; travellers get it by their new time zone")
  func noNotice() async throws {
    try await run { services in
      let (ana, ben, eve, zoe) = (
        try await services.register(), try await services.register(), try await services.register(),
        try await services.register()
      )
      for person in [ana, ben, eve, zoe] { _ = try await person.send(SetInactivityNotice.self, .init(days: 1)) }
      let until = try Instant(text: "2026-11-26T00:00:00.000Z")
      try await services.change(ana, receivedBy: .activity) { $0.suspendedUntil = until }
      try await services.change(ben, receivedBy: .activity) { $0.consents = [] }
      try await services.delete(eve, receivedBy: .activity)
      try await services.move(zoe, to: "America/New_York", receivedBy: .activity)
      try await look(services, at: "2026-11-23T10:00:00.000Z")
      #expect(try await published(services).isEmpty)
      try await look(services, at: "2026-11-23T15:00:00.000Z")
      #expect(try await published(services) == ["detected 1"])
      // The suspension is over.
      try await look(services, at: "2026-11-26T10:00:00.000Z")
      #expect(try await published(services).count == 2)
      // With the consent it is told after it has moved.
      try await services.change(ben, receivedBy: .activity) { $0.consents = [.activityData] }
      try await look(services, at: "2026-11-27T10:00:00.000Z")
      #expect(try await published(services).count == 2)
      try await ben.walk("a", 100, "2026-11-27T08:00:00Z")
      try await look(services, at: "2026-11-29T10:00:00.000Z")
      #expect(try await published(services).count == 3)
    }
  }
}
