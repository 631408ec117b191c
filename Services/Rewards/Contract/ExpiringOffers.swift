public import Operations

extension FeatureContract {
  static let expiringOffers = FeatureContract(operations: [GetExpiringOffers.self])
}

/// An offer that ends soon and that an account can afford (NOT-5).
public struct ExpiringOffer: Document, Hashable {
  public var offerID: OfferID
  public var title: String
  public var partnerName: String
  public var costCoins: Int
  public var endsAt: Instant

  public init(offerID: OfferID, title: String, partnerName: String, costCoins: Int, endsAt: Instant) {
    self.offerID = offerID
    self.title = title
    self.partnerName = partnerName
    self.costCoins = costCoins
    self.endsAt = endsAt
  }

  public static let notes: Notes = [
    "offerID": "The offer.", "title": "Its title.", "partnerName": "The partner's name.", "costCoins": "Its price in coins.",
    "endsAt": "When it ends.",
  ]
}

/// Returns, for each of some accounts, the offers that end soon and that it can afford and has not redeemed, for notices (NOT-5).
public enum GetExpiringOffers: OpenOperation {
  public struct Input: Document {
    public var accountIDs: [AccountID]

    public init(accountIDs: [AccountID]) { self.accountIDs = accountIDs }

    public static let notes: Notes = ["accountIDs": Note("The accounts.", items: 1...50)]
  }

  public struct Output: Document, Hashable {
    /// The offers for one account.
    public struct Offers: Document, Hashable {
      /// The maximum number of offers.
      public static let maxItems = 20

      public var items: [ExpiringOffer]

      public init(items: [ExpiringOffer]) { self.items = items }

      public static let notes: Notes = ["items": "The offers, those that end first at the beginning; at most 20."]
    }

    public var accounts: [Offers]

    public init(accounts: [Offers]) { self.accounts = accounts }

    public static let notes: Notes = ["accounts": "One for each requested account, in the same order."]
  }

  public static let spec = OperationSpec(
    "expiringOffers.get", of: .rewards, nil, by: .services([.notifications]), effect: .read, requirements: ["NOT-5", "REW-4"],
    "Returns the offers that end soon and that accounts can afford.")
}
