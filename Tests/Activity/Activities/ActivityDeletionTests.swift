import ActivityContract
import ActivityService
import GRDB
import InProcess
import Operations
import Storage
import Testing

@Suite("Deleting an activity")
struct ActivityDeletionTests {
  private func rows(of services: ServicesInProcess) async throws -> [String] {
    try await services.store(of: .activity).read { database in
      let tables = try String.fetchAll(
        database,
        sql: """
          SELECT tables.name FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
          WHERE tables.type = 'table' AND columns.name = 'activity_id' ORDER BY tables.name
          """)
      return try tables.filter { try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") ?? 0 > 0 }
    }
  }

  @Test("H CU-30, T UC 01.04: a deleted activity takes its entries, reminders and tags along, and that is published")
  func mainCourse() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let activity = try await ana.send(
        CreateActivity.self,
        .init(
          title: "Run", category: .fitness, goal: .check, schedule: .daily, reminders: [ReminderTime(text: "07:30")],
          tags: [Tag(text: "park")]))
      _ = try await ana.send(RecordEntry.self, .init(activityID: activity.id, day: .today, isDone: true))
      #expect(
        try await rows(of: services).contains([
          "activities", "activity_reminders", "activity_tags", "activity_versions", "due_reminders", "entries",
        ]))
      _ = try await ana.send(DeleteActivity.self, .init(activityID: activity.id, confirm: true))
      #expect(try await rows(of: services) == [])
      #expect(try await ana.failure(GetActivity.self, .init(activityID: activity.id)) == "activity_not_found")
      #expect(
        try await ana.failure(RecordEntry.self, .init(activityID: activity.id, day: .today, isDone: true)) == "activity_not_found"
      )
      #expect(try await ana.failure(DeleteActivity.self, .init(activityID: activity.id, confirm: true)) == "activity_not_found")
      let published = try #require(try await services.published(by: .activity).last)
      #expect(published.name == "activities.deleted")
      #expect(try ActivityDeleted.decode(published.body) == ActivityDeleted(accountID: ana.id, activityID: activity.id))
    }
  }

  @Test("H CU-30 8a: a deletion without the confirmation does nothing", arguments: [nil, false])
  func unconfirmed(confirm: Bool?) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity()
      let input = DeleteActivity.Input(activityID: activity.id, confirm: confirm)
      #expect(try await ana.refusedFields(DeleteActivity.self, input) == ["confirm deletion_not_confirmed"])
      #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity == activity)
    }
  }

  @Test("A deletion of an activity that is repeated with its key ends as the first did")
  func repeated() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let input = DeleteActivity.Input(activityID: try await ana.makeActivity().id, confirm: true)
      _ = try await ana.send(DeleteActivity.self, input, key: "one")
      _ = try await ana.send(DeleteActivity.self, input, key: "one")
      #expect(try await services.published(by: .activity).count == 2)
    }
  }
}
