import Foundation

/// How long one client waited for each of its answers, who asked for the next only when it had the last.
struct Waits {
  private let sorted: [Double]

  /// How often is asked before the clock runs, with numbers behind the others.
  static let before = 10

  /// Asks so many times, by numbers from 0.
  init(_ count: Int = 200, ask: (Int) async throws -> Void) async throws {
    for number in count..<count + Waits.before { try await ask(number) }
    var waits: [Double] = []
    for number in 0..<count {
      let start = ContinuousClock.now
      try await ask(number)
      waits.append((ContinuousClock.now - start).milliseconds)
    }
    sorted = waits.sorted()
  }

  /// Asks until it is over.
  init(until isOver: () async throws -> Bool, ask: () async throws -> Void) async throws {
    var waits: [Double] = []
    while try await !isOver() || waits.isEmpty {
      let start = ContinuousClock.now
      try await ask()
      waits.append((ContinuousClock.now - start).milliseconds)
    }
    sorted = waits.sorted()
  }

  /// Those of several clients together.
  init(_ clients: [Waits]) { sorted = clients.flatMap(\.sorted).sorted() }

  var count: Int { sorted.count }

  /// In milliseconds, as all of them.
  var p50: Double { sorted[sorted.count / 2] }
  var p99: Double { sorted[sorted.count * 99 / 100] }
  var longest: Double { sorted[sorted.count - 1] }
}
