public import Operations

/// What a challenge or an achievement counts (REW-7, REW-8). `Services/Rewards/Challenges.md` explains the rules with examples.
public enum ChallengeMetric: String, Choice {
  /// Steps that may earn.
  case steps
  /// Metres walked that may earn.
  case walkingMeters
  /// Metres run that may earn.
  case runningMeters
  /// Metres cycled that may earn.
  case cyclingMeters
  /// Days in a row with at least so many steps that may earn.
  case daysInARow
  /// Days in a row for which an activity was kept; a week of a weekly activity counts as seven.
  case activityStreak
  /// Days of activities on which their goal was reached.
  case entries
  /// Tasks whose completion the account has confirmed.
  case tasksConfirmed
  /// Tasks in which the account was thanked for its help.
  case helpGiven
  /// Teams of which the account is or was a member.
  case teams
  /// Friends of the account.
  case friends
  /// Activities of the account.
  case activities

  /// Whether the metric is measured and so may earn coins: people could collude on what they write or confirm to each other.
  public var isMeasured: Bool {
    switch self {
    case .steps, .walkingMeters, .runningMeters, .cyclingMeters, .daysInARow: true
    case .activityStreak, .entries, .tasksConfirmed, .helpGiven, .teams, .friends, .activities: false
    }
  }

  /// The windows in which the metric can be counted.
  public var windows: Set<ChallengeWindow> {
    switch self {
    case .steps, .walkingMeters, .runningMeters, .cyclingMeters, .entries, .tasksConfirmed, .helpGiven:
      Set(ChallengeWindow.allCases)
    case .daysInARow: [.range, .ever]
    case .activityStreak, .teams, .friends, .activities: [.ever]
    }
  }
}

/// The time within which a metric is counted.
public enum ChallengeWindow: String, Choice {
  /// Any one local day.
  case day
  /// Any one week, Monday to Sunday.
  case week
  /// Any one calendar month.
  case month
  /// From one given day to another.
  case range
  /// All time.
  case ever
}

/// What is counted, and when. Apart from thresholds, this is the whole language in which challenges and achievements are defined.
public struct ChallengeRule: Document, Hashable {
  /// What is counted.
  public var metric: ChallengeMetric
  /// The window in which it is counted.
  public var window: ChallengeWindow
  /// For `daysInARow`: how many steps a day needs.
  public var stepsPerDay: Int?
  /// For the window `range`: its first day.
  public var from: LocalDay?
  /// For the window `range`: its last day.
  public var to: LocalDay?
  /// For new accounts only: the number of days, from the day of registration on, that count. Nil for all accounts.
  public var newAccountDays: Int?

  /// The rule from its parts.
  public init(
    metric: ChallengeMetric, window: ChallengeWindow, stepsPerDay: Int? = nil, from: LocalDay? = nil, to: LocalDay? = nil,
    newAccountDays: Int? = nil
  ) {
    self.metric = metric
    self.window = window
    self.stepsPerDay = stepsPerDay
    self.from = from
    self.to = to
    self.newAccountDays = newAccountDays
  }

  /// The maximum number of days of a range.
  public static let maxRangeDays = 366

  public static let notes: Notes = [
    "metric": """
    The metric: `steps`, `walkingMeters`, `runningMeters`, `cyclingMeters` (as far as they may earn coins); `daysInARow` with at least \
    `stepsPerDay` steps; `activityStreak`; `entries` (days of activities on which the goal was reached); `tasksConfirmed`; `helpGiven`; \
    `teams`; `friends`; `activities`.
    """,
    "window": """
    The window of time: any one `day`, any one `week` from Monday to Sunday, any one calendar `month`, a `range` of days, or `ever`. \
    `daysInARow` takes `range` and `ever`; `activityStreak`, `teams`, `friends` and `activities` take `ever`.
    """,
    "stepsPerDay": Note("For `daysInARow`, and only there: how many steps a day needs.", range: 1...1_000_000, example: 8000),
    "from": "For the window `range`, and only there: its first day.",
    "to": "For the window `range`, and only there: its last day, at most 365 days after the first.",
    "newAccountDays": Note(
      "For new accounts only: the number of days from the registration on that count; absent for all accounts. Not with `range`.",
      range: 1...365),
  ]

  public func check(_ fields: inout FieldChecks) {
    guard fields.areRight("metric", "window") else { return }
    let ofMetric = FieldRule("not_for_metric", ["metric": .text(metric.rawValue)])
    let ofWindow = FieldRule("not_for_window", ["window": .text(window.rawValue)])
    fields.expect(metric.windows.contains(window), "window", ofMetric)
    ChallengeRule.expect(stepsPerDay != nil, "stepsPerDay", only: metric == .daysInARow, or: ofMetric, &fields)
    ChallengeRule.expect(from != nil, "from", only: window == .range, or: ofWindow, &fields)
    ChallengeRule.expect(to != nil, "to", only: window == .range, or: ofWindow, &fields)
    if newAccountDays != nil {
      fields.expect(window != .range, "newAccountDays", ofWindow)
      fields.expect(metric.windows.count > 1, "newAccountDays", ofMetric)
    }
    guard fields.areRight("from", "to"), let from, let to else { return }
    PlannableDays.check(from, "from", &fields)
    guard PlannableDays.all.contains(from) else { return }
    let last = from.advanced(by: ChallengeRule.maxRangeDays - 1)
    fields.expect(
      (from...last).contains(to), "to",
      FieldRule("out_of_range", ["min": .text(from.description), "max": .text(last.description)]))
  }

