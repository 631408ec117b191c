import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves looking through one's sessions and closing them (requirement ID-6).
  mutating func serveOwnSessions(places: PlaceDatabase) {
    serve(
      ListSessions.self,
      read: { input, call, database in
        let (account, current) = (try call.liveAccount(database), try call.session)
        let page = try call.page(input)
        // The others would tell whoever came in doubt by what a login is trusted.
        let sessions = try database.liveSessions(
          of: account.id, only: try database.isInDoubt(current) ? current : nil, before: page.cursor(SessionID.init(text:)),
          limit: page.fetchLimit, now: call.now)
        return page.page(of: sessions, key: \.id) {
          $0.own(account.language, places, seenAt: $0.id == current ? call.now : nil)
        }
      })

    serve(
      CloseSession.self,
      write: { input, call, transaction in
        let account = try call.liveAccount(transaction.database)
        guard try transaction.database.session(input.sessionID)?.accountID == account.id else {
          throw Failure(RequestFailure.notFound)
        }
        // To close the session one is in is to log out, which anybody may.
        if try input.sessionID == call.session {
          try transaction.logOut(input.sessionID, of: account.id, call.caller)
        } else {
          guard try !transaction.database.isInDoubt(try call.session) else { throw Failure(RequestFailure.loginUnanswered) }
          try transaction.close(input.sessionID, of: account.id, call.caller)
        }
        return Empty()
      })

    serve(
      CloseOtherSessions.self,
      write: { _, call, transaction in
        let (account, current) = (try call.liveAccount(transaction.database), try call.session)
        let others = try transaction.revokeSessions(of: account.id, except: current, .closedByOwner)
        for session in others {
          try transaction.record(SecurityEvent(.sessionClosed, account: account.id, session: session), from: call.caller)
        }
        return CloseOtherSessions.Output(closedCount: others.count)
      })
  }
}

extension Transaction {
  /// Ends a session because its owner wants it to, and records who asked.
  fileprivate func close(_ session: SessionID, of account: AccountID, _ caller: Caller) throws {
    guard try revoke(session, of: account, .closedByOwner) else { return }
    try record(SecurityEvent(.sessionClosed, account: account, session: session), from: caller)
  }
}
