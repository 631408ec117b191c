import ActivityContract
import ActivityService
import GRDB
import InProcess
import Operations
import Sampling
import Storage
import Testing

@Suite("Several sources, corrections and deletions (MOVE-1, MOVE-2)")
struct MovementOverlapTests {
  @Test("A walk measured by watch and phone counts once, the watch first, for each kind of movement")
  func watchBeforePhone() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      for kind in MovementKind.allCases {
        try await ana.record(sample("phone \(kind)", kind, "08:00", "09:00", 1000, device: "iPhone"))
        try await ana.record(sample("watch \(kind)", kind, "08:30", "09:30", 1200.0, device: "Watch"))
      }
      let day = try #require(try await ana.days().first)
      #expect(day.steps == 1700 && day.walkingMeters == 1700 && day.runningMeters == 1700 && day.cyclingMeters == 1700)
    }
  }

  @Test("A watch's sample without duration is not added to what the phone measured around it, whichever comes first")
  func zeroLengthSamples() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let phone = try sample("phone", .steps, "08:00", "09:00", 1000, device: "iPhone")
      let watch = try ["08:20", "08:40"].map { try sample("watch \($0)", .steps, $0, $0, 250, device: "Watch") }
      for samples in [[phone] + watch, watch + [phone]] {
        let ana = try await services.register()
        for sample in samples { try await ana.record(sample) }
        #expect(try await ana.days().map(\.steps) == [1000])
        _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["phone"]))
        #expect(try await ana.days().map(\.steps) == [500])
      }
    }
  }

  @Test("Distances are exact to the millimetre, however many samples they are of")
  func exact() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let start = try Instant(text: "2026-11-21T08:00:00Z")
      let samples = (0..<1000).map { number in
        MovementSample(
          id: "\(number)", kind: .running, start: start.adding(seconds: number), end: start.adding(seconds: number + 1),
          amount: 2.501)
      }
      _ = try await ana.send(RecordMovementSamples.self, .init(samples: samples))
      #expect(try await ana.days().map(\.runningMeters) == [2501])
    }
  }

  @Test("Whatever the order and batches of samples, corrections and deletions, the days are those of a slow model")
  func anyOrder() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      var random = SeededGenerator(5)
      for _ in 0..<25 {
        let history = History(using: &random)
        let expected = history.expectedDays()
        for _ in 0..<3 {
          let person = try await services.register(timeZone: "Europe/Madrid")
          var versions = history.versions.shuffled(using: &random)
          while !versions.isEmpty {
            let batch = Array(versions.prefix(Int.random(in: 1...15, using: &random)))
            versions.removeFirst(batch.count)
            let output = try await person.send(RecordMovementSamples.self, .init(samples: batch))
            try #require(output.rejected.allSatisfy { $0.code == .outdated })
          }
          for id in history.deleted.shuffled(using: &random) {
            try #require(try await person.send(DeleteMovementSamples.self, .init(ids: [id])).deleted == 1)
          }
          // Late repetitions change nothing, and bring nothing back.
          let again = try await person.send(RecordMovementSamples.self, .init(samples: Array(history.versions.prefix(20))))
          try #require(again.accepted == 0 && again.replaced == 0 && again.days.isEmpty)
          let days = try await person.days("2026-11-01", "2026-11-30").filter { $0.steps > 0 || $0.runningMeters > 0 }
          try #require(days.map(\.day) == expected.keys.sorted())
          for day in days {
            try #require(
              day.steps == expected[day.day]?.steps && Amounts.thousandths(day.runningMeters) == expected[day.day]?.running
                && day.earningSteps == expected[day.day]?.earning)
          }
        }
      }
    }
  }

  @Test("A correction of a higher version replaces the old sample, published as a change of the day")
  func correction() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      var walk = try sample("walk", .steps, "08:00", "09:00", 1000)
      try await ana.record(walk)
      walk.amount = 700
      walk.version = 2
      let output = try await ana.send(RecordMovementSamples.self, .init(samples: [walk]))
      #expect(output.accepted == 0 && output.replaced == 1 && output.days.map(\.steps) == [700])
      walk.version = 1
      walk.amount = 900
      #expect(try await ana.send(RecordMovementSamples.self, .init(samples: [walk])).rejected.map(\.code) == [.outdated])
      let published = try await services.published(by: .activity).map { try MovementDaysChanged.decode($0.body).days[0] }
      #expect(published.map(\.steps) == [1000, 700] && published[0].revision < published[1].revision)
      // To another day, it takes its steps along.
      walk = MovementSample(
        id: "walk", start: walk.start.adding(seconds: -86_400), end: walk.end.adding(seconds: -86_400), steps: 800)
      walk.version = 3
      try await ana.record(walk)
      #expect(try await ana.days().map(\.steps) == [800, 0])
    }
  }

  @Test("A deletion takes a sample's steps from its day, down to 0 and never below; a stranger's sample is unknown")
  func deletion() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      try await ana.record(sample("walk", .steps, "08:00", "09:00", 1000))
      try await ana.record(sample("night", .steps, "00:00", "01:00", 10))
      #expect(try await ben.send(DeleteMovementSamples.self, .init(ids: ["walk"])).unknown == ["walk"])
      var output = try await ana.send(DeleteMovementSamples.self, .init(ids: ["walk", "nothing"]))
      #expect(output.deleted == 1 && output.unknown == ["nothing"] && output.days.map(\.steps) == [10])
      // One that stands there twice counts once, whether it was there or not.
      output = try await ana.send(DeleteMovementSamples.self, .init(ids: ["walk", "night", "walk", "night"]))
      #expect(output.deleted == 1 && output.unknown == ["walk"] && output.days.map(\.steps) == [0])
      #expect(try await ben.send(DeleteMovementSamples.self, .init(ids: ["a", "b", "a"])).unknown == ["a", "b"])
      var walk = try sample("walk", .steps, "08:00", "09:00", 1000)
      #expect(try await ana.send(RecordMovementSamples.self, .init(samples: [walk])).rejected.map(\.code) == [.outdated])
      walk.version = 1
      #expect(try await ana.send(RecordMovementSamples.self, .init(samples: [walk])).replaced == 1)
      #expect(try await ana.days().map(\.steps) == [1000])
      #expect(
        try await ana.refusedFields(DeleteMovementSamples.self, .init(ids: ["", String(repeating: "x", count: 65)])) == [
          "ids[0] empty", "ids[1] too_long",
        ])
    }
  }

  @Test("Movement of the same time counts once even where the account's zone changed between watch and phone")
  func travel() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      func late(_ id: String, _ device: String) throws -> MovementSample {
        let start = try Instant(text: "2026-11-20T23:30:00Z")
        return MovementSample(id: id, start: start, end: start.adding(seconds: 600), steps: 500, device: device)
      }
      try await ana.record(late("a", "Phone"))
      #expect(try await ana.days().map(\.day.description) == ["2026-11-21"])
      try await services.move(ana, to: "America/New_York", receivedBy: .activity)
      try await ana.record(late("b", "Watch"))
      #expect(try await ana.days().filter { $0.steps > 0 }.map(\.day.description) == ["2026-11-20"])
      #expect(try await ana.days().reduce(0) { $0 + $1.steps } == 500)
    }
  }

  @Test("A day has at most 65,536 samples of a kind; more are set aside, and other days and kinds are not affected")
  func maxSamplesOfADay() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      try await ana.record(sample("first", .steps, "08:00", "08:01", 1))
      // As if all but one of the others had come.
      try await services.store(of: .activity).write {
        try $0.database.execute(
          sql: """
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 65534)
            INSERT INTO movement_samples
              SELECT position + n, account_number, 'other ' || n, start_at, end_at, 0, source_number, version, flags, form
              FROM movement_samples, numbers
            """)
      }
      func send(_ samples: MovementSample...) async throws -> RecordMovementSamples.Output {
        try await ana.send(RecordMovementSamples.self, .init(samples: samples))
      }
      let last = try sample("last", .steps, "09:00", "09:01", 10)
      let more = try sample("more", .steps, "10:00", "10:01", 100)
      let output = try await send(last, more, sample("run", .running, "10:00", "10:01", 50))
      #expect(output.accepted == 2)
      #expect(output.rejected == [RejectedSample(index: 1, id: "more", code: .tooMany)])
      #expect(try await ana.days().map(\.steps).filter { $0 > 0 } == [11])

      // What is there already may be repeated and corrected, as often as anybody likes.
      #expect(try await send(last).repeated == 1)
      for version in 1...3 {
        var corrected = try sample("last", .steps, "09:00", "09:02", Double(10 + version))
        corrected.version = version
        #expect(try await send(corrected).replaced == 1)
      }
      #expect(try await ana.days().map(\.steps).filter { $0 > 0 } == [14])
      // One of another kind does not move there, and stays what it was.
      var moved = try sample("run", .steps, "10:00", "10:01", 50)
      moved.version = 1
      #expect(try await send(moved).rejected == [RejectedSample(index: 0, id: "run", code: .tooMany)])
      #expect(try await send(sample("run", .running, "10:00", "10:01", 50)).repeated == 1)
      // One that is deleted leaves room for another.
      _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["first"]))
      #expect(try await send(more).accepted == 1)
      #expect(try await send(sample("too late", .steps, "11:00", "11:01", 1)).rejected.map(\.code) == [.tooMany])
      // Nor does the deleted one come back.
      var revived = try sample("first", .steps, "08:00", "08:01", 1)
      revived.version = 1
      #expect(try await send(revived).rejected.map(\.code) == [.tooMany])
      #expect(try await ana.days().map(\.steps).filter { $0 > 0 } == [113])
    }
  }

  @Test("Bad samples are refused, naming field and rule")
  func bad() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let samples = [
        try sample("a", .steps, "08:00", "09:00", 1.5), try sample("b", .running, "08:00", "09:00", 1.0001),
        try sample("c", .cycling, "08:00", "09:00", -1),
      ]
      #expect(
        try await ana.refusedFields(RecordMovementSamples.self, .init(samples: samples)) == [
          "samples[0].amount not_a_whole_number", "samples[1].amount too_precise", "samples[2].amount out_of_range",
        ])
    }
  }
}

