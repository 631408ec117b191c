import ActivityContract
import BuiltPrograms
import IdentityContract
import ImportFormats
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("The consent that imports need")
struct ImportConsentTests {
  /// A small file of each format.
  private static func file(_ format: ImportFormat) throws -> (name: String, bytes: [UInt8]) {
    let health = AppleHealthTests.export(
      AppleHealthTests.record("StepCount", "count", "5", "2026-11-20 10:00:00 +0000", "2026-11-20 10:10:00 +0000"))
    let habits = LoopTests.columns + "1,Read,YES_NO,,,1,1,#F,,,,false\n"
    let marks = "Date,Read,\n2026-11-19,YES_MANUAL,\n"
    switch format {
    case .appleHealth: return ("export.xml", Array(health.utf8))
    case .appleHealthZip: return ("export.zip", try Zip.archive([("export.xml", Array(health.utf8))]))
    case .fitbitHours: return ("a.csv", Array((RowsTests.fitbit + "1,3/12/2016 0:00,x,7\n").utf8))
    case .fitbitSteps: return ("a.csv", Array("timestamp,steps\n2026-11-20T08:00:00Z,7\n".utf8))
    case .fitbitStepsJSON:
      return ("steps-2026-11-20.json", Array("[{\"dateTime\":\"11/20/26 08:00:00\",\"value\":\"7\"}]".utf8))
    case .takeout:
      let days = Array((RowsTests.days + "2017-01-01,,1000,,,\n").utf8)
      return ("takeout.zip", try Zip.archive([("Takeout/Fit/a.csv", days)]))
    case .googleFitDays: return ("a.csv", Array((RowsTests.days + "2017-01-01,,1000,,,\n").utf8))
    case .googleFitDay:
      return ("2017-04-02.csv", Array((RowsTests.times + "02:00:00.000+10:00,02:15:00.000+10:00,,2,\n").utf8))
    case .gpx: return ("a.gpx", Array("<gpx><trk><name>Walk</name></trk></gpx>".utf8))
    case .loopDatabase:
      return (
        "loop.db",
        try LoopTests.database(
          LoopTests.habits, LoopTests.repetitions, "INSERT INTO Habits (id, name, freq_num, freq_den) VALUES (1, 'Read', 1, 1)",
          "INSERT INTO Repetitions (habit, timestamp, value) VALUES (1, 1795046400000, 2)")
      )
    case .loopHabits: return ("Habits.csv", Array(habits.utf8))
    case .loopCheckmarks: return ("Checkmarks.csv", Array(marks.utf8))
    case .loopZip:
      return ("loop.zip", try Zip.archive([("Habits.csv", Array(habits.utf8)), ("Checkmarks.csv", Array(marks.utf8))]))
    }
  }

  private static let ofLoop: Set<ImportFormat> = [.loopDatabase, .loopHabits, .loopCheckmarks, .loopZip]

