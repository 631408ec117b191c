import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import IdentityService

/// A suspension as social decides it.
struct Decision {
  var id = SuspensionID()
  let account: AccountID
  /// Nil where it is lifted.
  var until: Instant?
  var reason = "Insults in messages,\nafter a warning."
  var canAppeal = true
  var revision = 1
}

extension RunningIdentity {
  /// Lets a decision of social's take effect, as its event does.
  func receive(_ decision: Decision) async throws {
    let event = SuspensionChanged(
      suspensionID: decision.id, accountID: decision.account, until: decision.until, reason: decision.reason,
      canAppeal: decision.canAppeal, revision: decision.revision, at: time.now)
    let logged = LoggedEvent(
      number: Int64(decision.revision), name: SuspensionChanged.spec.name, at: time.now, traceparent: nil, body: event.json)
    try await store.write { try SuspensionSubscriptions.changed(event, logged, $0) }
  }

  /// Suspends an account for so many days from now on.
  @discardableResult
  func suspend(
    _ account: AccountID, days: Int = 10, canAppeal: Bool = true, revision: Int = 1
  ) async throws -> Decision {
    let decision = Decision(
      account: account, until: time.now.adding(seconds: days * 86_400), canAppeal: canAppeal, revision: revision)
    try await receive(decision)
    return decision
  }

  /// The newest link about a suspension, as the notifications service gets it.
  func suspensionMail() async throws -> GetSuspensionSecret.Output {
    let link = try #require(try await published(SuspensionLinkRequested.self).last).linkID
    return try await askAsNotifications(GetSuspensionSecret.self, .init(linkID: link))
  }

  /// Suspends Ana's account, and has the link mailed by which she appeals.
  func suspensionToken(of account: AccountID, canAppeal: Bool = true) async throws -> String {
    try await suspend(account, canAppeal: canAppeal)
    _ = try await failure { try await self.logIn() }
    return try await suspensionMail().token
  }
}
