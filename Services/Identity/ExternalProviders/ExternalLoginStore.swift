import Crypto
import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Marks ids of flows with external providers.
enum ExternalLoginMark {}
typealias ExternalLoginID = ID<ExternalLoginMark>

/// Who links an identity, and in which session: a flow begun in one ends in no other.
struct FlowOwner: Hashable, Sendable {
  let account: AccountID
  let session: SessionID
}

/// A stored flow with an external provider, without any of its secrets.
struct ExternalLoginRecord: Sendable {
  let id: ExternalLoginID
  let provider: String
  /// Nil where somebody logs in.
  let owner: FlowOwner?
  /// Where the client waits for the answer.
  let redirectURI: String
  let expiresAt: Instant
  let endedAt: Instant?

  init(_ row: Row) {
    id = row["flow_id"]
    provider = row["provider"]
    let account: AccountID? = row["account_id"]
    let session: SessionID? = row["session_id"]
    owner = if let account, let session { FlowOwner(account: account, session: session) } else { nil }
    redirectURI = row["redirect_uri"]
    expiresAt = row["expires_at"]
    endedAt = row["ended_at"]
  }

  /// What every secret of the flow is bound to, so that none serves for another provider, purpose or session.
  fileprivate var binding: [UInt8] {
    id.bytes + Array(provider.utf8) + [0] + (owner.map { $0.account.bytes + $0.session.bytes } ?? [])
  }
}

/// The secrets of a flow, derived from it by identity's key each time, so that they rest nowhere.
struct ExternalLoginSecrets: Sendable {
  /// Goes to the provider and back: the flow's id and a code for it.
  let state: String
  /// Goes to the provider and comes back inside the ID token.
  let nonce: String
  /// Proves to the provider that who brings the code began the flow (RFC 7636).
  let verifier: String
  /// Never leaves the client that began the flow: whoever steals its answer, or slips another's answer to it, lacks it.
  let flowSecret: String

  init(_ flow: ExternalLoginRecord, key: SecretKey) {
    func code(_ purpose: String) -> [UInt8] { key.code(for: Array(purpose.utf8) + [0] + flow.binding) }
    state = Base64URL.encode(flow.id.bytes + code("state"))
    nonce = Base64URL.encode(code("nonce"))
    verifier = Base64URL.encode(code("verifier"))
    flowSecret = Base64URL.encode(code("client"))
  }

  /// Which flow a state claims to be of; nil if no state looks like that.
  static func claimedFlow(_ state: String) -> ExternalLoginID? {
    guard let bytes = Base64URL.decode(state), bytes.count == 48 else { return nil }
    return ExternalLoginID(bytes: bytes[..<16])
  }

  /// Compares in a time that does not depend on where they differ.
  static func areSame(_ one: String, _ other: String) -> Bool {
    // Hashes are compared, whose values nobody can choose: the time of the comparison reveals nothing.
    SHA256.hash(data: Data(one.utf8)) == SHA256.hash(data: Data(other.utf8))
  }
}

/// The flows with external providers.
enum ExternalLoginStore {
  /// Long enough that a flow which has ended is still distinguished from one that was never begun.
  static let keptSeconds = 86_400

  /// The flow of that state, if the state is genuine.
  static func find(_ state: String, key: SecretKey, in database: Database) throws -> ExternalLoginRecord? {
    guard let id = ExternalLoginSecrets.claimedFlow(state),
      let row = try Row.fetchOne(
        database.cachedStatement(sql: "SELECT * FROM external_logins WHERE flow_id = ?"), arguments: [id])
    else { return nil }
    let flow = ExternalLoginRecord(row)
    return ExternalLoginSecrets.areSame(ExternalLoginSecrets(flow, key: key).state, state) ? flow : nil
  }

  /// Begins a flow.
  static func begin(
    _ provider: ExternalProviderName, owner: FlowOwner?, redirectURI: String, _ transaction: Transaction
  ) throws -> ExternalLoginRecord {
    let row = try Row.fetchOne(
      transaction.database.cachedStatement(
        sql: """
          INSERT INTO external_logins (flow_id, provider, account_id, session_id, redirect_uri, created_at, expires_at)
          VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *
          """),
      arguments: [
        ExternalLoginID(), provider.description, owner?.account, owner?.session, redirectURI, transaction.now,
        transaction.now.adding(seconds: ExternalLoginFlowRules.lifetimeSeconds),
      ])
    guard let row else { throw Failure(RequestFailure.notFound) }
    return ExternalLoginRecord(row)
  }

  /// Ends the flow of that state, whatever its outcome: its answer is taken only once, since its code must be sent only once (RFC 6749,
  /// section 4.1.2). Refusals are recorded.
  ///
  /// - Parameter owner: the calling account and session, where an identity is to be linked.
  static func end(
    state: String, flowSecret: String, owner: FlowOwner?, _ caller: Caller, key: SecretKey, _ transaction: Transaction
  ) throws -> Result<ExternalLoginRecord, ExternalLoginFailure> {
    func refuse(_ failure: ExternalLoginFailure, _ detail: String) throws -> Result<ExternalLoginRecord, ExternalLoginFailure> {
      try SecurityEventStore.record(
        SecurityEvent(.externalStateRefused, account: owner?.account, session: owner?.session, detail: detail), from: caller,
        transaction)
      // A caller with the flow's secret began the flow: a late answer, or a retry after the provider was unavailable, is no forgery.
      if failure == .stateInvalid { try IncidentDetection.detectForgeries(nil, caller, transaction) }
      return .failure(failure)
    }
    guard let flow = try find(state, key: key, in: transaction.database) else { return try refuse(.stateInvalid, "unknown") }
    // A caller without the secret cannot end another client's flow.
    guard ExternalLoginSecrets.areSame(ExternalLoginSecrets(flow, key: key).flowSecret, flowSecret) else {
      return try refuse(.stateInvalid, "of_other_client")
    }
    guard flow.owner == owner else { return try refuse(.stateInvalid, "of_other_session") }
    if let failure = ExternalLoginFlowRules.refusal(expiresAt: flow.expiresAt, endedAt: flow.endedAt, now: transaction.now) {
      return try refuse(failure, failure.rawValue)
    }
    try transaction.database.cachedStatement(sql: "UPDATE external_logins SET ended_at = ? WHERE flow_id = ?")
      .execute(arguments: [transaction.now, flow.id])
    return .success(flow)
  }
}
