import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// A requested list of offers (REW-4): walks the index of its order, with a bounded number of offers per page; where a location or a
/// partner leaves only a few, it examines those instead.
struct OfferQuery {
  /// The maximum number of offers that are examined for a page.
  static let maxSteps = 2000

  let order: OfferOrder
  let place: EarthPoint?
  let radiusMeters: Int?
  let partner: PartnerID?
  let category: OfferCategory?
  /// In the form of ``OfferStore/Stored/searchText``.
  let text: String?
  /// The maximum price; nil for any.
  let maxCost: Int?
  let now: Instant

  /// - Parameters:
  ///   - place: where the caller is.
  ///   - balance: how many coins the caller has.
  init(_ input: ListOffers.Input, from place: EarthPoint?, balance: Int, now: Instant) {
    order = input.sort ?? .end
    self.place = place
    radiusMeters = input.radiusMeters ?? (order == .distance ? ListOffers.Input.usualRadiusMeters : nil)
    partner = input.partnerID
    category = input.category
    text = input.text.map { SearchText($0).string }
    maxCost = input.isAffordable == true ? balance : nil
    self.now = now
  }

  func page(_ page: PageRequest, in database: Database) throws -> Page<Offer> {
    let last = try page.cursor { text throws(FieldRule) in try position(text) }
    guard let place, let radiusMeters else { return try walk(page, behind: last, in: database) }
    let near = try OfferDistances.within(radiusMeters, of: place, partner: partner, in: database)
    // For the order by distance the nearest of very many are enough.
    guard near.isWhole || order == .distance else { return try walk(page, behind: last, in: database) }
    return try choose(near.nearest, page, behind: last, in: database)
  }

  /// Parses a cursor, which is valid only for the order in which it was made.
  private func position(_ text: String) throws(FieldRule) -> OfferPosition {
    guard text.hasPrefix("\(order).") else { throw PageCursor.invalid }
    return try OfferPosition(text: String(text.dropFirst(order.rawValue.count + 1)))
  }

  /// Whether the list includes the offer.
  private func includes(_ found: OfferStore.Stored) -> Bool {
    guard found.isListed, found.offer.validFrom <= now, now < found.offer.validUntil else { return false }
    if let partner, found.partner != partner { return false }
    if let category, found.offer.category != category { return false }
    if let maxCost, found.offer.costCoins > maxCost { return false }
    return text.map { found.searchText.contains($0) } ?? true
  }

  private func value(_ found: OfferStore.Stored) -> Int64 {
    switch order {
    case .end, .distance: found.offer.validUntil.milliseconds
    case .cost: Int64(found.offer.costCoins)
    // The newest first.
    case .newest: -found.createdAt.milliseconds
    }
  }

  private func shown(_ found: OfferStore.Stored, _ squaredChord: Double?, in database: Database) throws -> Offer {
    var offer = found.offer
    try OfferQuery.complete(&offer, found.partner, in: database)
    offer.distanceMeters = squaredChord.map { EarthPoint.meters(squaredChord: $0) }
    return offer
  }

  /// Adds the partner's data to an offer.
  static func complete(_ offer: inout Offer, _ partner: PartnerID?, in database: Database) throws {
    guard let partner else { return }
    offer.partner = try database.first("SELECT about, logo_tag FROM partners WHERE partner_id = ?", .id(partner)) {
      OfferPartner(
        id: partner, about: $0.text(0),
        logoURL: $0.isNull(1) ? nil : PartnerPictureURL(logoOf: partner, tag: $0.text(1)))
    }
  }
}

// MARK: - Along an index

extension OfferQuery {
  /// SQL for the offers after a position in each order; for `newest` the values are negated.
  var walkSQL: String {
    if partner != nil {
      return """
        SELECT * FROM offers INDEXED BY offers_of_partner WHERE partner_id = :partner
          AND (\(orderSQL), offer_id) > (:value, :offer) ORDER BY \(orderSQL), offer_id LIMIT \(OfferQuery.maxSteps)
        """
    }
    switch order {
    case .end, .distance: return OfferQuery.walk("offers_by_end", "valid_until")
    case .cost: return OfferQuery.walk("offers_by_cost", "cost_coins")
    case .newest:
      return """
        SELECT * FROM offers INDEXED BY offers_by_age WHERE is_listed AND (created_at, offer_id) < (:value, :offer)
        ORDER BY created_at DESC, offer_id DESC LIMIT \(OfferQuery.maxSteps)
        """
    }
  }

