import Crypto
import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Personal access tokens: created, listed, revoked; identified for the gateway; and what the mail about one needs.
enum PersonalAccessTokenHandlers {
  static func create(
    _ input: CreatePersonalAccessToken.Input, _ call: AccountCall
  ) async throws -> CreatePersonalAccessToken.Output {
    var generator = SystemRandomNumberGenerator()
    let secret = PersonalAccessTokenForm.make(using: &generator)
    // Not through an idempotency record, which would keep the secret.
    let token = try await call.write { try add(input, .of(secret), call, $0) }
    return CreatePersonalAccessToken.Output(token: token.own, secret: secret)
  }

  static func list(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<PersonalAccessToken> {
    let account = try call.liveAccount(database)
    let page = try call.page(input)
    let tokens = try PersonalAccessTokenStore.list(
      of: account.id, before: page.cursor(PersonalAccessTokenID.init(text:)), limit: page.fetchLimit, in: database)
    return page.page(of: tokens, key: \.id) { $0.own }
  }

  static func revoke(
    _ input: RevokePersonalAccessToken.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Empty {
    let account = try call.liveAccount(transaction.database)
    guard try PersonalAccessTokenStore.find(input.tokenID, in: transaction.database)?.accountID == account.id else {
      throw Failure(RequestFailure.notFound)
    }
    if try PersonalAccessTokenStore.revoke(input.tokenID, of: account.id, transaction) {
      let event = SecurityEvent(.personalAccessTokenRevoked, account: account.id, detail: input.tokenID.description)
      try SecurityEventStore.record(event, from: call.caller, transaction)
    }
    return Empty()
  }

  static func getNotice(
    _ input: GetPersonalAccessTokenNotice.Input, _ call: OpenCall, _ database: Database
  ) throws -> GetPersonalAccessTokenNotice.Output {
    // One that was revoked since is reported all the same: somebody made it.
    guard let token = try PersonalAccessTokenStore.find(input.tokenID, in: database),
      let account = try AccountStore.find(token.accountID, in: database)
    else { throw Failure(RequestFailure.notFound) }
    return GetPersonalAccessTokenNotice.Output(
      token: token.own, email: account.email, username: account.username, language: account.language)
  }

  static func identify(
    _ input: IdentifyPersonalAccessToken.Input, _ call: OpenCall
  ) async throws -> IdentifyPersonalAccessToken.Output {
    let found = try await call.read { database in
      try PersonalAccessTokenStore.find(input.hash, in: database).flatMap { token in
        try AccountStore.find(token.accountID, in: database).map { (token, $0) }
      }
    }
    guard let (token, account) = found else { throw Failure(RequestFailure.unauthenticated) }
    switch PersonalAccessTokenRules.validate(expiresAt: token.expiresAt, revokedAt: token.revokedAt, now: call.now) {
    case .refuse: throw Failure(RequestFailure.unauthenticated)
    case .expired: throw Failure(RequestFailure.tokenExpired)
    case .accept: break
    }
    if PersonalAccessTokenRules.shouldRecordUse(lastUsedAt: token.lastUsedAt, now: call.now) {
      do {
        try await call.write { try PersonalAccessTokenStore.noteUse(token.id, $0) }
      } catch let failure as Failure where failure.isOfStorage {
        // Where nothing can be written, a good token still reads.
      }
    }
    return IdentifyPersonalAccessToken.Output(
      tokenID: token.id, accountID: account.id, scopes: token.scopes, isVerified: account.verifiedAt != nil,
      language: account.language, expiresAt: token.expiresAt)
  }
}

extension PersonalAccessTokenHash {
  /// The hash of a token's text. A plain one will do, since nobody can guess 178 random bits.
  static func of(_ secret: String) -> PersonalAccessTokenHash {
    guard let hash = PersonalAccessTokenHash(bytes: SHA256.hash(data: Data(secret.utf8))) else {
      preconditionFailure("SHA-256 has 32 bytes")
    }
    return hash
  }
}

extension PersonalAccessTokenHandlers {
  /// Adds a token if the account may have it.
  private static func add(
    _ input: CreatePersonalAccessToken.Input, _ hash: PersonalAccessTokenHash, _ call: AccountCall, _ transaction: Transaction
  ) throws -> PersonalAccessTokenRecord {
    let account = try call.liveAccount(transaction.database)
    let others = try PersonalAccessTokenStore.list(
      of: account.id, before: nil, limit: PersonalAccessTokenRules.maxPerAccount, in: transaction.database)
    var problems: [FieldProblem] = []
    if others.contains(where: { $0.name == input.name }) {
      problems.append(FieldProblem(field: "name", FieldRule("token_name_taken")))
    }
    if let rule = PersonalAccessTokenRules.expiryRule(input.expiresAt, now: transaction.now) {
      problems.append(FieldProblem(field: "expiresAt", rule))
    }
    problems = input.found.with(problems)
    guard problems.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    guard others.count < PersonalAccessTokenRules.maxPerAccount else {
      throw PersonalAccessTokenFailure.tooMany.with(["max": .number(PersonalAccessTokenRules.maxPerAccount)])
    }
    let token = try PersonalAccessTokenStore.add(of: account.id, input, hash, transaction)
    try transaction.publish(PersonalAccessTokenCreated(tokenID: token.id, accountID: account.id, at: transaction.now))
    try SecurityEventStore.record(
      SecurityEvent(.personalAccessTokenCreated, account: account.id, detail: token.id.description), from: call.caller,
      transaction)
    return token
  }
}
