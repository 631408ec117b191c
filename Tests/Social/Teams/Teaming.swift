import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage

@testable import SocialService

extension ServicesInProcess {
  /// Runs social with accounts that identity knows; it is the 21st of June 2026, so that months can go by without the clock showing more
  /// than the real time: then requests would be late for who answers them.
  static func teaming(
    _ identity: IdentityDouble, _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    try await running([{ Social.service($0) }], identity: identity, at: "2026-06-21T12:00:00.000Z", body)
  }

  @discardableResult
  func createTeam(
    _ name: String = "Early Birds", by person: IdentityDouble.Account, with others: [IdentityDouble.Account] = [],
    key: String? = nil
  ) async throws -> Team {
    try await call(
      CreateTeam.self, .init(name: try TeamName(text: name), usernames: others.map(\.username)), as: person.caller, key: key)
  }

  /// The team that a person sees as its own; nil where it is in none.
  func team(of person: IdentityDouble.Account) async throws -> Team? {
    try await call(GetOwnTeam.self, .init(), as: person.caller).team
  }

  func leave(_ team: Team, as person: IdentityDouble.Account) async throws {
    _ = try await call(LeaveTeam.self, .init(teamID: team.id), as: person.caller)
  }

  @discardableResult
  func handOver(_ team: Team, to other: IdentityDouble.Account, by person: IdentityDouble.Account) async throws -> Team {
    try await call(HandOverTeam.self, .init(teamID: team.id, accountID: other.account), as: person.caller)
  }

  /// What was published of memberships, oldest first.
  func memberships() async throws -> [TeamMembershipChanged] {
    try await published(by: .social).filter { $0.name == TeamMembershipChanged.spec.name }
      .map { try TeamMembershipChanged.decode($0.body) }
  }

  /// Lets a person's completion of a task count, as confirming it does.
  func confirm(_ task: ID<SharedTask>, by person: IdentityDouble.Account, participants: Int = 2) async throws {
    let account = person.account
    try await store(of: .social).write {
      try TeamScoreStore.confirmed(task, by: account, participants: participants, $0)
    }
  }

  /// Lets it count no more, as taking it back does.
  func withdraw(_ task: ID<SharedTask>, by person: IdentityDouble.Account) async throws {
    let account = person.account
    try await store(of: .social).write { try TeamScoreStore.withdrawn(task, by: account, $0) }
  }

  /// Lets so many tasks of a person count.
  func score(_ points: Int, by person: IdentityDouble.Account) async throws {
    for _ in 0..<points { try await confirm(ID(), by: person) }
  }

  /// Deletes an account, as identity publishes it, and waits until nothing of it is left.
  func erase(_ person: IdentityDouble.Account) async throws {
    try await hasReceived(.social, of: .identity)
    try await publish(.identity, AccountDeleted(deletionID: ID(), accountID: person.account, at: .now))
    try await store(of: .social).hasErased(person.account)
  }
}
