import ActivityContract
import Operations

/// What Loop Habit Tracker keeps, in its database as in its CSV files, made into habits and marks of ours.
enum LoopHabits {
  /// A habit as Loop describes it.
  struct Described {
    var name: String
    var question: String
    var note: String
    var numerator: Int
    var denominator: Int
    var isNumerical: Bool
    var unit: String
    var target: Double
    var isAtMost: Bool
    var isArchived: Bool
    var reminder: Reminder?
  }

  /// A time of day, and the weekdays on which it holds: a bit each.
  struct Reminder {
    var minutes: Int
    var days: Int

    static let everyDay = 0x7F
  }

  /// Names the habits of a list: by name, and where there are several of one name by which of them it is. So database and CSV of one
  /// backup, and a later backup, name a habit alike.
  struct Keys {
    private var counts: [String: Int] = [:]

    mutating func key(_ name: String) -> String {
      let name = String(String.UnicodeScalarView(name.unicodeScalars.prefix(200)))
      counts[name, default: 0] += 1
      return "\(name)#\(counts[name] ?? 1)"
    }
  }

  /// Longest texts of an activity.
  private static var maxTitle: Int { ContentLimits.current.activityTitle }
  private static var maxReason: Int { ContentLimits.current.activityReason }
  private static let maxUnit = 20

  /// The habit and what of it Racha cannot hold, or why it cannot be one at all. Texts that are too long for an activity are cut.
  static func contents(_ habit: Described, key: String, firstDay: LocalDay?) -> [ImportedRecord.Content] {
    let title = TextValues.shortened(habit.name, maxTitle)
    guard let title else { return [.fault(.missingValue)] }
    guard let frequency = frequency(habit.numerator, habit.denominator) else { return [.fault(.badSchedule)] }
    var goal = Goal.check
    if habit.isNumerical {
      let target = (habit.target * 1000).rounded() / 1000
      guard habit.target < 0 || target != 0 else { return [.fault(.zeroGoal)] }
      guard (0.001...Amounts.maximum).contains(target) else { return [.fault(.badNumber)] }
      goal = .quantity(target, unit: TextValues.shortened(habit.unit, maxUnit) ?? "×", habit.isAtMost ? .atMost : .atLeast)
    }
    var contents: [ImportedRecord.Content] = [
      .habit(
        ImportedHabit(
          key: key, title: title,
          reason: TextValues.shortened(habit.question, maxReason) ?? TextValues.shortened(habit.note, maxReason),
          frequency: frequency, goal: goal, firstDay: firstDay, isArchived: habit.isArchived,
          reminder: habit.reminder.flatMap { ReminderTime(minutes: $0.minutes) }))
    ]
    // Of numbers Loop adds up what was done within the days of the schedule.
    if habit.isNumerical, frequency != .daily { contents.append(.fault(.goalOfSeveralDays)) }
    if let reminder = habit.reminder, reminder.days & Reminder.everyDay != Reminder.everyDay {
      contents.append(.fault(.reminderOfSomeDays))
    }
    return contents
  }

  /// The note of a day, where there is any, as long as a comment may be; and that it was cut.
  static func contents(note: String, of habit: String, on day: LocalDay) -> [ImportedRecord.Content] {
    let max = ContentLimits.current.entryComment
    guard let text = TextValues.shortened(note, max) else { return [] }
    return [.note(habit: habit, day, text)] + (note.trimmed.count > max ? [.fault(.noteCut)] : [])
  }

  /// So many times in so many days, as a schedule of ours: once in n days, k times a week, and what is neither as so many times a week as
  /// come nearest.
  static func frequency(_ numerator: Int, _ denominator: Int) -> ImportedHabit.Frequency? {
    guard numerator > 0, denominator > 0, denominator <= 3650 else { return nil }
    if numerator >= denominator { return .daily }
    if denominator == 7 { return .timesAWeek(numerator) }
    if numerator == 1, denominator <= 365 { return .everyDays(denominator) }
    let aWeek = (Double(numerator) * 7 / Double(denominator)).rounded()
    return .timesAWeek(min(7, max(1, Int(aWeek))))
  }
}
