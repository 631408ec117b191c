public import Operations

/// The days that activities can be about.
public enum PlannableDays {
  /// First and last.
  public static let all = LocalDay(daysSinceEpoch: 0)...LocalDay(daysSinceEpoch: 84005)

  /// Records a day before or after them.
  static func check(_ day: LocalDay?, _ field: String, _ fields: inout FieldChecks) {
    guard let day, !all.contains(day) else { return }
    fields.refuse(field, outside)
  }

  /// That day, if it is one of them.
  static func required(_ day: LocalDay) throws(FieldRule) -> LocalDay {
    guard all.contains(day) else { throw outside }
    return day
  }

  /// The rule that a day before or after them breaks.
  static let outside = FieldRule(
    "out_of_range", ["least": .text(all.lowerBound.description), "most": .text(all.upperBound.description)])

  /// Records a last day before the first one.
  static func checkOrder(_ first: LocalDay?, _ last: LocalDay?, _ field: String, _ fields: inout FieldChecks) {
    guard let first, let last, last < first else { return }
    fields.refuse(field, mayNotEndBefore(first))
  }

  /// The rule that an end breaks which is before its beginning.
  public static func mayNotEndBefore(_ day: LocalDay) -> FieldRule { FieldRule("ends_before", ["day": .text(day.description)]) }
}
