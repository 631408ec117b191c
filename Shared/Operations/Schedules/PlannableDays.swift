/// The days that activities and recurring tasks can be about.
public enum PlannableDays {
  /// From 1970-01-01 to 2199-12-31; operations refuse other days as `out_of_range`, naming the field.
  public static let all = LocalDay(daysSinceEpoch: 0)...LocalDay(daysSinceEpoch: 84005)

  /// Reports a day outside this range.
  public static func check(_ day: LocalDay?, _ field: String, _ fields: inout FieldChecks) {
    guard let day, !all.contains(day) else { return }
    fields.refuse(field, outside)
  }

  /// Returns the day if it is in this range.
  public static func required(_ day: LocalDay) throws(FieldRule) -> LocalDay {
    guard all.contains(day) else { throw outside }
    return day
  }

  /// The rule that a day outside this range breaks.
  public static let outside = FieldRule(
    "out_of_range", ["min": .text(all.lowerBound.description), "max": .text(all.upperBound.description)])

  /// Reports a last day before the first one; each is given with the name of its field.
  public static func checkOrder(_ first: (String, LocalDay?), _ last: (String, LocalDay?), _ fields: inout FieldChecks) {
    guard fields.areRight(first.0, last.0), let firstDay = first.1, let lastDay = last.1, lastDay < firstDay else { return }
    fields.refuse(last.0, mayNotEndBefore(firstDay))
  }

  /// The rule that an end before its beginning breaks.
  public static func mayNotEndBefore(_ day: LocalDay) -> FieldRule { FieldRule("ends_before", ["day": .text(day.description)]) }
}
