public import IdentityContract
public import Operations
import ServiceKit
import Storage
import Synchronization

/// Stands in for identity: the real contract over accounts that a test makes up.
public final class IdentityStub: Sendable {
  /// An account and how it signs in.
  public struct Person: Sendable {
    public let account: AccountID
    public let username: Username
    public let language: Language
    /// As a verified account.
    public var caller: Caller {
      Caller(kind: .account, account: account, session: SessionID(), isVerified: true, language: language)
    }
    /// What identity tells of it.
    public let event: AccountChanged
  }

  private struct State {
    var people: [AccountID: Person] = [:]
    var secrets: [VerificationLinkID: ReadVerificationSecret.Output] = [:]
    var recoveries: [PasswordRecoveryID: ReadRecoverySecret.Output] = [:]
    var alerts: [LoginAlertID: ReadLoginAlertSecret.Output] = [:]
    var mails: [SecurityMailID: SecurityMail] = [:]
    var emailChanges: [EmailChangeID: ReadEmailChangeSecret.Output] = [:]
    var formerAddresses: [EmailChangeID: ReadEmailChangeNotice.Output] = [:]
    var tokens: [PersonalAccessTokenID: ReadPersonalAccessTokenNotice.Output] = [:]
    var deletions: [AccountDeletionID: ReadDeletionReport.Output] = [:]
    var endedReports: [AccountDeletionID] = []
    var refusesReportEnds = false
    var lookUps = 0
    var isAway = false
  }

  private let state = Mutex(State())
  /// The links whose secret was asked for, also in vain.
  public let asked: AsyncStream<VerificationLinkID>
  private let asking: AsyncStream<VerificationLinkID>.Continuation

  public init() { (asked, asking) = AsyncStream.makeStream() }

  /// How often an account was looked up.
  public var lookUps: Int { state.withLock { $0.lookUps } }

  /// Whether it answers no request for secrets.
  public func goAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

  public func person(
    _ username: String, nickname: String? = nil, language: Language = .english, isVerified: Bool = true
  ) throws -> Person {
    let name = try Username(text: username)
    let account = AccountID()
    let event = AccountChanged(
      accountID: account, username: name, nickname: try nickname.map(Nickname.init(text:)), timeZone: .utc, dayStartHour: 0,
      language: language, isVerified: isVerified, revision: 1)
    let person = Person(account: account, username: name, language: language, event: event)
    state.withLock { $0.people[account] = person }
    return person
  }

  /// Makes a verification link for that person; its secret is given out until ``forget(_:)``.
  public func link(of person: Person, token: String) throws -> VerificationLinkID {
    let link = VerificationLinkID()
    let secret = try secret(of: person, token: token)
    state.withLock { $0.secrets[link] = secret }
    return link
  }

  /// Makes a link that recovers that person's password; its secret is given out for ever.
  public func recovery(of person: Person, token: String) throws -> PasswordRecoveryID {
    let recovery = PasswordRecoveryID()
    let secret = try secret(of: person, token: token)
    state.withLock { $0.recoveries[recovery] = secret }
    return recovery
  }

  /// Makes an alert about a login of that person; the secret of its links is given out for ever.
  public func loginAlert(of person: Person, token: String) throws -> LoginAlertID {
    let alert = LoginAlertID()
    let secret = ReadLoginAlertSecret.Output(
      token: token, email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username,
      language: person.language, device: "Firefox on Linux", place: "Tokyo, Japan",
      at: try Instant(text: "2026-11-22T08:43:00.000Z"))
    state.withLock { $0.alerts[alert] = secret }
    return alert
  }

  /// Makes a mail for that person, as an administrator.
  public func securityMail(to person: Person, title: String, lines: [String], recommendations: [String]) throws -> SecurityMailID
  {
    let id = SecurityMailID()
    let mail = SecurityMail(
      email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username, language: person.language,
      title: title, lines: lines, recommendations: recommendations)
    state.withLock { $0.mails[id] = mail }
    return id
  }

