import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Invitations to teams: sent, listed, accepted, rejected, withdrawn.
enum TeamInvitationHandlers {
  /// The account to invite, found at identity if its event has not arrived yet.
  static func invited(_ input: SendTeamInvitation.Input, _ call: AccountCall) async throws -> Accounts.Known {
    try await call.read { try TeamMemberStore.requireOwner(call.account, of: input.teamID, in: $0) }
    guard let other = try await Accounts.resolve(input.username, call) else {
      throw ConnectionRequestFailure.unknownUser.with(["username": .text(input.username.description)])
    }
    return other
  }

  static func send(
    _ input: SendTeamInvitation.Input, _ other: Accounts.Known, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TeamInvitation {
    let (account, team, database) = (call.account, input.teamID, transaction.database)
    let name: [String: Parameter] = ["username": .text(other.username.description)]
    try TeamMemberStore.requireOwner(account, of: team, in: database)
    if try BlockStore.hasBlocked(account, other.id, in: database) { throw BlockFailure.blockedByYou.with(name) }
    // To a blocked sender the invitation looks sent. The blocker never learns of it, and the sender does not learn whether the blocker is
    // in a team.
    let isHidden = try BlockStore.hasBlocked(other.id, account, in: database)
    guard try isHidden || TeamMemberStore.membership(of: other.id, in: database) == nil else {
      throw TeamInvitationFailure.userInTeam.with(name)
    }
    guard try !TeamInvitationStore.isWaiting(for: other.id, of: team, in: database) else {
      throw TeamInvitationFailure.pending.with(name)
    }
    try TeamRules.checkSize(try TeamStore.memberCount(of: team, in: database) + 1)
    let maximum = TeamInvitationRules.maximum
    guard try TeamInvitationStore.countWaiting(of: team, in: database) < maximum else {
      throw TeamInvitationFailure.tooMany.with(["max": .number(maximum)])
    }
    let refused = try TeamInvitationStore.refused(from: account, to: other.id, in: database)
    if let seconds = ConnectionRequestRepetition.wait(refused, at: call.now) {
      throw ConnectionRequestFailure.askedTooOften.with(
        name.merging(["max": .number(ConnectionRequestRepetition.maxPerDay)]) { $1 }, retryAfterSeconds: seconds)
    }
    let id = try TeamInvitationStore.add(to: team, from: account, to: other.id, isHidden: isHidden, transaction)
    return try TeamInvitationStore.view(id, .sent, for: account, in: database)
  }

  static func list(
    _ input: ConnectionRequestFilter, _ call: AccountCall, _ database: Database
  ) throws -> Page<TeamInvitation> {
    try TeamInvitationStore.list(
      for: call.account, direction: input.direction, state: input.state, call.page(input), now: call.now, in: database)
  }

  static func accept(
    _ input: AnswerTeamInvitation, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TeamInvitation {
    try answer(.accepted, input, call, transaction) { invitation in
      let database = transaction.database
      guard try TeamMemberStore.membership(of: call.account, in: database) == nil else { throw TeamFailure.alreadyInTeam }
      try TeamRules.checkSize(try TeamStore.memberCount(of: invitation.team, in: database) + 1)
      try TeamMemberStore.add(call.account, to: invitation.team, .joined, transaction)
    }
  }

  static func reject(
    _ input: AnswerTeamInvitation, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TeamInvitation {
    try answer(.rejected, input, call, transaction)
  }

  static func withdraw(
    _ input: AnswerTeamInvitation, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TeamInvitation {
    try answer(.withdrawn, input, call, transaction)
  }

  /// - Parameter effect: what the answer brings about besides, or why it cannot.
  private static func answer(
    _ answer: ConnectionRequestState, _ input: AnswerTeamInvitation, _ call: AccountCall, _ transaction: Transaction,
    effect: (TeamInvitationStore.Stored) throws -> Void = { _ in }
  ) throws -> TeamInvitation {
    let (invitation, direction) = try TeamInvitationStore.find(
      input.teamInvitationID, of: call.account, now: call.now, in: transaction.database)
    if try TeamInvitationRules.isChanged(invitation.state, by: answer, direction) {
      try effect(invitation)
      try TeamInvitationStore.end(invitation.id, answer, transaction)
    }
    return try TeamInvitationStore.view(invitation.id, direction, for: call.account, in: transaction.database)
  }
}
