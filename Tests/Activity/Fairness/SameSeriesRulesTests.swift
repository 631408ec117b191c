import ActivityContract
import Foundation
import GRDB
import InProcess
import Operations
import Sampling
import Storage
import Testing

@testable import ActivityService

@Suite("A day copied almost entirely from another account earns nothing (MOVE-6)")
struct SameSeriesRulesTests {
  private let now = "2026-11-21T20:00:00.000Z"
  private let morning = "2026-11-21T06:00:07Z"

  /// Five minutes' walks, one every ten minutes.
  private func walk(_ name: String, _ count: Int, shiftedBy seconds: Int = 0) throws -> [MovementSample] {
    let start = try Instant(text: morning).adding(seconds: seconds)
    return (0..<count).map { number in
      MovementSample(
        id: "\(name)\(number)", start: start.adding(seconds: number * 600 + number % 13),
        end: start.adding(seconds: number * 600 + number % 13 + 300), steps: 100 + number * 37 % 211, device: name)
    }
  }

  private func send(_ person: Person, _ samples: [MovementSample]) async throws -> MovementDay {
    let days = try await person.send(RecordMovementSamples.self, .init(samples: samples)).days
    return try #require(days.first { $0.day.description == "2026-11-21" })
  }

  private func isCopy(_ day: MovementDay) -> Bool { day.reasons.map(\.code) == [.sameSeries] && day.earningSteps == 0 }

