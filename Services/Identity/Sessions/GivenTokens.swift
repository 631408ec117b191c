import IdentityContract
import Operations

/// What a session's client is given when it logs in or refreshes, before the access token is signed.
struct GivenTokens: Sendable {
  let account: AccountRecord
  let session: SessionRecord
  /// Whether the suspicious login that it began with has no answer yet.
  let isInDoubt: Bool
  let refreshToken: RefreshToken
  /// When the refresh token was made; a repetition gives the access token of that instant again.
  let givenAt: Instant
  /// Of a device that has just logged in by the password.
  var deviceToken: DeviceToken?

  /// With the access token, as it is answered.
  func signedIn(_ keys: IdentityKeys, _ places: PlaceDatabase) async throws -> SignedIn {
    let claims = AccessTokenClaims(
      account: account, session: session, isInDoubt: isInDoubt, at: givenAt,
      tokenID: keys.tokenIDs.code(for: Array(refreshToken.text.utf8)))
    return SignedIn(
      accessToken: try await keys.signing.sign(claims), accessTokenExpiresAt: claims.expiresAt, refreshToken: refreshToken.text,
      session: session.own(account.language, places, seenAt: session.lastSeenAt), account: account.own,
      deviceToken: deviceToken?.text)
  }
}
