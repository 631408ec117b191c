import CIdentityWords
public import Operations

extension Contract {
  /// What identity shows the other services and the clients.
  public static let identity = Contract(
    .identity,
    features: [
      .registration, .accounts, .verification, .administrators, .sessions, .keys, .ownSessions, .sessionStates,
      .personalAccessTokens, .passwordRecoveries, .passwordChanges, .externalProviders, .externalLogins, .externalIdentities,
      .loginAlerts, .securityEvents, .incidents, .securityReports, .securityMails, .settings, .consents, .directory,
      .accountDeletions, .profiles, .photos, .publicProfiles, .emailChanges, .emailChangeUndo, .emailLinks, .reportedAccounts,
      .audiences, .registerRecords, .suspensionLinks, .accessWithdrawals, .suspensions,
    ],
    words: [.init(en: [UInt8](identity_words_en), es: [UInt8](identity_words_es))])
}
