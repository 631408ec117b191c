import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// Consecutive days on which anything was done.
struct ActiveRun {
  /// The days that the account lost: they neither add to a run nor break it.
  private let lost: Set<LocalDay>
  private(set) var count = 0
  private(set) var first: LocalDay?
  private var last: LocalDay?
  private var current = 0
  private var longest = 0

  init(lost: Set<LocalDay> = []) { self.lost = lost }

  /// Adds a day after the earlier ones.
  mutating func add(_ day: LocalDay) {
    count += 1
    if first == nil { first = day }
    current = last.map { goesOn(from: $0, to: day) } == true ? current + 1 : 1
    longest = max(longest, current)
    last = day
  }

  /// A present day without anything done does not break the run. The run continues over days after today, which an account that travelled
  /// west can have.
  func streak(today: LocalDay) -> Streak {
    guard let last else { return Streak(current: 0, longest: 0) }
    return Streak(current: goesOn(from: last, to: today) ? current : 0, longest: longest)
  }

  /// Whether all days between the two were lost.
  private func goesOn(from last: LocalDay, to day: LocalDay) -> Bool {
    var next = last.advanced(by: 1)
    while next < day, lost.contains(next) { next = next.advanced(by: 1) }
    return next >= day
  }
}
