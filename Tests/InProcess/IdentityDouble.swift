public import IdentityContract
public import Operations
import ServiceKit
import Storage
import Synchronization

/// Stands for identity: the real contract over accounts that a test makes up.
public final class IdentityDouble: Sendable {
  /// An account and how it signs in.
  public struct Account: Sendable {
    /// What identity publishes of it.
    public fileprivate(set) var event: AccountChanged
    /// Whether it signs in as a verified account, whatever others know of it by now.
    fileprivate var signsInVerified = true
    /// Whether it signs in as an administrator.
    fileprivate var administers = false

    public var account: AccountID { event.accountID }
    public var username: Username { event.username }
    public var language: Language { event.language }
    /// In a new session.
    public var caller: Caller {
      Caller(
        kind: .account, account: account, session: SessionID(), isVerified: signsInVerified, isAdministrator: administers,
        language: language)
    }
  }

  private struct State {
    var people: [AccountID: Account] = [:]
    var administrators: [AccountID] = []
    var photos: [AccountID: MediaFile] = [:]
    /// Of whom a subscriber without history learns.
    var registered: [AccountID] = []
    var deleted: [AccountDeleted] = []
    var secrets: [VerificationLinkID: GetVerificationSecret.Output] = [:]
    var recoveries: [PasswordRecoveryID: GetRecoverySecret.Output] = [:]
    var alerts: [LoginAlertID: GetLoginAlertSecret.Output] = [:]
    var suspensionLinks: [SuspensionLinkID: GetSuspensionSecret.Output] = [:]
    var mails: [SecurityMailID: SecurityMail] = [:]
    var emailChanges: [EmailChangeID: GetEmailChangeSecret.Output] = [:]
    var formerAddresses: [EmailChangeID: GetEmailChangeNotice.Output] = [:]
    var tokens: [PersonalAccessTokenID: GetPersonalAccessTokenNotice.Output] = [:]
    var deletions: [AccountDeletionID: GetDeletionReport.Output] = [:]
    var endedReports: [AccountDeletionID] = []
    var refusesReportEnds = false
    var registerRecords: [RegisterRecordLine] = []
    var lookUps = 0
    var isAway = false
    /// What is said of sessions; all others live.
    var sessionStates: [SessionID: SessionState] = [:]
    /// When accounts were last used; all others are in use.
    var usedDays: [AccountID: LocalDay] = [:]
  }

  private let state = Mutex(State())
  /// The links whose secret was asked for, also in vain.
  public let asked: AsyncStream<VerificationLinkID>
  private let asking: AsyncStream<VerificationLinkID>.Continuation

  public init() { (asked, asking) = AsyncStream.makeStream() }

  /// Registers something of an account, as identity does; nothing is registered by itself.
  public func register(_ record: RegisterRecordLine) { state.withLock { $0.registerRecords.append(record) } }

  /// How much was registered.
  public var registeredCount: Int { state.withLock { $0.registerRecords.count } }

  /// How often an account was looked up.
  public var lookUps: Int { state.withLock { $0.lookUps } }

  /// Whether it answers no request for secrets.
  public func goAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

  /// Lets a session stand so from now on; nothing is published of it.
  public func setState(of session: SessionID, _ sessionState: SessionState) {
    state.withLock { $0.sessionStates[session] = sessionState }
  }

  /// Lets an account have been used for the last time on that day of UTC.
  public func setUsedDay(of account: AccountID, _ day: LocalDay) { state.withLock { $0.usedDays[account] = day } }

  /// Makes up an account that is known to whoever asks for it; nothing is published of it.
  public func person(
    _ username: String, nickname: String? = nil, language: Language = .english, isVerified: Bool = true
  ) throws -> Account {
    let event = AccountChanged(
      accountID: AccountID(), username: try Username(text: username), nickname: try nickname.map(Nickname.init(text:)),
      timeZone: .utc, dayStartHour: 0, language: language, isVerified: isVerified, revision: 1)
    let account = Account(event: event)
    state.withLock { $0.people[account.account] = account }
    return account
  }

