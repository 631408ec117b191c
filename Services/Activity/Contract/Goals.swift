public import Operations

/// The goal of a planned day (ACT-1, ACT-15): done or not, an amount, or a time.
public struct Goal: Document, Hashable {
  /// How progress is measured.
  public enum Kind: String, Choice {
    /// Done or not.
    case check
    /// An amount of something.
    case quantity
    /// A time spent.
    case duration
  }

  /// Whether the amount or time is a minimum or a limit.
  public enum Direction: String, Choice {
    /// That much or more.
    case atLeast
    /// No more than that: a limit.
    case atMost
  }

  /// How progress is measured.
  public var kind: Kind
  /// How much a day asks for, in `unit`.
  public var amount: Double?
  /// What is counted.
  public var unit: String?
  /// How long a day asks for, in seconds.
  public var durationSeconds: Int?
  /// For an amount or a time: whether to reach it or not to exceed it; `atLeast` if absent.
  public var direction: Direction?

  init(
    kind: Kind, amount: Double? = nil, unit: String? = nil, durationSeconds: Int? = nil, direction: Direction? = nil
  ) {
    self.kind = kind
    self.amount = amount
    self.unit = unit
    self.durationSeconds = durationSeconds
    self.direction = direction
  }

  /// Done or not.
  public static let check = Goal(kind: .check)

  /// So much of the unit a day.
  public static func quantity(_ amount: Double, unit: String, _ direction: Direction = .atLeast) -> Goal {
    Goal(kind: .quantity, amount: amount, unit: unit, direction: direction)
  }

  /// So much time a day.
  public static func duration(seconds: Int, _ direction: Direction = .atLeast) -> Goal {
    Goal(kind: .duration, durationSeconds: seconds, direction: direction)
  }

  public static let notes: Notes = [
    "kind": "`check`: done or not; `quantity`: an amount; `duration`: a time.",
    "amount": Note(
      "For `quantity`: the amount to reach a day, or its limit; 3 decimals at most.", range: 0.001...Amounts.maximum,
      example: .number(2.5)),
    "unit": Note("For `quantity`: what is counted, at most 20 characters and 320 bytes.", length: 1...20, example: "litres"),
    "durationSeconds": Note(
      "For `duration`: the time to reach a day, or its limit.", range: 1...Double(Amounts.maxSeconds), example: 1800),
    "direction": """
    For `quantity` and `duration`: `atLeast` (if absent): a goal to reach; `atMost`: a limit, which a day keeps if it ends without \
    exceeding it, even without any entry.
    """,
  ]

  public func check(_ fields: inout FieldChecks) {
    if fields.areRight("kind") {
      let isQuantity = kind == .quantity
      fields.expect((amount != nil) == isQuantity, "amount", Goal.presence(kind, wanted: isQuantity))
      fields.expect((unit != nil) == isQuantity, "unit", Goal.presence(kind, wanted: isQuantity))
      fields.expect(
        (durationSeconds != nil) == (kind == .duration), "durationSeconds", Goal.presence(kind, wanted: kind == .duration))
      fields.expect(direction == nil || kind != .check, "direction", Goal.presence(kind, wanted: false))
    }
    if let amount { fields.expect(Amounts.isExact(amount), "amount", Amounts.tooPrecise) }
    ActivityText.checkSize(unit, "unit", maximum: 20, &fields)
  }

  private static func presence(_ kind: Kind, wanted: Bool) -> FieldRule {
    wanted ? FieldRule("required") : FieldRule("not_for_goal_kind", ["kind": .text(kind.rawValue)])
  }
}

/// Bounds of amounts and times. Amounts have at most three decimals, so that their sums are exact.
public enum Amounts {
  /// The largest amount.
  public static let maximum: Double = 1_000_000
  /// The longest time that fits into a day, with the extra hour at the end of summer time.
  public static let maxSeconds = 90_000

  static let tooPrecise = FieldRule("too_precise", ["max": .number(3)])

  /// The amount in thousandths, rounded; exact where ``isExact(_:)``. Saturates where the result does not fit into an integer.
  public static func thousandths(_ amount: Double) -> Int {
    Int(exactly: (amount * 1000).rounded()) ?? (amount < 0 ? .min : .max)
  }

  /// The amount of so many thousandths.
  public static func amount(thousandths: Int) -> Double { Double(thousandths) / 1000 }

  /// Whether the amount has at most three decimals.
  public static func isExact(_ amount: Double) -> Bool { amount == self.amount(thousandths: thousandths(amount)) }
}
