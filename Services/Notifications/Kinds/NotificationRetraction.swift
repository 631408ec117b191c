import ActivityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

/// An event by which a notification is no longer true: it leaves the inbox, and nobody is notified of that.
struct NotificationRetraction: Sendable {
  let event: any Event.Type
  /// The notification's source; nil where the event takes none back.
  let source: @Sendable (any Event) -> NotificationSource?
  /// Whether it stays in the inbox, and only what was not sent yet is not sent any more.
  var keepsInbox = false

  /// - Parameters:
  ///   - kind: the event that the notification is of.
  ///   - condition: which of the events take it back.
  ///   - subject: the id of what the notification is about.
  ///   - recipient: whose it is.
  init<E: Event, Subject>(
    of kind: any Event.Type, on event: E.Type, when condition: @escaping @Sendable (E) -> Bool = { _ in true },
    about subject: @escaping @Sendable (E) -> ID<Subject>, of recipient: @escaping @Sendable (E) -> AccountID
  ) {
    self.event = event
    source = { event in
      guard let event = event as? E, condition(event) else { return nil }
      return NotificationSource(accountID: recipient(event), text: "\(kind.spec.originalName)/\(subject(event))/")
    }
  }

  /// - Parameters:
  ///   - beginning: that of the sources of the notifications, behind the event's name.
  ///   - keepsInbox: whether they stay in the inbox, and only what was not sent yet is not sent any more.
  init<E: Event>(
    of kind: any Event.Type, on event: E.Type, when condition: @escaping @Sendable (E) -> Bool,
    from beginning: @escaping @Sendable (E) -> String, of recipient: @escaping @Sendable (E) -> AccountID,
    keepsInbox: Bool = false
  ) {
    self.event = event
    self.keepsInbox = keepsInbox
    source = { event in
      guard let event = event as? E, condition(event) else { return nil }
      return NotificationSource(accountID: recipient(event), text: "\(kind.spec.originalName)/\(beginning(event))/")
    }
  }

  /// Requests and challenges that ended before they were answered, files that were deleted, and completions and tiers that a correction
  /// took back, goals that were cleared, and days without movement that ended.
  static let all: [NotificationRetraction] = [
    NotificationRetraction(
      of: FriendRequestSent.self, on: FriendRequestEnded.self, about: { $0.friendRequestID }, of: { $0.accountID }),
    NotificationRetraction(
      of: FollowRequestSent.self, on: FollowRequestEnded.self, about: { $0.followRequestID }, of: { $0.accountID }),
    NotificationRetraction(
      of: FriendChallengeChanged.self, on: FriendChallengeChanged.self,
      when: { $0.direction == .received && ($0.state == .withdrawn || $0.state == .ended && $0.activityID == nil) },
      about: { $0.friendChallengeID }, of: { $0.accountID }),
    NotificationRetraction(
      of: TaskAttachmentsChanged.self, on: TaskAttachmentsChanged.self, when: { $0.change == .deleted },
      about: { $0.attachmentID }, of: { $0.accountID }),
    NotificationRetraction(
      of: ChallengeCompleted.self, on: ChallengeCompletionReversed.self, when: { $0.tier == nil }, about: { $0.completionID },
      of: { $0.accountID }),
    NotificationRetraction(
      of: BadgeAwarded.self, on: ChallengeCompletionReversed.self, when: { $0.tier != nil }, about: { $0.completionID },
      of: { $0.accountID }),
    NotificationRetraction(
      of: StepGoalProgressed.self, on: StepGoalChanged.self, when: { $0.goal == nil },
      from: { "\($0.accountID)/near/\($0.period)" }, of: { $0.accountID }),
    // What was reached stays so.
    NotificationRetraction(
      of: StepGoalProgressed.self, on: StepGoalChanged.self, when: { $0.goal == nil },
      from: { "\($0.accountID)/reached/\($0.period)" }, of: { $0.accountID }, keepsInbox: true),
    NotificationRetraction(
      of: InactivityDetected.self, on: InactivityEnded.self, about: { $0.noticeID }, of: { $0.accountID }),
  ]
}
