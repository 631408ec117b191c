import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Initial members of a team (TEAM-1)")
struct TeamRulesTests {
  @Test(
    "Each person who cannot be in a new team is refused by a rule that names the person",
    arguments: [
      (TeamRules.Standing.free, nil), (.unknown, "unknown_user"), (.inTeam, "already_in_a_team"),
      (.enrolledByOthers, "enrollment_not_allowed"),
    ] as [(TeamRules.Standing, String?)])
  func faults(standing: TeamRules.Standing, code: String?) throws {
    let rule = TeamRules.fault(try Username(text: "ben"), standing)
    #expect(rule?.code == code && (rule == nil || rule?.parameters == ["username": .text("ben")]))
  }

  @Test(
    "The creator's own and repeated names of a new team are dropped whatever their case, and others keep their positions")
  func others() throws {
    let names = try ["eva", "ana", "ben", "EVA", "Ben"].enumerated().map {
      (index: $0.offset, username: try Username(text: $0.element))
    }
    let others = TeamRules.others(names, than: try Username(text: "ana"))
    #expect(others.map(\.index) == [0, 2] && others.map(\.username.description) == ["eva", "ben"])
  }

  @Test("A team has at most fifty members by its rules", arguments: [(1, true), (50, true), (51, false)])
  func size(count: Int, isPossible: Bool) {
    do throws(Failure) {
      try TeamRules.checkSize(count)
      #expect(isPossible)
    } catch {
      #expect(!isPossible && error.code == "team_full" && error.parameters == ["max": .number(50)])
    }
  }

  @Test(
    "A team's name is a line of 1 to 50 characters without blanks at its ends",
    arguments: [
      ("Early Birds", nil), ("  Ñandúes\t", nil), ("", "empty"), (" \u{200B}", "empty"),
      (String(repeating: "é", count: 50), nil), (String(repeating: "é", count: 51), "too_long"),
      ("a" + String(repeating: "\u{301}", count: 500), "too_many_bytes"), ("two\nlines", "control_character"),
      ("turned \u{202E}", "control_character"),
    ] as [(String, String?)])
  func names(text: String, code: String?) {
    do throws(FieldRule) {
      let name = try TeamName(text: text)
      #expect(code == nil && !name.description.isEmpty && name.description.trimmed == name.description)
    } catch {
      #expect(error.code == code)
    }
  }
}
