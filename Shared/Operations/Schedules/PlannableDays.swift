/// The days that activities and recurring tasks can be about.
public enum PlannableDays {
  /// From 1970-01-01 to 2199-12-31; operations refuse others as `out_of_range`, with their field.
  public static let all = LocalDay(daysSinceEpoch: 0)...LocalDay(daysSinceEpoch: 84005)

  /// Records a day before or after them.
  public static func check(_ day: LocalDay?, _ field: String, _ fields: inout FieldChecks) {
    guard let day, !all.contains(day) else { return }
    fields.refuse(field, outside)
  }

  /// That day, if it is one of them.
  public static func required(_ day: LocalDay) throws(FieldRule) -> LocalDay {
    guard all.contains(day) else { throw outside }
    return day
  }

  /// The rule that a day before or after them breaks.
  public static let outside = FieldRule(
    "out_of_range", ["min": .text(all.lowerBound.description), "max": .text(all.upperBound.description)])

  /// Records a last day before the first one; both with the names of their fields.
  public static func checkOrder(_ first: (String, LocalDay?), _ last: (String, LocalDay?), _ fields: inout FieldChecks) {
    guard fields.areRight(first.0, last.0), let firstDay = first.1, let lastDay = last.1, lastDay < firstDay else { return }
    fields.refuse(last.0, mayNotEndBefore(firstDay))
  }

  /// The rule that an end breaks which is before its beginning.
  public static func mayNotEndBefore(_ day: LocalDay) -> FieldRule { FieldRule("ends_before", ["day": .text(day.description)]) }
}
