public import Operations

extension FeatureContract {
  static let emailChangeUndo = FeatureContract(operations: [UndoEmailChange.self, GetEmailChangeNotice.self])
}

/// Why a link undoes no change of an address.
public enum EmailChangeUndoFailure: String, FailureCode {
  /// No such link was ever sent, or it is damaged.
  case linkInvalid = "email_change_undo_link_invalid"
  /// The change was made more than 72 hours ago.
  case linkExpired = "email_change_undo_link_expired"
  /// The change was not made, and cannot be any more.
  case over = "email_change_over"
  /// It was cancelled or undone already.
  case undone = "email_change_undone"

  public var status: Int {
    switch self {
    case .linkInvalid: 404
    case .linkExpired: 410
    case .over, .undone: 409
    }
  }
}

/// Cancels a pending change of the e-mail address, or undoes one within 72 hours, by the token of the link that was mailed to the former
/// address. Later changes of the address are undone with it; every session ends and every personal access token is revoked. The password,
/// which the person who changed the address knew, no longer works: a link to recover it is mailed to the former address.
public enum UndoEmailChange: OpenOperation {
  public typealias Input = CompleteEmailChange.Input

  public struct Output: Document, Hashable {
    public var username: Username
    public var email: EmailAddress
    public var wasCompleted: Bool

    public init(username: Username, email: EmailAddress, wasCompleted: Bool) {
      self.username = username
      self.email = email
      self.wasCompleted = wasCompleted
    }

    public static let notes: Notes = [
      "username": "The account's username.", "email": "Its e-mail address from now on.",
      "wasCompleted":
        "Whether the address had been changed: then all sessions ended, the password is no longer valid, and a link to choose another was mailed to the address. Otherwise the change had only been requested.",
    ]
  }

  public static let spec = OperationSpec(
    "emailChanges.undo", of: .identity, .post("/v1/email-changes/undo"), by: .anyone, effect: .write, rate: .sensitive,
    failures: EmailChangeUndoFailure.allCases.map(\.kind), requirements: ["ID-11"],
    "Cancels or undoes a change of the e-mail address, by the token mailed to the former address.")
}

/// Gives the notifications service the current data for a notice of a change: the account's address before the change, and the token of the
/// link that cancels or undoes the change.
public enum GetEmailChangeNotice: OpenOperation {
  public typealias Input = GetEmailChangeSecret.Input
  public typealias Output = GetVerificationSecret.Output

  public static let spec = OperationSpec(
    "emailChanges.getNotice", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-11", "NOT-6"],
    "Returns the token and addressee of a notice of a changed address; `not_found` where there is nothing to undo.")
}
