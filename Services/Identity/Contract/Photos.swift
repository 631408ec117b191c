public import Operations

extension FeatureContract {
  static let photos = FeatureContract(
    operations: [PutPhoto.self, DeletePhoto.self, GetOwnPhoto.self, GetPhoto.self, GetPublicPhoto.self])
}

/// Sets the account's photo: a PNG, JPEG or WebP of at most 65,536 bytes (``ContentLimits/photoBytes``) and 2,048 pixels each way.
///
/// The server encodes the picture again, so that nothing else in the file reaches other users.
public enum PutPhoto: AccountOperation {
  public struct Input: Document, Hashable {
    public var content: Base64Bytes

    public init(content: Base64Bytes) { self.content = content }

    public static let notes: Notes = [
      "content": Note("The picture's file, at most \(ContentLimits.current.photoBytes) bytes.")
    ]
  }

  public typealias Output = OwnAccount

  public static let spec = OperationSpec(
    "photos.put", of: .identity, .put("/v1/accounts/me/photo"), by: .account, effect: .write, rate: .registered,
    raw: .body("content", "image/*"), requirements: ["ID-11"], "Sets the caller's photo.")
}

/// Removes the account's photo. Without one it does nothing.
public enum DeletePhoto: AccountOperation {
  public typealias Input = Empty
  public typealias Output = OwnAccount

  public static let spec = OperationSpec(
    "photos.delete", of: .identity, .delete("/v1/accounts/me/photo"), by: .account, effect: .write, rate: .registered,
    requirements: ["ID-11"],
    "Removes the caller's photo.")
}

/// Types of the photos that are answered.
private let photoTypes = ["image/jpeg", "image/png", "image/webp"]

/// Reads the account's own photo.
public enum GetOwnPhoto: AccountOperation {
  public typealias Input = Empty
  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "photos.getMine", of: .identity, .get("/v1/accounts/me/photo"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], raw: .answer(photoTypes), requirements: ["ID-11"],
    "Returns the caller's own photo; `not_found` without one.")
}

/// Reads an account's photo, which other users see. Every list of people contains its URL with the version (``PhotoURL``); the answer for
/// the current version may be cached permanently (``MediaFile/isImmutable``).
///
/// After a block, neither of the two can read the other's photo, and nobody can read that of a suspended account (SOC-8).
public enum GetPhoto: AccountOperation {
  public struct Input: Document, Hashable {
    public var accountID: AccountID
    public var version: String?

    public init(accountID: AccountID, version: String? = nil) {
      self.accountID = accountID
      self.version = version
    }

    public static let notes: Notes = [
      "accountID": "The account whose photo it is.",
      "version": Note(
        "The photo's version when its address was created, so that each version has its own address; the present photo is returned in any case.",
        length: 1...100),
    ]
  }

  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "photos.get", of: .identity, .get("/v1/accounts/{accountID}/photo"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], raw: .answer(photoTypes), requirements: ["ID-11", "SOC-2", "SOC-8"],
    "Returns an account's photo; `not_found` without one, and for an account that the caller cannot see.")
}

/// Reads the photo of the public profile of a secret link.
public enum GetPublicPhoto: OpenOperation {
  public typealias Input = GetPublicProfile.Input
  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "publicProfiles.getPhoto", of: .identity, .get("/v1/public-profiles/{key}/photo"), by: .anyone, effect: .read,
    failures: [RequestFailure.notFound.kind], raw: .answer(photoTypes), requirements: ["ID-11"],
    "Returns the photo of a public profile; `not_found` without one, and for a link that does not work.")
}
