import ActivityContract
import Operations

/// A prepared activity, without its words: those are in the contract's files, in every language.
struct Template: Sendable {
  /// The goal of a day; its unit is one of the words.
  enum Measure: Sendable {
    case check
    case quantity(Double)
    case duration(seconds: Int)
  }

  let id: String
  let category: ActivityCategory
  let measure: Measure
  let schedule: Schedule
  let reminders: [String]

  init(
    _ id: String, _ category: ActivityCategory, _ measure: Measure, _ schedule: Schedule, _ reminders: [String] = []
  ) {
    self.id = id
    self.category = category
    self.measure = measure
    self.schedule = schedule
    self.reminders = reminders
  }

  /// The keys of its words: `template.water.title`, `template.water.reason` and, for a quantity, `template.water.unit`.
  func key(_ part: String) -> String { "template.\(id).\(part)" }

  /// The template with its words, as a client shows it.
  func choice(_ words: Words, _ language: Language) throws(FieldRule) -> ActivityTemplate {
    func text(_ part: String) -> String { words.text(key(part), language) ?? id }
    let goal: Goal =
      switch measure {
      case .check: .check
      case .quantity(let amount): .quantity(amount, unit: text("unit"))
      case .duration(let seconds): .duration(seconds: seconds)
      }
    return ActivityTemplate(
      id: id,
      activity: CreateActivity.Input(
        title: text("title"), reason: text("reason"), category: category, goal: goal, schedule: schedule,
        reminders: try reminders.map(ReminderTime.init(text:))))
  }

  /// All templates, in the order of the categories.
  static let all: [Template] = [
    Template("vitamins", .health, .check, .daily, ["08:30"]),
    Template("brush-teeth", .health, .quantity(2), .daily, ["08:00", "22:30"]),
    Template("run", .fitness, .duration(seconds: 1800), .weekdays([1, 3, 5]), ["07:00"]),
    Template("strength", .fitness, .duration(seconds: 2700), .weekdays([2, 4, 6]), ["18:30"]),
    Template("fruit", .nutrition, .quantity(3), .daily, ["11:00", "17:30"]),
    Template("cook", .nutrition, .check, .weekdays([1, 2, 3, 4, 5])),
    Template("water", .hydration, .quantity(2), .daily, ["10:00", "13:00", "17:00"]),
    Template("morning-water", .hydration, .check, .daily, ["07:15"]),
    Template("early-to-bed", .sleep, .check, .daily, ["22:30"]),
    Template("no-screens-in-bed", .sleep, .check, .daily, ["22:00"]),
    Template("meditate", .mindfulness, .duration(seconds: 600), .daily, ["07:30"]),
    Template("gratitude", .mindfulness, .quantity(3), .daily, ["21:30"]),
    Template("language", .learning, .duration(seconds: 1200), .daily, ["19:00"]),
    Template("course", .learning, .check, .weekdays([2, 4]), ["18:00"]),
    Template("read", .reading, .quantity(20), .daily, ["22:00"]),
    Template("news", .reading, .duration(seconds: 900), .weekdays([1, 2, 3, 4, 5]), ["08:15"]),
    Template("plan-day", .work, .check, .weekdays([1, 2, 3, 4, 5]), ["08:45"]),
    Template("focus", .work, .duration(seconds: 5400), .weekdays([1, 2, 3, 4, 5]), ["09:30"]),
    Template("expenses", .finances, .check, .daily, ["21:00"]),
    Template("save", .finances, .quantity(50), .monthDays([1]), ["10:00"]),
    Template("tidy", .home, .duration(seconds: 900), .daily, ["20:00"]),
    Template("plants", .home, .check, .weekdays([3, 7]), ["09:00"]),
    Template("parents", .family, .check, .weekdays([7]), ["18:00"]),
    Template("play", .family, .duration(seconds: 1800), .daily),
    Template("meet-friend", .friends, .check, .weekdays([6]), ["11:00"]),
    Template("write-friend", .friends, .check, .weekdays([3]), ["19:30"]),
    Template("draw", .hobbies, .duration(seconds: 1200), .weekdays([2, 4, 7]), ["20:30"]),
    Template("photo", .hobbies, .check, .daily),
    Template("instrument", .music, .duration(seconds: 1800), .weekdays([1, 3, 5, 7]), ["18:00"]),
    Template("album", .music, .check, .weekdays([7])),
    Template("walk", .nature, .duration(seconds: 1800), .daily, ["17:00"]),
    Template("hike", .nature, .check, .monthDays([15])),
    Template("phone-free-meals", .screenTime, .quantity(2), .daily, ["13:45", "20:45"]),
    Template("no-social-media", .screenTime, .check, .daily, ["09:00"]),
    Template("good-deed", .other, .check, .daily),
    Template("review-week", .other, .check, .weekdays([7]), ["19:00"]),
  ]
}
