import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

/// What an event makes of itself in an inbox: for whom, of which kind, with which values and links (NOT-4).
struct NotificationDraft: Hashable, Sendable {
  let accountID: AccountID
  let kind: NotificationKind
  let content: NotificationContent
  /// Names what happened, so that the same never stands twice in an inbox.
  let source: String

  private init(
    _ accountID: AccountID, _ kind: NotificationKind, source: String, parameters: [String: Parameter], links: NotificationLinks
  ) {
    self.accountID = accountID
    self.kind = kind
    self.source = source
    content = NotificationContent(parameters: parameters, links: links)
  }

  init(_ event: FriendRequestSent) {
    self.init(
      event.toAccountID, .friendRequestReceived, source: "\(FriendRequestSent.spec.name)/\(event.friendRequestID)",
      parameters: ["username": .text(event.fromUsername.description)],
      links: NotificationLinks(accountID: event.fromAccountID, friendRequestID: ID(linking: event.friendRequestID)))
  }

  /// For the account that had asked; the other one accepted by its own hand.
  init(_ event: FriendRequestAccepted) {
    self.init(
      event.fromAccountID, .friendRequestAccepted, source: "\(FriendRequestAccepted.spec.name)/\(event.friendRequestID)",
      parameters: ["username": .text(event.toUsername.description)],
      links: NotificationLinks(accountID: event.toAccountID, friendRequestID: ID(linking: event.friendRequestID)))
  }

  init(_ event: FollowRequestSent) {
    self.init(
      event.toAccountID, .followRequestReceived, source: "\(FollowRequestSent.spec.name)/\(event.followRequestID)",
      parameters: ["username": .text(event.fromUsername.description)],
      links: NotificationLinks(accountID: event.fromAccountID, followRequestID: ID(linking: event.followRequestID)))
  }

  /// For the account that had asked; the other one accepted by its own hand.
  init(_ event: FollowRequestAccepted) {
    self.init(
      event.fromAccountID, .followRequestAccepted, source: "\(FollowRequestAccepted.spec.name)/\(event.followRequestID)",
      parameters: ["username": .text(event.toUsername.description)],
      links: NotificationLinks(accountID: event.toAccountID, followRequestID: ID(linking: event.followRequestID)))
  }

  /// How an import comes on; nil where its owner ended it by their own hand.
  init?(_ event: ImportProgressed) {
    let kind: NotificationKind
    switch event.state {
    case .reading: kind = .importProgressed
    case .done: kind = .importDone
    case .failed: kind = .importFailed
    case .uploading, .waiting, .cancelled: return nil
    }
    var parameters: [String: Parameter] = [
      "taken": .number(event.counts.taken), "repeated": .number(event.counts.repeated),
      "refused": .number(event.counts.refused),
    ]
    // What has ended is not on its way any more.
    if kind == .importProgressed { parameters["progress"] = .number(event.progress) }
    self.init(
      event.accountID, kind, source: "\(Self.source(of: event))/\(event.state)/\(event.progress)", parameters: parameters,
      links: NotificationLinks(importID: ID(linking: event.importID)))
  }

  /// Names the import, so that what was told of it before is found.
  static func source(of event: ImportProgressed) -> String { "\(ImportProgressed.spec.name)/\(event.importID)" }

  init(_ event: MessageSent) {
    self.init(
      event.toAccountID, .messageReceived, source: "\(MessageSent.spec.name)/\(event.messageID)",
      parameters: [
        "username": .text(event.fromUsername.description), "message": .text(Excerpt.of(event.text.description)),
      ],
      links: NotificationLinks(
        accountID: event.fromAccountID, conversationID: ID(linking: event.conversationID),
        messageID: ID(linking: event.messageID)))
  }

  init(_ event: CoinsEarned) {
    self.init(
      event.accountID, .coinsEarned, source: "\(CoinsEarned.spec.name)/\(event.transferID)",
      parameters: ["coins": .number(event.coins), "balance": .number(event.balance)], links: NotificationLinks())
  }

  init(_ event: OfferRedeemed) {
    self.init(
      event.accountID, .offerRedeemed, source: "\(OfferRedeemed.spec.name)/\(event.redemptionID)",
      parameters: ["offer": .text(event.title), "coins": .number(event.coins), "balance": .number(event.balance)],
      links: NotificationLinks(offerID: ID(linking: event.offerID), redemptionID: ID(linking: event.redemptionID)))
  }
}

// Identity's, for the safety of accounts.
extension NotificationDraft {
  init(_ event: LoginAlertRaised) {
    let kind: NotificationKind =
      switch event.level {
      case .notice: .loginNoticed
      case .suspicious: .loginSuspicious
      case .high: .loginRefused
      }
    self.init(
      event.accountID, kind, source: "\(LoginAlertRaised.spec.name)/\(event.alertID)",
      parameters: ["device": .text(event.device), "place": .text(event.place)],
      links: NotificationLinks(loginAlertID: ID(linking: event.alertID)))
  }

  /// - Parameter account: whose it is; there are events of nobody's.
  init(_ event: AccountProtected, to account: AccountID) {
    let source = "\(AccountProtected.spec.name)/\(event.incidentID)"
    // Of an incident that grows graver its owner is told once more.
    guard event.measure != .everythingRevoked else {
      self.init(
        account, .everythingRevoked, source: "\(source)/\(IncidentMeasure.everythingRevoked)", parameters: [:],
        links: NotificationLinks())
      return
    }
    self.init(
      account, event.pattern == .tokensReused ? .tokensReused : .accountLocked, source: source, parameters: [:],
      links: NotificationLinks())
  }

  init(_ event: AccountVerified) {
    self.init(
      event.accountID, .accountVerified, source: "\(AccountVerified.spec.name)/\(event.accountID)/\(event.at)", parameters: [:],
      links: NotificationLinks())
  }

  init(_ event: AdministratorAlerted) {
    self.init(
      event.accountID, .incidentRaised, source: "\(AdministratorAlerted.spec.name)/\(event.mailID)",
      parameters: ["title": .text(event.title)], links: NotificationLinks(incidentID: ID(linking: event.incidentID)))
  }
}

/// What the table keeps of a notification's meaning; its words are chosen anew for each reader.
struct NotificationContent: Document, Hashable {
  var parameters: [String: Parameter]
  var links: NotificationLinks

  static let notes: Notes = ["parameters": "The values in title and text.", "links": "What it leads to."]
}

extension ID where Entity == Linked {
  /// The id of a thing of another service.
  init<Other>(linking other: ID<Other>) {
    guard let id = Self(bytes: other.bytes) else { preconditionFailure("ids have 16 bytes") }
    self = id
  }
}

/// The beginning of a long text, on one line.
enum Excerpt {
  static let maxCharacters = 140
  /// A character can weigh any number of bytes; this bounds what a notification carries.
  static let maxBytes = 1120

  static func of(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard line.count > maxCharacters || line.utf8.count > maxBytes else { return line }
    var excerpt = ""
    for character in line.prefix(maxCharacters - 1) {
      guard excerpt.utf8.count + character.utf8.count <= maxBytes - 3 else { break }
      excerpt.append(character)
    }
    return excerpt + "…"
  }
}
