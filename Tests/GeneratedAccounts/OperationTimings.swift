import Synchronization

/// How long calls of operations took, and what came of those that failed; from any thread.
public final class OperationTimings: Sendable {
  /// Of one operation.
  public struct Calls: Sendable {
    /// In milliseconds, as they came.
    public fileprivate(set) var times: [Double] = []
    /// What was answered instead of what is expected, and how often.
    public fileprivate(set) var failures: [String: Int] = [:]
    /// How often it was refused as too much at once, and tried again.
    public fileprivate(set) var refusals = 0

    /// The longest of the quickest so many of a hundred; nil where none was answered.
    public func percentile(_ hundredths: Int) -> Double? {
      times.isEmpty ? nil : times.sorted()[min(times.count - 1, times.count * hundredths / 100)]
    }
  }

  private let calls = Mutex<[String: Calls]>([:])

  public init() {}

  func add(_ operation: String, _ milliseconds: Double) {
    calls.withLock { $0[operation, default: Calls()].times.append(milliseconds) }
  }

  func fail(_ operation: String, _ reason: String) {
    calls.withLock { $0[operation, default: Calls()].failures[reason, default: 0] += 1 }
  }

  func refuse(_ operation: String) {
    calls.withLock { $0[operation, default: Calls()].refusals += 1 }
  }

  /// By the operations' names.
  public var all: [String: Calls] { calls.withLock { $0 } }
}
