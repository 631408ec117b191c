import NotificationsContract
import Operations
import RewardsContract
import SocialContract

/// An event by which a notification is no longer true: it leaves the inbox, and nobody is notified of that.
struct NotificationRetraction: Sendable {
  let event: any Event.Type
  /// The notification's source; nil where the event takes none back.
  let source: @Sendable (any Event) -> NotificationSource?

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
      return NotificationSource(accountID: recipient(event), text: "\(kind.spec.name)/\(subject(event))/")
    }
  }

  /// Requests and challenges that ended before they were answered, files that were deleted, and completions and tiers that a correction
  /// took back.
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
      of: ChallengeCompleted.self, on: ChallengeTakenBack.self, when: { $0.tier == nil }, about: { $0.completionID },
      of: { $0.accountID }),
    NotificationRetraction(
      of: BadgeAwarded.self, on: ChallengeTakenBack.self, when: { $0.tier != nil }, about: { $0.completionID },
      of: { $0.accountID }),
  ]
}
