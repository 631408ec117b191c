public import Operations

extension FeatureContract {
  static let entryPhotos = FeatureContract(operations: [PutEntryPhoto.self, DeleteEntryPhoto.self, GetEntryPhoto.self])
}

/// Sets or replaces an entry's photo: a PNG, JPEG or WebP of at most 65,536 bytes (``ContentLimits/photoBytes``) and 2,048 pixels each way
/// (ACT-8).
///
/// The server encodes the picture again, so that nothing else in the file is kept.
public enum PutEntryPhoto: AccountOperation {
  /// Which entry, and the photo.
  public struct Input: Document, Hashable {
    /// Names the activity.
    public var activityID: ActivityID
    /// The day, or today.
    public var day: DayName
    /// The photo's file.
    public var content: Base64Bytes

    /// The input from its parts.
    public init(activityID: ActivityID, day: DayName, content: Base64Bytes) {
      self.activityID = activityID
      self.day = day
      self.content = content
    }

    public static let notes: Notes = [
      "activityID": "Id of the activity.", "day": EntryText.day,
      "content": Note("The picture's file, at most \(ContentLimits.current.photoBytes) bytes."),
    ]
  }

  public typealias Output = Entry

  public static let spec = OperationSpec(
    "entryPhotos.put", of: .activity, .put("/v1/activities/{activityID}/entries/{day}/photo"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, EntryFailure.notFound.kind] + EntryFailure.ofWriting,
    raw: .body("content", "image/*"),
    requirements: ["ACT-8"], "Sets an entry's photo.")
}

/// Removes an entry's photo. Does nothing where there is none.
public enum DeleteEntryPhoto: AccountOperation {
  public typealias Input = EntryName
  public typealias Output = Entry

  public static let spec = OperationSpec(
    "entryPhotos.delete", of: .activity, .delete("/v1/activities/{activityID}/entries/{day}/photo"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, EntryFailure.notFound.kind], requirements: ["ACT-8"], "Removes an entry's photo.")
}

/// Returns the photo of the caller's own entry, or of an entry of an account that the caller follows.
public enum GetEntryPhoto: AccountOperation {
  public typealias Input = EntryName
  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "entryPhotos.get", of: .activity, .get("/v1/activities/{activityID}/entries/{day}/photo"), by: .account, effect: .read,
    failures: [ActivityFailure.notFound.kind, RequestFailure.notFound.kind],
    raw: .answer(["image/jpeg", "image/png", "image/webp"]), requirements: ["ACT-8"],
    "Returns the photo of an entry of the caller or of somebody whom the caller follows; `not_found` without one.")
}
