import IdentityContract
import InProcess
import Operations
import SocialContract
import SocialService

/// People who report and are reported, and two administrators, in a running social service at a time that stands still.
struct Moderating {
  let services: ServicesInProcess
  let ana, ben, eva: IdentityDouble.Account
  let root, vera: IdentityDouble.Account

  /// Ana and Ben are friends; Eva is a stranger to both; Root and Vera administer.
  static func running(_ body: (Moderating) async throws -> Void) async throws {
    let identity = IdentityDouble()
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben", nickname: "Benji"), try identity.person("eva"))
    let (root, vera) = (try identity.administrator("root"), try identity.administrator("vera"))
    try await ServicesInProcess.running([{ Social.service($0) }], identity: identity) { services in
      try await services.befriend(ana, ben)
      try await body(Moderating(services: services, ana: ana, ben: ben, eva: eva, root: root, vera: vera))
    }
  }

  /// Reports something.
  @discardableResult
  func report(
    _ subject: ReportSubject, by reporter: IdentityDouble.Account, _ reason: ReportReason = .harassment, text: String? = nil
  ) async throws -> Report {
    let text = try text.map { try ReportText(text: $0) }
    return try await services.call(
      CreateReport.self, .init(subject: subject, reason: reason, text: text), as: reporter.caller)
  }

  /// Why a report is refused; nil where it is not.
  func refusal(_ subject: ReportSubject, by reporter: IdentityDouble.Account) async throws -> String? {
    try await services.refusal(CreateReport.self, .init(subject: subject, reason: .spam), as: reporter.caller)
  }

  /// The cases that wait.
  func queue(_ kind: ReportSubjectKind? = nil) async throws -> [ModerationCase] {
    try await services.call(ListModerationCases.self, .init(kind: kind), as: root.caller).items
  }

  /// Decides the first case that waits.
  @discardableResult
  func decide(
    _ outcome: ModerationOutcome, days: Int? = nil, removesContent: Bool? = nil, by administrator: IdentityDouble.Account? = nil
  ) async throws -> ModerationCase {
    guard let first = try await queue().first else { throw Failure(RequestFailure.notFound) }
    return try await services.call(
      DecideModerationCase.self, try decision(first.id, outcome, days: days, removesContent: removesContent),
      as: (administrator ?? root).caller)
  }

  /// An input that decides a case.
  func decision(
    _ id: ID<ModerationCase>, _ outcome: ModerationOutcome, days: Int? = nil, removesContent: Bool? = nil
  ) throws -> DecideModerationCase.Input {
    DecideModerationCase.Input(
      caseID: id, outcome: outcome, days: days, removesContent: removesContent,
      reason: outcome == .nothing ? nil : try ReportText(text: "No insults."), note: try ReportText(text: "Seen it."))
  }

  /// Appeals against a decided case as an account, and lets an administrator grant it.
  func grantAppeal(
    _ id: ID<ModerationCase>, of account: IdentityDouble.Account, by administrator: IdentityDouble.Account? = nil
  ) async throws {
    _ = try await services.call(
      AppealSanction.self, .init(caseID: id, text: try ChatText(text: "No.")), as: account.caller)
    let granted = DecideAppeal.Input(caseID: id, outcome: .granted, reason: try ReportText(text: "Right."), note: nil)
    _ = try await services.call(DecideAppeal.self, granted, as: (administrator ?? vera).caller)
  }

  /// Lets an account have other names, which social learns.
  func rename(_ account: IdentityDouble.Account, _ username: String) async throws {
    var event = account.event
    (event.username, event.nickname) = (try Username(text: username), try Nickname(text: username))
    event.revision += 1
    try await services.publish(.identity, event)
    try await services.hasReceived(.social, of: .identity)
  }

  /// What was decided against an account, as it sees it.
  func sanctions(of account: IdentityDouble.Account) async throws -> [Sanction] {
    try await services.call(ListOwnSanctions.self, .init(), as: account.caller).items
  }

  /// The events of a kind that social has published, oldest first.
  func published<E: Event>(_ event: E.Type) async throws -> [E] {
    try await services.published(by: .social).filter { $0.name == E.spec.name }.map { try E.decode($0.body) }
  }

  /// A photo of no meaning.
  static let photo = MediaFile(
    mediaType: "image/png", tag: "0123456789abcdef0123456789abcdef", content: Base64Bytes(Array("PLANTED photo".utf8)))
}
