import ActivityContract
import Foundation
import GRDB
import ImportFormats
import InProcess
import Operations
import Storage
import Testing

@testable import ActivityService

@Suite("Outcomes of imports, and how long they are kept (MOVE-3)")
struct ImportOutcomeTests {
  private static let useless: [(ImportFormat, String, String)] = [
    (.gpx, "a.gpx", "<gpx><wpt lat=\"1\" lon=\"1\"/></gpx>"), (.appleHealth, "export.xml", "<HealthData/>"),
    (.googleFitDays, "Daily activity metrics.csv", RowsTests.days + "2026-11-20,,,,,\n"),
    (.fitbitSteps, "steps_2026-11-01.csv", "timestamp,steps\n"), (.fitbitHours, "hourlySteps.csv", RowsTests.fitbit),
    (.loopHabits, "Habits.csv", LoopTests.columns), (.loopCheckmarks, "Checkmarks.csv", "Date,A,\n2026-11-20,NO,\n"),
  ]

  @Test("A file with nothing to import is not reported as done, but with the file that would do, in both languages")
  func nothing() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      for (language, words) in [
        (Language.english, "nothing that Racha could take"), (.spanish, "no tiene nada que Racha pueda tomar"),
      ] {
        let ana = try await services.register(language: language)
        for (format, name, text) in Self.useless {
          let ended = try await ana.importFile(name, text)
          #expect(ended.state == .failed && ended.reason == .nothingUsable && ended.format == format, "\(name)")
          #expect(ended.counts.records == 0)
          let said = try #require(ended.reasonText)
          #expect(said.contains(words) && !said.contains(format.rawValue + "}"), "\(said)")
          #expect(said.contains(language == .english ? "send" : "envía"), "\(said)")
        }
        let photos = try Zip.archive([("Takeout/Photos/a.jpg", [1])])
        #expect(try await ana.refusal("takeout.zip", photos) == "import_noExport")
        let bare = try Zip.archive([
          ("Takeout/Fit/2026-11-20.csv", Array("Start time,End time,Step count,Calories (kcal)\n".utf8)), ("Takeout/a.txt", [1]),
        ])
        let ended = try await ana.importFile("takeout.zip", bare)
        #expect(ended.reason == .nothingUsable && ended.counts.rejected == 1)
      }
    }
  }

  @Test("A file whose records are all known or all refused is reported as done")
  func known() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let text = RowsTests.fitbit + "1,3/12/2016 0:00,x,7\n"
      _ = try await ana.importFile("hours.csv", text)
      #expect(try await ana.importFile("hours.csv", text).state == .done)
      #expect(try await ana.importFile("hours.csv", RowsTests.fitbit + "1,x,x,7\n").state == .done)
    }
  }

  private static func track(_ number: Int) -> String {
    "<gpx><trk><name>Track \(number)</name><type>run</type><trkseg><trkpt lat=\"1\" lon=\"\(number).1\"><time>2026-11-20T08:00:00Z</time></trkpt></trkseg></trk></gpx>"
  }

  @Test("The first of more than a hundred imports still has its track")
  func hundred() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let first = try await ana.importFile("0.gpx", Self.track(0))
      for number in 1...102 { _ = try await ana.importFile("\(number).gpx", Self.track(number)) }
      #expect(try await ana.send(GetImport.self, .init(importID: first.id)).areDetailsForgotten == nil)
      let found = try await ana.send(ListImportedExercises.self, .init(importID: first.id)).items
      #expect(found.map(\.name) == ["Track 0"])
    }
  }

  @Test(
    "Tracks and problems of the oldest imports are forgotten beyond 16 MiB, and these imports say so")
  func bytes() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let store = services.store(of: .activity)
      var imports: [Import] = []
      for number in 0..<3 { imports.append(try await ana.importFile("\(number).gpx", Self.track(number))) }
      let others = try await ben.importFile("0.gpx", Self.track(0))
      // As if the second one had as much as may be kept.
      try await store.write { [imports] transaction in
        try transaction.database.execute(
          sql: "UPDATE imports SET detail_bytes = ? WHERE import_id = ?", arguments: [Import.maxDetailBytes, imports[1].id])
      }
      imports.append(try await ana.importFile("3.gpx", Self.track(3)))
      func tracks(_ person: Person, _ id: ImportID) async throws -> Int {
        try await person.send(ListImportedExercises.self, .init(importID: id)).items.count
      }
      var found: [String] = []
      for one in imports {
        let now = try await ana.send(GetImport.self, .init(importID: one.id))
        found.append("\(try await tracks(ana, one.id)) \(now.areDetailsForgotten == true)")
        #expect(now.counts == one.counts)
      }
      #expect(found == ["0 true", "0 true", "1 false", "1 false"])
      #expect(try await tracks(ben, others.id) == 1)
    }
  }
}
