import GRDB
import Operations
import RewardsContract
import Storage

/// Walks along the indices of offers, for ``OfferQuery``.
extension OfferStore {
  /// The rows of the offers behind a position, in an order.
  ///
  /// - Parameters:
  ///   - partner: whose offers; nil for all.
  ///   - position: for the newest offers of all with the value itself, otherwise as ``OfferPosition`` has it.
  static func walk(
    _ order: OfferOrder, of partner: PartnerID?, behind position: OfferPosition, in database: Database
  ) throws -> RowCursor {
    var arguments: StatementArguments = ["value": position.value, "offer": position.offer]
    if let partner { arguments += ["partner": partner] }
    let statement = try database.cachedStatement(sql: walkSQL(order, isOfPartner: partner != nil))
    return try Row.fetchCursor(statement, arguments: arguments)
  }

  /// SQL for the offers after a position in each order; for `newest` the values are negated.
  static func walkSQL(_ order: OfferOrder, isOfPartner: Bool) -> String {
    if isOfPartner {
      let value = orderSQL(order)
      return """
        SELECT * FROM offers INDEXED BY offers_of_partner WHERE partner_id = :partner
          AND (\(value), offer_id) > (:value, :offer) ORDER BY \(value), offer_id LIMIT \(OfferQuery.maxSteps)
        """
    }
    switch order {
    case .end, .distance: return walkSQL("offers_by_end", "valid_until")
    case .cost: return walkSQL("offers_by_cost", "cost_coins")
    case .newest:
      return """
        SELECT * FROM offers INDEXED BY offers_by_age WHERE is_listed AND (created_at, offer_id) < (:value, :offer)
        ORDER BY created_at DESC, offer_id DESC LIMIT \(OfferQuery.maxSteps)
        """
    }
  }

  private static func orderSQL(_ order: OfferOrder) -> String {
    switch order {
    case .end, .distance: "valid_until"
    case .cost: "cost_coins"
    case .newest: "-created_at"
    }
  }

  private static func walkSQL(_ index: String, _ column: String) -> String {
    """
    SELECT * FROM offers INDEXED BY \(index) WHERE is_listed AND (\(column), offer_id) > (:value, :offer)
    ORDER BY \(column), offer_id LIMIT \(OfferQuery.maxSteps)
    """
  }
}