/// Samples of three sources over three days, some in several versions, some deleted in the end. Times are whole tens of seconds.
private struct History {
  var versions: [MovementSample] = []
  var deleted: [String] = []

  init(using random: inout SeededGenerator) {
    // An hour before midnight in Madrid.
    let begin = Int64(1_795_125_600)
    for number in 0..<Int.random(in: 3...20, using: &random) {
      for version in 0..<Int.random(in: 1...3, using: &random) {
        let from = begin + 10 * Int64.random(in: 0..<1200, using: &random)
        let length = 10 * Int64.random(in: 1...(Bool.random(using: &random) ? 60 : 600), using: &random)
        let kind = Bool.random(using: &random) ? MovementKind.steps : .running
        versions.append(
          MovementSample(
            id: "\(number)", kind: kind, start: Instant(milliseconds: from * 1000),
            end: Instant(milliseconds: (from + length) * 1000),
            amount: kind == .steps
              // Some are too fast by themselves, some with others.
              ? Double(Int.random(in: 0...Int(6 * length), using: &random))
              : Double(Int.random(in: 0...9_999_999, using: &random)) / 1000,
            device: ["Watch", "Phone", "Scales"].randomElement(using: &random), version: version))
      }
      if Int.random(in: 0..<5, using: &random) == 0 { deleted.append("\(number)") }
    }
  }