  /// Makes up an account that administers.
  public func administrator(_ username: String) throws -> Account {
    var account = try person(username)
    account.administers = true
    let administrator = account
    state.withLock { state in
      state.people[administrator.account] = administrator
      state.administrators.append(administrator.account)
    }
    return administrator
  }

  /// Lets an account administer no more, whatever its token says.
  public func dismiss(_ administrator: Account) {
    state.withLock { $0.administrators.removeAll { $0 == administrator.account } }
  }

  /// Gives an account a photo; nothing is published of it.
  public func setPhoto(of person: Account, _ photo: MediaFile?) { state.withLock { $0.photos[person.account] = photo } }

  /// Makes up an account that a subscriber without history learns of.
  func register(
    timeZone: String, dayStartHour: Int, isVerified: Bool, language: Language, consents: [ConsentPurpose]
  ) throws -> Account {
    let timeZone = try TimeZoneName(text: timeZone)
    return try state.withLock { state in
      let event = AccountChanged(
        accountID: AccountID(), username: try Username(text: "person\(state.people.count)"), nickname: nil, timeZone: timeZone,
        dayStartHour: dayStartHour, language: language, isVerified: isVerified, consents: consents, revision: 1)
      let account = Account(event: event, signsInVerified: isVerified)
      state.people[account.account] = account
      state.registered.append(account.account)
      return account
    }
  }

  /// The name that an account has now.
  public func username(of id: AccountID) throws -> Username {
    try state.withLock { state in
      guard let account = state.people[id] else { throw Failure(RequestFailure.notFound) }
      return account.username
    }
  }

  /// Changes an account.
  func change(_ id: AccountID, _ change: (inout AccountChanged) throws -> Void) throws -> AccountChanged {
    try state.withLock { state in
      guard var account = state.people[id] else { throw Failure(RequestFailure.notFound) }
      try change(&account.event)
      account.event.revision += 1
      state.people[id] = account
      return account.event
    }
  }

  /// Deletes an account.
  func delete(_ id: AccountID, at now: Instant) -> AccountDeleted {
    let event = AccountDeleted(deletionID: AccountDeletionID(), accountID: id, at: now)
    state.withLock { $0.deleted.append(event) }
    return event
  }

  /// Makes a verification link for that person; its secret is given out until ``forget(_:)``.
  public func link(of person: Account, token: String) throws -> VerificationLinkID {
    let link = VerificationLinkID()
    let secret = try secret(of: person, token: token)
    state.withLock { $0.secrets[link] = secret }
    return link
  }

  /// Makes a link that recovers that person's password; its secret is given out for ever.
  public func recovery(of person: Account, token: String) throws -> PasswordRecoveryID {
    let recovery = PasswordRecoveryID()
    let secret = try secret(of: person, token: token)
    state.withLock { $0.recoveries[recovery] = secret }
    return recovery
  }

  /// Makes an alert about a login of that person; the secret of its links is given out for ever.
  public func loginAlert(of person: Account, token: String) throws -> LoginAlertID {
    let alert = LoginAlertID()
    let secret = GetLoginAlertSecret.Output(
      token: token, email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username,
      language: person.language, device: "Firefox on Linux", place: "Tokyo, Japan",
      at: try Instant(text: "2026-11-22T08:43:00.000Z"))
    state.withLock { $0.alerts[alert] = secret }
    return alert
  }

  /// Makes a link about a suspension of that person's account; its secret is given out for ever.
  ///
  /// - Parameter until: nil where the account is banned.
  public func suspensionLink(of person: Account, until: Instant?, token: String) throws -> SuspensionLinkID {
    let link = SuspensionLinkID()
    let secret = try secret(of: person, token: token)
    let output = GetSuspensionSecret.Output(
      token: token, email: secret.email, username: secret.username, language: secret.language, suspendedUntil: until,
      expiresAt: secret.expiresAt)
    state.withLock { $0.suspensionLinks[link] = output }
    return link
  }

  /// Makes a mail for that person, as an administrator.
  public func securityMail(to person: Account, title: String, lines: [String], recommendations: [String]) throws -> SecurityMailID
  {
    let id = SecurityMailID()
    let mail = SecurityMail(
      email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username, language: person.language,
      title: title, lines: lines, recommendations: recommendations)
    state.withLock { $0.mails[id] = mail }
    return id
  }

