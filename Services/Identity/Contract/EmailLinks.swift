public import Operations

extension FeatureContract {
  static let emailLinks = FeatureContract(operations: [ValidateEmailLink.self])
}

/// What a mailed link is for.
public enum EmailLinkPurpose: String, Choice {
  /// See ``VerifyAccount``.
  case verification
  /// See ``CompletePasswordRecovery``.
  case recovery
  /// See ``CompleteEmailChange``.
  case emailChange
  /// See ``UndoEmailChange``.
  case emailChangeUndo
  /// See ``AnswerLoginAlertByLink``.
  case loginAlert
  /// See ``GetSuspension``, ``AppealSuspension`` and ``DeleteSuspendedAccount``.
  case suspension
}

/// Checks whether a mailed link works, before a form is filled in: the link is not used up.
///
/// It fails like the operation that uses the link, and its failures are recorded and counted in the same way: guessing here reveals no
/// more, and costs as much.
public enum ValidateEmailLink: OpenOperation {
  public struct Input: Document, Hashable {
    public var purpose: EmailLinkPurpose
    public var token: String

    public init(purpose: EmailLinkPurpose, token: String) {
      self.purpose = purpose
      self.token = token
    }

    public static let notes: Notes = [
      "purpose": "What the link is for.", "token": Note("The mailed link's token.", length: 1...200),
    ]
  }

  public struct Output: Document, Hashable {
    public var isDone: Bool

    public init(isDone: Bool) { self.isDone = isDone }

    public static let notes: Notes = [
      "isDone": """
      Whether the link was used before, so nothing is left to do. Only verification links say `true`; other links are refused once used.
      """
    ]
  }

  public static let spec = OperationSpec(
    "emailLinks.validate", of: .identity, .post("/v1/email-links/validate"), by: .anyone, effect: .write, rate: .sensitive,
    failures: VerificationFailure.allCases.map(\.kind) + RecoveryFailure.allCases.map(\.kind)
      + EmailChangeFailure.allCases.map(\.kind) + EmailChangeUndoFailure.allCases.map(\.kind)
      + AnswerLoginAlertByLink.failures + SuspensionLinkFailure.allCases.map(\.kind) + [RequestFailure.accountSuspended.kind],
    requirements: ["ID-2", "ID-7", "ID-8", "ID-11", "SOC-8"], "Checks whether a mailed link works, without using it up.")
}
