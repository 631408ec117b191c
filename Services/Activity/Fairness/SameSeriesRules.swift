/// Decides whether a day is a copy of another account's (MOVE-6).
enum SameSeriesRules {
  /// The share of a day's steps that must match another account for it to be a copy: nearly all, apart from additions and changes. Two
  /// people who count every minute and walk at the same time share a few per cent by chance. The share is of steps, not of samples: many
  /// samples of one step each would hide nothing.
  static let copied = 0.75
  /// The share above which a day remains a copy, so that a day reported piece by piece does not alternate between earning and not earning.
  static let stillCopied = 0.5

  /// - Parameters:
  ///   - minimum: fewer shared samples are the same by chance.
  ///   - wasCopy: whether it was one so far.
  static func isCopy(_ overlap: SeriesSketch.Overlap, minimum: Int, wasCopy: Bool) -> Bool {
    let share = wasCopy ? stillCopied : copied
    return overlap.sharedSamples >= minimum
      && Double(overlap.sharedAmount) >= share * Double(overlap.amount)
  }
}