  /// Makes a link that changes that person's address to the one that all here have; the former one is `<username>@before.example`.
  public func emailChange(of person: Account, token: String) throws -> EmailChangeID {
    let change = EmailChangeID()
    let secret = try secret(of: person, token: token)
    let former = GetEmailChangeNotice.Output(
      token: String(token.reversed()), email: try EmailAddress(text: "\(person.username)@before.example"),
      username: person.username, language: person.language, expiresAt: secret.expiresAt)
    state.withLock { state in
      state.emailChanges[change] = secret
      state.formerAddresses[change] = former
    }
    return change
  }

  /// Makes a personal access token of that person.
  public func personalAccessToken(
    of person: Account, name: String, scopes: [AccessScope], expiresAt: Instant?
  ) throws -> PersonalAccessTokenID {
    let id = PersonalAccessTokenID()
    let token = PersonalAccessToken(
      id: id, name: try PersonalAccessTokenName(text: name), scopes: scopes,
      createdAt: try Instant(text: "2026-11-22T08:43:00.000Z"), expiresAt: expiresAt, lastUsedAt: nil)
    let notice = GetPersonalAccessTokenNotice.Output(
      token: token, email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username,
      language: person.language)
    state.withLock { $0.tokens[id] = notice }
    return id
  }

  /// Makes a deletion of that person's account, which is remembered until ``forget(_:)-(AccountDeletionID)``.
  public func deletion(of person: Account) throws -> AccountDeletionID {
    let id = AccountDeletionID()
    let addressee = GetAddressee.Output(
      email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username, language: person.language)
    let at = try Instant(text: "2026-11-22T08:43:00.000Z")
    let deletion = AccountDeletion(
      id: id, state: .reporting, requestedAt: at, cleanBy: at.adding(seconds: 86_400), erasedAt: at.adding(seconds: 60),
      finishedAt: nil, services: [])
    state.withLock { $0.deletions[id] = GetDeletionReport.Output(addressee: addressee, deletion: deletion) }
    return id
  }

  /// Lets a deletion be unknown, as if identity were put back from before it.
  public func forget(_ deletion: AccountDeletionID) { state.withLock { $0.deletions[deletion] = nil } }

  /// Whether it does not learn that a report has ended.
  public func refuseReportEnds(_ refuses: Bool) { state.withLock { $0.refusesReportEnds = refuses } }

  /// The deletions whose reports have ended.
  public var endedReports: [AccountDeletionID] { state.withLock { $0.endedReports } }

  private func secret(of person: Account, token: String) throws -> GetVerificationSecret.Output {
    GetVerificationSecret.Output(
      token: token, email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username,
      language: person.language, expiresAt: try Instant(text: "2026-11-22T08:43:00.000Z"))
  }

  /// Lets a link stop working.
  public func forget(_ link: VerificationLinkID) { state.withLock { $0.secrets[link] = nil } }

