import GRDB
import IdentityContract
import InProcess
import Operations
import RewardsContract
import Sampling
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("The list of offers (REW-4)")
struct OfferListTests {
  @Test(
    "Offers can be browsed with reward, cost and partner, and read with places and distance (E UC-04, main flow)"
  )
  func browse() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let ana = try await services.register()
      let offer = try await shop.offer()
      let listed = try await ana.send(ListOffers.self, .init()).items
      #expect(listed.map(\.id) == [offer.id])
      #expect(listed[0].reward == "Two coffees" && listed[0].costCoins == 10 && listed[0].partnerName == "Café Central")
      #expect(listed[0].partner?.id == shop.id && listed[0].partner?.about == "Coffee and cakes." && listed[0].places == nil)
      // From the Plaza Mayor it is some 340 metres.
      let shown = try await ana.send(GetOffer.self, .init(offerID: offer.id, latitude: 40.4155, longitude: -3.7074))
      #expect(shown.places?.map(\.address) == [Shop.sol.address])
      #expect((330...345).contains(shown.distanceMeters ?? 0))
      #expect(try await ana.send(GetOffer.self, .init(offerID: offer.id)).distanceMeters == nil)
    }
  }

  @Test("Offers are listed by end, cost, age or distance, page by page, and a cursor fits its own order only")
  func orders() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      for (title, cost, until, north) in [
        ("a", 30, "2026-12-03", 0.03), ("b", 10, "2026-12-01", 0.01), ("c", 20, "2026-12-04", 0.02),
        ("d", 10, "2026-12-02", 0.04),
      ] {
        let shop = try await services.shop(title, places: [.init(address: title, latitude: 40 + north, longitude: -3)])
        _ = try await shop.offer(title: title, cost: cost, until: "\(until)T00:00:00.000Z")
        services.clock.advance(seconds: 1)
      }
      func titles(_ sort: OfferOrder) async throws -> String {
        var titles = ""
        var cursor: PageCursor?
        repeat {
          let page = try await ana.send(
            ListOffers.self, .init(sort: sort, latitude: 40, longitude: -3, radiusMeters: 50_000, limit: 3, cursor: cursor))
          titles += page.items.map(\.title).joined()
          cursor = page.nextCursor
        } while cursor != nil
        return titles
      }
      #expect(try await titles(.end) == "bdac")
      #expect(try await titles(.newest) == "dcba")
      #expect(try await titles(.distance) == "bcad")
      #expect(["bdca"].contains(try await titles(.cost)))
      let cursor = try #require(try await ana.send(ListOffers.self, .init(sort: .cost, limit: 1)).nextCursor)
      #expect(
        try await ana.refusedFields(ListOffers.self, .init(sort: .newest, limit: 1, cursor: cursor)) == ["cursor invalid_cursor"])
      let without = try await ana.send(ListOffers.self, .init(sort: .cost, limit: 4)).items
      #expect(without.map(\.title).joined() == "bdca" && without.allSatisfy { $0.distanceMeters == nil })
    }
  }

  @Test("Offers can be filtered by affordability, distance, partner, category and text")
  func filters() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await services.give(15, to: ana)
      let near = try await services.shop("Café Ñandú")
      let far = try await services.shop("Gimnasio", places: [.init(address: "x", latitude: 41.387, longitude: 2.1701)])
      _ = try await near.offer(title: "Coffee", cost: 10)
      _ = try await near.offer(title: "Feast", cost: 20, category: .food)
      _ = try await far.offer(title: "Week", cost: 12, category: .sports)
      _ = try await services.publish(title: "Operator's", cost: 1)
      func titles(_ input: ListOffers.Input) async throws -> [String] {
        try await ana.send(ListOffers.self, input).items.map(\.title).sorted()
      }
      #expect(try await titles(.init(isAffordable: true)) == ["Coffee", "Operator's", "Week"])
      #expect(try await titles(.init(isAffordable: false)).count == 4)
      #expect(
        try await titles(.init(latitude: 40.4168, longitude: -3.7038, radiusMeters: 1000)) == ["Coffee", "Feast"])
      #expect(
        try await titles(.init(isAffordable: true, latitude: 40.4168, longitude: -3.7038, radiusMeters: 1000)) == ["Coffee"])
      #expect(try await titles(.init(partnerID: far.id)) == ["Week"])
      #expect(try await titles(.init(sort: .newest, partnerID: near.id)) == ["Coffee", "Feast"])
      #expect(try await titles(.init(category: .food)) == ["Feast"])
      #expect(try await titles(.init(text: "NANDU")) == ["Coffee", "Feast"])
      #expect(try await titles(.init(text: "nothing like it")).isEmpty)
      #expect(try await titles(.init(category: .food, text: "coffee")).isEmpty == false)
    }
  }

  @Test("Offers nearby need the consent to location, and nothing of the place is stored")
  func consent() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register(consents: [.activityData])
      let shop = try await services.shop()
      let offer = try await shop.offer()
      let place = ListOffers.Input(latitude: 40.123456789, longitude: -3.987654321, radiusMeters: 100_000)
      #expect(try await ana.failure(ListOffers.self, place) == "consent_required")
      #expect(
        try await ana.failure(GetOffer.self, .init(offerID: offer.id, latitude: 40, longitude: -3)) == "consent_required")
      // Somebody who has just given it may be faster than the event that reports it.
      try await services.change(ana, isPublished: false) { $0.consents = [.activityData, .location] }
      #expect(try await ana.send(ListOffers.self, place).items.map(\.id) == [offer.id])
      _ = try await ana.send(GetOffer.self, .init(offerID: offer.id, latitude: 40.123456789, longitude: -3.987654321))
      let bytes = String(decoding: try services.storedBytes(), as: UTF8.self)
      #expect(!bytes.contains("40.123456789") && !bytes.contains("-3.987654321"))
      for (input, fields) in [
        (ListOffers.Input(latitude: 1), ["longitude required"]), (.init(longitude: 1), ["latitude required"]),
        (.init(sort: .distance), ["latitude required"]), (.init(radiusMeters: 5), ["latitude required"]),
        (.init(latitude: 91, longitude: 1), ["latitude out_of_range"]), (.init(text: " "), ["text empty"]),
      ] { #expect(try await ana.refusedFields(ListOffers.self, input) == fields) }
    }
  }

  @Test(
    "Distances of offers follow the great circle within the R*Tree's boxes, across the date line, too")
  func greatCircle() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      // On the corner of the box around (0, 180), and within the circle.
      let corner = PartnerPlaceDraft(address: "corner", latitude: 0.085, longitude: -179.915)
      let inside = PartnerPlaceDraft(address: "inside", latitude: 0.06, longitude: -179.94)
      for place in [corner, inside] { _ = try await services.shop(place.address, places: [place]).offer(title: place.address) }
      let input = ListOffers.Input(sort: .distance, latitude: 0, longitude: 180, radiusMeters: 10_000)
      let found = try await ana.send(ListOffers.self, input).items
      #expect(found.map(\.title) == ["inside"] && (9_400...9_450).contains(found.first?.distanceMeters ?? 0))
    }
  }

  @Test("A chain with many places and offers leaves room for others in the list by distance")
  func crowded() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      let places = (0..<100).map {
        PartnerPlaceDraft(address: "\($0)", latitude: 40.4 + Double($0) / 1e5, longitude: -3.7)
      }
      let chain = try await services.shop("Chain", places: places)
      for _ in 0..<51 { _ = try await chain.offer(title: "Chain") }
      let corner = PartnerPlaceDraft(address: "corner", latitude: 40.44, longitude: -3.7)
      _ = try await services.shop("Corner", places: [corner]).offer(title: "Corner")
      for sort in [OfferOrder.distance, .end] {
        let input = ListOffers.Input(sort: sort, latitude: 40.4, longitude: -3.7, radiusMeters: 5000, limit: 60)
        let found = try await ana.send(ListOffers.self, input).items
        #expect(found.map(\.title) == Array(repeating: "Chain", count: 51) + ["Corner"])
        #expect(found.first?.distanceMeters == 0 && found.last.map { (4400...4500).contains($0.distanceMeters ?? 0) } == true)
      }
    }
  }

  @Test("Offers in any order and with any filter equal a slow search of all of them")
  func model() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await services.give(50, to: ana)
      var generator = SeededGenerator(7)
      var all: [(offer: Offer, partner: PartnerID, places: [PartnerPlaceDraft])] = []
      for number in 0..<6 {
        let places = (0..<3).map { _ in
          PartnerPlaceDraft(
            address: "x", latitude: 40 + .random(in: 0...0.5, using: &generator),
            longitude: -3 + .random(in: 0...0.5, using: &generator))
        }
        let shop = try await services.shop("P\(number)", places: places)
        for _ in 0..<5 {
          let offer = try await shop.offer(
            title: ["tea", "cake"].randomElement(using: &generator) ?? "", cost: .random(in: 1...100, using: &generator),
            category: [.food, .drinks].randomElement(using: &generator) ?? .food,
            until: "2026-12-\(Int.random(in: 10...30, using: &generator))T00:00:00.000Z")
          all.append((offer, shop.id, places))
          services.clock.advance(seconds: 1)
        }
      }
      for round in 0..<60 {
        let sort = OfferOrder.allCases[round % 4]
        let radius = sort == .distance || Bool.random(using: &generator) ? Int.random(in: 1000...60_000, using: &generator) : nil
        let input = ListOffers.Input(
          sort: sort, isAffordable: Bool.random(using: &generator) ? true : nil, latitude: radius.map { _ in 40.2 },
          longitude: radius.map { _ in -2.8 }, radiusMeters: radius,
          partnerID: Int.random(in: 0..<3, using: &generator) == 0 ? all[round % 30].partner : nil,
          category: Bool.random(using: &generator) ? .food : nil, text: Bool.random(using: &generator) ? "cake" : nil, limit: 4)
        var found: [OfferID] = []
        var next = input
        repeat {
          let page = try await ana.send(ListOffers.self, next)
          found += page.items.map(\.id)
          next.cursor = page.nextCursor
        } while next.cursor != nil
        #expect(found == Self.slow(all, input), "round \(round)")
      }
    }
  }

  private static func slow(
    _ all: [(offer: Offer, partner: PartnerID, places: [PartnerPlaceDraft])], _ input: ListOffers.Input
  ) -> [OfferID] {
    let here = EarthPoint(latitude: 40.2, longitude: -2.8)
    func distance(_ places: [PartnerPlaceDraft]) -> Double {
      places.map { here.squaredChord(to: EarthPoint(latitude: $0.latitude, longitude: $0.longitude)) }.min() ?? .infinity
    }
    let chord = input.radiusMeters.map { EarthPoint.chord(meters: Double($0)) }
    let wanted = all.enumerated().filter { _, item in
      (input.isAffordable != true || item.offer.costCoins <= 50) && (input.partnerID.map { $0 == item.partner } ?? true)
        && (input.category.map { $0 == item.offer.category } ?? true) && (input.text.map { $0 == item.offer.title } ?? true)
        && (chord.map { distance(item.places) <= $0 * $0 } ?? true)
    }
    func precedes(_ one: OfferID, _ other: OfferID) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
    let sorted = wanted.sorted { one, other in
      let (a, b) = (one.element, other.element)
      switch input.sort ?? .end {
      case .end:
        return (a.offer.validUntil, 0) == (b.offer.validUntil, 0)
          ? precedes(a.offer.id, b.offer.id) : a.offer.validUntil < b.offer.validUntil
      case .cost:
        return a.offer.costCoins == b.offer.costCoins ? precedes(a.offer.id, b.offer.id) : a.offer.costCoins < b.offer.costCoins
      case .newest: return one.offset > other.offset
      case .distance:
        let (near, far) = (distance(a.places), distance(b.places))
        return near == far ? precedes(a.offer.id, b.offer.id) : near < far
      }
    }
    return sorted.map(\.element.offer.id)
  }

  @Test("Expired offers leave the indexes of lists, and come back when their end is postponed")
  func ended() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let ana = try await services.register()
      let offer = try await shop.offer(until: "2026-11-22T00:00:00.000Z")
      try services.clock.set("2026-11-22T00:00:00.000Z")
      #expect(try await ana.send(ListOffers.self, .init()).items.isEmpty)
      let store = services.store(of: .rewards)
      try await OfferEndWorker(store: store).sweep()
      let listed = "SELECT count(*) FROM offers WHERE is_listed"
      #expect(try await store.read { try Int.fetchOne($0, sql: listed) } == 0)
      _ = try await shop.owner.send(
        UpdatePartnerOffer.self, .init(offerID: offer.id, validUntil: .set(try Instant(text: "2026-11-23T00:00:00.000Z"))))
      #expect(try await ana.send(ListOffers.self, .init()).items.map(\.id) == [offer.id])
    }
  }

  @Test("A page of offers is read along an index in any order, without sorting all")
  func plans() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      for order in OfferOrder.allCases {
        let sql = OfferStore.walkSQL(order, isOfPartner: false)
        let plan = try await services.store(of: .rewards).read { database in
          try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: ["value": 0, "offer": OfferID()])
            .map { $0["detail"] as String }
        }
        #expect(plan.count == 1 && plan[0].contains("USING INDEX offers_by_"), "\(plan)")
      }
    }
  }
}