  /// Makes a link that changes that person's address to the one that all here have; the former one is `<username>@before.example`.
  public func emailChange(of person: Person, token: String) throws -> EmailChangeID {
    let change = EmailChangeID()
    let secret = try secret(of: person, token: token)
    let former = ReadEmailChangeNotice.Output(
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
    of person: Person, name: String, scopes: [AccessScope], expiresAt: Instant?
  ) throws -> PersonalAccessTokenID {
    let id = PersonalAccessTokenID()
    let token = PersonalAccessToken(
      id: id, name: try PersonalAccessTokenName(text: name), scopes: scopes,
      createdAt: try Instant(text: "2026-11-22T08:43:00.000Z"), expiresAt: expiresAt, lastUsedAt: nil)
    let notice = ReadPersonalAccessTokenNotice.Output(
      token: token, email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username,
      language: person.language)
    state.withLock { $0.tokens[id] = notice }
    return id
  }

  /// Makes a deletion of that person's account, which is remembered until ``forget(_:)-(AccountDeletionID)``.
  public func deletion(of person: Person) throws -> AccountDeletionID {
    let id = AccountDeletionID()
    let addressee = ReadAddressee.Output(
      email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username, language: person.language)
    let at = try Instant(text: "2026-11-22T08:43:00.000Z")
    let deletion = AccountDeletion(
      id: id, state: .reporting, requestedAt: at, cleanBy: at.adding(seconds: 86_400), erasedAt: at.adding(seconds: 60),
      finishedAt: nil, services: [])
    state.withLock { $0.deletions[id] = ReadDeletionReport.Output(addressee: addressee, deletion: deletion) }
    return id
  }

  /// Lets a deletion be unknown, as if identity were put back from before it.
  public func forget(_ deletion: AccountDeletionID) { state.withLock { $0.deletions[deletion] = nil } }

  /// Whether it does not hear that a report has ended.
  public func refuseReportEnds(_ refuses: Bool) { state.withLock { $0.refusesReportEnds = refuses } }

  /// The deletions whose reports have ended.
  public var endedReports: [AccountDeletionID] { state.withLock { $0.endedReports } }

  private func secret(of person: Person, token: String) throws -> ReadVerificationSecret.Output {
    ReadVerificationSecret.Output(
      token: token, email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username,
      language: person.language, expiresAt: try Instant(text: "2026-11-22T08:43:00.000Z"))
  }

  /// Lets a link stop working.
  public func forget(_ link: VerificationLinkID) { state.withLock { $0.secrets[link] = nil } }

  /// The service, for ``Stage/run(_:settings:home:clock:_:)``.
  public var service: (ServiceName, Stage.Build) {
    (
      .identity,
      { _ in
        var service = ServiceDefinition(.identity, migrations: [])
        service.serve(LookUpAccount.self) { (input: LookUpAccount.Input, _: Call) in
          try self.state.withLock { state in
            state.lookUps += 1
            let found = state.people.values.first { $0.account == input.accountID || $0.username == input.username }
            guard let found else { throw Failure(RequestFailure.notFound) }
            return found.event
          }
        }
        service.serve(ReadVerificationSecret.self) { (input: ReadVerificationSecret.Input, _: Call) in
          defer { self.asking.yield(input.linkID) }
          return try self.state.withLock { state in
            if state.isAway { throw Failure(RequestFailure.unavailable) }
            guard let secret = state.secrets[input.linkID] else { throw Failure(RequestFailure.notFound) }
            return secret
          }
        }
        service.serve(ReadRecoverySecret.self) { (input: ReadRecoverySecret.Input, _: Call) in
          guard let secret = self.state.withLock({ $0.recoveries[input.recoveryID] }) else {
            throw Failure(RequestFailure.notFound)
          }
          return secret
        }
        service.serve(ReadLoginAlertSecret.self) { (input: ReadLoginAlertSecret.Input, _: Call) in
          guard let secret = self.state.withLock({ $0.alerts[input.alertID] }) else { throw Failure(RequestFailure.notFound) }
          return secret
        }
        service.serve(ReadSecurityMail.self) { (input: ReadSecurityMail.Input, _: Call) in
          guard let mail = self.state.withLock({ $0.mails[input.mailID] }) else { throw Failure(RequestFailure.notFound) }
          return mail
        }
        service.serve(ReadEmailChangeSecret.self) { (input: ReadEmailChangeSecret.Input, _: Call) in
          guard let secret = self.state.withLock({ $0.emailChanges[input.changeID] }) else {
            throw Failure(RequestFailure.notFound)
          }
          return secret
        }
        service.serve(ReadEmailChangeNotice.self) { (input: ReadEmailChangeNotice.Input, _: Call) in
          guard let former = self.state.withLock({ $0.formerAddresses[input.changeID] }) else {
            throw Failure(RequestFailure.notFound)
          }
          return former
        }
        service.serve(ReadPersonalAccessTokenNotice.self) { (input: ReadPersonalAccessTokenNotice.Input, _: Call) in
          guard let notice = self.state.withLock({ $0.tokens[input.tokenID] }) else { throw Failure(RequestFailure.notFound) }
          return notice
        }
        service.serve(ReadDeletionReport.self) { (input: ReadDeletionReport.Input, _: Call) in
          guard let report = self.state.withLock({ $0.deletions[input.deletionID] }) else {
            throw Failure(RequestFailure.notFound)
          }
          return report
        }
        service.serve(EndDeletionReport.self) { (input: EndDeletionReport.Input, _: Call) in
          try self.state.withLock { state in
            if state.refusesReportEnds { throw Failure(RequestFailure.unavailable) }
            guard state.deletions[input.deletionID] != nil else { throw Failure(RequestFailure.notFound) }
            state.endedReports.append(input.deletionID)
          }
          return Empty()
        }
        service.serve(ReadAddressee.self) { (input: ReadAddressee.Input, _: Call) in
          guard let person = self.state.withLock({ $0.people[input.accountID] }) else { throw Failure(RequestFailure.notFound) }
          return ReadAddressee.Output(
            email: try EmailAddress(text: "\(person.username)@example.org"), username: person.username,
            language: person.language)
        }
        return service
      }
    )
  }
}