  @Test(
    "Imports with movement or exercises need the consent to activity data, and those with habits do not",
    arguments: ImportFormat.allCases)
  func byFormat(_ format: ImportFormat) async throws {
    let (name, bytes) = try Self.file(format)
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(consents: [])
      // Where it is said what the file is, the answer comes before the file.
      let announced = CreateImport.Input(name: name, totalBytes: bytes.count, format: format)
      let needsConsent = !Self.ofLoop.contains(format)
      #expect(try await ana.failure(CreateImport.self, announced) == (needsConsent ? "consent_required" : nil))
      // Else it is found out when the file is there.
      let made = try await ana.upload(name, bytes)
      let completion = CompleteImport.Input(importID: made.id)
      if needsConsent {
        #expect(try await ana.failure(CompleteImport.self, completion) == "consent_required")
        #expect(try await ana.send(GetImport.self, completion).state == .uploading)
        try await services.change(ana, receivedBy: .activity) { $0.consents = [.activityData] }
      }
      _ = try await ana.send(CompleteImport.self, completion)
      let done = try await ana.end(of: made.id)
      #expect(done.state == .done && done.format == format && done.counts.records > 0)
    }
  }

  @Test(
    "Imports need consent at every step; withdrawing it ends them with the reason and removes their files")
  func withdrawn() async throws {
    let (name, bytes) = try Self.file(.appleHealth)
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let made = try await ana.upload(name, bytes, format: .appleHealth)
      // Not said to be anything, it may be movement.
      let unknown = try await ana.upload(name, Array(bytes.dropLast()))
      let waiting = try await ana.upload(name, bytes)
      // Without the signal it waits until something else is complete.
      try await services.store(of: .activity).write { try ImportStore.accept(waiting.id, as: .appleHealth, $0) }
      try await services.change(ana, receivedBy: .activity) { $0.consents = [] }
      for id in [made.id, unknown.id, waiting.id] {
        let ended = try await ana.send(GetImport.self, .init(importID: id))
        #expect(ended.state == .failed && ended.reason == .consentWithdrawn && ended.counts.accepted == 0)
        #expect(ended.reasonText == "the consent to activity data was withdrawn")
        let chunk = UploadImportChunk.Input(importID: id, offset: 0, content: Base64Bytes([1]))
        #expect(try await ana.failure(UploadImportChunk.self, chunk) == "import_not_uploading")
        #expect(try await ana.failure(CompleteImport.self, .init(importID: id)) == "import_unusable")
      }
      #expect(try await ana.areFilesGone(from: services.home))
      let published = try await services.published(by: .activity).filter { $0.name == ImportProgressed.spec.name }
        .map { try ImportProgressed.decode($0.body) }
      #expect(
        Set(published.map(\.importID)) == [made.id, unknown.id, waiting.id] && published.allSatisfy { $0.state == .failed })
      #expect(try await services.store(of: .activity).rows("movement_samples") == 0)
      // Given again, it brings nothing back.
      try await services.change(ana, receivedBy: .activity) { $0.consents = [.activityData] }
      #expect(try await ana.send(GetImport.self, .init(importID: made.id)).state == .failed)
    }
  }

  @Test("A withdrawn consent ends an import that is being read before its next batch")
  func reading() async throws {
    let (name, bytes) = try Self.file(.fitbitHours)
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let store = services.store(of: .activity)
      let made = try await ana.upload(name, bytes)
      // Begun, by a reader that takes its time.
      try await store.write { transaction in
        try ImportStore.accept(made.id, as: .fitbitHours, transaction)
        #expect(try ImportStore.begin(made.id, transaction))
      }
      try await services.change(ana, receivedBy: .activity) { $0.consents = [] }
      let row = try #require(try await store.read { try ImportStore.find(made.id, in: $0) })
      #expect(row.state == .reading)
      let run = try #require(
        ImportRun(
          row, store, ImportSpool(services.home, program: BuiltProgram.activity), AccountCalendars(), FairnessRules(Settings([:]))
        ))
      try await run.run { ImportLimits.batch }
      let ended = try await ana.end(of: made.id)
      #expect(ended.state == .failed && ended.reason == .consentWithdrawn && ended.counts.accepted == 0)
      #expect(try await store.rows("movement_samples") == 0)
    }
  }

  @Test("A withdrawn consent leaves imports of habits on their way, and those of others")
  func habitsStay() async throws {
    let (name, bytes) = try Self.file(.loopHabits)
    let movement = try Self.file(.fitbitHours)
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let habits = try await ana.upload(name, bytes, format: .loopHabits)
      let others = try await ben.upload(movement.name, movement.bytes, format: .fitbitHours)
      // Another consent's end is none of this one's.
      try await services.change(ana, receivedBy: .activity) { $0.consents = [.activityData, .location] }
      let mine = try await ana.upload(movement.name, movement.bytes, format: .fitbitHours)
      try await services.change(ana, receivedBy: .activity) { $0.consents = [.activityData] }
      #expect(try await ana.send(GetImport.self, .init(importID: mine.id)).state == .uploading)
      try await services.change(ana, receivedBy: .activity) { $0.consents = [] }
      #expect(try await ana.send(GetImport.self, .init(importID: mine.id)).state == .failed)
      for (person, id) in [(ana, habits.id), (ben, others.id)] {
        _ = try await person.send(CompleteImport.self, .init(importID: id))
        #expect(try await person.end(of: id).state == .done)
      }
    }
  }

  @Test("Consent may be given after the file was refused, and is asked for at identity where its event is late")
  func late() async throws {
    let (name, bytes) = try Self.file(.fitbitHours)
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(consents: [])
      let made = try await ana.upload(name, bytes)
      #expect(try await ana.failure(CompleteImport.self, .init(importID: made.id)) == "consent_required")
      try await services.change(ana, isPublished: false) { $0.consents = [.activityData] }
      _ = try await ana.send(CompleteImport.self, .init(importID: made.id))
      #expect(try await ana.end(of: made.id).counts.accepted == 1)
    }
  }
}
