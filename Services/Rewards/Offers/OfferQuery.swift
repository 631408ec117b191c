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
    try OfferStore.complete(&offer, found.partner, in: database)
    offer.distanceMeters = squaredChord.map { EarthPoint.meters(squaredChord: $0) }
    return offer
  }
}

// MARK: - Along an index

extension OfferQuery {
  /// The position at which a walk starts.
  private func start(_ last: OfferPosition?) -> OfferPosition {
    // The few offers of one partner are ordered by the negated value itself.
    let isBackward = order == .newest && partner == nil
    if let last { return OfferPosition(value: isBackward ? -last.value : last.value, offer: last.offer) }
    if isBackward { return OfferPosition(value: .max, offer: .last) }
    return OfferPosition(value: order == .end || order == .distance ? now.milliseconds : .min, offer: .placeholder)
  }

  fileprivate func walk(_ page: PageRequest, behind last: OfferPosition?, in database: Database) throws -> Page<Offer> {
    let rows = try OfferStore.walk(order, of: partner, behind: start(last), in: database)
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
