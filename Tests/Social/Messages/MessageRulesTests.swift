import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Rules of messages")
struct MessageRulesTests {
  static let sent = Instant(milliseconds: 1_795_250_580_000)

  private func message(removed: Bool) throws -> ChatMessage {
    ChatMessage(
      id: ID(), fromAccountID: AccountID(), text: removed ? nil : try ChatText(text: "hi"), sentAt: Self.sent,
      removedAt: removed ? Self.sent : nil)
  }

  @Test(
    "A message can be edited for 15 minutes, unless it was removed",
    arguments: [
      (0, false, nil), (899, false, nil), (900, false, .tooOld), (86_400, false, .tooOld), (0, true, .removed),
      (86_400, true, .removed),
    ] as [(Int, Bool, MessageFailure?)])
  func edit(seconds: Int, removed: Bool, failure: MessageFailure?) throws {
    let message = try message(removed: removed)
    var found: MessageFailure?
    do { try MessageRules.checkEdit(message, at: Self.sent.adding(seconds: seconds)) } catch { found = error }
    #expect(found == failure)
  }

  @Test(
    "A message can be removed for 15 minutes, and removing it again is always answered alike",
    arguments: [(0, false, true), (899, false, true), (900, false, nil), (0, true, false), (86_400, true, false)]
      as [(Int, Bool, Bool?)])
  func removal(seconds: Int, removed: Bool, expected: Bool?) throws {
    let message = try message(removed: removed)
    var found: Bool?
    do { found = try MessageRules.removal(message, at: Self.sent.adding(seconds: seconds)) } catch { #expect(error == .tooOld) }
    #expect(found == expected)
  }

  @Test(
    "Adding to an account's bytes needs room below the limit, and reducing them is always allowed",
    arguments: [(0, 100, true), (0, 101, false), (90, 10, true), (90, 11, false), (200, 0, true), (200, -5, true)])
  func space(stored: Int, added: Int, fits: Bool) {
    var code: String?
    do { try MessageRules(bytesPerAccount: 100).checkSpace(stored: stored, adding: added) } catch { code = error.code }
    #expect(code == (fits ? nil : "message_space_full"))
  }
}
