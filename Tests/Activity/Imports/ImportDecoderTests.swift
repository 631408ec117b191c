import ActivityContract
import BuiltPrograms
import Foundation
import Glibc
import ImportFormats
import InProcess
import Operations
import Sandbox
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Decoders of imported files", .timeLimit(.minutes(2)))
struct ImportDecoderTests {
  private static let records = 4500
  private static let bytes = Array(
    (RowsTests.fitbit
      + (0..<records).map { index in
        "1,\(1 + index / 24 % 12)/\(1 + index / 288 % 28)/\(2010 + index / 8064) \(index % 24):00,x,7\n"
      }.joined()).utf8)

  @Test("When a decoder is killed, another continues where it stopped, and nothing is lost or imported twice")
  func killed() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let store = services.store(of: .activity)
      let before = BuiltProgram.decoders()
      let made = try await ana.upload("hours.csv", Self.bytes)
      _ = try await ana.send(CompleteImport.self, .init(importID: made.id))
      // Each time it has come on, since three starts without that are all there are.
      var (position, kills) = (0, 0)
      while kills < 2 {
        let row = try #require(try await store.read { try ImportStore.find(made.id, in: $0) })
        guard !row.state.isEnded else { break }
        let decoders = BuiltProgram.decoders().subtracting(before)
        guard kills == 0 || row.position > position, let decoder = decoders.first else {
          await Task.yield()
          continue
        }
        kill(decoder, SIGKILL)
        (position, kills) = (row.position, kills + 1)
      }
      let done = try await ana.end(of: made.id)
      #expect(done.state == .done && kills > 0)
      #expect(done.counts.accepted == Self.records && done.counts.repeated == 0 && done.counts.rejected == 0)
    }
  }

  @Test("A file that kills its decoder three times ends its import, not the service, also while it is identified")
  func deadly() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let store = services.store(of: .activity)
      let spool = ImportSpool(services.home, program: BuiltProgram.path("sandbox-probe"))
      let made = try await ana.upload("hours.csv", Self.bytes)
      try await store.write { try ImportStore.accept(made.id, as: .fitbitHours, $0) }
      let row = try #require(try await store.read { try ImportStore.find(made.id, in: $0) })
      let run = try #require(ImportRun(row, store, spool, AccountCalendars(), FairnessRules(Settings([:]))))
      try await run.run { ImportLimits.batch }
      let ended = try await ana.end(of: made.id)
      #expect(ended.state == .failed && ended.reason == .givenUp && ended.counts.records == 0)
      let other = try await ana.upload("hours.csv", Self.bytes)
      let waiting = try #require(try await store.read { try ImportStore.find(other.id, in: $0) })
      try await ImportInspections().inspect(waiting, spool, store)
      #expect(try await ana.end(of: other.id).reason == .damaged)
      #expect(try await ana.areFilesGone(from: services.home))
    }
  }

  @Test("Decoders report the same for a file as reading it in one's own process", arguments: 0..<6)
  func same(index: Int) throws {
    let gpx =
      "<gpx><trk><name>Über\u{301}</name><type>run</type><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2026-11-20T10:00:00Z</time></trkpt><trkpt lat=\"1.001\" lon=\"2\"><time>2026-11-20T10:10:00Z</time></trkpt></trkseg></trk></gpx>"
    let habits = LoopTests.columns + "1,Coffee,NUMERICAL,Why?,,1,3,#F,cups,AT_MOST,2.5,false\n2,Old,YES_NO,,,2,7,#F,,,,true\n"
    let marks = "Date,Coffee,Old,\n2026-11-19,1500,YES_MANUAL,\n2026-11-18,x,NO,\n"
    let export = AppleHealthTests.export(
      AppleHealthTests.record("StepCount", "count", "12") + AppleHealthTests.record("StepCount", "count", "?"))
    let files: [(String, [UInt8])] = [
      ("export.xml", Array(export.utf8)), ("a.gpx", Array(gpx.utf8)), ("hours.csv", Array(Self.bytes.prefix(5000))),
      ("Loop.zip", try Zip.archive([("Habits.csv", Array(habits.utf8)), ("Checkmarks.csv", Array(marks.utf8))])),
      ("Checkmarks.csv", Array(marks.utf8)),
      (
        "Loop.db",
        try LoopTests.database(
          LoopTests.habits, LoopTests.repetitions,
          "INSERT INTO Habits (id, archived, freq_den, freq_num, name, position, type) VALUES (1, 0, 1, 1, 'Read', 1, 0)",
          "INSERT INTO Repetitions (habit, timestamp, value) VALUES (1, 86400000, 2), (1, 5, 2), (7, 0, 2)")
      ),
    ]
    let file = try TemporaryFile(files[index].0, files[index].1)
    let (records, fault) = try file.read()
    #expect(!records.isEmpty)
    let decoded = try DecodedImport(file.file.contents, name: file.file.name, program: BuiltProgram.activity)
    let format = try decoded.format().get()
    #expect(try format == file.file.format())
    try decoded.open(format, person: nil, from: 1).get()
    var others: [ImportedRecord] = []
    var slice = try decoded.next(maximum: 1)
    while let some = slice.records {
      others += some
      slice = try decoded.next(maximum: 1)
    }
    #expect(slice.fault == fault)
    #expect(others.map(Self.text) == records.dropFirst().map(Self.text))
  }

  private static func text(_ record: ImportedRecord) -> String {
    let position = "\(record.part ?? "") \(record.line)"
    return switch record.content {
    case .sample(let sample):
      "\(position) \(sample.id) \(sample.amount) \(sample.span) \(sample.source.name ?? "") \(sample.source.device ?? "") \(sample.isTotal)"
    default: "\(position) \(record.content)"
    }
  }
}
