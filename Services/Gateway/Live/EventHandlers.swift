import IdentityContract
import Logging
import Messaging
import Operations

/// What the gateway does when it learns of something.
struct EventHandlers: Sendable {
  let revocations: Revocations
  let languages: AccountLanguages
  let connections: OpenConnections
  let hub: LiveHub
  let sources: [LiveSource]
  /// The events that are delivered live as they are.
  let liveEvents: [EventSpec]
  let logger: Logger

  /// The subscribers, one for each publisher. From identity's snapshot the gateway needs only the recent revocations, and admits nobody
  /// before it has them. Of language changes and live events it needs only those from now on: each connection fetches what it missed.
  func subscribers(bus: any Bus) -> [EventSubscriber] {
    let subscription = EventMemory(effects)
    let publishers = Set(sources.map(\.service) + liveEvents.map(\.publisher)).subtracting([SessionRevoked.spec.publisher])
    let live = publishers.map { publisher in
      EventSubscriber(
        .gateway, to: publisher, subscription: subscription, bus: bus, start: .head, keepsCursor: false,
        names: subscription.names, logger: logger)
    }
    let identity = EventSubscriber(
      .gateway, to: SessionRevoked.spec.publisher, subscription: subscription, bus: bus, start: .snapshot, keepsCursor: false,
      names: subscription.names, stateNames: EventHandlers.revocationNames, logger: logger, caughtUp: revocations.becomeKnown)
    return live + [identity]
  }

  /// The events that revoke access.
  static let revocationNames = SessionRevoked.spec.names.union(AccessTokensInvalidated.spec.names)
    .union(PersonalAccessTokenRevoked.spec.names)

  /// What each event does, by each of its names. An event that cannot be read is recorded and must not stop those after it.
  var effects: [String: EventMemory.Effect] {
    var effects: [String: EventMemory.Effect] = [:]
    func on(_ spec: EventSpec, _ effect: @escaping EventMemory.Effect) {
      for name in spec.names { effects[name] = careful(effect) }
    }
    for spec in liveEvents {
      on(spec) { event in
        let event = try LiveEvent(event, named: spec.name, of: spec.publisher)
        if !event.isSilent { hub.deliver(event) }
      }
    }
    for source in sources { on(source.event) { event in hub.deliver(try source.message(event)) } }
    on(SessionRevoked.spec) { event in
      let revoked = try SessionRevoked.decode(event.body)
      // No token of the session was made after it ended, so its last one has expired by then.
      let until = revoked.at.adding(seconds: AccessTokenForm.lifetimeSeconds + 60)
      revoke(.session(revoked.sessionID), until: until, revoked.reason)
    }
    on(AccessTokensInvalidated.spec) { event in
      let invalidated = try AccessTokensInvalidated.decode(event.body)
      revocations.invalidateTokens(
        invalidated.sessionID, before: invalidated.generation,
        until: invalidated.at.adding(seconds: AccessTokenForm.lifetimeSeconds + 60))
      // Its client refreshes, if it has not the next token already, and comes again.
      connections.close(.session(invalidated.sessionID), before: invalidated.generation, .tokenExpired)
    }
    on(PersonalAccessTokenRevoked.spec) { event in
      let revoked = try PersonalAccessTokenRevoked.decode(event.body)
      // What identity answered before is no longer remembered by then.
      let until = revoked.at.adding(seconds: PersonalAccessTokens.goodSeconds + 60)
      revoke(.personalAccessToken(revoked.tokenID), until: until)
    }
    on(AccountChanged.spec) { event in
      // The language of a new one is in its first token.
      let account = try AccountChanged.decode(event.body)
      if account.revision > 1 { languages.note(account.language, of: account.accountID, at: event.at) }
    }
    return effects
  }

  /// The credential is revoked before its connections are closed, so that none can be opened in between.
  private func revoke(_ credential: Credential, until: Instant, _ reason: SessionRevoked.Reason? = nil) {
    revocations.revoke(credential, until: until)
    connections.close(credential, LiveEnd(revoked: credential, reason))
  }

  private func careful(_ effect: @escaping EventMemory.Effect) -> EventMemory.Effect {
    { event in
      do {
        try effect(event)
      } catch {
        logger.error(
          "event is invalid", metadata: ["event": "\(event.name)", "number": "\(event.number)", "error": "\(error)"])
      }
    }
  }
}
