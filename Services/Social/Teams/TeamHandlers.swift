import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Whether an account lets another enrol it in what several people do together.
typealias EnrollmentCheck = @Sendable (_ account: AccountID, _ enroller: AccountID, Database) throws -> Bool

/// Teams: created, shown, renamed, left, handed over; and their members removed.
struct TeamHandlers: Sendable {
  let mayEnroll: EnrollmentCheck
  let signal: WakeSignal

  /// The named accounts, looked up at identity if their events have not arrived yet, without unknown and suspended ones.
  static func named(_ input: CreateTeam.Input, _ call: AccountCall) async throws -> [Username: AccountID] {
    var accounts: [Username: AccountID] = [:]
    for (_, username) in input.readable where accounts[username] == nil {
      accounts[username] = try await Accounts.resolve(username, call)?.id
    }
    return accounts
  }

  func create(
    _ input: CreateTeam.Input, _ accounts: [Username: AccountID], _ call: AccountCall, _ transaction: Transaction
  ) throws -> Team {
    let (account, database) = (call.account, transaction.database)
    guard try TeamMemberStore.membership(of: account, in: database) == nil else { throw TeamFailure.alreadyInTeam }
    var findings = FieldFindings(input.found)
    var members: [AccountID] = []
    let own = try Accounts.known(account, in: database).username
    for (index, username) in TeamRules.others(input.readable, than: own) {
      let standing = try standing(of: accounts[username], for: account, database)
      if let fault = TeamRules.fault(username, standing) { findings.add("usernames[\(index)]", fault) }
      if let member = accounts[username] { members.append(member) }
    }
    try findings.end()
    try TeamRules.checkSize(members.count + 1)
    let team = try TeamStore.add(input.name, transaction)
    try TeamMemberStore.add(account, to: team, .created, transaction)
    for member in members { try TeamMemberStore.add(member, to: team, .added, transaction) }
    try RegisterStore.append(.teamCreated(team, input.name, by: account, with: members), transaction)
    return try view(team, call, database)
  }

  /// - Parameter other: nil where there is no account of that name, or it is suspended.
  private func standing(
    of other: AccountID?, for account: AccountID, _ database: Database
  ) throws -> TeamRules.Standing {
    guard let other, try !database.isErased(other), try !BlockStore.areApart(account, other, in: database) else {
      return .unknown
    }
    if try TeamMemberStore.membership(of: other, in: database) != nil { return .inTeam }
    return try mayEnroll(other, account, database) ? .free : .enrolledByOthers
  }

  func own(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> GetOwnTeam.Output {
    guard let membership = try TeamMemberStore.membership(of: call.account, in: database) else {
      return .init(team: nil, hint: TeamHandlers.words.text("hint.no_team", call.language))
    }
    return .init(team: try view(membership.team, call, database), hint: nil)
  }

  func update(_ input: UpdateTeam.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Team {
    try TeamMemberStore.requireOwner(call.account, of: input.teamID, in: transaction.database)
    if let name = input.name.value { try TeamStore.rename(input.teamID, name, transaction) }
    return try view(input.teamID, call, transaction.database)
  }

  func leave(_ input: TeamReference, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    _ = try TeamMemberStore.membership(of: call.account, in: input.teamID, transaction.database)
    let owner = try TeamMemberStore.owner(of: input.teamID, in: transaction.database)
    try end(call.account, .left, in: input.teamID, by: call.account, transaction)
    // If the owner left, the next owner is notified of the ownership instead.
    if let owner, owner != call.account { try TeamStore.notify(owner, thatLeft: call.account, input.teamID, transaction) }
    return Empty()
  }

  func handOver(_ input: TeamMemberReference, _ call: AccountCall, _ transaction: Transaction) throws -> Team {
    try TeamMemberStore.requireOwner(call.account, of: input.teamID, in: transaction.database)
    _ = try TeamMemberStore.membership(of: input.accountID, in: input.teamID, transaction.database)
    if input.accountID != call.account { try TeamMemberStore.handOver(from: call.account, to: input.accountID, transaction) }
    return try view(input.teamID, call, transaction.database)
  }

  func remove(_ input: TeamMemberReference, _ call: AccountCall, _ transaction: Transaction) throws -> Team {
    try TeamMemberStore.requireOwner(call.account, of: input.teamID, in: transaction.database)
    _ = try TeamMemberStore.membership(of: input.accountID, in: input.teamID, transaction.database)
    guard input.accountID != call.account else { throw TeamFailure.removalOfOneself }
    try end(input.accountID, .removed, in: input.teamID, by: call.account, transaction)
    return try view(input.teamID, call, transaction.database)
  }

  /// Ends a membership and the account's part in the team's tasks; what follows from that is done in steps where there is much of it.
  private func end(
    _ account: AccountID, _ change: TeamMembershipChange, in team: ID<Team>, by actor: AccountID, _ transaction: Transaction
  ) throws {
    if try !TeamTaskStore.leave(account, team, by: actor, transaction) {
      transaction.afterCommit { [signal] in signal.send() }
    }
    try TeamMemberStore.end(account, change, transaction)
  }

  private func view(_ team: ID<Team>, _ call: AccountCall, _ database: Database) throws -> Team {
    try TeamStore.view(team, for: call.account, now: call.now, in: database)
  }

  private static let words = Words(Contract.social.words)
}

extension CreateTeam.Input {
  /// The readable names with their positions; none if there are more than allowed, so that the number of lookups is bounded.
  fileprivate var readable: [(index: Int, username: Username)] {
    guard !found.contains("usernames") else { return [] }
    return usernames.enumerated().filter { found.areRight("usernames[\($0.offset)]") }.map {
      (index: $0.offset, username: $0.element)
    }
  }
}
