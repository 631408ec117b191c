public import Operations

extension FeatureContract {
  static let loginAlerts = FeatureContract(
    operations: [ListLoginAlerts.self, AnswerLoginAlert.self, AnswerLoginAlertByLink.self, GetLoginAlertSecret.self],
    events: [LoginAlertRaised.self])
}

/// How far a login was from what the account usually does.
public enum LoginAlertLevel: String, Choice {
  /// Something is new, as with every new phone: the owner is notified.
  case notice
  /// More than that is new, or strange: the owner is asked.
  case suspicious
  /// Hardly the owner: the login was refused, and everything the account had open was revoked.
  case high
}

/// What was unlike the account.
public enum LoginRisk: String, Choice {
  /// No login of the account came from such a device before.
  case newDevice
  /// No earlier login came from near this place, or from this network where its place is unknown.
  case newPlace
  /// None came from that country.
  case newCountry
  /// The distance to the previous login is too large for the time between them.
  case impossibleTravel
  /// Attempts with another password came before it.
  case failuresBefore
  /// Many did.
  case manyFailuresBefore
  /// Somebody else may have the password: an earlier login was disowned, or was suspicious and has no answer.
  case earlierAlert
}

/// The owner's answer about a login.
public enum LoginAlertAnswer: String, Choice {
  /// It was me: the device and the place are known from then on.
  case confirm
  /// It was not: its sessions end.
  case close
}

/// A login that was unlike the account, as its owner sees it.
public struct LoginAlert: Document, Hashable {
  public var id: LoginAlertID
  public var level: LoginAlertLevel
  public var reasons: [LoginRisk]
  public var device: String
  public var place: SessionPlace
  public var createdAt: Instant
  public var expiresAt: Instant
  public var answer: LoginAlertAnswer?
  public var answeredAt: Instant?

  public init(
    id: LoginAlertID, level: LoginAlertLevel, reasons: [LoginRisk], device: String, place: SessionPlace, createdAt: Instant,
    expiresAt: Instant, answer: LoginAlertAnswer?, answeredAt: Instant?
  ) {
    self.id = id
    self.level = level
    self.reasons = reasons
    self.device = device
    self.place = place
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.answer = answer
    self.answeredAt = answeredAt
  }

  public static let notes: Notes = [
    "id": "Id of the alert.", "level": "How unusual the login was.", "reasons": "What was unusual about the login.",
    "device": Note("The device, as far as it says what it is.", example: "Firefox on Linux"), "place": "The place of the login.",
    "createdAt": "When the login happened.", "expiresAt": "Until when it can be answered.",
    "answer": "The owner's answer; absent until there is one.", "answeredAt": "When it was answered; absent until then.",
  ]
}

/// Names an alert about a login.
public typealias LoginAlertID = ID<LoginAlert>

/// Why an alert takes no answer.
public enum LoginAlertFailure: String, FailureCode {
  /// No such link was ever sent, or it is damaged.
  case linkInvalid = "login_alert_link_invalid"
  /// A week old, or a day where the login was refused.
  case expired = "login_alert_expired"
  /// An alert is answered once.
  case answered = "login_alert_answered"
  /// A session may not confirm its own login, nor may a session that began after that login and from elsewhere.
  case ownSession = "login_alert_own_session"

  public var status: Int {
    switch self {
    case .linkInvalid: 404
    case .expired: 410
    case .answered: 409
    case .ownSession: 403
    }
  }
}

/// Lists the account's alerts of the last weeks, the newest first. A session in doubt reads of its own login alone.
public enum ListLoginAlerts: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<LoginAlert>

  public static let spec = OperationSpec(
    "loginAlerts.list", of: .identity, .get("/v1/login-alerts"), by: .account, effect: .read, requirements: ["ID-7"],
    "Lists the unusual logins to the caller's account.")
}

/// Says of a login whether it was the owner's, from another session of the account. A session in doubt may disown the login that it began
/// with, and answers for no other.
public enum AnswerLoginAlert: AccountOperation {
  public struct Input: Document, Hashable {
    public var alertID: LoginAlertID
    public var answer: LoginAlertAnswer

    public init(alertID: LoginAlertID, answer: LoginAlertAnswer) {
      self.alertID = alertID
      self.answer = answer
    }

    public static let notes: Notes = [
      "alertID": "The alert.", "answer": "Whether the login was the owner's, or its session is to be closed.",
    ]
  }

  public struct Output: Document, Hashable {
    public var username: Username
    public var answer: LoginAlertAnswer
    public var closedCount: Int
    public var isPasswordChangeAdvised: Bool

