import ActivityContract
import ActivityService
import Foundation
import InProcess
import Operations
import Testing

@Suite("Real people's exports, imported through the service")
struct RealFilesTests {
  @Test("Fitbit's hourly steps of 34 people, each into an account of its own: every day's steps are those of the file")
  func fitbit() async throws {
    guard let bytes = try RealFile.read("fitbit/hourlySteps.csv") else { return }
    // By other means than the reader's.
    var expected: [String: [String: Int]] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst() {
      let fields = line.split(separator: ",")
      let date = fields[1].split(separator: " ")[0].split(separator: "/").compactMap { Int($0) }
      let day = String(format: "%04d-%02d-%02d", date[2], date[0], date[1])
      expected[String(fields[0]), default: [:]][day, default: 0] += Int(fields[3]) ?? 0
    }
    #expect(expected.count == 34)
    #expect(expected.values.flatMap(\.values).reduce(0, +) == 6_893_291)
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      var rows = 0
      for (person, days) in expected {
        let ana = try await services.register(timeZone: "America/Denver")
        let done = try await ana.importFile("hourlySteps.csv", bytes, person: person, chunk: 524_288)
        #expect(done.state == .done && done.format == .fitbitHours && done.counts.rejected == 0)
        rows += done.counts.accepted
        let list = try await ana.send(
          ListMovementDays.self, .init(from: try LocalDay(text: "2016-03-01"), to: try LocalDay(text: "2016-04-30")))
        let found = Dictionary(uniqueKeysWithValues: list.items.map { ($0.day.description, $0.steps) })
        #expect(found.filter { $0.value > 0 } == days.filter { $0.value > 0 }, "the days of \(person)")
      }
      #expect(rows == 24_084)
    }
  }

  @Test("Fitbit's file without a choice of person: the first one's rows are taken, the others are problems with their lines")
  func fitbitOfAll() async throws {
    guard let bytes = try RealFile.read("fitbit/hourlySteps.csv") else { return }
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let done = try await ana.importFile("hourlySteps.csv", bytes)
      #expect(done.counts.records == 24_084 && done.counts.rejected == 24_084 - done.counts.accepted)
      let problems = try await ana.problems(of: done.id)
      #expect(problems.count == 50 && problems.allSatisfy { $0.hasSuffix("otherPerson") })
    }
  }

  @Test("Google Fit's daily summaries: 531 days, 3,159,539 steps, and the same again changes nothing")
  func fitDays() async throws {
    guard let bytes = try RealFile.read("googlefit/daily_summaries.csv") else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    let rows = text.split(whereSeparator: \.isNewline).dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(rows.count == 531)
    for (zone, hour) in [("Australia/Melbourne", 0), ("America/Los_Angeles", 4)] {
      try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
        let ana = try await services.register(timeZone: zone, dayStartHour: hour)
        let done = try await ana.importFile("daily_summaries.csv", bytes)
        #expect(done.state == .done && done.format == .googleFitDays)
        // Three days on foot and by bicycle, of which nobody knows how much was which.
        #expect(try await ana.problems(of: done.id) == ["35 mixedMovement", "210 mixedMovement", "388 mixedMovement"])
        #expect(try await ana.steps() == 3_159_539)
        let list = try await ana.send(
          ListMovementDays.self, .init(from: try LocalDay(text: "2017-03-01"), to: try LocalDay(text: "2017-04-30")))
        let expected = rows.filter { $0[0] >= "2017-03-01" && $0[0] <= "2017-04-30" }.compactMap {
          Int($0[7] == "" ? $0[6] : $0[7])
        }
        #expect(list.items.count == expected.count)
        let published = try await services.published(by: .activity).filter { $0.name == MovementDaysChanged.spec.name }.count
        let again = try await ana.importFile("daily_summaries.csv", bytes)
        #expect(again.counts.accepted == 0 && again.counts.repeated == done.counts.accepted && again.counts.days == 0)
        #expect(try await ana.steps() == 3_159_539)
        #expect(
          try await services.published(by: .activity).filter { $0.name == MovementDaysChanged.spec.name }.count == published)
        // The account has moved since: what was local then is known all the same.
        try await services.move(ana, to: "Europe/Madrid", receivedBy: .activity)
        #expect(try await ana.importFile("daily_summaries.csv", bytes).counts.accepted == 0)
        #expect(try await ana.steps() == 3_159_539)
      }
    }
  }

  @Test("Google Fit's file of the day with 25 hours: 100 quarters, all of that day")
  func fitDay() async throws {
    guard let bytes = try RealFile.read("googlefit/2017-04-02.csv") else { return }
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "Australia/Melbourne")
      let done = try await ana.importFile("2017-04-02.csv", bytes)
      #expect(done.state == .done && done.format == .googleFitDay && done.counts.rejected == 0)
      let list = try await ana.send(
        ListMovementDays.self, .init(from: try LocalDay(text: "2017-03-31"), to: try LocalDay(text: "2017-04-04")))
      #expect(list.items.map(\.day.description) == ["2017-04-02"] && list.items.map(\.steps) == [6282])
    }
  }

  @Test("Apple Health's export adds no steps, and shows one run of 0.497 miles")
  func apple() async throws {
    guard let bytes = try RealFile.read("apple/export.xml") else { return }
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      for (name, content) in [
        ("export.xml", bytes), ("export.zip", try Zip.archive([("apple_health_export/export.xml", bytes)])),
      ] {
        let done = try await ana.importFile(name, content)
        #expect(done.state == .done && done.counts.records == 1 && done.counts.rejected == 0)
        let found = try await ana.send(ListImportedExercises.self, .init(importID: done.id)).items
        #expect(found.map(\.kind) == [.running] && found.map(\.durationSeconds) == [312])
        #expect(abs((found[0].distanceMeters ?? 0) - 800.13) < 0.5)
      }
      #expect(try await ana.steps() == 0)
    }
  }

  @Test("GPX: eight tracks in one file, a mountain walk, an empty segment, a byte-order mark with non-ASCII text")
  func gpx() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      for (name, tracks, problems) in [
        ("cerknicko-jezero.gpx", 8, 7), ("Mojstrovka.gpx", 1, 1), ("track-with-empty-segment.gpx", 1, 1),
        ("unicode_with_bom.gpx", 0, 0),
      ] {
        guard let bytes = try RealFile.read("gpx/\(name)") else { return }
        let done = try await ana.importFile(name, bytes)
        // A waypoint is nothing that could be taken. Of tracks whose kind is not said the distance is a problem.
        #expect(done.format == .gpx && done.state == (tracks == 0 ? .failed : .done), "\(name)")
        #expect(done.reason == (tracks == 0 ? .nothingUsable : nil), "\(name)")
        let found = try await ana.send(ListImportedExercises.self, .init(importID: done.id)).items
        #expect(found.count == tracks && done.counts.rejected == problems, "\(name)")
        if name == "Mojstrovka.gpx" {
          // Measured by another program; its times are all of 1901, which is none.
          #expect(abs((found[0].distanceMeters ?? 0) - 2697.627) < 0.01 && found[0].start == nil)
          #expect(try await ana.problems(of: done.id).map { $0.hasSuffix("withoutTime") } == [true])
        }
        if name == "cerknicko-jezero.gpx" {
          #expect(found[0].distanceMeters == 0 && found.dropFirst().allSatisfy { ($0.distanceMeters ?? 0) > 0 })
        }
      }
    }
  }

  @Test("Loop's database: 9 habits with their schedules, 164 entries of 2016; importing it again changes nothing")
  func loop() async throws {
    guard let bytes = try RealFile.read("loop/loop.db") else { return }
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let done = try await ana.importFile("loop.db", bytes)
      #expect(done.state == .done && done.format == .loopDatabase)
      #expect(done.counts.accepted == 9 + 164 && done.counts.rejected == 0)
      let activities = try await ana.send(ListActivities.self, .init()).items.map(\.activity)
      #expect(activities.count == 9)
      #expect(activities.prefix(3).map(\.title) == ["Wake up early", "brush teeth", "Sleep early"])
      #expect(activities.prefix(3).map(\.schedule) == [.timesAWeek(3), .timesAWeek(3), .everyNDays(5)])
      #expect(activities.dropFirst(3).allSatisfy { $0.schedule == .daily })
      #expect(activities[0].startDay.description == "2016-01-01")
      let entries = try await services.store(of: .activity).rows("entries")
      #expect(entries == 164)
      let again = try await ana.importFile("loop.db", bytes)
      #expect(again.counts.accepted == 0 && again.counts.repeated == 9 + 164)
      #expect(try await ana.send(ListActivities.self, .init()).items.map(\.activity) == activities)
    }
  }

  @Test("Loop's CSV files: first the habits, then their entries; entries without their habits are problems")
  func loopRows() async throws {
    guard let habits = try RealFile.read("loop/csv_export_Habits.csv"),
      let marks = try RealFile.read("loop/csv_export_Checkmarks.csv"),
      let scores = try RealFile.read("loop/csv_export_Scores.csv")
    else { return }
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      #expect(try await ana.importFile("Checkmarks.csv", marks).counts.rejected == 6)
      #expect(try await ana.importFile("Habits.csv", habits).counts.accepted == 2)
      let done = try await ana.importFile("Checkmarks.csv", marks)
      #expect(done.counts.accepted == 6 && done.counts.rejected == 0 && done.counts.days == 6)
      #expect(try await ana.importFile("Checkmarks.csv", marks).counts.repeated == 6)
      #expect(try await ana.refusal("Scores.csv", scores) == "import_unrecognized")
      // The same as the archive that Loop makes of them.
      let zip = try Zip.archive([("Habits.csv", habits), ("Checkmarks.csv", marks)])
      #expect(try await ana.importFile("loop.zip", zip).counts.repeated == 8)
      let ben = try await services.register()
      #expect(try await ben.importFile("loop.zip", zip).counts.accepted == 8)
    }
  }
}