  /// The service, as ``ServicesInProcess`` runs it.
  var definition: ServiceDefinition {
    var service = ServiceDefinition(.identity, migrations: [])
    service.publishSnapshot { _, _, _ in
      self.state.withLock { state in
        let accounts: [any Event] = state.registered.compactMap { state.people[$0]?.event }
        return (accounts + state.deleted.map { $0 as any Event }, nil)
      }
    }
    serve(LookUpAccount.self, in: &service) { input, state in
      state.lookUps += 1
      return state.people.values.first { $0.account == input.accountID || $0.username == input.username }?.event
    }
    serve(GetAddressee.self, in: &service) { input, state in
      guard let person = state.people[input.accountID] else { return nil }
      return GetAddressee.Output(
        email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username, language: person.language)
    }
    serve(CheckSessions.self, in: &service) { input, state in
      if state.isAway { throw Failure(RequestFailure.unavailable) }
      return CheckSessions.Output(states: input.sessionIDs.map { state.sessionStates[$0] ?? .live })
    }
    serve(ListAdministrators.self, in: &service) { _, state in ListAdministrators.Output(accountIDs: state.administrators) }
    serve(ListAudience.self, in: &service) { input, state in
      let isIdle = input.audience.idleSince != nil
      let (day, after) = (input.afterDay ?? .placeholder, isIdle && input.afterDay == nil ? nil : input.after)
      let page = IdentityDouble.audience(input.audience, state).filter {
        ($0.day, $0.account) > (day, after ?? .placeholder)
      }.prefix(input.limit)
      return ListAudience.Output(accountIDs: page.map { $0.account }, lastDay: isIdle ? page.last?.day : nil)
    }
    serve(CountAudience.self, in: &service) { input, state in
      CountAudience.Output(count: IdentityDouble.audience(input, state).count)
    }
    serve(GetReportedAccount.self, in: &service) { input, state in
      guard let person = state.people[input.accountID]?.event else { return nil }
      return ReportedAccount(username: person.username, nickname: person.nickname, photo: state.photos[input.accountID])
    }
    serve(ListRegisterRecords.self, in: &service) { input, state in
      let records = Array(state.registerRecords.filter { $0.number > input.after }.prefix(500))
      return ListRegisterRecords.Output(records: records, lastNumber: state.registerRecords.last?.number ?? 0)
    }
    serveSecrets(in: &service)
    serve(GetDeletionReport.self, in: &service) { input, state in state.deletions[input.deletionID] }
    serve(EndDeletionReport.self, in: &service) { input, state in
      if state.refusesReportEnds { throw Failure(RequestFailure.unavailable) }
      guard state.deletions[input.deletionID] != nil else { return nil }
      state.endedReports.append(input.deletionID)
      return Empty()
    }
    return service
  }

  /// Whom a message to many is for, in the order in which they are listed: idle ones by their days, others by their ids alone.
  private static func audience(_ audience: Audience, _ state: State) -> [(day: LocalDay, account: AccountID)] {
    var found: [(day: LocalDay, account: AccountID)] = []
    for account in state.people.values.map(\.event) where account.isVerified && account.suspendedUntil == nil {
      guard (audience.language ?? account.language) == account.language else { continue }
      if let since = audience.idleSince {
        guard let day = state.usedDays[account.accountID],
          Int64(day.daysSinceEpoch) < since.milliseconds.floorDivided(by: 86_400_000)
        else { continue }
        found.append((day, account.accountID))
      } else {
        found.append((LocalDay.placeholder, account.accountID))
      }
    }
    return found.sorted { ($0.day, $0.account) < ($1.day, $1.account) }
  }

  /// Serves what mails are made from.
  private func serveSecrets(in service: inout ServiceDefinition) {
    serve(GetVerificationSecret.self, in: &service) { [asking] input, state in
      asking.yield(input.linkID)
      if state.isAway { throw Failure(RequestFailure.unavailable) }
      return state.secrets[input.linkID]
    }
    serve(GetRecoverySecret.self, in: &service) { input, state in state.recoveries[input.recoveryID] }
    serve(GetLoginAlertSecret.self, in: &service) { input, state in state.alerts[input.alertID] }
    serve(GetSuspensionSecret.self, in: &service) { input, state in state.suspensionLinks[input.linkID] }
    serve(GetSecurityMail.self, in: &service) { input, state in state.mails[input.mailID] }
    serve(GetEmailChangeSecret.self, in: &service) { input, state in state.emailChanges[input.changeID] }
    serve(GetEmailChangeNotice.self, in: &service) { input, state in state.formerAddresses[input.changeID] }
    serve(GetPersonalAccessTokenNotice.self, in: &service) { input, state in state.tokens[input.tokenID] }
  }

  /// Serves an operation whose answer is what is found; what is not is `not_found`.
  private func serve<O: OpenOperation>(
    _ operation: O.Type, in service: inout ServiceDefinition,
    _ find: @escaping @Sendable (O.Input, inout State) throws -> O.Output?
  ) {
    service.serve(operation) { input, _ in
      guard let output = try self.state.withLock({ try find(input, &$0) }) else { throw Failure(RequestFailure.notFound) }
      return output
    }
  }
}
