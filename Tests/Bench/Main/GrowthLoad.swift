import ArgumentParser
import Cluster
import Foundation
import GeneratedAccounts
import Operations

/// Stages that can be left out: with very many accounts they take long, or much room on the disk.
enum GrowthStage: String, CaseIterable, ExpressibleByArgument {
  case calls, backup, deletion, emptyStores
}

/// What everything costs with few accounts and with very many of them.
///
/// Each size has a cluster of its own, whose stores are filled while its services are away; see ``GrowthSize``. What is asked for is that
/// nothing but sizes, backups and the first catching up grows faster than the logarithm.
struct GrowthLoad {
  /// How many accounts, the fewest first.
  let sizes: [Int]
  let without: Set<GrowthStage>
  /// Whether the home folder of each size is kept.
  let keepsHomes: Bool
  let settings: [String: String]
  let report: Report

  /// A p99 may be so many times that of the smallest size.
  private static let growth = 2.0

  func measure() async throws {
    var results: [(accounts: Int, figures: GrowthFigures)] = []
    for accounts in sizes.sorted() {
      let size = try await GrowthSize(accounts: accounts, settings: settings)
      defer { size.cluster.stop(keepingHome: keepsHomes) }
      if keepsHomes { report.raw("growth, \(accounts) accounts: in \(size.cluster.home)") }
      let figures = try await size.measure(without: without)
      results.append((accounts, figures))
      for line in figures.raw { report.raw("growth, \(accounts) accounts: \(line)") }
    }
    publish(results)
  }

  private func publish(_ results: [(accounts: Int, figures: GrowthFigures)]) {
    guard let smallest = results.first else { return }
    report.publish("growth: accounts", results.map { "\($0.accounts)" }.joined(separator: " → "))
    for name in names(results.map { $0.figures.singles.map(\.name) }) {
      let found = results.compactMap { $0.figures.single(name) }
      let text = found.map(\.text).joined(separator: " → ")
      guard let target = found.compactMap(\.maximum).first, let last = found.last else {
        report.publish("growth: \(name)", text)
        continue
      }
      report.add(
        "growth: \(name)", text, target: "\(last.with(target))", isReached: found.allSatisfy { $0.value <= target })
    }
    for name in names(results.map { $0.figures.calls.map(\.name) }) {
      let found = results.map { $0.figures.calls(name) }
      let text = found.map { calls in
        guard let calls, let p50 = calls.p50, let p99 = calls.p99 else { return "none" }
        return String(format: "%.1f, %.1f", p50, p99)
      }.joined(separator: " → ")
      let failures = found.compactMap { $0?.failures }.filter { !$0.isEmpty }
      let isAnswered = failures.isEmpty && found.allSatisfy { $0?.p99 != nil }
      let first = smallest.figures.calls(name)?.p99
      let isFlat = found.allSatisfy { calls in
        guard let first, let p99 = calls?.p99 else { return false }
        return p99 <= Self.growth * first
      }
      report.add(
        "growth: \(name), p50 and p99 in ms", text + (isAnswered ? "" : "; answered: \(failures.joined(separator: "; "))"),
        target: results.count > 1 ? "twice the first's p99" : "answers as expected", isReached: isAnswered && isFlat)
    }
    if let largest = results.last, results.count > 1 { publishGrown(smallest.figures, largest.figures) }
    for (name, reason) in OperationRound.left.sorted(by: { $0.key < $1.key }) {
      report.raw("growth: \(name) is not measured: \(reason)")
    }
  }

  /// Names the calls whose p50 has grown, by more than twice the median of all: that the machine is slower for a while changes them all, and
  /// a p50 is not noise.
  private func publishGrown(_ smallest: GrowthFigures, _ largest: GrowthFigures) {
    let growths = smallest.calls.compactMap { calls -> (name: String, growth: Double)? in
      guard let before = calls.p50, let after = largest.calls(calls.name)?.p50 else { return nil }
      return (calls.name, after / before)
    }.sorted { $0.growth > $1.growth }
    guard !growths.isEmpty else { return }
    let middle = growths[growths.count / 2].growth
    report.raw(String(format: "growth: p50 of the largest size are %.1f times those of the smallest, in the middle", middle))
    for (name, growth) in growths where growth > 2 * middle {
      report.raw(String(format: "growth: p50 of \(name) is %.1f times that of the smallest", growth))
    }
  }

  /// Each name once, in their order.
  private func names(_ all: [[String]]) -> [String] {
    var seen: Set<String> = []
    return all.flatMap { $0 }.filter { seen.insert($0).inserted }
  }
}

/// What was measured with one number of accounts.
struct GrowthFigures {
  /// A figure by itself.
  struct Single {
    let name: String
    let value: Double
    let unit: String
    /// What it may be at most, if that is asked for.
    let maximum: Double?

    var text: String { with(value) }

    func with(_ value: Double) -> String {
      let number = value >= 100 || value.rounded() == value ? String(format: "%.0f", value) : String(format: "%.1f", value)
      return "\(number) \(unit)"
    }
  }

  /// Calls of one operation in one way.
  struct Calls {
    let name: String
    let p50: Double?
    let p99: Double?
    /// What was answered instead of what is expected.
    let failures: String
  }

  private(set) var singles: [Single] = []
  private(set) var calls: [Calls] = []
  var raw: [String] = []

  mutating func add(_ name: String, _ value: Double, _ unit: String, atMost maximum: Double? = nil) {
    singles.append(Single(name: name, value: value, unit: unit, maximum: maximum))
  }

  /// Takes what was called in one way.
  mutating func add(_ way: String, _ timings: OperationTimings) {
    for (name, calls) in timings.all.sorted(by: { $0.key < $1.key }) {
      let failures = calls.failures.sorted { $0.key < $1.key }.map { "\($0.value) times \($0.key)" }
      if calls.refusals > 0 { raw.append("\(name) \(way): \(calls.refusals) times refused as too much at once, and tried again") }
      self.calls.append(
        Calls(
          name: "\(name) \(way)", p50: calls.percentile(50), p99: calls.percentile(99), failures: failures.joined(separator: ", ")
        ))
    }
  }

  func single(_ name: String) -> Single? { singles.first { $0.name == name } }
  func calls(_ name: String) -> Calls? { calls.first { $0.name == name } }
}
