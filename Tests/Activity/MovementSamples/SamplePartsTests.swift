import ActivityContract
import GRDB
import InProcess
import Operations
import Storage
import Testing

@testable import ActivityService

@Suite("Batches of samples of many days are recorded and deleted in several transactions (MOVE-1)")
struct SamplePartsTests {
  private static let firstDay = "2026-06-01"

  private static func day(_ number: Int, _ kind: MovementKind = .steps) -> SampleParts.Day {
    SampleParts.Day(kind: kind, day: LocalDay(daysSinceEpoch: Int32(number)))
  }

  /// The parts of a batch, each of whose samples changes some days.
  private func parts(
    _ days: [[SampleParts.Day]], ids: [String]? = nil, samples: [SampleParts.Day: Int64] = [:]
  ) -> [[Int]] {
    var parts = SampleParts(of: ids ?? days.indices.map { "\($0)" }, days: days, samples: samples)
    var found: [[Int]] = []
    while let part = parts.next() { found.append(Array(part)) }
    return found + [Array(parts.rest)]
  }

  @Test("A batch is cut between days, of which a part has few; the rest is the last part")
  func cut() {
    let limit = SampleParts.limits.first
    #expect(parts([]) == [[]])
    #expect(parts(Array(repeating: [Self.day(1)], count: 1000)) == [Array(0..<1000)])
    #expect(parts((0..<limit).map { [Self.day($0)] }) == [Array(0..<limit)])
    #expect(parts((0...limit).map { [Self.day($0)] }) == [Array(0..<limit), [limit]])
    let backwards = parts((0..<2 * limit).map { [Self.day(-$0)] })
    #expect(backwards == [Array((limit..<2 * limit).reversed()), Array((0..<limit).reversed())])
    // Two sources of the same days, one after the other, and kinds in turns.
    let source = (0..<2 * limit).map { [Self.day($0)] }
    let expected = [0, limit].map { first in (first..<first + limit).flatMap { [$0, 2 * limit + $0] } }
    #expect(parts(source + source) == expected)
    let kinds = MovementKind.allCases.flatMap { kind in (0..<limit).map { Self.day($0, kind) } }
    let daysOfParts = parts(kinds.map { [$0] }).map { part in Set(part.map { kinds[$0].day }).count }
    #expect(daysOfParts == Array(repeating: limit / 4, count: 4))
    // Those that change nothing come last. Samples of one id keep their order.
    #expect(parts([[Self.day(5)], [], [Self.day(1)], [Self.day(1)]], ids: ["a", "a", "b", "a"]) == [[2, 0, 3, 1]])
  }

  @Test("A part has fewer days where they hold many samples, one of them at least, and one kind of a day at least")
  func weighed() {
    let limit = SampleParts.limits.first
    let days = (0..<4).map { Self.day($0) }
    let quarter = Dictionary(uniqueKeysWithValues: days.map { ($0, SampleParts.samplesPerUnit * Int64(limit / 2 - 1)) })
    #expect(parts(days.map { [$0] }, samples: quarter) == [[0, 1], [2, 3]])
    #expect(parts(days.map { [$0] }, samples: [days[1]: SampleKey.maximum]) == [[0], [1], [2, 3]])
    let kinds = MovementKind.allCases.map { Self.day(1, $0) }
    let full = Dictionary(uniqueKeysWithValues: kinds.map { ($0, SampleKey.maximum) })
    #expect(parts([[Self.day(0)]] + kinds.map { [$0] }, samples: full) == [[0], [1], [2], [3], [4]])
    // Samples that move to one day from others.
    let moved = parts((1...2 * limit).map { [Self.day(0), Self.day($0)] })
    #expect(moved.map(\.count) == [limit - 1, limit - 1, 2])
  }

  /// An hour's steps of each of a hundred days.
  private func samples() throws -> [MovementSample] {
    let start = try Instant(text: "\(Self.firstDay)T08:00:00.000Z")
    return (0..<100).map { number in
      let start = start.adding(seconds: number * 86_400)
      return MovementSample(id: "\(number)", start: start, end: start.adding(seconds: 3600), steps: number + 1)
    }
  }

  private func days(of person: Person) async throws -> [MovementDay] {
    let first = try LocalDay(text: Self.firstDay)
    return try await person.send(ListMovementDays.self, .init(from: first, to: first.advanced(by: 120))).items
  }

  /// How many days each of an account's events has.
  private func published(_ services: ServicesInProcess, of person: Person) async throws -> [Int] {
    try await services.published(by: .activity).filter { $0.name == MovementDaysChanged.spec.name }
      .map { try MovementDaysChanged.decode($0.body) }.filter { $0.accountID == person.id }.map(\.days.count)
  }

