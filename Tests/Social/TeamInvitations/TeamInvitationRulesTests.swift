import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Answering and withdrawing team invitations (TEAM-1)")
struct TeamInvitationRulesTests {
  @Test(
    "An answer changes a pending team invitation, the same again changes nothing, and another one is refused",
    arguments: ConnectionRequestState.allCases, [ConnectionRequestState.accepted, .rejected, .withdrawn])
  func answers(state: ConnectionRequestState, answer: ConnectionRequestState) {
    let (direction, wrong): (ConnectionRequestDirection, ConnectionRequestDirection) =
      answer == .withdrawn ? (.sent, .received) : (.received, .sent)
    let expected =
      switch state {
      case .pending: "true"
      case answer: "false"
      case .accepted, .rejected: "team_invitation_answered"
      case .withdrawn, .expired: "team_invitation_ended"
      }
    #expect(outcome(state, answer, direction) == expected)
    #expect(outcome(state, answer, wrong) == "forbidden")
  }

  private func outcome(
    _ state: ConnectionRequestState, _ answer: ConnectionRequestState, _ direction: ConnectionRequestDirection
  ) -> String {
    do { return "\(try TeamInvitationRules.isChanged(state, by: answer, direction))" } catch { return error.code }
  }
}
