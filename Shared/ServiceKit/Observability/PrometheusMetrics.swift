public import CoreMetrics
import Synchronization

/// Keeps the process's metrics and shows them as Prometheus text (exposition format 0.0.4).
///
/// Labels become names with the prefix `racha_`. Timers and aggregating recorders are histograms; timers count seconds.
public final class PrometheusMetrics: MetricsFactory, Sendable {
  private struct Key: Hashable {
    let name: String
    let dimensions: String
  }

  private let series = Mutex<[Key: any Series]>([:])

  public init() {}

  /// Everything recorded, each line labelled with the service.
  public func text(service: String) -> String {
    let all = series.withLock { $0 }
    var lines: [String] = []
    var last = ""
    for (key, value) in all.sorted(by: { ($0.key.name, $0.key.dimensions) < ($1.key.name, $1.key.dimensions) }) {
      if key.name != last {
        lines.append("# TYPE \(key.name) \(value.type)")
        last = key.name
      }
      value.write(key.name, "service=\"\(service)\"" + key.dimensions, into: &lines)
    }
    return lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n")
  }

  private func find<S: Series>(_ label: String, _ suffix: String, _ dimensions: [(String, String)], _ make: () -> S) -> S {
    let name = "racha_" + String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + suffix
    let text = dimensions.map { ",\($0.0)=\"\(PrometheusMetrics.escape($0.1))\"" }.joined()
    return series.withLock { series in
      let key = Key(name: name, dimensions: text)
      if let found = series[key] as? S { return found }
      let fresh = make()
      series[key] = fresh
      return fresh
    }
  }

  private static func escape(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): bytes += "\\\\".utf8
      case UInt8(ascii: "\""): bytes += "\\\"".utf8
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    find(label, "_total", dimensions) { Count() }
  }

  public func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
    find(label, "_total", dimensions) { Level(type: "counter") }
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    find(label, "", dimensions) { Level(type: "gauge") }
  }

  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    if aggregate { return find(label, "", dimensions) { Histogram(bounds: Histogram.counts, scale: 1) } }
    return find(label, "", dimensions) { Level(type: "gauge") }
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    find(label, "_seconds", dimensions) { Histogram(bounds: Histogram.seconds, scale: 1e-9) }
  }

  // Series live as long as the process: their number is bounded by the code that makes them.
  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  public func destroyMeter(_ handler: any MeterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}
}

private protocol Series: AnyObject, Sendable {
  var type: String { get }
  func write(_ name: String, _ labels: String, into lines: inout [String])
}

private final class Count: CounterHandler, Series {
  private let value = Atomic<Int64>(0)
  var type: String { "counter" }

  func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
  func reset() { value.store(0, ordering: .relaxed) }
  func write(_ name: String, _ labels: String, into lines: inout [String]) {
    lines.append("\(name){\(labels)} \(value.load(ordering: .relaxed))")
  }
}

private final class Level: MeterHandler, RecorderHandler, FloatingPointCounterHandler, Series {
  private let value = Mutex<Double>(0)
  let type: String

  init(type: String) { self.type = type }

  func set(_ new: Int64) { value.withLock { $0 = Double(new) } }
  func set(_ new: Double) { value.withLock { $0 = new } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }
  func record(_ new: Int64) { set(new) }
  func record(_ new: Double) { set(new) }
  func reset() { set(0.0) }
  func write(_ name: String, _ labels: String, into lines: inout [String]) {
    lines.append("\(name){\(labels)} \(number(value.withLock { $0 }))")
  }
}

private final class Histogram: TimerHandler, RecorderHandler, Series {
  static let seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  static let counts = [1.0, 2, 5, 10, 20, 50, 100, 200, 500, 1000]

  private struct State {
    var counts: [Int]
    var sum = 0.0
  }

  private let bounds: [Double]
  private let scale: Double
  private let state: Mutex<State>
  var type: String { "histogram" }

  init(bounds: [Double], scale: Double) {
    self.bounds = bounds
    self.scale = scale
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  func record(_ value: Double) {
    let value = value * scale
    let index = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock { state in
      state.counts[index] += 1
      state.sum += value
    }
  }

  func record(_ value: Int64) { record(Double(value)) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }

  func write(_ name: String, _ labels: String, into lines: inout [String]) {
    let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
    var total = 0
    for (index, count) in counts.enumerated() {
      total += count
      lines.append("\(name)_bucket{\(labels),le=\"\(index < bounds.count ? number(bounds[index]) : "+Inf")\"} \(total)")
    }
    lines.append("\(name)_sum{\(labels)} \(number(sum))")
    lines.append("\(name)_count{\(labels)} \(total)")
  }
}

private func number(_ value: Double) -> String {
  if value.isNaN { return "NaN" }
  if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
  return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
}