  private func execute(_ sql: String, _ services: ServicesInProcess) async throws {
    try await services.store(of: .activity).write { try $0.database.execute(sql: sql) }
  }

  @Test("A batch of many days is recorded in transactions of few days, and answered like one, also when it is repeated")
  func record() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      var samples = try self.samples()
      samples[40].end = samples[40].start.adding(seconds: -1)
      samples.append(samples[3])
      samples[100].version = 1
      samples[100].amount = 500
      samples.append(samples[90])
      let output = try await ana.send(RecordMovementSamples.self, .init(samples: samples), key: "a")
      #expect(output.accepted == 99 && output.replaced == 1 && output.repeated == 1)
      let backwards = RejectedSample(index: 40, id: "40", code: .endsBeforeStart)
      #expect(output.rejected == [backwards])
      #expect(!output.flagged.isEmpty && output.flagged.map(\.index) == output.flagged.map(\.index).sorted())
      #expect(output.days.map(\.steps) == (0..<100).filter { $0 != 40 }.map { $0 == 3 ? 500 : $0 + 1 })
      #expect(try await days(of: ana) == output.days)
      let parts = try await published(services, of: ana)
      #expect(parts.count > 2 && parts.allSatisfy { $0 <= SampleParts.limits.max }, "\(parts)")
      for first in stride(from: 0, to: samples.count, by: 6) {
        _ = try await ben.send(RecordMovementSamples.self, .init(samples: Array(samples[first..<first + 6])))
      }
      #expect(try await days(of: ben) == output.days)
      // Repeated with its key, and without.
      #expect(try await ana.send(RecordMovementSamples.self, .init(samples: samples), key: "a") == output)
      let outdated = RejectedSample(index: 3, id: "3", code: .outdated)
      #expect(
        try await ana.send(RecordMovementSamples.self, .init(samples: samples))
          == .init(accepted: 0, repeated: 100, rejected: [outdated, backwards], days: []))
      #expect(try await published(services, of: ana) == parts)
    }
  }

  @Test("A day is in one part, also where the samples of one source come after those of another")
  func sources() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let phone = Array(try samples().prefix(40))
      let watch = phone.map { MovementSample(id: "w\($0.id)", start: $0.start, end: $0.end, steps: 1000, device: "Watch") }
      let output = try await ana.send(RecordMovementSamples.self, .init(samples: phone + watch))
      #expect(output.accepted == 80 && output.days.count == 40)
      let parts = try await published(services, of: ana)
      #expect(parts.count > 1 && parts.reduce(0, +) == 40, "\(parts)")
    }
  }

  @Test("Days that hold many samples are recorded and deleted in a transaction each")
  func fullDays() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let first = Array(try samples().prefix(3))
      let later = first.map {
        MovementSample(id: "later \($0.id)", start: $0.end.adding(seconds: 60), end: $0.end.adding(seconds: 120), steps: 1)
      }
      _ = try await ana.send(RecordMovementSamples.self, .init(samples: first))
      #expect(try await published(services, of: ana) == [3])
      // As if as many samples had come before them as a day may have.
      try await execute("UPDATE movement_samples SET position = position + \(SampleKey.maximum - 1)", services)
      #expect(try await ana.send(RecordMovementSamples.self, .init(samples: later)).accepted == 3)
      #expect(try await published(services, of: ana) == [3, 1, 1, 1])
      #expect(try await ana.send(DeleteMovementSamples.self, .init(ids: first.map(\.id))).deleted == 3)
      #expect(try await published(services, of: ana) == [3, 1, 1, 1, 1, 1, 1])
    }
  }

  @Test("A batch that moves samples away from many days is recorded in several transactions")
  func moved() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      var samples = try self.samples()
      _ = try await ana.send(RecordMovementSamples.self, .init(samples: samples))
      let before = try await published(services, of: ana).count
      for index in samples.indices {
        samples[index].version = 1
        samples[index].start = samples[0].start.adding(seconds: index)
        samples[index].end = samples[index].start.adding(seconds: 1)
      }
      #expect(try await ana.send(RecordMovementSamples.self, .init(samples: samples)).replaced == 100)
      let parts = try await published(services, of: ana).dropFirst(before)
      #expect(parts.count > 2 && parts.allSatisfy { $0 <= SampleParts.limits.max }, "\(parts)")
      #expect(try await days(of: ana).map(\.steps) == [(1...100).reduce(0, +)] + Array(repeating: 0, count: 99))
    }
  }

  @Test("Nothing more is recorded or deleted once the account is erased between two parts, or its consent is withdrawn")
  func ended() async throws {
    let account = "(SELECT account_id FROM movement_accounts WHERE account_number = NEW.account_number)"
    let erased = "INSERT INTO erasures (account_id, deletion_id, counts, erased_at) VALUES (\(account), randomblob(16), '{}', 1)"
    let withdrawn = "UPDATE accounts SET consents = '' WHERE account_id = \(account)"
    let codes: [(String, RequestFailure)] = [(erased, .sessionRevoked), (withdrawn, .consentRequired)]
    for (change, code) in codes {
      try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
        let ana = try await services.register()
        try await execute(
          "CREATE TRIGGER ended AFTER INSERT ON movement_samples WHEN NEW.sample_id = '5' BEGIN \(change); END", services)
        let batch = RecordMovementSamples.Input(samples: try samples())
        #expect(try await ana.failure(RecordMovementSamples.self, batch) == code.rawValue)
        #expect(try await services.store(of: .activity).rows("movement_samples") == SampleParts.limits.first)
      }
    }
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      _ = try await ana.send(RecordMovementSamples.self, .init(samples: try samples()))
      try await execute(
        "CREATE TRIGGER ended AFTER UPDATE ON movement_samples WHEN NEW.sample_id = '5' BEGIN \(erased); END", services)
      let ids = (0..<100).map { "\($0)" }
      #expect(try await ana.failure(DeleteMovementSamples.self, .init(ids: ids)) == RequestFailure.sessionRevoked.rawValue)
      let left = try await services.store(of: .activity).read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM movement_samples WHERE form < 2")
      }
      #expect(left == 100 - SampleParts.limits.first)
    }
  }

  @Test("A batch that fails in the middle leaves what was recorded before, and its repetition records the rest")
  func failed() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let store = services.store(of: .activity)
      try await store.write { transaction in
        try transaction.database.execute(
          sql: """
            CREATE TRIGGER stuck BEFORE INSERT ON movement_samples WHEN NEW.sample_id = '80'
            BEGIN SELECT RAISE(ABORT, 'stuck'); END
            """)
      }
      let batch = RecordMovementSamples.Input(samples: try samples())
      #expect(try await ana.failure(RecordMovementSamples.self, batch, key: "a") == RequestFailure.internalError.rawValue)
      let recorded = try await store.rows("movement_samples")
      try #require((1..<80).contains(recorded), "\(recorded)")
      #expect(try await days(of: ana).map(\.steps) == Array(1...recorded))
      #expect(try await published(services, of: ana).reduce(0, +) == recorded)
      try await store.write { try $0.database.execute(sql: "DROP TRIGGER stuck") }
      let output = try await ana.send(RecordMovementSamples.self, batch, key: "a")
      #expect(output.repeated == recorded && output.accepted == 100 - recorded && output.rejected.isEmpty)
      #expect(output.days.map(\.steps) == Array(recorded + 1...100))
      #expect(try await days(of: ana).map(\.steps) == Array(1...100))
    }
  }

  @Test("Samples of many days are deleted in transactions of few days, and answered like one")
  func delete() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      for person in [ana, ben] { _ = try await person.send(RecordMovementSamples.self, .init(samples: try samples())) }
      let before = try await published(services, of: ana).count
      let ids = ["unknown"] + (0..<99).map { "\($0)" } + ["5", "unknown", "unknown too"]
      let output = try await ana.send(DeleteMovementSamples.self, .init(ids: ids), key: "a")
      #expect(output.deleted == 99 && output.unknown == ["unknown", "unknown too"])
      #expect(output.days.map(\.steps) == Array(repeating: 0, count: 99))
      #expect(output.days.map(\.day) == output.days.map(\.day).sorted())
      let parts = try await published(services, of: ana).dropFirst(before)
      #expect(parts.count > 2 && parts.allSatisfy { $0 <= SampleParts.limits.max }, "\(parts)")
      #expect(try await days(of: ana).map(\.steps) == Array(repeating: 0, count: 99) + [100])
      #expect(try await days(of: ben).map(\.steps) == Array(1...100))
      #expect(try await ana.send(DeleteMovementSamples.self, .init(ids: ids), key: "a") == output)
      let again = try await ana.send(DeleteMovementSamples.self, .init(ids: ids))
      #expect(again.deleted == 0 && again.unknown.count == 101 && again.days.isEmpty)
    }
  }
}
