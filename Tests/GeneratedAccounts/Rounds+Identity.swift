import Client
import IdentityContract
import Operations

extension OperationRound {
  static let identity = [
    OperationRound("profiles") { try await $0.profiles() },
    OperationRound("sessions and tokens", .once) { try await $0.sessions() },
    // Links to recover passwords are sent twenty times to an address of the network, and passwords are hashed two at a time.
    OperationRound("the life of an account", .seldom) { try await $0.life() },
    OperationRound("incidents") { try await $0.incidents() },
  ]
}

extension RoundWorker {
  func profiles() async throws {
    try await ana(GetOwnAccount.self, .init())
    try await ana(GetSettings.self, .init())
    try await ana(UpdateSettings.self, .init(language: .set(.english)))
    try await anybody(ListConsents.self, .init())
    try await ana(SearchDirectory.self, .init(query: DirectoryQuery(text: "g00")))
    try await ana(
      UpdateProfile.self,
      .init(username: .set(FormField(text: ana.username.description)), nickname: .set(FormField(text: "Ana \(name)"))))
    try await ana(GetProfile.self, .init(accountID: ben.id))
    try await ana(GetProfileByUsername.self, .init(username: ben.username))
    try await ana(PutPhoto.self, .init(content: GrowthCast.picture))
    try await ana(GetOwnPhoto.self, .init())
    try await ben(GetPhoto.self, .init(accountID: ana.id))
    let link = try await ana(CreatePublicLink.self, .init())
    try await ana(GetPublicLink.self, .init())
    try await anybody(GetPublicProfile.self, .init(key: link.key))
    try await anybody(GetPublicPhoto.self, .init(key: link.key))
    try await ana(RevokePublicLink.self, .init())
    try await ana(DeletePhoto.self, .init())
  }

  func sessions() async throws {
    try await anybody(ListKeys.self, .init())
    try await anybody(ListExternalProviders.self, .init())
    try await ana(ListIdentities.self, .init())
    try await ana(ListSessions.self, .init())
    let session = try await anybody(
      LogIn.self, .init(login: ana.username.description, password: GrowthCast.password, device: DeviceName(text: "tablet")))
    let renewed = try await anybody(RefreshSession.self, .init(refreshToken: session.refreshToken))
    try await ana(ListLoginAlerts.self, .init())
    try await ana(CloseSession.self, .init(sessionID: renewed.session.id))
    let token = try await ana(
      CreatePersonalAccessToken.self, .init(name: PersonalAccessTokenName(text: "round \(name)"), scopes: [.activityRead])
    ).token.id
    try await ana(ListPersonalAccessTokens.self, .init())
    try await ana(RevokePersonalAccessToken.self, .init(tokenID: token))
  }

  /// Somebody registers, forgets the password, moves to another address and back, and goes.
  func life() async throws {
    let username = "life\(name.filter { $0 != "-" })"
    let email = "\(username)@example.org"
    let password = FormField<Password>(text: GrowthCast.password)
    let registered = try await anybody(
      RegisterAccount.self,
      .init(
        email: .init(text: email), username: .init(text: username), password: password, passwordConfirmation: password,
        consents: .init(activityData: true), beginsSession: true))
    guard let first = registered.signedIn else { return timings.fail(RegisterAccount.spec.name, "no session") }
    let newcomer = anybody.authorized(first.accessToken)
    let link = try await token(to: email, "/verify?")
    try await call(ResendVerification.self, .init(), by: newcomer)
    try await verify(email, after: link)
    let second = GrowthCast.password + "2"
    var earlier = try tokens(to: email)
    try await anybody(RequestPasswordRecovery.self, .init(email: .init(text: email)))
    let recovered = anybody.authorized(try await recover(email, second, after: earlier).accessToken)
    try await call(CloseOtherSessions.self, .init(), by: recovered)
    let (old, new) = (FormField<Password>(text: second), FormField<Password>(text: second + "3"))
    let changed = try await call(
      ChangePassword.self, .init(currentPassword: old, password: new, passwordConfirmation: new), by: recovered)
    let client = anybody.authorized(changed.accessToken)
    let next = "other\(username)@example.org"
    try await call(RequestEmailChange.self, .init(email: .init(text: next), currentPassword: new), by: client)
    try await anybody(CompleteEmailChange.self, .init(token: try await token(to: next, "/change-email?")))
    let undoing = try await token(to: email, "/undo-email-change?")
    earlier = try tokens(to: email)
    try await anybody(UndoEmailChange.self, .init(token: undoing))
    // That ended all sessions and the password, and mailed a link to choose another.
    let last = GrowthCast.password + "4"
    let session = try await recover(email, last, after: earlier)
    let extra = try await anybody(LogIn.self, .init(login: username, password: last))
    try await call(LogOut.self, .init(), by: anybody.authorized(extra.accessToken))
    let deleted = try await call(
      DeleteAccount.self, .init(password: .init(text: last)), by: anybody.authorized(session.accessToken))
    try await anybody(GetAccountDeletion.self, .init(token: deleted.token))
  }

  /// Verifies by the newer of two links.
  private func verify(_ email: String, after earlier: String) async throws {
    let token = try await token(to: email, "/verify?", after: [earlier])
    try await anybody(ValidateEmailLink.self, .init(purpose: .verification, token: token))
    try await anybody(VerifyAccount.self, .init(token: token))
  }

  /// The tokens that were mailed so far.
  private func tokens(to email: String) throws -> Set<String> { Set(try mails.mails(to: email).compactMap(\.token)) }

  /// Chooses another password by a link that is mailed after others, and logs in with it.
  private func recover(_ email: String, _ password: String, after earlier: Set<String>) async throws -> SignedIn {
    let token = try await token(to: email, "/recover?", after: earlier)
    let field = FormField<Password>(text: password)
    try await anybody(CompletePasswordRecovery.self, .init(token: token, password: field, passwordConfirmation: field))
    return try await anybody(LogIn.self, .init(login: email, password: password))
  }

  func incidents() async throws {
    try await administrator(ListSecurityEvents.self, .init())
    try await administrator(ListIncidents.self, .init())
    try await administrator(ListSecurityReports.self, .init())
  }
}
