import ActivityContract
import ActivityService
import Foundation
import ImportFormats
import InProcess
import Operations
import Testing

@Suite("Archives of Google Takeout and of Fitbit (MOVE-3)")
struct TakeoutTests {
  private static let days =
    "Date,Move Minutes count,Calories (kcal),Distance (m),Step count,Biking duration (ms),Inactive duration (ms),Walking duration (ms)\n"
    + "2026-11-18,10,1,5000.5,7000,,1,60000\n2026-11-19,10,1,9000,100,3600000,1,\n"
  private static let quarters =
    "Start time,End time,Calories (kcal),Distance (m),Step count,Walking duration (ms)\n"
    + "09:00:00.000Z,09:15:00.000Z,1,100,150,60000\n"
  static let minutes = """
    [{
      "dateTime" : "11/17/26 08:15:00",
      "value" : "52"
    },{
      "dateTime" : "11/17/26 08:16:00",
      "value" : "0"
    },{
      "dateTime" : "11/17/26 08:17:00", "value" : 48
    }]
    """
  private static let rows =
    "timestamp,steps,data source\n2026-11-16T16:39:00Z,34,Pixel Watch 2\n2026-11-16T16:40:00Z,66,MobileTrack\n"

  static func entries() -> [(name: String, bytes: [UInt8])] {
    [
      ("Takeout/archive_browser.html", Array("<html>".utf8)),
      ("Takeout/Fit/Todas as sessões/2026-11-18T10_00_00Z_WALKING.json", Array("{}".utf8)),
      ("Takeout/Fit/Todas as sessões/2026-11-19T10_00_00Z_WALKING.json", Array("{}".utf8)),
      ("Takeout/Fit/Métricas de atividade diária/Métricas.csv", Array(days.utf8)),
      ("Takeout/Fit/Métricas de atividade diária/2026-11-20.csv", Array(quarters.utf8)),
      ("Takeout/Fitbit/Global Export Data/heart_rate-2026-11-17.json", Array("[]".utf8)),
      ("Takeout/Fitbit/Global Export Data/steps-2026-11-17.json", Array(minutes.utf8)),
      ("Takeout/Fitbit/Physical Activity_GoogleData/steps_2026-11-16.csv", Array(rows.utf8)),
      ("Takeout/Fitbit/Sleep Score/sleep_score.csv", Array("timestamp,overall_score\n1,2\n".utf8)),
    ]
  }

  private static func archive(isTar: Bool) throws -> (name: String, bytes: [UInt8]) {
    isTar
      ? ("takeout-20261121T100000Z-001.tgz", try OtherArchives.tgz(entries()))
      : ("takeout-20261121T100000Z-001.zip", OtherArchives.utf8Zip(entries()))
  }

