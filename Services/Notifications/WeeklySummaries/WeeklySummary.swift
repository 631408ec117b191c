import ActivityContract
import NotificationsContract
import Operations
import RewardsContract

/// What became of an account's week, as far as the services that know it answered (NOT-3).
struct WeeklySummary: Document, Hashable {
  /// A Monday.
  var firstDay: LocalDay
  var activity: ActivityWeek?
  var coins: CoinWeek?
  var acceptedChallenges: Int?
  /// The register's checkpoint: a reader who keeps it can detect any change of the register.
  var checkpoint: String?

  static let notes: Notes = [
    "firstDay": "The week's Monday.", "activity": "Steps, entries and streaks; absent where they were not available.",
    "coins": "What came and went of coins; absent where it was not available.",
    "acceptedChallenges": "How many challenges friends accepted; absent where it was not available.",
    "checkpoint": Note("The register's last checkpoint.", length: 1...1_000_000, breaksLines: true),
  ]

  /// Its last day.
  var lastDay: LocalDay { firstDay.advanced(by: 6) }

  /// Whether nothing is known to have happened, so that there is nothing to send.
  var isEmpty: Bool {
    let activities = activity.map { $0.steps + $0.doneEntries + $0.keptStreakCount + $0.brokenStreakCount } ?? 0
    return activities == 0 && (coins.map { $0.earned == 0 && $0.spent == 0 } ?? true) && (acceptedChallenges ?? 0) == 0
  }

  // MARK: - In words

  /// The names of the values of its notification.
  static let values: Set<String> = ["from", "until", "summary"]

  /// What stands in the inbox: its values, and in each language a sentence for each part.
  var content: NotificationContent {
    var parameters: [String: Parameter] = ["from": .text(firstDay.description), "until": .text(lastDay.description)]
    for language in Language.allCases {
      let name = language == .english ? "summary" : "summary.\(language.rawValue)"
      parameters[name] = .text(lines(language).map { "\($0)." }.joined(separator: " "))
    }
    return NotificationContent(parameters: parameters, links: NotificationLinks(registerCheckpoint: checkpoint))
  }

  /// A line for each thing that happened, and one for each part that is not available.
  ///
  /// - Parameter naming: whether streaks are named.
  func lines(_ language: Language, naming: Bool = false) -> [String] {
    activityLines(language, naming: naming) + coinLines(language) + challengeLines(language)
  }

  private func activityLines(_ language: Language, naming: Bool) -> [String] {
    func words(_ name: String, _ values: [String: Parameter] = [:]) -> String { WeeklySummary.words(name, language, values) }
    guard let activity else { return [words("activityMissing")] }
    var lines: [String] = []
    if activity.steps > 0 {
      lines.append(words("steps", ["steps": .number(activity.steps), "days": .number(activity.walkedDays)]))
    }
    if activity.doneEntries > 0 { lines.append(words("done", ["count": .number(activity.doneEntries)])) }
    if activity.keptStreakCount > 0 {
      lines.append(words("kept", ["count": .number(activity.keptStreakCount)]))
      if naming {
        lines += activity.keptStreaks.map { streak in
          let values: [String: Parameter] = ["title": .text(LinkFree.text(streak.title)), "count": .number(streak.current)]
          return words(streak.current == 1 ? "keptOne.\(streak.unit)" : "keptMany.\(streak.unit)", values)
        }
      }
    }
    if activity.brokenStreakCount > 0 {
      lines.append(words("broken", ["count": .number(activity.brokenStreakCount)]))
      if naming { lines += activity.brokenStreaks.map { words("brokenOne", ["title": .text(LinkFree.text($0))]) } }
    }
    return lines
  }

  private func coinLines(_ language: Language) -> [String] {
    guard let coins else { return [WeeklySummary.words("coinsMissing", language)] }
    var lines: [String] = []
    if coins.earned != 0 { lines.append(WeeklySummary.words("earned", language, ["coins": .number(coins.earned)])) }
    if coins.spent != 0 { lines.append(WeeklySummary.words("spent", language, ["coins": .number(coins.spent)])) }
    if !lines.isEmpty || coins.balance > 0 {
      lines.append(WeeklySummary.words("balance", language, ["coins": .number(coins.balance)]))
    }
    return lines
  }

  private func challengeLines(_ language: Language) -> [String] {
    guard let acceptedChallenges else { return [WeeklySummary.words("challengesMissing", language)] }
    guard acceptedChallenges > 0 else { return [] }
    return [WeeklySummary.words("challenges", language, ["count": .number(acceptedChallenges)])]
  }

  /// A test sees to it that there are all in every language.
  private static func words(_ name: String, _ language: Language, _ values: [String: Parameter] = [:]) -> String {
    NotificationText.words.text("weeklySummary.\(name)", language, values) ?? name
  }
}
