import Operations
import ServiceKit
import SocialContract

/// How much there may be of tasks, and what may be done with one (TASK-1, TASK-5).
struct TaskRules: Sendable {
  /// How many take part in one task.
  static let maxParticipants = 50
  /// How many that an account made may be open.
  static let maxOpen = 1000

  /// How often an account is notified within a day of what others do with it in one task: enrol and remove it, give it parts, opt out.
  static let maxNotices = 20
  static let noticeSeconds = 86_400

  /// The most bytes of one account's texts in tasks together.
  let bytesPerAccount: Int

  init(bytesPerAccount: Int) { self.bytesPerAccount = bytesPerAccount }

  init(_ settings: Settings) {
    bytesPerAccount = settings.int("racha.tasks.bytesPerAccount", default: 64 << 20, in: (1 << 20)...(1 << 40))
  }

  /// - Parameters:
  ///   - stored: the bytes of the account's stored texts in tasks.
  ///   - added: the additional bytes; a change that frees space is always allowed.
  /// - Throws: `task_space_full`.
  func checkSpace(stored: Int, adding added: Int) throws(Failure) {
    guard added <= 0 || stored + added <= bytesPerAccount else {
      throw TaskFailure.spaceFull.with(["max": .number(bytesPerAccount >> 20)])
    }
  }

  /// How far ahead a due day may lie: ten years.
  static let maxDueDays = 3653

  /// The rule that a due day breaks: from the day before the task's creation on, since somewhere on Earth that day is still going on, and
  /// at most ten years ahead.
  ///
  /// - Parameter now: when the day is set.
  static func brokenRule(ofDueDay day: LocalDay?, createdAt: Instant, now: Instant) -> FieldRule? {
    let first = Self.day(of: createdAt).advanced(by: -1)
    let last = Self.day(of: now).advanced(by: maxDueDays)
    guard let day, day < first || day > last else { return nil }
    return FieldRule("due_day_out_of_range", ["first": .text(first.description), "last": .text(last.description)])
  }

  private static func day(of instant: Instant) -> LocalDay {
    LocalDay(daysSinceEpoch: Int32(clamping: instant.milliseconds / 86_400_000))
  }

  /// Refuses what only an open task allows.
  static func expectOpen(_ state: TaskState) throws(TaskFailure) {
    switch state {
    case .open: break
    case .completed: throw .completed
    case .cancelled: throw .cancelled
    }
  }

  /// Whether cancelling it changes anything.
  static func isCancelled(_ state: TaskState) throws(TaskFailure) -> Bool {
    switch state {
    case .open: return true
    case .completed: throw .completed
    case .cancelled: return false
    }
  }

  /// Whether an open task is completed: when all who take part have confirmed.
  static func isCompleted(participants: Int, confirmed: Int) -> Bool { participants > 0 && confirmed == participants }
}
