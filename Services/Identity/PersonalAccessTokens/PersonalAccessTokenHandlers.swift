import Crypto
import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves personal access tokens (requirement ID-18).
  mutating func servePersonalAccessTokens() {
    serve(CreatePersonalAccessToken.self) { input, call in
      var generator = SystemRandomNumberGenerator()
      let secret = PersonalAccessTokenForm.make(using: &generator)
      // Not through an idempotency record, which would keep the secret.
      let token = try await call.write { try $0.createPersonalAccessToken(input, .of(secret), call) }
      return CreatePersonalAccessToken.Output(token: token.own, secret: secret)
    }

    serve(
      ListPersonalAccessTokens.self,
      read: { input, call, database in
        let account = try call.liveAccount(database)
        let page = try call.page(input)
        let tokens = try database.personalAccessTokens(
          of: account.id, before: page.cursor(PersonalAccessTokenID.init(text:)), limit: page.fetchLimit)
        return page.page(of: tokens, key: \.id) { $0.own }
      })

    serve(
      RevokePersonalAccessToken.self,
      write: { input, call, transaction in
        let account = try call.liveAccount(transaction.database)
        guard try transaction.database.personalAccessToken(input.tokenID)?.accountID == account.id else {
          throw Failure(RequestFailure.notFound)
        }
        if try transaction.revokePersonalAccessToken(input.tokenID, of: account.id) {
          let event = SecurityEvent(.personalAccessTokenRevoked, account: account.id, detail: input.tokenID.description)
          try transaction.record(event, from: call.caller)
        }
        return Empty()
      })

    serve(
      ReadPersonalAccessTokenNotice.self,
      read: { input, _, database in
        // One that was revoked since is told of all the same: somebody made it.
        guard let token = try database.personalAccessToken(input.tokenID), let account = try database.account(token.accountID)
        else { throw Failure(RequestFailure.notFound) }
        return ReadPersonalAccessTokenNotice.Output(
          token: token.own, email: account.email, username: account.username, language: account.language)
      })

    serve(IdentifyPersonalAccessToken.self) { input, call in
      let found = try await call.read { database in
        try database.personalAccessToken(input.hash).flatMap { token in try database.account(token.accountID).map { (token, $0) }
        }
      }
      guard let (token, account) = found else { throw Failure(RequestFailure.unauthenticated) }
      switch PersonalAccessTokenRule.validate(expiresAt: token.expiresAt, revokedAt: token.revokedAt, now: call.now) {
      case .refuse: throw Failure(RequestFailure.unauthenticated)
      case .expired: throw Failure(RequestFailure.tokenExpired)
      case .accept: break
      }
      if PersonalAccessTokenRule.isUseToBeNoted(lastUsedAt: token.lastUsedAt, now: call.now) {
        do {
          try await call.write { try $0.notePersonalAccessTokenUse(token.id) }
        } catch let failure as Failure where failure.isOfStorage {
          // Where nothing can be written, a good token still reads.
        }
      }
      return IdentifyPersonalAccessToken.Output(
        tokenID: token.id, accountID: account.id, scopes: token.scopes, isVerified: account.verifiedAt != nil,
        language: account.language, expiresAt: token.expiresAt)
    }
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

extension Transaction {
  /// Adds a token if the account may have it.
  fileprivate func createPersonalAccessToken(
    _ input: CreatePersonalAccessToken.Input, _ hash: PersonalAccessTokenHash, _ call: Call
  ) throws -> PersonalAccessTokenRecord {
    let account = try call.liveAccount(database)
    let others = try database.personalAccessTokens(of: account.id, before: nil, limit: PersonalAccessTokenRule.maxPerAccount)
    var problems: [FieldProblem] = []
    if others.contains(where: { $0.name == input.name }) {
      problems.append(FieldProblem(field: "name", FieldRule("token_name_taken")))
    }
    if let rule = PersonalAccessTokenRule.expiryRule(input.expiresAt, now: now) {
      problems.append(FieldProblem(field: "expiresAt", rule))
    }
    problems = input.found.with(problems)
    guard problems.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    guard others.count < PersonalAccessTokenRule.maxPerAccount else {
      throw PersonalAccessTokenFailure.tooMany.with(["max": .number(PersonalAccessTokenRule.maxPerAccount)])
    }
    let token = try insertPersonalAccessToken(of: account.id, input, hash)
    try publish(PersonalAccessTokenCreated(tokenID: token.id, accountID: account.id, at: now))
    try record(
      SecurityEvent(.personalAccessTokenCreated, account: account.id, detail: token.id.description), from: call.caller)
    return token
  }
}
