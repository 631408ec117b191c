import EarlierStores
import GRDB
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Moderation cases of earlier stores")
struct RemovedMigrationTests {
  private struct Case {
    let id = ID<ModerationCase>()
    let subject: ReportSubject
    var removes = true
    var copies: [String?] = []
  }

  private static func plant(_ planted: Case, _ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO moderation_cases (case_id, subject_kind, subject_id, accused_account, reported_at, outcome, removes_content, reason,
          decided_at)
        VALUES (?, ?, ?, ?, 1, ?, ?, 'Insults.', 2)
        """,
      arguments: [
        planted.id, planted.subject.kind, planted.subject.key, AccountID(), planted.removes ? "removed" : "warned",
        planted.removes,
      ])
    for (number, copy) in planted.copies.enumerated() {
      try database.execute(
        sql: """
          INSERT INTO reports (report_id, case_id, reporter_account, reason, copy, bytes, sent_at) VALUES (?, ?, ?, 'hate', ?, 1, ?)
          """,
        arguments: [
          ID<Report>(), planted.id, AccountID(),
          copy.map { String(decoding: ReportedContent(text: $0).json, as: UTF8.self) }, number,
        ])
    }
  }

  @Test(
    "Removals of earlier stores get their last copy: messages, comments, and teams that still have the replacement name"
  )
  func backfilled() async throws {
    let (renamed, renamedSince) = (ID<Team>(), ID<Team>())
    let message = Case(subject: .message(ID()), copies: ["old", "fool"])
    let comment = Case(subject: .taskComment(ID()), copies: ["fool", nil])
    let forgotten = Case(subject: .message(ID()), copies: [nil])
    let kept = Case(subject: .message(ID()), removes: false, copies: ["fool"])
    let photo = Case(subject: .photo(of: AccountID()), copies: ["fool"])
    let team = Case(subject: .team(renamed), copies: ["fools"])
    let other = Case(subject: .team(renamedSince), copies: ["fools"])
    let all = [message, comment, forgotten, kept, photo, team, other]
    let migrations = SocialMigrations.all
    let name = ModerationCaseStore.removedMigration(0).name
    let number = try #require(migrations.first { $0.name == name }).number
    try await UpgradedStore.upgrading(.social, migrations, before: number) { transaction in
      for (team, name) in [(renamed, "Equipo"), (renamedSince, "Friends")] {
        try transaction.database.execute(
          sql: "INSERT INTO teams (team_id, name, created_at) VALUES (?, ?, 1)", arguments: [team, name])
      }
      for planted in all { try Self.plant(planted, transaction.database) }
    } check: { store in
      let removed = try await store.read { database in
        try all.map { try ModerationCaseStore.removed(by: $0.id, in: database)?.text }
      }
      #expect(removed == ["fool", "fool", nil, nil, nil, "fools", nil])
    }
  }
}
