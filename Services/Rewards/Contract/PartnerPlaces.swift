public import Operations

extension FeatureContract {
  static let partnerPlaces = FeatureContract(
    operations: [CreatePartnerPlace.self, UpdatePartnerPlace.self, DeletePartnerPlace.self])
}

/// A place of a partner (REW-3).
public struct PartnerPlace: Document, Hashable {
  /// Names the place.
  public var id: PartnerPlaceID
  /// The address at which people find it.
  public var address: String
  /// Degrees north of the equator.
  public var latitude: Double
  /// Degrees east of Greenwich.
  public var longitude: Double

  /// A place from its parts.
  public init(id: PartnerPlaceID, address: String, latitude: Double, longitude: Double) {
    self.id = id
    self.address = address
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The maximum number of places of one partner.
  public static let maxPerPartner = 100

  public static let notes: Notes = [
    "id": "Id of the place.", "address": PlaceText.address, "latitude": PlaceText.latitude, "longitude": PlaceText.longitude,
  ]
}

/// Names a partner's place.
public typealias PartnerPlaceID = ID<PartnerPlace>

/// A place as a partner describes it.
public struct PartnerPlaceDraft: Document, Hashable {
  /// The address at which people find it.
  public var address: String
  /// Degrees north of the equator.
  public var latitude: Double
  /// Degrees east of Greenwich.
  public var longitude: Double

  /// A place from its parts.
  public init(address: String, latitude: Double, longitude: Double) {
    self.address = address
    self.latitude = latitude
    self.longitude = longitude
  }

  public static let notes: Notes = [
    "address": PlaceText.address, "latitude": PlaceText.latitude, "longitude": PlaceText.longitude,
  ]

  public func check(_ fields: inout FieldChecks) { PartnerText.checkLine(address, "address", &fields) }
}

enum PlaceText {
  static let address = Note("How people find it.", length: 1...200, example: "Calle Mayor 1, Madrid")
  static let latitude = Note("Degrees north of the equator.", range: -90...90, example: .number(40.4168))
  static let longitude = Note("Degrees east of Greenwich.", range: -180...180, example: .number(-3.7038))
}

/// Why a change of a partner's places is refused.
public enum PartnerPlaceFailure: String, FailureCode {
  /// The partner has reached the maximum number of places.
  case tooMany = "too_many_partner_places"

  public var status: Int { 409 }
}

/// Creates a place of the caller's partner (REW-3). Offers that apply at all places apply there too.
public enum CreatePartnerPlace: AccountOperation {
  public typealias Input = PartnerPlaceDraft
  public typealias Output = PartnerPlace

  public static let spec = OperationSpec(
    "partnerPlaces.create", of: .rewards, .post("/v1/partners/mine/places"), by: .partnerOwner, effect: .create,
    failures: [PartnerPlaceFailure.tooMany.kind], requirements: ["REW-3"], "Creates a place of the caller's company.")
}

/// Changes a place of the caller's partner (REW-3).
public enum UpdatePartnerPlace: AccountOperation {
  /// Which place, and the fields to change.
  public struct Input: Document {
    /// Names the place.
    public var placeID: PartnerPlaceID
    /// The address at which people find it.
    public var address: Patch<String>
    /// Degrees north of the equator.
    public var latitude: Patch<Double>
    /// Degrees east of Greenwich.
    public var longitude: Patch<Double>

    /// The input from its parts.
    public init(
      placeID: PartnerPlaceID, address: Patch<String> = .keep, latitude: Patch<Double> = .keep, longitude: Patch<Double> = .keep
    ) {
      self.placeID = placeID
      self.address = address
      self.latitude = latitude
      self.longitude = longitude
    }

    public static let notes: Notes = [
      "placeID": "Id of the place.", "address": PlaceText.address, "latitude": PlaceText.latitude,
      "longitude": PlaceText.longitude,
    ]

    public func check(_ fields: inout FieldChecks) { PartnerText.checkLine(address.value, "address", &fields) }
  }

  public typealias Output = PartnerPlace

  public static let spec = OperationSpec(
    "partnerPlaces.update", of: .rewards, .patch("/v1/partners/mine/places/{placeID}"), by: .partnerOwner, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["REW-3"], "Changes a place of the caller's company.")
}

/// Deletes a place of the caller's partner, also from its offers (REW-3).
public enum DeletePartnerPlace: AccountOperation {
  /// Which place.
  public struct Input: Document {
    /// Names the place.
    public var placeID: PartnerPlaceID

    /// The input from its parts.
    public init(placeID: PartnerPlaceID) { self.placeID = placeID }

    public static let notes: Notes = ["placeID": "Id of the place."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "partnerPlaces.delete", of: .rewards, .delete("/v1/partners/mine/places/{placeID}"), by: .partnerOwner, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["REW-3"], "Deletes a place of the caller's company.")
}