  private var orderSQL: String {
    switch order {
    case .end, .distance: "valid_until"
    case .cost: "cost_coins"
    case .newest: "-created_at"
    }
  }

  private static func walk(_ index: String, _ column: String) -> String {
    """
    SELECT * FROM offers INDEXED BY \(index) WHERE is_listed AND (\(column), offer_id) > (:value, :offer)
    ORDER BY \(column), offer_id LIMIT \(maxSteps)
    """
  }

  /// The position at which a walk starts.
  private func start(_ last: OfferPosition?) -> (value: Int64, offer: OfferID) {
    // The few offers of one partner are ordered by the negated value itself.
    let isBackward = order == .newest && partner == nil
    if let last { return (isBackward ? -last.value : last.value, last.offer) }
    if isBackward { return (.max, .last) }
    return (order == .end || order == .distance ? now.milliseconds : .min, .placeholder)
  }

  fileprivate func walk(_ page: PageRequest, behind last: OfferPosition?, in database: Database) throws -> Page<Offer> {
    let start = start(last)
    var arguments: StatementArguments = ["value": start.value, "offer": start.offer]
    if let partner { arguments += ["partner": partner] }
    let rows = try Row.fetchCursor(database.cachedStatement(sql: walkSQL), arguments: arguments)
    var items: [Offer] = []
    var position: OfferPosition?
    var steps = 0
    while let row = try rows.next() {
      let found = OfferStore.Stored(row)
      steps += 1
      if includes(found) {
        var squaredChord: Double?
        if let place { squaredChord = try OfferDistances.squaredChord(from: place, to: found.id, in: database) }
        if isNear(squaredChord) {
          if items.count == page.limit { return page.page(items, goingOnBehind: position.map(key)) }
          items.append(try shown(found, squaredChord, in: database))
        }
      }
      position = OfferPosition(value: value(found), offer: found.id)
    }
    return page.page(items, goingOnBehind: steps == OfferQuery.maxSteps ? position.map(key) : nil)
  }

  private func isNear(_ squaredChord: Double?) -> Bool {
    guard let radiusMeters else { return true }
    guard let squaredChord else { return false }
    let chord = EarthPoint.chord(meters: Double(radiusMeters))
    return squaredChord <= chord * chord
  }

  private func key(_ position: OfferPosition) -> String { "\(order).\(position)" }
}

// MARK: - Among few

extension OfferQuery {
  /// The page of nearby offers, which are few enough to be sorted.
  fileprivate func choose(
    _ near: [OfferID: Double], _ page: PageRequest, behind last: OfferPosition?, in database: Database
  ) throws -> Page<Offer> {
    var positions: [(position: OfferPosition, found: OfferStore.Stored?)] = []
    for (id, squaredChord) in near {
      if order == .distance {
        // The bits of a non-negative number are in the same order as the numbers.
        positions.append((OfferPosition(value: Int64(bitPattern: squaredChord.bitPattern), offer: id), nil))
      } else if let found = try OfferStore.find(id, in: database), includes(found) {
        positions.append((OfferPosition(value: value(found), offer: id), found))
      }
    }
    if let last { positions.removeAll { !(last < $0.position) } }
    positions.sort { $0.position < $1.position }
    var items: [Offer] = []
    var position: OfferPosition?
    for candidate in positions {
      if let found = try candidate.found ?? OfferStore.find(candidate.position.offer, in: database), includes(found) {
        if items.count == page.limit { return page.page(items, goingOnBehind: position.map(key)) }
        items.append(try shown(found, near[found.id], in: database))
      }
      position = candidate.position
    }
    return Page(items: items)
  }
}
