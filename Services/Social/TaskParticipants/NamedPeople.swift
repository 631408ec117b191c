import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The people whom a caller names by their usernames, to enrol them.
struct NamedPeople: Sendable {
  private let usernames: [Username]
  /// Those of them that there are, and are not suspended.
  private let accounts: [Username: AccountID]

  /// Finds them, at identity where their events have not arrived yet.
  static func find(_ usernames: [Username], _ call: AccountCall) async throws -> NamedPeople {
    var accounts: [Username: AccountID] = [:]
    for username in usernames.prefix(TaskRules.maxParticipants * 2) where accounts[username] == nil {
      accounts[username] = try await Accounts.resolve(username, call)?.id
    }
    return NamedPeople(usernames: usernames, accounts: accounts)
  }

  /// The named people whom the account may enrol, each once and without itself, and the problems of the others.
  ///
  /// - Parameter hasOptedOut: whether an account has left the existing task by itself; for a new task it has not.
  func enrolling(
    by account: AccountID, at now: Instant, _ database: Database,
    hasOptedOut: (AccountID) throws -> Bool = { _ in false }
  ) throws -> (accounts: [AccountID], problems: [FieldProblem]) {
    var (enrolled, problems): ([AccountID], [FieldProblem]) = ([], [])
    for (index, username) in usernames.enumerated() {
      let known = try accounts[username].flatMap { try Accounts.find($0, in: database) }
      guard known?.id != account else { continue }
      let visible = try known.flatMap { other in
        try other.isSuspended(at: now) || BlockStore.areApart(account, other.id, in: database) ? nil : other
      }
      let isFriend = try visible.map { try FriendStore.areFriends(account, $0.id, in: database) } ?? false
      let hasOptedOut = try visible.map { try hasOptedOut($0.id) } ?? false
      if let rule = TaskParticipantRules.problem(
        username, visible?.taskEnrollment, isFriend: isFriend, hasOptedOut: hasOptedOut)
      {
        problems.append(FieldProblem(field: "participants[\(index)]", rule))
      } else if let visible, !enrolled.contains(visible.id) {
        enrolled.append(visible.id)
      }
    }
    return (enrolled, problems)
  }

  /// Whether an account lets another enrol it; see ``EnrollmentCheck``.
  @Sendable
  static func mayEnroll(_ account: AccountID, _ enroller: AccountID, _ database: Database) throws -> Bool {
    guard let known = try Accounts.find(account, in: database) else { return false }
    let isFriend = try FriendStore.areFriends(account, enroller, in: database)
    return TaskParticipantRules.isAllowed(known.taskEnrollment, isFriend: isFriend)
  }
}
