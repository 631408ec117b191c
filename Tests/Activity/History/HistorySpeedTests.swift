import ActivityContract
import ActivityService
import Foundation
import GRDB
import GeneratedHistory
import InProcess
import Operations
import ServiceKit
import SocialContract
import SocialService
import Storage
import Testing

@testable import ActivityService

/// How long first pages take, and by which indexes they are found.
///
/// `RACHA_TEST_HISTORY_ENTRIES=1000000` fills one account with as many entries and prints a line for each filter; without it two small
/// stores are compared, the larger with ten times the entries.
@Suite("The speed of the history", .serialized)
struct HistorySpeedTests {
  static let entries = ProcessInfo.processInfo.environment["RACHA_TEST_HISTORY_ENTRIES"].flatMap { Int($0) }
  static let last = LocalDay(daysSinceEpoch: 20_777)

  /// Fills an account with entries of the last days.
  private func fill(_ services: ServicesInProcess, _ person: Person, days: Int, activities count: Int) async throws
    -> GeneratedHistory
  {
    var activities: [ActivityID] = []
    for number in 0..<count {
      activities.append(try await person.makeActivity(title: "Activity \(number)", startDay: "2010-01-01").id)
    }
    let history = GeneratedHistory(of: person.id, activities, days: days, to: Self.last)
    for part in history.parts {
      try await services.store(of: .activity).write { try history.write(part, in: $0.database) }
    }
    return history
  }

  private func times(
    days: Int, activities count: Int, limit: Int
  ) async throws -> [(name: String, found: Int, effort: ReadingEffort)] {
    try await ServicesInProcess.running(HistoryTests.services, at: "2026-11-20T12:00:00.000Z") { services in
      let ana = try await services.register()
      let history = try await fill(services, ana, days: days, activities: count)
      for _ in 0..<10 {
        let friend = try await services.register()
        let walk = try await friend.makeActivity(startDay: "2010-01-01").id
        try await services.plant(
          (0..<30).map { PlantedEntry(owner: friend.id, activity: walk, day: Self.last.advanced(by: -$0)) })
        try await services.follow(ana, friend)
      }
      let (store, account, calendars, now) = (services.store(of: .activity), ana.id, AccountCalendars(), services.clock.now)
      var results: [(name: String, found: Int, effort: ReadingEffort)] = []
      for (name, query) in history.queries.map({ ($0.name, $0.query) }) + [("followed too", HistoryQuery(scope: .all))] {
        let found = try await ana.send(ListHistory.self, query).items.count
        let search = try HistorySearch(query, needsPlace: false)
        let effort = try await store.effort { database in
          let scope = query.scope ?? .mine
          let stretch = try HistoryStretch.find(
            scope, of: account, search, behind: nil, limit: limit + 1, now: now, in: database)
          var items = HistoryItems(calendars, now: now, in: database)
          for position in stretch.prefix(limit).positions { _ = try items.item(at: position) }
        }
        results.append((name, found, effort))
      }
      let effort = try await store.effort { database in
        _ = try ActiveDayStore.statistics(of: try calendars.days(of: account, now: now, in: database), in: database)
      }
      return results + [("statistics", 1, effort)]
    }
  }

  @Test("A history's first page of 50 takes at most 10 ms at a million entries", .enabled(if: entries != nil))
  func measured() async throws {
    let activities = 200
    for (name, found, effort) in try await times(days: (Self.entries ?? 0) / activities, activities: activities, limit: 50) {
      print(String(format: "%8.2f ms %5d  ", effort.milliseconds, found) + name)
      #expect(effort.milliseconds <= 10, "\(name)")
    }
  }

  @Test(
    "A history's first page among ten times the entries takes about as many steps, whatever is searched",
    .enabled(if: entries == nil))
  func ratio() async throws {
    let small = try await times(days: 100, activities: 5, limit: 3)
    let large = try await times(days: 1000, activities: 5, limit: 3)
    // What has no index goes through a bounded number of comments, which are more than these; statistics, through days. What is narrowed
    // looks at no more than a bounded number of entries, a step or so each: going through them all takes tens of thousands.
    for (one, ten) in zip(small, large) where !one.name.hasSuffix("two characters, not there") && one.name != "statistics" {
      #expect(ten.effort.steps <= 2 * one.effort.steps + 3000, "\(one.name): \(one.effort.steps), \(ten.effort.steps)")
    }
  }

  @Test("No query of the history scans a table, or sorts what it could read in order")
  func plans() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      for sql in [
        HistoryStore.entries, HistoryStore.places, HistoryStore.entriesOfActivity, HistoryStore.placesOfActivity,
        EntryCommentBlockStore.blocks, HistoryStore.commentsByText, HistoryStore.placesWithin, HistoryStore.commentOfEntry,
        HistoryStore.placeOfEntry,
        HistoryStore.latestFollowed,
        HistoryStore.followed, HistoryStore.firstAndLastFollowed,
      ] {
        let steps = try await services.store(of: .activity).read { database in
          try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql.replacing(/\?[0-9]*/, with: "'a'"))").map {
            $0["detail"] as String
          }
        }
        let wrong = steps.filter { step in
          let isScan = step.hasPrefix("SCAN ") && !step.contains("VIRTUAL TABLE INDEX") && step != "SCAN latest"
          let isOfAll =
            step.contains("_by_account") && [HistoryStore.entriesOfActivity, HistoryStore.placesOfActivity].contains(sql)
          return isScan || isOfAll || (step.contains("TEMP B-TREE") && sql != HistoryStore.latestFollowed)
        }
        #expect(wrong.isEmpty, "\(sql)\n\(steps.joined(separator: "\n"))")
      }
    }
  }
}
