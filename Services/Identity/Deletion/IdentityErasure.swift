import IdentityContract
import Operations
import ServiceKit

/// How each table of identity forgets an account: a new table is a new line here.
///
/// What stays names nobody: ids of the account and the deletion, so that late events and restored copies cannot bring the account back;
/// security events without whom and where; a keyed hash of the username while it is reserved; the sealed tokens of providers' grants until
/// the providers have been told.
enum IdentityErasure {
  /// So many of the account's sessions end in the transaction of the deletion, those seen last; others' writes wait for it.
  static let sessionsAtOnce = 50

  /// What has no bound by its rules: a session has a token for every ten minutes of its month. With the account gone, no token is good for
  /// anything and the sessions are shown to nobody; that they ended is told first.
  private static let sessions: [ErasedTable] = [
    .following("refresh_tokens", "sessions", where: "session_id IN (SELECT session_id FROM sessions WHERE account_id = :account)")
      .preceded { account, limit, transaction in try transaction.endSessions(ofDeleted: account, limit: limit) },
    .rows("sessions", "account_id = :account", .sessions),
  ]

  /// Before `accounts`, what refers to it.
  private static let first: [ErasedTable] = [
    .rows("verification_links", "account_id = :account", .links),
    .rows("password_recoveries", "account_id = :account", .links),
    .rows("email_changes", "account_id = :account", .links),
    .rows("public_links", "account_id = :account", .links),
    .rows("external_logins", "account_id = :account", .links),
    .following("login_alert_sessions", "login_alerts"),
    .rows("login_alerts", "account_id = :account", .securityEvents),
    .rows("known_devices", "account_id = :account", .sessions),
    .rows("known_places", "account_id = :account", .sessions),
    .rows("device_tokens", "account_id = :account", .sessions),
    // Whose they were is forgotten; they stay until the provider has them back.
    .changed(
      "provider_grants", "identity_id IN (SELECT identity_id FROM external_identities WHERE account_id = :account)", .secrets,
      by: """
        UPDATE provider_grants SET identity_id = NULL
        WHERE identity_id IN (SELECT identity_id FROM external_identities WHERE account_id = :account)
        """),
    .rows("external_identities", "account_id = :account", .profiles),
    .rows("photos", "account_id = :account", .profiles),
    .rows("consent_records", "account_id = :account", .profiles),
    .following("directory_places", "directory_entries"),
    .rows("directory_entries", "account_id = :account", .profiles),
    .rows("security_mails", "account_id = :account", .links),
    .rows("personal_access_tokens", "account_id = :account", .accessTokens),
    .rows("access_withdrawals", "account_id = :account", .accessTokens),
    .rows("secrets", "owner = :account", .secrets),
    .changed(
      "incidents", "account_id = :account OR closed_by = :account", .securityEvents,
      by: """
        UPDATE incidents SET subject = lower(hex(incident_id)), account_id = NULL, address = NULL, comment = NULL,
          closed_at = COALESCE(closed_at, :now)
        WHERE account_id = :account
        """, "UPDATE incidents SET closed_by = NULL, comment = NULL WHERE closed_by = :account"),
    // A keyed hash, which stays so that nobody is taken for who had the name.
    .changed(
      "reserved_usernames", "account_id = :account", .profiles,
      by: "UPDATE reserved_usernames SET account_id = NULL WHERE account_id = :account"),
    .rows("accounts", "account_id = :account", .profiles),
    .untouched("security_reports", "numbers and ids of incidents"),
    .untouched("login_failures", "keyed hashes, removed within a day"),
    .untouched("account_deletions", "ids of what is gone"),
    .untouched("account_deletion_parts", "counts"),
    .untouched("ended_sessions", "ids of what is gone, removed within days"),
  ]

  /// Those who look into security events are not shown these meanwhile.
  private static let events = ErasedTable.changed(
    "security_events", "account_id = :account", .securityEvents, by: "\(forgetting) WHERE account_id = :account",
    steps: [
      """
      \(forgetting) WHERE security_event_id IN (
        SELECT security_event_id FROM security_events WHERE account_id = :account LIMIT :limit)
      """
    ])

  /// What happened stays for those who look into attacks; to whom and from where does not.
  private static let forgetting = """
    UPDATE security_events SET account_id = NULL, session_id = NULL, address = NULL, subscriber = NULL, user_agent = NULL,
      detail = NULL
    """

  /// All but sessions and security events are gone in the transaction of the deletion: there is no such account any more.
  static let tables = sessions + first.map(\.atOnce) + [events]

  /// Events that hold ids alone, which others have to hear still.
  static let eventsKept: Set<String> = [
    SessionRevoked.spec.name, SessionOutdated.spec.name, PersonalAccessTokenRevoked.spec.name, AccountDeleted.spec.name,
    AccountErased.spec.name,
  ]
}
