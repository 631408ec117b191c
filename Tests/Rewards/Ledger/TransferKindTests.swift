import RewardsContract
import Testing

@Suite("Kinds of transfers (REW-2)")
struct TransferKindTests {
  @Test("Each kind is read by its name, and a reversed reward by its former name too")
  func names() {
    for kind in Transfer.Kind.allCases { #expect(Transfer.Kind(rawValue: kind.rawValue) == kind) }
    #expect(Transfer.Kind(rawValue: "challengeRewardTakenBack") == .challengeRewardReversed)
    #expect(Transfer.Kind(rawValue: "gift") == nil)
  }
}
