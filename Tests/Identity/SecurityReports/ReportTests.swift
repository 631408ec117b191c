import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Security reports (ID-15; S 10, scenario 3)")
struct ReportTests {
  private func runner(_ identity: RunningIdentity, _ schedule: ReportSchedule = .daily) -> SecurityReportWorker {
    SecurityReportWorker(store: identity.store, schedule: schedule)
  }

  private func reports(_ identity: RunningIdentity, by administrator: SignedIn) async throws -> [SecurityReport] {
    try await identity.ask(ListSecurityReports.self, .init(), by: .signedIn(administrator)).items
  }

  @Test(
    "A security report is made when due: ranked incidents, counts against the day before, recommendations (S 10)"
  )
  func content() async throws {
    try await RunningIdentity.run { identity in
      // The clock begins at 2027-01-15T08:00:00Z.
      let administrator = try await identity.administrator()
      try await identity.register()
      try await identity.guess(times: 2)
      identity.time.advance(seconds: 86_400)
      for address in 1...12 { try await identity.guess(from: "198.51.100.\(address)"); identity.time.advance(seconds: 3600) }
      identity.time.advance(seconds: 6 * 3600)
      try await runner(identity).makeDue()

      let made = try await reports(identity, by: administrator)
      #expect(made.map(\.firstDay.description) == ["2027-01-16", "2027-01-15"])
      let report = made[0]
      #expect(report.title == "Security report of 2027-01-16" && report.period == .daily)
      let failed = try #require(report.counts.first { $0.kind == "loginFailed" })
      #expect(failed.countBefore == 2 && failed.count > 0)
      #expect(report.incidentCount == 2 && report.incidentCountBefore == 1)
      #expect(report.incidents.map(\.rank) == [1, 2])
      #expect(report.incidents.map(\.pattern) == [.accountGuessedWidely, .accountGuessed])
      #expect(report.incidents.map(\.severity) == [.critical, .warning])
      #expect(report.incidents.allSatisfy { $0.username?.description == "ana" && !$0.recommendation.isEmpty })
      #expect(try await identity.ask(GetSecurityReport.self, .init(reportID: report.id), by: .signedIn(administrator)) == report)
      #expect(
        try await failure { try await identity.ask(GetSecurityReport.self, .init(reportID: ID()), by: .signedIn(administrator)) }
          .code == "not_found")
    }
  }

  @Test("A security report is mailed to each administrator, in English or Spanish (S 10, scenario 3)")
  func mail() async throws {
    try await RunningIdentity.run { identity in
      let one = try await identity.administrator("adela")
      let other = try await identity.administrator("berta")
      try await identity.store.write {
        try $0.database.execute(sql: "UPDATE accounts SET language = 'es' WHERE username = 'berta'")
      }
      identity.time.advance(seconds: 86_400)
      try await runner(identity).makeDue()
      let published = try await identity.published(SecurityReportReady.self)
      #expect(published.map(\.accountID) == [one.account.id, other.account.id])
      let mails = try await [0, 1].asyncMap {
        try await identity.askAsNotifications(GetSecurityMail.self, .init(mailID: published[$0].mailID))
      }
      #expect(mails[0].title == "Security report of 2027-01-15")
      #expect(mails[1].title == "Informe de seguridad del 2027-01-15")
      #expect(mails[1].lines.first == "Incidentes: 2 (en el período anterior: 0)")
      let incidents = try await reports(identity, by: one)[0].incidents
      #expect(
        incidents.map(\.rank).allSatisfy { rank in
          let account = incidents[rank - 1].accountID?.description ?? ""
          return mails[1].lines.contains(
            "\(rank). Se nombró a un administrador (gravedad: crítica; eventos: 1; cuenta: \(account))")
        })
      #expect(Set(mails[1].lines).count == mails[1].lines.count)
      #expect(mails[1].lines.contains("Administradores nombrados: 2 (en el período anterior: 0)"))
      #expect(mails[0].lines.contains("Administrators appointed: 2 (in the period before: 0)"))
      #expect(mails[1].recommendations.count == 1)
    }
  }

  @Test("A security report names the address of its incidents, and every kind of event has words (S 10, scenario 3)")
  func subjects() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      for name in 1...5 { try await identity.guess("nobody\(name)", from: "203.0.113.9") }
      identity.time.advance(seconds: 86_400)
      try await runner(identity).makeDue()
      let report = try #require(try await reports(identity, by: administrator).first)
      #expect(report.incidents.first { $0.pattern == .addressGuessing }?.address == "203.0.113.9")
      let mail = try #require(try await identity.published(SecurityReportReady.self).last).mailID
      let lines = try await identity.askAsNotifications(GetSecurityMail.self, .init(mailID: mail)).lines
      #expect(
        lines.contains { $0.contains("One address tries many accounts") && $0.hasSuffix("; address: 203.0.113.9)") })
      for kind in SecurityEvent.Kind.allCases {
        for language in Language.allCases { #expect(SecurityWords.events(kind.rawValue, language) != kind.rawValue, "\(kind)") }
      }
    }
  }

  @Test("A period has one security report, despite concurrent attempts and restarts")
  func once() async throws {
    try await RunningIdentity.run { first in
      let administrator = try await first.administrator()
      // To a Monday: three days and a week are over.
      first.time.advance(seconds: 3 * 86_400)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { try await runner(first, .both).makeDue() } }
        try await group.waitForAll()
      }
      let second = try await first.restarted()
      try await runner(second, .both).makeDue()
      #expect(try await reports(second, by: administrator).count == 4)
      #expect(try await second.published(SecurityReportReady.self).count == 4)
      // Away for a while: what was missed is made, as far back as anybody cares.
      second.time.advance(seconds: 20 * 86_400)
      try await runner(second).makeDue()
      #expect(try await reports(second, by: administrator).count == 11)
      await second.store.close()
    }
  }

  @Test("No security report is made if none is configured, nor before there is an account")
  func none() async throws {
    try await RunningIdentity.run { identity in
      identity.time.advance(seconds: 3 * 86_400)
      try await runner(identity, .both).makeDue()
      #expect(try await identity.count("SELECT COUNT(*) FROM security_reports") == 0)
      try await identity.register()
      identity.time.advance(seconds: 86_400)
      try await runner(identity, .none).makeDue()
      #expect(try await identity.count("SELECT COUNT(*) FROM security_reports") == 0)
    }
  }
}

extension Array {
  /// Each element in turn.
  fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}
