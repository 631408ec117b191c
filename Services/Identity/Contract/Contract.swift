public import Operations

extension Contract {
  /// What identity shows the other services and the clients.
  public static let identity = Contract(
    .identity,
    operations: [
      RegisterAccount.self, ReadOwnAccount.self, LookUpAccount.self, VerifyAccount.self, ResendVerification.self,
      ReadVerificationSecret.self, AppointAdministrator.self, LogIn.self, RefreshSession.self, LogOut.self, ListKeys.self,
      ListSessions.self, CloseSession.self, CloseOtherSessions.self,
      CreatePersonalAccessToken.self, ListPersonalAccessTokens.self, RevokePersonalAccessToken.self,
      IdentifyPersonalAccessToken.self,
      RequestPasswordRecovery.self, CompletePasswordRecovery.self, ReadRecoverySecret.self, ChangePassword.self,
      ReadAddressee.self,
      ReadSettings.self, UpdateSettings.self, ListConsents.self,
      SearchDirectory.self,
    ],
    events: [
      AccountChanged.self, SessionRevoked.self, VerificationMailRequested.self, PasswordRecoveryRequested.self,
      PasswordChanged.self, PersonalAccessTokenRevoked.self,
    ],
    words: [.init(en: PackageResources.en_json, es: PackageResources.es_json)])
}
