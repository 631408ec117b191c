import ActivityContract
import BuiltPrograms
import ImportFormats
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

/// A file may do to its reader what ends the whole process. A start that was noted and led to nothing is what is left of that.
@Suite("Imports that crash while they are read", .timeLimit(.minutes(2)))
struct ImportStartTests {
  private static let records = 3 * ImportLimits.batch
  private static let bytes = Array(
    (RowsTests.fitbit
      + (0..<records).map { index in
        "1,\(1 + index / 24 % 12)/\(1 + index / 288 % 28)/\(2010 + index / 8064) \(index % 24):00,x,7\n"
      }.joined()).utf8)

  /// A file that waits, in a service that does not look for it.
  private static func waiting(_ ana: Person, _ store: Store) async throws -> ImportID {
    let made = try await ana.upload("hours.csv", bytes)
    try await store.write { try ImportStore.accept(made.id, as: .fitbitHours, $0) }
    return made.id
  }

  private static func row(_ id: ImportID, _ store: Store) async throws -> ImportRow {
    try #require(try await store.read { try ImportStore.find(id, in: $0) })
  }

  /// Reads it, until it has beaten so often, or to the end.
  private static func read(_ id: ImportID, beats: Int = .max, _ services: ServicesInProcess) async throws {
    let store = services.store(of: .activity)
    let run = try #require(
      ImportRun(
        try await row(id, store), store, ImportSpool(services.home, program: BuiltProgram.activity), AccountCalendars(),
        FairnessRules(Settings([:]))))
    let reading = Task { try await run.run(StopAfter(beats).beat) }
    do { try await reading.value } catch is CancellationError { #expect(beats < .max) }
  }

  @Test("An import that crashes is given up after three starts: the fourth does not touch the file, and says why")
  func givenUp() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(language: .spanish)
      let store = services.store(of: .activity)
      let id = try await Self.waiting(ana, store)
      for start in 1...3 {
        #expect(try await store.write { try ImportStore.begin(id, $0) })
        #expect(try await Self.row(id, store).starts == start)
      }
      try await Self.read(id, services)
      let ended = try await ana.end(of: id)
      #expect(ended.state == .failed && ended.reason == .givenUp && ended.counts.records == 0)
      #expect(ended.reasonText == "su lectura se interrumpió tres veces en el mismo punto; lo anterior se conservó")
      #expect(
        try await Self.row(id, store).shown(.english).reasonText
          == "its reading broke down three times at the same position; what stands before was kept")
      #expect(try await ana.areFilesGone(from: services.home))
      let published = try #require(try await services.published(by: .activity).last { $0.name == ImportProgressed.spec.name })
      #expect(try ImportProgressed.decode(published.body).state == .failed)
      // Who is behind it is read.
      #expect(try await ana.importFile("hours.csv", Self.bytes).counts.accepted == Self.records)
    }
  }

  @Test("An import that crashes goes on where it stopped as long as each start makes progress")
  func progress() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let store = services.store(of: .activity)
      let id = try await Self.waiting(ana, store)
      for round in 1...2 {
        // Two starts of three that lead to nothing, and one that takes a batch before it is cut off.
        for _ in 0..<2 { #expect(try await store.write { try ImportStore.begin(id, $0) }) }
        #expect(try await Self.row(id, store).starts == 2)
        try await Self.read(id, beats: 1, services)
        let row = try await Self.row(id, store)
        #expect(row.starts == 0 && row.position == round * ImportLimits.firstBatch)
      }
      for _ in 0..<2 { #expect(try await store.write { try ImportStore.begin(id, $0) }) }
      try await Self.read(id, services)
      let done = try await ana.end(of: id)
      #expect(done.state == .done && done.counts.accepted == Self.records)
    }
  }

  @Test("Starts of imports are not counted if the service was stopped in an orderly way")
  func stopped() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let store = services.store(of: .activity)
      let id = try await Self.waiting(ana, store)
      for _ in 0..<5 {
        try await Self.read(id, beats: 0, services)
        #expect(try await Self.row(id, store).starts == 0)
      }
      try await Self.read(id, services)
      #expect(try await ana.end(of: id).state == .done)
    }
  }
}
