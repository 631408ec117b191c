import NotificationsContract
import Operations
import SocialContract

/// Teams: what others did with an account's part in one, and invitations to them. Nobody is notified of what they did themselves.
extension NotificationSpec {
  static let ofTeams: [NotificationSpec] = [
    teamMemberAdded, teamMemberRemoved, teamHandedOver, teamMemberLeft, teamInvitationReceived, teamInvitationAccepted,
  ]

  private static let teamMemberAdded = membership("teamMemberAdded", .added)
  private static let teamMemberRemoved = membership("teamMemberRemoved", .removed)
  private static let teamHandedOver = membership("teamHandedOver", .madeOwner)

  /// An account may be added, removed and made owner more than once, so each change is a notification of its own.
  private static func membership(_ name: String, _ change: TeamMembershipChange) -> NotificationSpec {
    NotificationSpec(
      name, .teams, on: TeamMembershipChanged.self, when: { $0.change == change && $0.teamName != nil }, about: { $0.teamID },
      to: { $0.accountID },
      inbox: .init(
        source: { "\($0.teamID)/\($0.revision)" }, values: [.text("team") { $0.teamName?.description ?? "" }],
        links: { NotificationLinks(teamID: ID(linking: $0.teamID)) }))
  }

  /// For the owner.
  private static let teamMemberLeft = NotificationSpec(
    "teamMemberLeft", .teams, on: TeamMemberLeft.self, about: { $0.noticeID }, to: { $0.accountID },
    inbox: .init(
      values: [.text("username") { $0.memberUsername.description }, .text("team") { $0.teamName.description }],
      links: { NotificationLinks(accountID: $0.memberAccountID, teamID: ID(linking: $0.teamID)) }))

  private static let teamInvitationReceived = NotificationSpec(
    "teamInvitationReceived", .teams, on: TeamInvitationChanged.self,
    when: { $0.state == .pending && $0.direction == .received }, about: { $0.teamInvitationID }, to: { $0.accountID },
    inbox: invitation)

  /// For the sender of the invitation; the other account accepted it itself.
  private static let teamInvitationAccepted = NotificationSpec(
    "teamInvitationAccepted", .teams, on: TeamInvitationChanged.self,
    when: { $0.state == .accepted && $0.direction == .sent }, about: { $0.teamInvitationID }, to: { $0.accountID },
    inbox: invitation)

  private static let invitation = InboxPart<TeamInvitationChanged>(
    values: [.text("username") { $0.otherUsername.description }, .text("team") { $0.teamName.description }],
    links: {
      NotificationLinks(
        accountID: $0.otherAccountID, teamID: ID(linking: $0.teamID), teamInvitationID: ID(linking: $0.teamInvitationID))
    })
}