  /// The slow and obvious way: whose samples count in each ten seconds?
  func expectedDays() -> [LocalDay: (steps: Int, running: Int, earning: Int)] {
    var latest: [String: MovementSample] = [:]
    for sample in versions where sample.version ?? 0 >= latest[sample.id]?.version ?? 0 { latest[sample.id] = sample }
    for id in deleted { latest[id] = nil }
    var days: [LocalDay: (steps: Int, running: Int, earning: Int)] = [:]
    var minutes: [LocalDay: [Int64: Int]] = [:]
    for kind in [MovementKind.steps, .running] {
      let samples = latest.values.filter { $0.kind == kind }.map { sample in
        (
          from: sample.start.milliseconds / 1000, until: sample.end.milliseconds / 1000,
          rank: ["Watch", "Phone", "Scales"].firstIndex(of: sample.device ?? "") ?? 3,
          amount: Int((sample.amount * (kind == .steps ? 1 : 1000)).rounded())
        )
      }
      guard let first = samples.map(\.from).min(), let last = samples.map(\.until).max() else { continue }
      for second in stride(from: first, to: last, by: 10) {
        let here = samples.filter { $0.from <= second && second < $0.until }
        guard let rank = here.map(\.rank).min() else { continue }
        // An hour before UTC in winter.
        let day = LocalDay(daysSinceEpoch: Int32((second + 3600) / 86_400))
        for sample in here where sample.rank == rank {
          let (elapsed, length) = (Int(second - sample.from), Int(sample.until - sample.from))
          let share = sample.amount * (elapsed + 10) / length - sample.amount * elapsed / length
          if share > 0, kind == .steps { days[day, default: (0, 0, 0)].steps += share }
          if share > 0, kind == .running { days[day, default: (0, 0, 0)].running += share }
          // More than 300 in a minute of its own is marked, and in no sum.
          guard kind == .steps, sample.amount * 60 <= 300 * max(60, length) else { continue }
          minutes[day, default: [:]][second / 60, default: 0] += share
        }
      }
    }
    for (day, sums) in minutes { days[day]?.earning = sums.values.filter { $0 <= 300 }.reduce(0, +) }
    return days
  }
}

private func sample(
  _ id: String, _ kind: MovementKind, _ start: String, _ end: String, _ amount: Double, device: String? = nil
) throws -> MovementSample {
  MovementSample(
    id: id, kind: kind, start: try Instant(text: "2026-11-21T\(start):00Z"), end: try Instant(text: "2026-11-21T\(end):00Z"),
    amount: amount, device: device)
}

extension Person {
  /// Sends one sample, which is taken.
  @discardableResult
  func record(_ sample: MovementSample) async throws -> RecordMovementSamples.Output {
    let output = try await send(RecordMovementSamples.self, .init(samples: [sample]))
    #expect(output.rejected.isEmpty)
    return output
  }

  /// The days of movement.
  func days(_ from: String = "2026-11-01", _ to: String = "2026-11-30") async throws -> [MovementDay] {
    try await send(ListMovementDays.self, .init(from: try LocalDay(text: from), to: try LocalDay(text: to))).items
  }
}

extension ServicesInProcess {
  /// Waits until no day is to be counted anew.
  func areCountedAnew() async throws {
    let store = store(of: .activity)
    try await store.until {
      // In this order, since the days become stale before the order is done with.
      let reorders = try await store.rows("movement_reorders")
      let stale = try await store.rows("movement_stale_days")
      return reorders + stale == 0
    }
  }
}
