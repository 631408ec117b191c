import CIdentityWords
public import Operations

extension Contract {
  /// What identity shows the other services and the clients.
  public static let identity = Contract(
    .identity,
    operations: [
      RegisterAccount.self, ReadOwnAccount.self, LookUpAccount.self, VerifyAccount.self, ResendVerification.self,
      ReadVerificationSecret.self, AppointAdministrator.self, LogIn.self, RefreshSession.self, LogOut.self, ListKeys.self,
      ListSessions.self, CloseSession.self, CloseOtherSessions.self, CheckSessions.self,
      CreatePersonalAccessToken.self, ListPersonalAccessTokens.self, RevokePersonalAccessToken.self,
      IdentifyPersonalAccessToken.self,
      RequestPasswordRecovery.self, CompletePasswordRecovery.self, ReadRecoverySecret.self, ChangePassword.self,
      ReadAddressee.self,
      ListExternalProviders.self, BeginExternalLogin.self, CompleteExternalLogin.self, ReadExternalLoginReturn.self,
      ListIdentities.self, BeginIdentityLink.self, LinkIdentity.self, UnlinkIdentity.self,
      ListLoginAlerts.self, AnswerLoginAlert.self, AnswerLoginAlertByLink.self, ReadLoginAlertSecret.self,
      ListSecurityEvents.self, ListIncidents.self, ReadIncident.self, CloseIncident.self,
      ListSecurityReports.self, ReadSecurityReport.self, ReadSecurityMail.self,
      ReadSettings.self, UpdateSettings.self, ListConsents.self,
      SearchDirectory.self,
      DeleteAccount.self, ReadAccountDeletion.self, ConfirmErasure.self, ReadDeletionReport.self, EndDeletionReport.self,
      UpdateProfile.self, ReadProfile.self, FindProfile.self, PutPhoto.self, DeletePhoto.self, ReadOwnPhoto.self, ReadPhoto.self,
      CreatePublicLink.self, ReadPublicLink.self, RevokePublicLink.self, ReadPublicProfile.self, ReadPublicPhoto.self,
      OpenPublicProfile.self,
      RequestEmailChange.self, CompleteEmailChange.self, ReadEmailChangeSecret.self,
      UndoEmailChange.self, ReadEmailChangeNotice.self,
      DismissAdministrator.self,
      ValidateEmailLink.self,
      ReadPersonalAccessTokenNotice.self,
      ReadReportedAccount.self, ListAdministrators.self, ListAudience.self, CountAudience.self,
      ListRegisterRecords.self, ListOwnAccountRecords.self,
      ReadSuspension.self, AppealSuspension.self, DeleteSuspendedAccount.self, ReadSuspensionSecret.self,
    ],
    events: [
      AccountChanged.self, SessionRevoked.self, VerificationMailRequested.self, PasswordRecoveryRequested.self,
      PasswordChanged.self, PersonalAccessTokenRevoked.self,
      LoginAlertRaised.self, AccountProtected.self, AdministratorAlerted.self, SecurityReportReady.self,
      AccountDeleted.self, AccountErased.self,
      EmailChangeRequested.self, EmailChanged.self,
      IdentityLinkChanged.self,
      SessionOutdated.self,
      AccountVerified.self,
      PersonalAccessTokenCreated.self,
      AccessWithdrawn.self,
      SuspensionLinkRequested.self, SuspensionAppealed.self,
    ],
    words: [.init(en: [UInt8](identity_words_en), es: [UInt8](identity_words_es))])
}
