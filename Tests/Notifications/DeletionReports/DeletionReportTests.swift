import Foundation
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

@Suite("Ending reports of deletions (ID-12)", .timeLimit(.minutes(1)))
final class DeletionReportTests {
  private let identity = IdentityDouble()
  private let home = "/tmp/racha-report-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func run(_ body: (ServicesInProcess, Store) async throws -> Void) async throws {
    let settings = ["racha.email.reportRetentionSeconds": "0"]
    try await ServicesInProcess.running(
      [{ try Notifications.service($0) }], identity: identity, settings: settings, at: nil, home: home
    ) { services in
      try await services.hasReceived(.notifications, of: .identity)
      try await body(services, services.store(of: .notifications))
    }
  }

  private func until(_ count: Int, _ sql: String, _ store: Store) async throws {
    try await store.until { try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(sql)") } == count }
  }

  @Test("A report whose deletion identity has forgotten is ended, later ones too, and no file remains")
  func forgotten() async throws {
    let people = try ["ana", "ben", "cleo"].map { try identity.person($0) }
    let deletions = try people.map { try identity.deletion(of: $0) }
    identity.refuseReportEnds(true)
    try await run { services, store in
      for (person, deletion) in zip(people, deletions) {
        try await services.publish(.identity, AccountErased(deletionID: deletion, accountID: person.account))
      }
      try await until(3, "mails WHERE state = 'delivered'", store)
      for forgotten in deletions.prefix(2) { identity.forget(forgotten) }
      identity.refuseReportEnds(false)
      try await until(0, "mails", store)
      try await until(0, "report_files", store)
      #expect(identity.endedReports == [deletions[2]])
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(home)/mails").isEmpty)
    }
  }

  @Test("Files of deletion reports are removed when due, even while identity cannot be notified of a report's end")
  func files() async throws {
    let person = try identity.person("ana")
    let deletion = try identity.deletion(of: person)
    identity.refuseReportEnds(true)
    try await run { services, store in
      try await services.publish(.identity, AccountErased(deletionID: deletion, accountID: person.account))
      try await until(1, "mails WHERE state = 'delivered'", store)
      let (mail, created) = (ID<Mail>(), Instant.now)
      let file = "\(home)/mails/\(created.description.filter { !"-:.".contains($0) })-\(mail).eml"
      #expect(FileManager.default.createFile(atPath: file, contents: Data("ana@example.org".utf8)))
      try await store.write {
        try $0.database.execute(sql: "INSERT INTO report_files VALUES (?, ?, ?)", arguments: [mail, created, created])
      }
      try await until(0, "report_files", store)
      #expect(!FileManager.default.fileExists(atPath: file))
      #expect(identity.endedReports.isEmpty)
    }
  }
}