  @Test(
    "An archive of Takeout, zip or tgz, is read in folders of any language, and what is not read is listed by name",
    arguments: [false, true])
  func archive(isTar: Bool) throws {
    let (name, bytes) = try Self.archive(isTar: isTar)
    let file = try TemporaryFile(name, bytes)
    #expect(try file.file.format() == .takeout)
    let (records, fault) = try file.read()
    #expect(fault == nil)
    #expect(records.samples.filter { $0.kind == .steps }.map(\.amount) == [7000, 100, 150, 52, 48, 34, 66])
    #expect(records.samples.filter { $0.kind == .walkingDistance }.map(\.amount) == [5_000_500, 100_000])
    #expect(records.samples.filter { $0.kind == .cyclingDistance }.map(\.amount) == [9_000_000])
    #expect(records.samples.suffix(2).map(\.source.device) == ["Pixel Watch 2", "MobileTrack"])
    let ignored = records.filter { if case .fault(.fileIgnored) = $0.content { true } else { false } }.compactMap(\.part)
    #expect(
      ignored.map { $0.split(separator: "/").last ?? "" } == [
        "archive_browser.html", "*-*-*T*_*_*Z_WALKING.json", "heart_rate-*-*-*.json", "sleep_score.csv",
      ])
    #expect(Set(records.compactMap(\.part)).count == 8)
  }

  @Test("An archive of Takeout gives days, quarters, and minutes of two devices; the same again changes nothing")
  func service() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "UTC")
      for isTar in [false, true] {
        let (name, bytes) = try Self.archive(isTar: isTar)
        let done = try await ana.importFile(name, bytes)
        #expect(done.state == .done && done.format == .takeout && done.counts.rejected == 4)
        #expect(isTar ? done.counts.accepted == 0 : done.counts.accepted > 0)
        #expect(try await ana.problems(of: done.id) == Array(repeating: "0 fileIgnored", count: 4))
      }
      let list = try await ana.send(
        ListMovementDays.self, .init(from: try LocalDay(text: "2026-11-15"), to: try LocalDay(text: "2026-11-21")))
      #expect(
        list.items.map { "\($0.day) \($0.steps) \($0.walkingMeters) \($0.cyclingMeters)" } == [
          "2026-11-16 100 0.0 0.0", "2026-11-17 100 0.0 0.0", "2026-11-18 7000 5000.5 0.0", "2026-11-19 100 0.0 9000.0",
          "2026-11-20 150 100.0 0.0",
        ])
    }
  }

  @Test("An archive of Fitbit has its minutes in two forms, of which one counts, with its devices and without them")
  func twice() async throws {
    let json = "[{\"dateTime\":\"11/16/26 16:39:00\",\"value\":\"34\"},{\"dateTime\":\"11/16/26 16:40:00\",\"value\":\"66\"}]"
    let rows = "timestamp,steps,data source\n2026-11-16T16:39:00Z,34,Pixel Watch 2\n2026-11-16T16:40:00Z,66,Pixel Watch 2\n"
    let plain = "timestamp,steps\n2026-11-16T16:39:00Z,34\n2026-11-16T16:40:00Z,66\n"
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "UTC")
      let bytes = try Zip.archive([
        ("MyFitbitData/AnaG/Global Export Data/steps-2026-11-16.json", Array(json.utf8)),
        ("MyFitbitData/AnaG/Physical Activity_GoogleData/steps_2026-11-01.csv", Array(rows.utf8)),
      ])
      #expect(try await ana.importFile("MyFitbitData.zip", bytes).counts.accepted == 4)
      #expect(try await ana.importFile("steps_2026-11-01.csv", plain).counts.repeated == 2)
      #expect(try await ana.importFile("steps-2026-11-16.json", json).format == .fitbitStepsJSON)
      #expect(try await ana.steps(from: "2026-11-01", days: 30) == 100)
    }
  }

  @Test("A file of Fitbit's minutes that breaks off or has other things in it keeps what stands before")
  func damaged() throws {
    for (text, amounts, fault) in [
      (Self.minutes.replacing("48\n}]", with: "48"), [52], FormatFault.damaged),
      ("[{\"dateTime\":\"11/17/26 08:15:00\",\"value\":\"1\"},{\"a\":{}}]", [1], .damaged),
      ("[{\"dateTime\":\"11/17/26 08:15:00\",\"value\":\"1\"},{\"value\":\"2\"},{\"dateTime\":\"11/17/26 08:16:00\"}]", [1], nil),
      ("[{\"dateTime\":\"13/17/26 08:15:00\",\"value\":\"1\"}, {\"dateTime\":\"11/17/26 08:15:00\",\"value\":\"-1\"}]", [], nil),
    ] as [(String, [Int], FormatFault?)] {
      let (records, found) = try TemporaryFile("steps-2026-11-17.json", text).read()
      #expect(records.samples.map(\.amount) == amounts && found == fault, "\(text)")
    }
    #expect(try TemporaryFile("calories-2026-11-17.json", Self.minutes).read().fault == .unrecognized)
  }

  @Test("A file within an archive that breaks off ends none of the others")
  func within() throws {
    let bytes = try Zip.archive([
      ("Fitbit/steps-2026-11-17.json", Array("[{\"dateTime\":\"11/17/26 08:15:00\",\"value\":\"1\"},".utf8)),
      ("Fitbit/steps-2026-11-18.json", Array("[{\"dateTime\":\"11/18/26 08:15:00\",\"value\":\"2\"}]".utf8)),
    ])
    let (records, fault) = try TemporaryFile("Fitbit.zip", bytes).read()
    #expect(fault == nil && records.samples.map(\.amount) == [1, 2] && records.faults == ["1 brokenOff"])
  }

  @Test("Archives of Takeout that unpack beyond the limit are refused before they do, and so are those without an export")
  func bounds() throws {
    let zeros = [UInt8](repeating: 0x20, count: 64 << 20)
    let bytes = try OtherArchives.tgz([("Takeout/a.bin", zeros)])
    #expect(bytes.count < 100_000)
    #expect(try TemporaryFile("takeout.tgz", bytes).read().fault == .tooLarge)
    let photos = try OtherArchives.tgz([("Takeout/Photos/a.jpg", [1, 2, 3])])
    #expect(try TemporaryFile("takeout.tgz", photos).read().fault == .noExport)
    #expect(try TemporaryFile("takeout.tgz", Array(photos.prefix(40))).read().fault == .damaged)
  }
}
