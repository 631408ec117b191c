import Operations
import RewardsContract

/// Words for what remains of a challenge (E UC-06, AF-01).
struct ChallengeWording: Sendable {
  private let words = Words(Contract.rewards.words)

  /// Words such as `2,500 steps remaining`, in the form of the language.
  func remaining(_ amount: Int, of metric: ChallengeMetric, _ language: Language) -> String {
    let (key, number) = ChallengeWording.key(amount, of: metric)
    return words.text("challenge.remaining.\(key)", language, ["count": number]) ?? ""
  }

  func text(_ key: String, _ language: Language) -> String { words.text(key, language) ?? "" }

  /// The text's key and number: from a kilometre up in kilometres, rounded up so that a remainder never reads as 0.
  private static func key(_ amount: Int, of metric: ChallengeMetric) -> (String, Parameter) {
    let noun: String
    switch metric {
    case .steps: noun = "steps"
    case .walkingMeters, .runningMeters, .cyclingMeters:
      guard amount >= 1000 else { return ("meters", .number(amount)) }
      let tenths = (amount + 99) / 100
      return ("kilometers", tenths % 10 == 0 ? .number(tenths / 10) : .decimal(Double(tenths) / 10))
    case .daysInARow, .activityStreak: noun = "days"
    case .entries: noun = "entries"
    case .tasksConfirmed: noun = "tasks"
    case .helpGiven: noun = "helps"
    case .teams: noun = "teams"
    case .friends: noun = "friends"
    case .activities: noun = "activities"
    }
    return ("\(noun).\(amount == 1 ? "one" : "other")", .number(amount))
  }
}
