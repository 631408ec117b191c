import IdentityContract
import Operations
import ServiceKit
import Storage

/// Personal access tokens: with scopes, for scripts (ID-18).
struct PersonalAccessTokenFeature: Feature {
  let clock: Clock
  let migrations = [PersonalAccessTokenStore.migration(3), PersonalAccessTokenStore.deletedAccountsMigration(55)]
  // The deletion revokes them first, and without the account none is good for anything.
  let tables: [ErasedTable] = [.rows("personal_access_tokens", "account_id = :account", .accessTokens)]
  let retention = [
    RetentionRule(
      "personal_access_tokens", key: "token_id", after: "expires_at", seconds: PersonalAccessTokenStore.expiredKeptSeconds),
    RetentionRule(
      "personal_access_tokens", key: "token_id", after: "revoked_at", seconds: PersonalAccessTokenStore.revokedKeptSeconds),
  ]

  var snapshot: [SnapshotPart] {
    [
      SnapshotPart("tokens", PersonalAccessTokenRevoked.self) { [clock] database, key in
        try PersonalAccessTokenStore.snapshot(database, after: key, now: clock.now)
      }
    ]
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(CreatePersonalAccessToken.self, PersonalAccessTokenHandlers.create)
    service.serve(ListPersonalAccessTokens.self, read: PersonalAccessTokenHandlers.list)
    service.serve(RevokePersonalAccessToken.self, write: PersonalAccessTokenHandlers.revoke)
    service.serve(GetPersonalAccessTokenNotice.self, read: PersonalAccessTokenHandlers.getNotice)
    service.serve(IdentifyPersonalAccessToken.self, PersonalAccessTokenHandlers.identify)
  }
}
