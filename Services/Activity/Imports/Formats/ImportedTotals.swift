public import Operations

/// The totals of formats, as stored.
public enum ImportedTotals {
  private static let found = [FitbitHours.source, GoogleFit.days, GoogleFit.quarters]

  /// The names of the sources whose samples are totals.
  public static let sources = found.compactMap(\.name)

  /// The present id of a sample that was stored under an id with its amount.
  ///
  /// - Returns: nil if it was not stored so: the sample came from a device, or has its present id.
  public static func id(
    ofSample earlier: String, source name: String, start: Instant, end: Instant, amount: Int
  ) -> String? {
    guard let source = found.first(where: { $0.name == name }),
      let (number, from) = ContentHash.parts(of: earlier), let kind = ImportedSample.Kind(rawValue: number)
    else { return nil }
    let span: ImportedSpan =
      switch source {
      case FitbitHours.source: .local(from, from + FitbitHours.hourLength)
      case GoogleFit.days: .day(LocalDay(daysSinceEpoch: Int32(clamping: from / 86_400_000)))
      default: .instants(start, end)
      }
    let sample = ImportedSample(kind: kind, span: span, amount: amount, source: source, isManual: false, isTotal: true)
    return sample.earlierID == earlier ? sample.id : nil
  }
}