  @Test(
    "A copied day is found despite more, fewer or other samples, other clocks, ids and devices, and any split"
  )
  func variations() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      #expect(try await send(ana, walk("watch", 40)).reasons.isEmpty)
      let more = MovementSample(
        id: "more", start: try Instant(text: "2026-11-21T19:00:00Z"), end: try Instant(text: "2026-11-21T19:05:00Z"), steps: 333)
      var changed = try walk("changed", 40)
      changed[7].amount += 1
      let few = try walk("few", 40)
      let evening = try Instant(text: "2026-11-21T18:00:00Z")
      let single = (0..<14).map { number in
        MovementSample(
          id: "single\(number)", start: evening.adding(seconds: number * 60), end: evening.adding(seconds: number * 60 + 30),
          steps: 1)
      }
      let variants: [(String, [MovementSample])] = [
        ("the same", try walk("same", 40)), ("one more", try walk("m", 40) + [more]), ("one fewer", Array(few.dropLast())),
        ("one changed", changed), ("a second on", try walk("on", 40, shiftedBy: 1)),
        ("a second back", try walk("back", 40, shiftedBy: -1)), ("many of a step each", try walk("s", 40) + single),
        ("half of it", Array(few.prefix(20))),
      ]
      for (name, samples) in variants {
        let person = try await services.register()
        #expect(try await isCopy(send(person, samples)), "\(name)")
      }
      var random = SeededGenerator(3)
      for size in [1, 3, 7] {
        let ben = try await services.register()
        let pieces = try walk("piece", 40).shuffled(using: &random)
        var flags: [Bool] = []
        for first in stride(from: 0, to: pieces.count, by: size) {
          flags.append(try await isCopy(send(ben, Array(pieces[first..<min(first + size, pieces.count)]))))
        }
        // It earns until there are ten, and from then on never again, whatever it adds or takes away one by one.
        #expect(flags == flags.indices.map { ($0 + 1) * size >= 10 }, "\(size)")
        #expect(try await isCopy(send(ben, [more])))
        let left = try await ben.send(DeleteMovementSamples.self, .init(ids: ["piece3"])).days
        #expect(left.count == 1 && left.allSatisfy(isCopy))
      }
      // Whoever reported it first goes on earning.
      #expect(try await !isCopy(send(ana, [more])))
    }
  }

  @Test("A copied day is found across two days of the original in another time zone, and among very many samples")
  func zones() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-22T08:00:00.000Z") { services in
      let (ana, ben) = (try await services.register(), try await services.register(timeZone: "America/Los_Angeles"))
      // From 06:00 of one day to 06:00 of the next: for one 18 hours and 6, for the other all but an hour or so of one day.
      let night = try walk("night", 144)
      #expect(try await send(ana, night).reasons.isEmpty)
      let day = try await send(
        ben,
        night.map { sample in
          var sample = sample
          sample.device = "band"
          return sample
        })
      #expect(isCopy(day))
    }
  }

  @Test("Two people walking together are not flagged as copies, nor are days of fewer than ten samples")
  func honest() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let (ana, ben, cleo) = (
        try await services.register(), try await services.register(), try await services.register()
      )
      let start = try Instant(text: "2026-11-21T06:00:00Z")
      func minutes(_ seed: UInt64, _ count: Int) -> [MovementSample] {
        var random = SeededGenerator(seed)
        return (0..<count).map { number in
          MovementSample(
            id: "\(number)", start: start.adding(seconds: number * 60), end: start.adding(seconds: number * 60 + 60),
            steps: Int.random(in: 95...110, using: &random), device: "phone")
        }
      }
      let (one, other) = (minutes(1, 700), minutes(2, 700))
      let equal = zip(one, other).count { $0.amount == $1.amount }
      #expect(equal > 25, "\(equal)")
      for part in stride(from: 0, to: 700, by: 100) {
        #expect(try await send(ana, Array(one[part..<part + 100])).reasons.isEmpty)
        #expect(try await send(ben, Array(other[part..<part + 100])).reasons.isEmpty)
      }
      #expect(try await send(cleo, Array(one.prefix(9))).reasons.isEmpty)
      // Of the same many, nine tenths are a copy, and a third beside one's own is none.
      let (dora, eva) = (try await services.register(), try await services.register())
      #expect(try await isCopy(send(dora, Array(one.prefix(630)) + other.suffix(70))))
      #expect(try await send(eva, Array(one.prefix(230)) + other.suffix(470)).reasons.isEmpty)
    }
  }

  @Test("A copied day earns again once less than half of it is copied")
  func ended() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      _ = try await send(ana, walk("a", 20))
      let copied = try walk("b", 20)
      #expect(try await isCopy(send(ben, copied)))
      let own = try walk("own", 15, shiftedBy: 300)
      // Twenty of 35 are the other's: it would not be one, had it not been.
      #expect(try await isCopy(send(ben, own)))
      let output = try await ben.send(DeleteMovementSamples.self, .init(ids: copied.prefix(12).map(\.id)))
      #expect(output.days[0].reasons.isEmpty && output.days[0].earningSteps == output.days[0].steps)
      let store = services.store(of: .activity)
      // Both days are now such as others may copy.
      #expect(try await store.rows("movement_sketch_hashes") == 32)
    }
  }

  @Test(
    "A day's sketch is the same for any order of samples, corrections and deletions, and is forgotten once it cannot earn")
  func sketches() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let store = services.store(of: .activity)
      let samples = try walk("s", 80) + walk("t", 80, shiftedBy: 300)
      func sketches() async throws -> [SeriesSketch] {
        try await store.read { database in
          try Row.fetchAll(database, sql: "SELECT sketch FROM movement_sketches ORDER BY account_number, day").map {
            SeriesSketch(bytes: [UInt8]($0["sketch"] as Data))
          }
        }
      }
      var random = SeededGenerator(5)
      var people: [Person] = []
      for round in 0..<4 {
        let person = try await services.register()
        people.append(person)
        var shuffled = samples.shuffled(using: &random)
        let gone = (0..<20 * round).map { number in
          MovementSample(
            id: "gone\(number)", start: samples[number].start.adding(seconds: 100), end: samples[number].end, steps: 50)
        }
        shuffled.insert(contentsOf: gone, at: 40)
        var wrong = shuffled[3]
        wrong.amount += 5
        _ = try await send(person, [wrong])
        shuffled[3].version = 1
        for first in stride(from: 0, to: shuffled.count, by: 50) {
          _ = try await send(person, Array(shuffled[first..<min(first + 50, shuffled.count)]))
        }
        if !gone.isEmpty { _ = try await person.send(DeleteMovementSamples.self, .init(ids: gone.map(\.id))) }
      }
      let all = try await sketches()
      #expect(all.count == 4 && Set(all).count == 1 && all[0].items.count == SeriesSketch.maximum)
      try services.clock.set("2026-12-01T12:00:00.000Z")
      let now = services.clock.now
      for start in [now.adding(seconds: -600), samples[0].start.adding(seconds: 50)] {
        let sample = MovementSample(id: "\(start)", start: start, end: start.adding(seconds: 300), steps: 7)
        _ = try await people[0].send(RecordMovementSamples.self, .init(samples: [sample]))
      }
      // Of its new day alone; the others' stay until they report more.
      #expect(try await sketches().map(\.items.count) == [1, 64, 64, 64])
    }
  }
}
