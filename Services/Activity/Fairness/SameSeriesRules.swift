/// When a day is the copy of another account's (MOVE-6).
enum SameSeriesRules {
  /// How much of a day's steps is another's where it is a copy: nearly all, but for what was added to it or changed. Of two who count each
  /// minute and walk at the same time, some hundredths are equal by chance. Samples are not counted: many of a step each hide nothing.
  static let copied = 0.75
  /// Where it is still one: so that what comes piece by piece does not earn, and earn nothing, by turns.
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