    public init(username: Username, answer: LoginAlertAnswer, closedCount: Int, isPasswordChangeAdvised: Bool) {
      self.username = username
      self.answer = answer
      self.closedCount = closedCount
      self.isPasswordChangeAdvised = isPasswordChangeAdvised
    }

    public static let notes: Notes = [
      "username": "The account's username.", "answer": "The answer.",
      "closedCount": Note("The number of sessions that this closed.", range: 0...1000, example: 1),
      "isPasswordChangeAdvised": "Whether somebody else knows the password, so it should be changed at once.",
    ]
  }

  public static let spec = OperationSpec(
    "loginAlerts.answer", of: .identity, .post("/v1/login-alerts/{alertID}/answer"), by: .account, effect: .write,
    inDoubt: .allowed,
    failures: [
      RequestFailure.notFound.kind, LoginAlertFailure.expired.kind, LoginAlertFailure.answered.kind,
      LoginAlertFailure.ownSession.kind, RequestFailure.loginUnanswered.kind,
    ],
    requirements: ["ID-7"], "Confirms an unusual login as the caller's own, or closes its session.")
}

/// The same by the token of the mailed link, which works once.
public enum AnswerLoginAlertByLink: OpenOperation {
  public struct Input: Document, Hashable {
    public var token: String
    public var answer: LoginAlertAnswer

    public init(token: String, answer: LoginAlertAnswer) {
      self.token = token
      self.answer = answer
    }

    public static let notes: Notes = [
      "token": Note("The mailed link's token.", length: 1...200),
      "answer": "Whether the login was the owner's, or its session is to be closed.",
    ]
  }

  public typealias Output = AnswerLoginAlert.Output

  /// Why a link answers for no login.
  static let failures = [LoginAlertFailure.linkInvalid, .expired, .answered].map(\.kind)

  public static let spec = OperationSpec(
    "loginAlerts.answerByLink", of: .identity, .post("/v1/login-alerts/answer"), by: .anyone, effect: .write, rate: .sensitive,
    failures: failures, requirements: ["ID-7"],
    "Confirms an unusual login as the owner's, or closes its session, by the mailed link's token.")
}

/// A login was unlike the account; its owner is to be notified. The secret of the mail's links is not published: see
/// ``GetLoginAlertSecret``.
public struct LoginAlertRaised: Event, Hashable {
  public var alertID: LoginAlertID
  public var accountID: AccountID
  public var level: LoginAlertLevel
  public var device: String
  public var place: String
  public var at: Instant

  public init(alertID: LoginAlertID, accountID: AccountID, level: LoginAlertLevel, device: String, place: String, at: Instant) {
    self.alertID = alertID
    self.accountID = accountID
    self.level = level
    self.device = device
    self.place = place
    self.at = at
  }

  public static let notes: Notes = [
    "alertID": "Id of the alert.", "accountID": "The account.", "level": "How unusual the login was.",
    "device": "The device, in the account's language.", "place": "The place, in the account's language.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "loginAlerts.raised", by: .identity, requirements: ["ID-7"],
    "A login to an account was unusual, or was refused because it was.")
}

/// Gives the notifications service the current data for the mail about a login; compare ``GetVerificationSecret``.
public enum GetLoginAlertSecret: OpenOperation {
  public struct Input: Document, Hashable {
    public var alertID: LoginAlertID

    public init(alertID: LoginAlertID) { self.alertID = alertID }

    public static let notes: Notes = ["alertID": "The alert, as the event named it."]
  }

  public struct Output: Document, Hashable {
    public var token: String
    public var email: EmailAddress
    public var username: Username
    public var language: Language
    public var device: String
    public var place: String
    public var at: Instant

    public init(
      token: String, email: EmailAddress, username: Username, language: Language, device: String, place: String, at: Instant
    ) {
      self.token = token
      self.email = email
      self.username = username
      self.language = language
      self.device = device
      self.place = place
      self.at = at
    }

    public static let notes: Notes = [
      "token": "The token of the links. Never log or store it.", "email": "The address to send it to.",
      "username": "The name for the salutation.",
      "language": "The language of the mail.", "device": "The device.", "place": "The place of the login.",
      "at": "When it happened.",
    ]
  }

  public static let spec = OperationSpec(
    "loginAlerts.getSecret", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-7", "NOT-6"],
    "Returns the token and addressee of a mail about a login; `not_found` where it can no longer be answered.")
}
