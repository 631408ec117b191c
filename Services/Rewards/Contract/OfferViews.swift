public import Operations

extension FeatureContract {
  static let offerViews = FeatureContract(operations: [GetOfferStatistics.self])
}

/// Statistics of a partner's offers on one day in UTC (REW-3): counts only, no personal data.
public struct OfferStatistics: Document, Hashable {
  /// The day.
  public var day: LocalDay
  /// How many people looked at an offer; each person counts once per offer.
  public var views: Int
  /// How many offers were redeemed.
  public var redemptions: Int
  /// How many codes were used.
  public var uses: Int

  /// The statistics from their parts.
  public init(day: LocalDay, views: Int, redemptions: Int, uses: Int) {
    self.day = day
    self.views = views
    self.redemptions = redemptions
    self.uses = uses
  }

  public static let notes: Notes = [
    "day": "The day, in UTC.",
    "views": Note("The number of people who viewed an offer, each once for each offer.", range: 0...9e15),
    "redemptions": Note("The number of redemptions.", range: 0...9e15),
    "uses": Note("The number of codes used.", range: 0...9e15),
  ]
}

/// Returns the statistics of the offers of the caller's partner, day by day (REW-3).
public enum GetOfferStatistics: AccountOperation {
  /// Which offers and days.
  public struct Input: Document {
    /// The maximum number of days in one reply.
    public static let maxDays = 366

    /// Only this offer.
    public var offerID: OfferID?
    /// The first day.
    public var from: LocalDay
    /// The last day.
    public var to: LocalDay

    /// The input from its parts.
    public init(offerID: OfferID? = nil, from: LocalDay, to: LocalDay) {
      self.offerID = offerID
      self.from = from
      self.to = to
    }

    public static let notes: Notes = [
      "offerID": "Only this offer of the caller's company; all if absent.", "from": "The first day, in UTC.",
      "to": "The last day, at most 366 days in all.",
    ]

    public func check(_ fields: inout FieldChecks) {
      guard fields.areRight("from", "to") else { return }
      fields.expect(from <= to, "to", FieldRule("not_after", ["field": .text("from")]))
      fields.expect(
        from.distance(to: to) < Input.maxDays, "to", FieldRule("too_many_days", ["max": .number(Input.maxDays)]))
    }
  }

  /// The statistics.
  public struct Output: Document, Hashable {
    /// The days with any count, in order.
    public var days: [OfferStatistics]

    /// The answer from its parts.
    public init(days: [OfferStatistics]) { self.days = days }

    public static let notes: Notes = [
      "days": Note("The statistics of the days with any, in order.", items: 0...Input.maxDays)
    ]
  }

  public static let spec = OperationSpec(
    "offerStatistics.get", of: .rewards, .get("/v1/partners/mine/statistics"), by: .partnerClerk, effect: .read,
    failures: [OfferFailure.notFound.kind], requirements: ["REW-3"],
    "Returns how often the offers of the caller's company were viewed, redeemed and used, day by day.")
}
