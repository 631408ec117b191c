import ServiceKit

/// Every key of identity. They are files of the home's `keys` folder, made at the first start; none is in the store.
struct IdentityKeys: Sendable {
  /// Successors of refresh tokens.
  let refresh: SecretKey
  /// Tokens of verification links.
  let verification: SecretKey
  /// Tokens of links that recover passwords.
  let recovery: SecretKey
  /// Subjects of such links.
  let recoverySubjects: SecretKey
  /// Tokens of links that change e-mail addresses.
  let emailChanges: SecretKey
  /// Keys of links to public profiles.
  let publicLinks: SecretKey
  /// Subjects of login failures.
  let failures: SecretKey
  /// Secrets of flows with external providers.
  let externalLogins: SecretKey
  /// Devices that accounts are known by.
  let devices: SecretKey
  /// Tokens of links about logins.
  let loginAlerts: SecretKey
  /// Tokens of links about suspensions.
  let suspensions: SecretKey
  /// Ids of access tokens.
  let tokenIDs: SecretKey
  /// Tokens by which a deletion's state is read.
  let deletions: SecretKey
  /// Usernames of deleted accounts.
  let usernames: SecretKey
  let signing: SigningKeys

  /// Reads the keys, making those that are missing.
  init(_ home: Home) async throws {
    let secret = try home.secret("identity.secret")
    refresh = SecretKey(secret, purpose: "refresh tokens")
    verification = SecretKey(secret, purpose: "verification links")
    recovery = SecretKey(secret, purpose: "password recovery links")
    recoverySubjects = SecretKey(secret, purpose: "password recovery subjects")
    emailChanges = SecretKey(secret, purpose: "e-mail change links")
    publicLinks = SecretKey(secret, purpose: "public profile links")
    failures = SecretKey(secret, purpose: "login failures")
    externalLogins = SecretKey(secret, purpose: "external logins")
    devices = SecretKey(secret, purpose: "known devices")
    loginAlerts = SecretKey(secret, purpose: "login alert links")
    suspensions = SecretKey(secret, purpose: "suspension links")
    tokenIDs = SecretKey(secret, purpose: "access token ids")
    deletions = SecretKey(secret, purpose: "account deletions")
    usernames = SecretKey(secret, purpose: "reserved usernames")
    signing = try await SigningKeys(home)
  }
}
