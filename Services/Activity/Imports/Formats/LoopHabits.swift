import ActivityContract
import Operations

/// Converts the data of Loop Habit Tracker, from its database or its CSV files, into habits and checkmarks.
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

  /// A time of day and the weekdays on which it applies, one bit each.
  struct Reminder {
    var minutes: Int
    var days: Int

    static let everyDay = 0x7F
  }

  /// Assigns keys to the habits of a list: the name, and a number among the habits with that name. So the database and the CSV files of one
  /// backup, and a later backup, give a habit the same key.
  struct Keys {
    private var counts: [String: Int] = [:]

    mutating func key(_ name: String) -> String {
      let name = String(String.UnicodeScalarView(name.unicodeScalars.prefix(200)))
      counts[name, default: 0] += 1
      return "\(name)#\(counts[name] ?? 1)"
    }
  }

  /// The maximum lengths of an activity's texts.
  private static var maxTitle: Int { ContentLimits.current.activityTitle }
  private static var maxReason: Int { ContentLimits.current.activityReason }
  private static let maxUnit = 20

  /// Returns the habit and what Racha cannot represent of it, or why it cannot be imported. Texts too long for an activity are cut.
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
    // For numbers, Loop adds up what was done within the days of the schedule.
    if habit.isNumerical, frequency != .daily { contents.append(.fault(.goalOfSeveralDays)) }
    if let reminder = habit.reminder, reminder.days & Reminder.everyDay != Reminder.everyDay {
      contents.append(.fault(.reminderOfSomeDays))
    }
    return contents
  }

  /// Returns the note of a day, if there is one, cut to the length of a comment; and whether it was cut.
  static func contents(note: String, of habit: String, on day: LocalDay) -> [ImportedRecord.Content] {
    let max = ContentLimits.current.entryComment
    guard let text = TextValues.shortened(note, max) else { return [] }
    return [.note(habit: habit, day, text)] + (note.trimmed.count > max ? [.fault(.noteCut)] : [])
  }

  /// Converts so many times in so many days into a schedule: once in n days, or k times a week; anything else becomes the nearest number of
  /// times a week.
  static func frequency(_ numerator: Int, _ denominator: Int) -> ImportedHabit.Frequency? {
    guard numerator > 0, denominator > 0, denominator <= 3650 else { return nil }
    if numerator >= denominator { return .daily }
    if denominator == 7 { return .timesAWeek(numerator) }
    if numerator == 1, denominator <= 365 { return .everyDays(denominator) }
    let aWeek = (Double(numerator) * 7 / Double(denominator)).rounded()
    return .timesAWeek(min(7, max(1, Int(aWeek))))
  }
}
