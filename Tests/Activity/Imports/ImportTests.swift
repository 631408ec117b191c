import ActivityContract
import ActivityService
import Crypto
import Foundation
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@Suite("Imports")
struct ImportTests {
  private static let export = AppleHealthTests.export((0..<40).map(record).joined(separator: "\n"))

  /// Two a day, of some minutes each.
  private static func record(_ index: Int) -> String {
    let day = String(format: "2026-11-%02d", 1 + index % 20)
    let hour = 8 + index / 20
    let start = "\(day) " + String(format: "%02d:00:00 +0000", hour)
    let end = "\(day) " + String(format: "%02d:%02d:00 +0000", hour, 1 + index)
    return AppleHealthTests.record("StepCount", "count", "\(100 + index)", start, end)
  }

  /// The steps of all its records.
  private static let steps = (0..<40).reduce(0) { $0 + 100 + $1 }

  private static let bytes = Array(export.utf8)

  @Test("Chunks of an import may be lost, repeated or overlap, and the answer says where to continue")
  func chunks() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let bytes = Self.bytes
      let made = try await ana.send(CreateImport.self, .init(name: "export.xml", totalBytes: bytes.count))
      #expect(made.state == .uploading && made.receivedBytes == 0 && made.progress == 0)
      func send(_ range: Range<Int>) async throws -> Int {
        try await ana.send(
          UploadImportChunk.self, .init(importID: made.id, offset: range.lowerBound, content: Base64Bytes(Array(bytes[range])))
        ).nextOffset
      }
      #expect(try await send(0..<1000) == 1000)
      #expect(try await send(0..<1000) == 1000)
      #expect(try await send(2000..<3000) == 1000)
      #expect(try await send(500..<1500) == 1500)
      #expect(try await ana.failure(CompleteImport.self, .init(importID: made.id)) == "import_incomplete")
      #expect(try await send(1500..<bytes.count) == bytes.count)
      let tooMuch = UploadImportChunk.Input(importID: made.id, offset: bytes.count - 1, content: Base64Bytes([1, 2]))
      #expect(try await ana.refusedFields(UploadImportChunk.self, tooMuch) == ["content beyond_end"])
      _ = try await ana.send(CompleteImport.self, .init(importID: made.id))
      let done = try await ana.end(of: made.id)
      #expect(done.state == .done && done.progress == 100 && done.format == .appleHealth && done.endedAt != nil)
      #expect(done.counts == ImportCounts(records: 40, accepted: 40, repeated: 0, rejected: 0, days: 20))
      #expect(try await ana.steps(from: "2026-11-01", days: 30) == Self.steps)
      #expect(try await ana.send(CompleteImport.self, .init(importID: made.id)) == done)
      #expect(try await ana.failure(UploadImportChunk.self, tooMuch) == "import_not_uploading")
      #expect(try await ana.areFilesGone(from: services.home))
    }
  }

  @Test("Bytes that differ from those already received are refused by field and rule; the same bytes are accepted")
  func otherBytes() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let bytes = Self.bytes
      let made = try await ana.send(CreateImport.self, .init(name: "export.xml", totalBytes: bytes.count))
      func chunk(_ range: Range<Int>, changing index: Int? = nil) -> UploadImportChunk.Input {
        var content = Array(bytes[range])
        if let index { content[index - range.lowerBound] ^= 1 }
        return .init(importID: made.id, offset: range.lowerBound, content: Base64Bytes(content))
      }
      #expect(try await ana.send(UploadImportChunk.self, chunk(0..<1000)).nextOffset == 1000)
      for index in [0, 500, 999] {
        #expect(try await ana.refusedFields(UploadImportChunk.self, chunk(0..<1000, changing: index)) == ["content other_bytes"])
      }
      // Neither does what it adds arrive.
      #expect(try await ana.refusedFields(UploadImportChunk.self, chunk(900..<2000, changing: 950)) == ["content other_bytes"])
      #expect(try await ana.send(GetImport.self, .init(importID: made.id)).receivedBytes == 1000)
      #expect(try await ana.send(UploadImportChunk.self, chunk(900..<1000)).nextOffset == 1000)
      // What has not arrived may be anything.
      #expect(try await ana.send(UploadImportChunk.self, chunk(2000..<3000, changing: 2500)).nextOffset == 1000)
      #expect(try await ana.send(UploadImportChunk.self, chunk(900..<bytes.count)).nextOffset == bytes.count)
      _ = try await ana.send(CompleteImport.self, .init(importID: made.id))
      #expect(try await ana.end(of: made.id).counts.accepted == 40)
    }
  }

  @Test("Two concurrent chunks of an import leave exactly the bytes that were confirmed")
  func atOnce() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let made = try await ana.send(CreateImport.self, .init(name: "a", totalBytes: 200 * 1000))
      for round in 0..<200 {
        let kept = try await withThrowingTaskGroup(of: UInt8?.self) { group in
          for byte in UInt8(0)..<4 {
            let content = Base64Bytes([UInt8](repeating: byte, count: 1000))
            group.addTask {
              do {
                let chunk = UploadImportChunk.Input(importID: made.id, offset: round * 1000, content: content)
                return try await ana.send(UploadImportChunk.self, chunk).nextOffset > round * 1000 ? byte : nil
              } catch let failure as Failure {
                #expect(failure.fields.map(\.code) == ["other_bytes"])
                return nil
              }
            }
          }
          return try await group.reduce(into: [UInt8]()) { kept, byte in if let byte { kept.append(byte) } }
        }
        // One learns that it stands there, and so it does; the others are refused, or are to send theirs again.
        #expect(kept.count == 1)
        let file = try #require(FileManager.default.contents(atPath: "\(services.home.path)/imports/\(ana.id)/\(made.id)"))
        #expect(Set(file[(round * 1000)...]) == Set(kept))
      }
    }
  }

  @Test("Files of imports can be read by the service's own user only")
  func modes() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let made = try await ana.upload("export.xml", Self.bytes)
      let folder = "\(services.home.path)/imports/\(ana.id)"
      func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      }
      #expect(try mode(folder) == 0o700)
      #expect(try mode("\(folder)/\(made.id)") == 0o600)
    }
  }

  @Test("Importing the same file twice changes nothing, also as an archive or at the same time")
  func twice() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let zip = try Zip.archive([("apple_health_export/export.xml", Self.bytes)])
      async let one = ana.importFile("export.xml", Self.bytes)
      async let other = ana.importFile("export.zip", zip)
      let counts = try await [one, other].map(\.counts)
      #expect(counts.map(\.accepted).reduce(0, +) == 40 && counts.map(\.repeated).reduce(0, +) == 40)
      #expect(try await ana.importFile("export.xml", Self.bytes).counts.repeated == 40)
      #expect(try await ana.steps(from: "2026-11-01", days: 30) == Self.steps)
    }
  }

  @Test("Good records of a file are imported, and bad ones listed by line and reason in the caller's language")
  func problems() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(language: .spanish)
      let text = AppleHealthTests.export(
        [
          AppleHealthTests.record("StepCount", "count", "1"), AppleHealthTests.record("StepCount", "count", "x"),
          AppleHealthTests.record("StepCount", "count", "2", "2027-12-22 10:00:00 +0000", "2027-12-22 10:10:00 +0000"),
          AppleHealthTests.record("StepCount", "count", "3", "2026-11-20 10:10:00 +0000", "2026-11-20 10:00:00 +0000"),
          AppleHealthTests.record("StepCount", "count", "4", "2026-11-18 10:10:00 +0000", "2026-11-20 10:00:00 +0000"),
          AppleHealthTests.record("StepCount", "count", "5", "1969-11-18 10:10:00 +0000", "1969-11-18 10:20:00 +0000"),
          AppleHealthTests.record("StepCount", "count", "6000000"), AppleHealthTests.record("StepCount", "count", "7"),
        ].joined(separator: "\n"))
      let done = try await ana.importFile("export.xml", text)
      #expect(done.state == .done)
      #expect(done.counts == ImportCounts(records: 8, accepted: 2, repeated: 0, rejected: 6, days: 1))
      #expect(
        try await ana.problems(of: done.id)
          == ["14 badNumber", "15 tooFarAhead", "16 endsBeforeStart", "17 tooLong", "18 tooOld", "19 outOfRange"])
      var page = try await ana.send(ListImportProblems.self, .init(importID: done.id, limit: 4))
      #expect(page.items.map(\.number) == [1, 2, 3, 4] && page.items[1].text == "Termina dentro de más de un año.")
      page = try await ana.send(ListImportProblems.self, .init(importID: done.id, limit: 4, cursor: page.nextCursor))
      #expect(page.items.map(\.number) == [5, 6] && page.nextCursor == nil)
    }
  }

  @Test("Imports list the first 1,000 problems and count all")
  func manyProblems() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let rows = (0..<5000).map { _ in "1,never,x,1\n" }.joined()
      let done = try await ana.importFile("a.csv", RowsTests.fitbit + rows)
      #expect(done.state == .done && done.counts.rejected == 5000)
      #expect(try await services.store(of: .activity).rows("import_problems") == 1000)
    }
  }

  @Test("An import that breaks off keeps the records before, and says where it broke off")
  func brokenOff() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let done = try await ana.importFile("export.xml", Array(Self.bytes.prefix(Self.bytes.count - 400)))
      #expect(done.state == .failed && done.reason == .damaged && done.reasonText == "it is damaged or cut off")
      #expect(done.counts.accepted == 38 && done.counts.rejected == 1)
      #expect(try await ana.problems(of: done.id) == ["51 brokenOff"])
    }
  }

  @Test("Imports of wrong types, with false names, formats or checksums are refused with the reason, and the file is removed")
  func lies() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let gpx = Array("<gpx><trk/></gpx>".utf8)
      #expect(try await ana.refusal("photo.png", [0x89, 0x50, 0x4E, 0x47]) == "import_unrecognized")
      #expect(try await ana.refusal("export.zip", Self.bytes) == "import_otherName")
      for name in ["export.csv", "a.pdf", "a.exe", "a.PNG", "a.mp4", "a.gpx.txt", "a.pdf "] {
        #expect(try await ana.refusal(name, gpx) == "import_otherName", "\(name)")
      }
      #expect(try await ana.refusal("export.xml", gpx, format: .appleHealth) == "import_otherFormat")
      let bomb = "<!DOCTYPE HealthData [<!ENTITY a \"b\">]><HealthData/>"
      #expect(try await ana.refusal("export.xml", Array(bomb.utf8)) == "import_unsafe")
      #expect(try await ana.refusal("export.zip", [0x50, 0x4B, 0x03, 0x04, 1]) == "import_damaged")
      #expect(try await ana.importFile("day.csv", RowsTests.times + "x,x,x,x,x\n").reason == .dayMissing)
      let zeros = String(repeating: "0", count: 64)
      #expect(try await ana.importFile("a.gpx", gpx, sha256: zeros).reason == .otherBytes)
      let right = SHA256.hash(data: gpx).map { String(format: "%02X", $0) }.joined()
      #expect(try await ana.importFile("a.gpx", gpx, sha256: right).state == .done)
      // A name without an ending says nothing.
      for name in ["track", "2026.11.20", "to km 12.5, and back", "a."] {
        #expect(try await ana.importFile(name, gpx).state == .done, "\(name)")
      }
      let list = try await ana.send(ListImports.self, .init()).items
      #expect(list.map(\.name).reversed().prefix(2) == ["photo.png", "export.zip"])
      #expect(try await ana.areFilesGone(from: services.home))
    }
  }

  @Test("Imports are refused by what is announced: size, name, checksum, each field with its rule")
  func fields() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let bad = CreateImport.Input(name: " ", totalBytes: 1, sha256: String(repeating: "g", count: 64))
      #expect(try await ana.refusedFields(CreateImport.self, bad) == ["name empty", "sha256 not_hexadecimal"])
      for size in [0, -1, (2 << 30) + 1] {
        #expect(
          try await ana.refusedFields(CreateImport.self, .init(name: "a", totalBytes: size)) == ["totalBytes out_of_range"])
      }
      let made = try await ana.send(CreateImport.self, .init(name: "a", totalBytes: 1 << 20))
      let large = UploadImportChunk.Input(
        importID: made.id, offset: 0, content: Base64Bytes([UInt8](repeating: 1, count: 524_289)))
      #expect(try await ana.refusedFields(UploadImportChunk.self, large) == ["content bytes_out_of_range"])
      let none = UploadImportChunk.Input(importID: made.id, offset: 0, content: Base64Bytes([]))
      #expect(try await ana.refusedFields(UploadImportChunk.self, none) == ["content bytes_out_of_range"])
    }
  }

  @Test(
    "An account has at most three unfinished imports, and all accounts as many as the remaining space allows")
  func bounds() async throws {
    let settings = ["racha.imports.spoolBytes": "1000"]
    try await ServicesInProcess.running([{ Activities.service($0) }], settings: settings) { services in
      let ana = try await services.register()
      let ben = try await services.register()
      func chunk(_ made: Import, _ offset: Int, _ count: Int) -> UploadImportChunk.Input {
        .init(importID: made.id, offset: offset, content: Base64Bytes([UInt8](repeating: 1, count: count)))
      }
      let first = try await ana.send(CreateImport.self, .init(name: "a", totalBytes: 500))
      // What is announced and does not come keeps nobody out.
      let second = try await ben.send(CreateImport.self, .init(name: "a", totalBytes: 1000))
      _ = try await ana.send(UploadImportChunk.self, chunk(first, 0, 500))
      #expect(try await ben.failure(CreateImport.self, .init(name: "a", totalBytes: 501)) == "import_no_room")
      _ = try await ben.send(UploadImportChunk.self, chunk(second, 0, 500))
      #expect(try await ben.failure(UploadImportChunk.self, chunk(second, 500, 1)) == "import_no_room")
      _ = try await ben.send(CancelImport.self, .init(importID: second.id))
      for _ in 0..<2 { _ = try await ana.send(CreateImport.self, .init(name: "a", totalBytes: 1)) }
      #expect(try await ana.failure(CreateImport.self, .init(name: "a", totalBytes: 1)) == "too_many_imports")
      let cancelled = try await ana.send(CancelImport.self, .init(importID: first.id))
      #expect(cancelled.state == .cancelled)
      #expect(try await ana.send(CancelImport.self, .init(importID: first.id)) == cancelled)
      #expect(try await ana.failure(CompleteImport.self, .init(importID: first.id)) == "import_not_uploading")
      _ = try await ana.send(CreateImport.self, .init(name: "a", totalBytes: 501))
    }
  }

  @Test("An account's imports use at most its share of space; beyond it they are refused without affecting other accounts")
  func share() async throws {
    let settings = ["racha.imports.spoolBytesPerAccount": "1000"]
    try await ServicesInProcess.running([{ Activities.service($0) }], settings: settings) { services in
      let ana = try await services.register()
      let ben = try await services.register()
      #expect(
        try await ana.refusedFields(CreateImport.self, .init(name: "a", totalBytes: 1001)) == ["totalBytes file_too_large"])
      let first = try await ana.send(CreateImport.self, .init(name: "a", totalBytes: 600))
      #expect(try await ana.failure(CreateImport.self, .init(name: "a", totalBytes: 401)) == "import_account_full")
      _ = try await ana.send(CreateImport.self, .init(name: "a", totalBytes: 400))
      _ = try await ben.send(CreateImport.self, .init(name: "a", totalBytes: 1000))
      // What has ended takes none.
      _ = try await ana.send(CancelImport.self, .init(importID: first.id))
      _ = try await ana.send(CreateImport.self, .init(name: "a", totalBytes: 600))
    }
  }

  @Test("Imports of others are not found")
  func strangers() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let ben = try await services.register()
      let made = try await ana.upload("export.xml", Self.bytes)
      let name = ImportName(importID: made.id)
      let chunk = UploadImportChunk.Input(importID: made.id, offset: 0, content: Base64Bytes([1]))
      #expect(try await ben.failure(GetImport.self, name) == "import_not_found")
      #expect(try await ben.failure(CompleteImport.self, name) == "import_not_found")
      #expect(try await ben.failure(CancelImport.self, name) == "import_not_found")
      #expect(try await ben.failure(UploadImportChunk.self, chunk) == "import_not_found")
      #expect(try await ben.failure(ListImportProblems.self, .init(importID: made.id)) == "import_not_found")
      #expect(try await ben.failure(ListImportedExercises.self, .init(importID: made.id)) == "import_not_found")
      #expect(try await ben.send(ListImports.self, .init()).items.isEmpty)
      #expect(try await ana.send(ListImports.self, .init()).items.map(\.id) == [made.id])
    }
  }

  @Test("Imports leave nothing of a deleted account: rows and files")
  func erased() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      _ = try await ana.importFile("export.xml", Self.bytes)
      _ = try await ana.importFile("a.gpx", "<gpx><trk/></gpx>")
      _ = try await ana.importFile("Habits.csv", LoopTests.columns + "1,A,YES_NO,,,1,1,#F,,,,false\n")
      _ = try await ana.upload("export.xml", Self.bytes)
      let folder = "\(services.home.path)/imports/\(ana.id)"
      #expect(FileManager.default.fileExists(atPath: folder))
      try await services.delete(ana, receivedBy: .activity)
      #expect(try await services.store(of: .activity).traces(of: ana.id).isEmpty)
      #expect(try await ana.areFilesGone(from: services.home))
    }
  }

  @Test("Imports publish their progress: at the end in any case, never backwards")
  func progress() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let done = try await ana.importFile("export.xml", Self.bytes)
      let published = try await services.published(by: .activity).filter { $0.name == ImportProgressed.spec.name }
        .map { try ImportProgressed.decode($0.body) }
      #expect(published.map(\.progress) == published.map(\.progress).sorted())
      #expect(
        published.last
          == ImportProgressed(accountID: ana.id, importID: done.id, state: .done, progress: 100, counts: done.counts))
    }
  }

  @Test("Imported habits keep their entries, archived ones go to the archive, and limits stay limits")
  func habits() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let habits =
        LoopTests.columns
        + "1,Old,YES_NO,,,1,5,#F,,,,true\n2,Coffee,NUMERICAL,,,1,1,#F,cups,AT_MOST,2.5,false\n3,A very long name of a habit,YES_NO,,,2,3,#F,,,,false\n"
      let marks =
        "Date,Old,Coffee,A very long name of a habit,\n2026-11-19,YES_MANUAL,1500,NO,\n2026-11-17,YES_MANUAL,3000,YES_MANUAL,\n"
      let zip = try Zip.archive([("Habits.csv", Array(habits.utf8)), ("Checkmarks.csv", Array(marks.utf8))])
      let done = try await ana.importFile("Loop.zip", zip)
      #expect(done.counts == ImportCounts(records: 8, accepted: 8, repeated: 0, rejected: 0, days: 2))
      let listed = try await ana.send(ListActivities.self, .init()).items.map(\.activity)
      #expect(listed.map(\.title) == ["Coffee", "A very long name of"])
      #expect(listed[0].goal == .quantity(2.5, unit: "cups", .atMost))
      #expect(listed[1].schedule == .timesAWeek(5) && listed[1].startDay.description == "2026-11-17")
      #expect(try await services.store(of: .activity).rows("entries") == 5)
      #expect(try await services.store(of: .activity).rows("activities") == 3)
      // What the account wrote itself is not lowered by an older backup.
      let date = try LocalDay(text: "2026-11-19")
      _ = try await ana.send(RecordEntry.self, .init(activityID: listed[0].id, day: .day(date), amount: 4))
      #expect(try await ana.importFile("Loop.zip", zip).counts.repeated == 8)
      let plan = try await ana.send(GetDay.self, .init(day: .day(date)))
      #expect(plan.activities.first { $0.id == listed[0].id }?.amount == 4)
    }
  }

  @Test("Imports of a Loop database with one bad repetition keep all others: it is a problem, and begins no habit (MOVE-3)")
  func badRepetition() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T12:00:00.000Z") { services in
      let ana = try await services.register()
      let last = try LocalDay(text: "2026-11-21")
      for (name, bad) in [("Read", Int(last.advanced(by: -30).daysSinceEpoch) * 86_400_000 + 3_600_000), ("Run", -86_400_000)] {
        let marks = (0..<10).map { "(1, \(Int(last.advanced(by: -$0).daysSinceEpoch) * 86_400_000), 2)" }
        let bytes = try LoopTests.database(
          LoopTests.habits, LoopTests.repetitions,
          "INSERT INTO Habits (id, archived, freq_den, freq_num, name, position, type) VALUES (1, 0, 1, 1, '\(name)', 1, 0)",
          "INSERT INTO Repetitions (habit, timestamp, value) VALUES (1, \(bad), 2), \(marks.joined(separator: ", "))")
        let done = try await ana.importFile("Loop.db", bytes)
        #expect(done.counts == ImportCounts(records: 12, accepted: 11, repeated: 0, rejected: 1, days: 10))
        #expect(try await ana.problems(of: done.id) == ["1 badTime"])
        let activity = try await ana.send(ListActivities.self, .init()).items.map(\.activity).first { $0.title == name }
        #expect(activity?.startDay == last.advanced(by: -9))
      }
    }
  }

  @Test("An import says why an entry is refused: the habit is paused, skipped, archived or not planned on that day")
  func restingHabits() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T12:00:00.000Z") { services in
      let ana = try await services.register(language: .spanish)
      let habits = LoopTests.columns + "1,Read,YES_NO,,,1,1,#F,,,,false\n2,Old,YES_NO,,,1,1,#F,,,,true\n"
      _ = try await ana.importFile("Habits.csv", habits)
      _ = try await ana.importFile("Checkmarks.csv", "Date,Read,Old,\n2026-11-10,YES_MANUAL,YES_MANUAL,\n")
      let read = try await ana.send(ListActivities.self, .init()).items[0].activity.id
      func day(_ number: Int) throws -> LocalDay { try LocalDay(text: "2026-11-\(number)") }
      _ = try await ana.send(CreatePause.self, .init(activityID: read, firstDay: try day(12), lastDay: try day(13)))
      _ = try await ana.send(CreateSkip.self, .init(activityID: read, day: .day(try day(14))))
      _ = try await ana.send(UpdateActivity.self, .init(activityID: read, endDay: .set(try day(20))))
      let marks =
        "Date,Read,Old,\n2026-11-21,YES_MANUAL,YES_MANUAL,\n2026-11-14,YES_MANUAL,,\n2026-11-13,YES_MANUAL,YES_MANUAL,\n"
      let done = try await ana.importFile("Checkmarks.csv", marks)
      #expect(done.counts.accepted == 1 && done.counts.rejected == 4)
      let problems = try await ana.send(ListImportProblems.self, .init(importID: done.id)).items
      #expect(problems.map(\.line) == [2, 2, 3, 4])
      #expect(problems.map(\.code) == [.notPlanned, .archived, .skipped, .paused])
      #expect(
        problems.map(\.text) == [
          "El hábito no está previsto ese día.", "El hábito está archivado ese día.", "Te saltas el hábito ese día.",
          "El hábito está en pausa ese día.",
        ])
    }
  }
}
