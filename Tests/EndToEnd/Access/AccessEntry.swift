import ActivityContract
import Client
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

/// What a call came to.
enum Outcome: Hashable, Sendable, CustomStringConvertible {
  /// It was answered (2xx).
  case done
  /// It was answered (2xx), and nothing was shown or changed.
  case nothing
  case refused(Int, String)

  static let notFound = Outcome.refused(404, "not_found")

  var description: String {
    switch self {
    case .done: "done"
    case .nothing: "nothing"
    case .refused(let status, let code): "\(status) \(code)"
    }
  }
}

/// Who calls.
enum Role: String, CaseIterable, Sendable {
  /// Nothing was ever between the two.
  case stranger
  /// Was a friend and a follower, and is neither any more; the two have a conversation.
  case formerFriend
  /// Was a friend and a follower until the owner blocked it.
  case blocked
  /// A friend and a follower.
  case friend
  /// Whose the things are.
  case owner

  /// To whom the owner's things do not exist.
  static let outsiders: [Role] = [.stranger, .formerFriend, .blocked]
}

/// Who calls, with something of its own.
struct Caller: Sendable {
  let role: Role
  let client: GatewayClient
  let token: String
  /// An activity of the caller's own; the owner's second one.
  let activity: ActivityID
}

/// The names of the owner's things. As made they name nothing that there is.
struct Things: Sendable {
  /// Where the owner is.
  let today: LocalDay
  var account = AccountID()
  var username = Username.placeholder
  /// The owner's friend: they follow each other and have written to each other.
  var friend = AccountID()
  var activity = ActivityID()
  var pause = PauseID()
  var importID = ImportID()
  var sample = "nothing"
  /// The friend's last message to the owner.
  var message = ID<ChatMessage>()
  var friendRequest = ID<FriendRequest>()
  var otherFriendRequest = ID<FriendRequest>()
  var followRequest = ID<FollowRequest>()
  /// Made by the owner, with the friend; the former friend has been removed from it.
  var task = ID<SharedTask>()
  /// The owner's comment on it, and the owner's request for help.
  var taskComment = ID<TaskComment>()
  var taskHelp = ID<TaskHelp>()
  /// A part of the task, which is anybody's, and one that is the friend's.
  var taskPart = ID<TaskPart>()
  var friendsPart = ID<TaskPart>()
  /// A task of the owner's team.
  var teamTask = ID<SharedTask>()
  /// A recurring task of the owner's, with the friend.
  var taskSeries = ID<TaskSeries>()
  /// A file of the task, and two that the owner has announced.
  var attachment = ID<TaskAttachment>()
  var upload = ID<TaskAttachment>()
  var otherUpload = ID<TaskAttachment>()
  /// A task that the owner has completed alone, and the public link to it.
  var completedTask = ID<SharedTask>()
  var taskLink = ID<TaskLink>()
  var otherFollowRequest = ID<FollowRequest>()
  /// The owner's requests to others.
  var sentFriendRequest = ID<FriendRequest>()
  var sentFollowRequest = ID<FollowRequest>()
  /// The owner's messages to the friend, the second with a photo.
  var sentMessage = ID<ChatMessage>()
  var photoMessage = ID<ChatMessage>()
  /// The friend's challenges to the owner, and the owner's to the friend.
  var challenge = ID<FriendChallenge>()
  var otherChallenge = ID<FriendChallenge>()
  var sentChallenge = ID<FriendChallenge>()
  /// In which the owner was warned.
  var moderationCase = ID<ModerationCase>()
  /// The owner's team, in which the friend is, and the former friend was.
  var team = ID<Team>()
  /// From another team to the owner, and from the owner's team to somebody else.
  var teamInvitation = ID<TeamInvitation>()
  var sentTeamInvitation = ID<TeamInvitation>()
  var session = SessionID()
  var token = PersonalAccessTokenID()
  var alert = LoginAlertID()
  var identity = ExternalIdentityID()
  var notification = ID<NotificationsContract.Notification>()
  /// Of the owner's second activity.
  var reminder = ID<NotificationsContract.Notification>()
  var offer = OfferID()
  /// The owner's company, in which the friend is a clerk, and what the owner has redeemed there.
  var partner = PartnerID()
  var partnerPlace = PartnerPlaceID()
  var partnerOffer = OfferID()
  var redemption = RedemptionID()
  /// A device of the owner's that takes pushes, and a push to it.
  var pushSubscription = ID<PushSubscription>()
  var push = ID<NotificationDelivery>()

  init(today: LocalDay) { self.today = today }

  /// What the owner's lists and documents show.
  var names: [String] {
    [
      account.description, username.description, friend.description, activity.description, pause.description,
      importID.description, message.description, friendRequest.description, otherFriendRequest.description,
      followRequest.description, otherFollowRequest.description, sentFriendRequest.description, sentFollowRequest.description,
      sentMessage.description, photoMessage.description, challenge.description, moderationCase.description, session.description,
      token.description, alert.description, identity.description, notification.description, offer.description,
      task.description, taskComment.description, taskHelp.description, attachment.description, completedTask.description,
      taskLink.description, taskSeries.description, taskPart.description, friendsPart.description, teamTask.description,
      team.description, teamInvitation.description, sentTeamInvitation.description, partner.description,
      partnerPlace.description, partnerOffer.description, redemption.description, pushSubscription.description,
    ]
  }

  /// A day by its distance from today.
  func day(_ days: Int) -> LocalDay { today.advanced(by: days) }
}

/// What must come of an operation that names something.
struct AccessEntry: Sendable {
  enum Rule: Sendable {
    /// It names a thing of the owner's.
    ///
    /// - Parameters:
    ///   - others: what outsiders get: the same as for a thing that does not exist.
    ///   - owner: what the owner gets for the same call.
    case owned(others: Outcome, owner: Outcome)
    /// It is meant for others, or its thing for some of them: what comes of it, by who calls.
    case open([Role: Outcome])
    /// It names what is the caller's own, or what is nobody's: why.
    case own(String)
  }

  let spec: OperationSpec
  let rule: Rule
  /// The address that it reads, for the owner's things.
  let path: @Sendable (Things, Caller) throws -> String
  let call: @Sendable (Things, Caller) async throws -> Outcome

  init<O: Operations.Operation>(
    _: O.Type, _ rule: Rule, _ evaluate: @escaping @Sendable (O.Output) -> Outcome,
    _ input: @escaping @Sendable (Things, Caller) throws -> O.Input
  ) {
    spec = O.spec
    self.rule = rule
    path = { try GatewayClient.path(O.self, try input($0, $1)) }
    call = { things, caller in
      do {
        return evaluate(try await caller.client.call(O.self, try input(things, caller)))
      } catch let problem as GatewayClient.Problem {
        return .refused(problem.status, problem.code)
      }
    }
  }
}
