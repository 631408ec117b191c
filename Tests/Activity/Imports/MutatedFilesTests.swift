import ActivityContract
import ActivityService
import Foundation
import InProcess
import Operations
import Sampling
import Testing

/// Real files, changed here and there, sent as people send theirs. The long form: `deploy/racha faults decoders`.
@Suite("Randomly mutated files", .timeLimit(.minutes(120)))
struct MutatedFilesTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seed = environment["RACHA_MUTATION_SEED"].flatMap(UInt64.init) ?? 1
  private static let seconds = environment["RACHA_MUTATION_SECONDS"].flatMap(Int.init) ?? 2

  /// Behind that the gateway has given its caller up.
  private static let late = Duration.seconds(10)

  private static func files(_ folder: String) throws -> [(name: String, bytes: [UInt8])] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    return paths.compactMap { path in
      guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(path)"), !bytes.isEmpty else { return nil }
      return (URL(fileURLWithPath: path).lastPathComponent, Array(bytes.prefix(50_000)))
    }
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Calls with one file after the other until the time is over; what the answers were, and how long the longest took.
  private func send(
    _ files: [(name: String, bytes: [UInt8])], seed: UInt64, max: Int, _ body: (String, [UInt8]) async throws -> String
  ) async throws {
    var mutator = Mutator(seed: seed)
    var answers: [String: Int] = [:]
    var longest = Duration.zero
    let end = ContinuousClock.now + .seconds(Self.seconds)
    while ContinuousClock.now < end {
      let (name, bytes) = files[mutator.below(files.count)]
      let file = mutator.mutated(bytes, with: files[mutator.below(files.count)].bytes, max: max)
      guard !file.isEmpty else { continue }
      let start = ContinuousClock.now
      answers[try await body(name, file), default: 0] += 1
      longest = Swift.max(longest, ContinuousClock.now - start)
    }
    let published = answers.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    print("seed \(seed), longest \(longest): \(published)")
    #expect(longest < Self.late && answers["overloaded"] == nil, "seed \(seed): \(longest), \(published)")
    #expect(answers.count > 1)
  }

  @Test("Mutated pictures are accepted or refused, and the service handles the next one")
  func pictures() async throws {
    let files = try Self.files(Self.root.appendingPathComponent("Tests/Images/Fixtures").path).filter {
      !$0.name.hasSuffix(".py")
    }
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let activity = try await ana.send(
        CreateActivity.self, .init(title: "Read", category: .other, goal: .check, schedule: .daily))
      _ = try await ana.send(RecordEntry.self, .init(activityID: activity.id, day: .today, isDone: true))
      try await send(files, seed: Self.seed, max: 65_536) { _, bytes in
        do {
          _ = try await ana.send(
            PutEntryPhoto.self, .init(activityID: activity.id, day: .today, content: Base64Bytes(bytes)))
          return "taken"
        } catch let failure as Failure {
          return failure.fields.first?.code ?? failure.code
        }
      }
    }
  }

  @Test("Mutated exports are read or refused, and the service handles the next one")
  func imports() async throws {
    let folder = Self.root.deletingLastPathComponent().appendingPathComponent("shared/data").path
    var files = FileManager.default.fileExists(atPath: folder) ? try Self.files(folder).filter { $0.name != "README.md" } : []
    let export = Array(
      AppleHealthTests.export((0..<20).map { AppleHealthTests.record("StepCount", "count", "\($0)") }.joined()).utf8)
    let habits = LoopTests.columns + "1,Coffee,NUMERICAL,Why?,,1,3,#F,cups,AT_MOST,2.5,false\n2,Old,YES_NO,,,2,7,#F,,,,true\n"
    let marks = "Date,Coffee,Old,\n2026-11-19,1500,YES_MANUAL,\n2026-11-18,500,NO,\n"
    files += [
      ("export.xml", export), ("export.zip", try Zip.archive([("a.xml", Array("<a/>".utf8)), ("export.xml", export)])),
      ("stored.zip", try Zip.archive([("export.xml", export)], options: "zip:compression=store")),
      ("Loop.zip", try Zip.archive([("Habits.csv", Array(habits.utf8)), ("Checkmarks.csv", Array(marks.utf8))])),
      (
        "Loop.zip",
        try Zip.archive([
          ("Habits.csv", Array(habits.utf8)),
          ("001 Coffee/Checkmarks.csv", Array("Date,Value,Notes\n2026-11-19,SKIP,\"a\"\n".utf8)),
          ("Checkmarks.csv", Array(marks.utf8)),
        ])
      ),
      ("takeout.zip", OtherArchives.utf8Zip(TakeoutTests.entries())),
      ("takeout.tgz", try OtherArchives.tgz(TakeoutTests.entries())),
      ("steps-2026-11-17.json", Array(TakeoutTests.minutes.utf8)),
      ("hours.csv", Array((RowsTests.fitbit + "1,3/12/2016 0:00,x,7\n1,3/12/2016 1:00,x,8\n").utf8)),
    ]
    let all = files
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      var ana = try await services.register()
      var sent = 0
      try await send(all, seed: Self.seed &+ 1, max: 100_000) { name, bytes in
        sent += 1
        // So that what is remembered of one account stays small.
        if sent % 50 == 0 { ana = try await services.register() }
        do {
          let done = try await ana.importFile(name, bytes)
          return done.reason?.rawValue ?? done.state.rawValue
        } catch let failure as Failure {
          return failure.parameters["reason"]?.description ?? failure.code
        }
      }
    }
  }
}