  /// Refuses a field that is missing where it is needed, or given where it is not.
  private static func expect(
    _ isThere: Bool, _ field: String, only isNeeded: Bool, or rule: FieldRule, _ fields: inout FieldChecks
  ) {
    guard isThere != isNeeded else { return }
    fields.refuse(field, isNeeded ? FieldRule("required") : rule)
  }
}

/// The thresholds of an achievement's tiers.
public struct ChallengeTiers: Document, Hashable {
  /// The threshold of the first tier.
  public var bronze: Int
  /// The threshold of the second tier.
  public var silver: Int
  /// The threshold of the third and last tier.
  public var gold: Int

  /// The tiers from their thresholds.
  public init(bronze: Int, silver: Int, gold: Int) {
    self.bronze = bronze
    self.silver = silver
    self.gold = gold
  }

  public static let notes: Notes = [
    "bronze": Note("The threshold of bronze.", range: ChallengeTerms.thresholds, example: 10),
    "silver": Note("The threshold of silver, above bronze.", range: ChallengeTerms.thresholds, example: 50),
    "gold": Note("The threshold of gold, above silver.", range: ChallengeTerms.thresholds, example: 250),
  ]

  public func check(_ fields: inout FieldChecks) {
    if fields.areRight("bronze", "silver") {
      fields.expect(bronze < silver, "silver", FieldRule("not_more_than", ["field": .text("bronze")]))
    }
    if fields.areRight("silver", "gold") {
      fields.expect(silver < gold, "gold", FieldRule("not_more_than", ["field": .text("silver")]))
    }
  }
}

/// A tier of an achievement.
public enum ChallengeTier: String, Choice {
  case bronze, silver, gold
}

/// The words of a challenge or an achievement in one language.
public struct ChallengeText: Document, Hashable {
  /// The title.
  public var title: String
  /// What is to be done.
  public var description: String
  /// The badge's name.
  public var badge: String

  /// The words from their parts.
  public init(title: String, description: String, badge: String) {
    self.title = title
    self.description = description
    self.badge = badge
  }

  public static let notes: Notes = [
    "title": Note("Its title.", length: 1...80, example: "Ten thousand"),
    "description": Note("What is to be done, in a sentence.", length: 1...200, example: "Walk 10,000 steps in one day."),
    "badge": Note("What its badge is called.", length: 1...60, example: "Ten-thousander"),
  ]
}

/// The words of a challenge or an achievement in each language.
public struct ChallengeTexts: Document, Hashable {
  /// In English.
  public var en: ChallengeText
  /// In Spanish.
  public var es: ChallengeText

  /// The words from those of each language.
  public init(en: ChallengeText, es: ChallengeText) {
    self.en = en
    self.es = es
  }

  /// The words in one language.
  public subscript(_ language: Language) -> ChallengeText {
    switch language {
    case .english: en
    case .spanish: es
    }
  }

  public static let notes: Notes = ["en": "The English texts.", "es": "The Spanish texts."]
}

/// The name of a picture that clients contain: 1 to 40 of `a-z`, `0-9`, `-`.
public struct BadgeIcon: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) {
    let isAllowed = text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    guard (1...40).contains(text.utf8.count), isAllowed else { throw FieldRule("not_an_icon") }
    description = text
  }

  private init(known: String) { description = known }

  public static let placeholder = BadgeIcon(known: "star")

  public static let schema: JSON = [
    "type": "string", "minLength": 1, "maxLength": 40, "pattern": "^[a-z0-9-]{1,40}$", "examples": ["shoe"],
  ]
}

/// The definition of a challenge, with one threshold, or of an achievement, with three tiers (REW-7, REW-8).
public struct ChallengeTerms: Document, Hashable {
  /// What is counted, and when.
  public var rule: ChallengeRule
  /// For a challenge: how much completes it.
  public var threshold: Int?
  /// For an achievement: the threshold of each tier.
  public var tiers: ChallengeTiers?
  /// The coins that a completion pays; nil for none.
  public var coins: Int?
  /// The badge's picture.
  public var icon: BadgeIcon
  /// Titles, descriptions and badge names in each language.
  public var texts: ChallengeTexts

  /// The terms from their parts.
  public init(
    rule: ChallengeRule, threshold: Int? = nil, tiers: ChallengeTiers? = nil, coins: Int? = nil, icon: BadgeIcon,
    texts: ChallengeTexts
  ) {
    self.rule = rule
    self.threshold = threshold
    self.tiers = tiers
    self.coins = coins
    self.icon = icon
    self.texts = texts
  }

  static let thresholds: ClosedRange<Double> = 1...1_000_000_000

  public static let notes: Notes = [
    "rule": "What is counted, and when.",
    "threshold": Note(
      "For a challenge: the threshold that completes it, in the metric's unit. Give either this or `tiers`.", range: thresholds,
      example: 10_000),
    "tiers": "For an achievement: the threshold of each tier. Give either this or `threshold`.",
    "coins": Note(
      "The coins that completing it pays. Only challenges of measured movement pay, since people could agree on what they write or confirm.",
      range: 1...10_000, example: 20),
    "icon": "The name of its badge's picture.", "texts": "Its names and descriptions in each language.",
  ]

  public func check(_ fields: inout FieldChecks) {
    if threshold == nil, tiers == nil { fields.refuse("threshold", FieldRule("required")) }
    if threshold != nil, tiers != nil { fields.refuse("tiers", FieldRule("not_beside", ["field": .text("threshold")])) }
    guard coins != nil, fields.areRight("rule") else { return }
    fields.expect(rule.metric.isMeasured, "coins", FieldRule("only_for_movement"))
    fields.expect(tiers == nil, "coins", FieldRule("not_beside", ["field": .text("tiers")]))
  }
}
