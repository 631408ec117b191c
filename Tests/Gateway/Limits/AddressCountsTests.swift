import ServiceKit
import Testing

@testable import GatewayService

@Suite("Counts of addresses")
struct AddressCountsTests {
  @Test("Counts are bounded in total and for each address, and a refused one changes nothing")
  func bounds() {
    var counts = AddressCounts(max: 5, maxPerAddress: 3)
    #expect(counts.take(3, .v6(1)) && !counts.take(1, .v6(1)) && counts.total == 3)
    #expect(counts.take(2, .v6(2)) && !counts.take(1, .v6(2)), "beyond what there is")
    #expect(counts.take(1, .v6(1), isForced: true) && counts.total == 6, "beyond the bounds, where it is there already")
    counts.give(4, .v6(1))
    #expect(counts.take(1, .v6(1)) && counts.total == 3)
  }

  @Test("Counts of a proxy's clients are bounded once the client is known")
  func proxies() {
    var counts = AddressCounts(max: 5, maxPerAddress: 2)
    #expect(counts.take(1, nil) && counts.take(1, nil) && counts.take(1, nil) && counts.total == 3)
    #expect(counts.assign(2, to: .v6(1)) && !counts.assign(1, to: .v6(1)) && counts.total == 3)
    counts.give(1, .v6(1))
    #expect(counts.assign(1, to: .v6(1)) && counts.total == 2)
  }
}
