import ActivityContract
import IdentityContract
import NotificationsContract
public import Operations
import RewardsContract
import SocialContract

/// Calls that belong together and leave things as they were: so each of them can be made again.
public struct OperationRound: Sendable {
  /// How often services let it be played.
  public enum Frequency: Sendable {
    /// As often as one likes.
    case often
    /// Once by each account: more would be refused for a day.
    case once
    /// A few times in all: more would be refused, or is work for all accounts that there are.
    case seldom
  }

  public let name: String
  public let frequency: Frequency
  private let play: @Sendable (RoundWorker) async throws -> Void

  init(_ name: String, _ frequency: Frequency = .often, _ play: @escaping @Sendable (RoundWorker) async throws -> Void) {
    self.name = name
    self.frequency = frequency
    self.play = play
  }

  /// Plays it once; what is not answered as it should be is among the worker's timings.
  public func callAsFunction(_ worker: RoundWorker) async throws {
    do {
      try await play(worker)
    } catch is RoundWorker.Ended {
      // Noted where it happened.
    }
  }

  /// All there are.
  public static let all = activity + social + tasks + identity + rewards + notifications + services

  // MARK: - Whether all operations are there

  /// The operations of all services, from their contracts.
  public static let operations: [OperationSpec] =
    [Contract.activity, .identity, .notifications, .rewards, .social].flatMap(\.operations).map { $0.spec }

  /// Those that no round calls, and why.
  public static let left: [String: String] = {
    var left: [String: String] = [:]
    for (reason, names) in reasons {
      for name in names { left[name] = reason }
    }
    return left
  }()

  private static let reasons: [String: [String]] = [
    "it takes a provider of identities": [
      BeginExternalLogin.spec.name, CompleteExternalLogin.spec.name, BeginIdentityLink.spec.name, CompleteIdentityLink.spec.name,
      UnlinkIdentity.spec.name,
    ],
    "it takes an incident, which there is only where somebody attacks": [GetIncident.spec.name, CloseIncident.spec.name],
    "it takes a report of a whole day": [GetSecurityReport.spec.name],
    "it takes an alert of a login, which is raised once for each device": [
      AnswerLoginAlert.spec.name, AnswerLoginAlertByLink.spec.name,
    ],
    "it takes a link that is mailed to who logs in while suspended": [
      GetSuspension.spec.name, AppealSuspension.spec.name, DeleteSuspendedAccount.spec.name,
    ],
    "it takes a reminder that is due": [AnswerReminder.spec.name, GetReminder.spec.name, AnswerReminderByLink.spec.name],
    "it takes a mail that can be unsubscribed from": [GetUnsubscribe.spec.name, CreateUnsubscribe.spec.name],
    "it takes a deletion that is under way, of which it is a part": [
      ConfirmErasure.spec.name, GetDeletionReport.spec.name, EndDeletionReport.spec.name,
    ],
    "it takes a mail that is being written, of which it is a part": [
      GetVerificationSecret.spec.name, GetRecoverySecret.spec.name, GetEmailChangeSecret.spec.name,
      GetEmailChangeNotice.spec.name, GetLoginAlertSecret.spec.name, GetSecurityMail.spec.name,
      GetPersonalAccessTokenNotice.spec.name, GetSuspensionSecret.spec.name, GetSanctionNotice.spec.name,
    ],
    "it takes an external login that is under way": [GetExternalLoginReturn.spec.name],
    "it takes a personal access token, and is a part of each call with one": [IdentifyPersonalAccessToken.spec.name],
    "it takes a push service": [OpenPush.spec.name, RetryDeadPush.spec.name],
    "it takes a mail that could not be delivered": [RetryDeadEmail.spec.name],
    "there is a further log only once a register was put back from a copy": [
      GetRegisterLogCheckpoint.spec.name, GetRegisterLogTile.spec.name,
    ],
  ]
}
