import GRDB
import InProcess
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import RewardsService

@Suite("Members of teams in rewards (TEAM-1)")
struct TeamMemberTests {
  @Test("The latest state of a membership applies, whatever the order of events")
  func order() async throws {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.register()
      let (first, second) = (ID<Team>(), ID<Team>())
      func state(_ team: ID<Team>, isMember: Bool, revision: Int) -> TeamMembershipChanged {
        TeamMembershipChanged(
          accountID: ana.id, teamID: team, teamName: nil, isMember: isMember, isOwner: false, change: isMember ? .joined : .left,
          revision: revision, at: services.clock.now)
      }
      func team(after event: TeamMembershipChanged) async throws -> ID<Team>? {
        try await services.publish(.social, event)
        try await services.hasReceived(.rewards, of: .social)
        return try await services.store(of: .rewards).read { try TeamMemberStore.team(of: ana.id, in: $0) }
      }
      #expect(try await team(after: state(first, isMember: true, revision: 5)) == first)
      #expect(try await team(after: state(first, isMember: false, revision: 4)) == first)
      #expect(try await team(after: state(first, isMember: false, revision: 6)) == nil)
      #expect(try await team(after: state(second, isMember: true, revision: 7)) == second)
      #expect(try await team(after: state(first, isMember: true, revision: 5)) == second)
    }
  }
}
