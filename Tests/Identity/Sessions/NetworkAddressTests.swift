import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("The place of a session, by its address (ID-6)")
struct NetworkAddressTests {
  @Test(
    "The place of a session is its address's network, this computer, a private network or unknown",
    arguments: [
      ("192.0.2.77", .network, "192.0.2.0/24"),
      ("::ffff:192.0.2.77", .network, "192.0.2.0/24"),
      ("172.32.0.1", .network, "172.32.0.0/24"),
      ("2001:db8:12:3456:789a::1", .network, "2001:db8:12::/48"),
      ("2001:db8::1%eth0", .network, "2001:db8::/48"),
      ("127.0.0.1", .thisComputer, nil),
      ("127.200.0.9", .thisComputer, nil),
      ("::1", .thisComputer, nil),
      ("10.9.8.7", .privateNetwork, nil),
      ("172.16.0.1", .privateNetwork, nil),
      ("172.31.255.255", .privateNetwork, nil),
      ("192.168.1.20", .privateNetwork, nil),
      ("169.254.1.1", .privateNetwork, nil),
      ("fd12:3456::1", .privateNetwork, nil),
      ("fe80::1%en0", .privateNetwork, nil),
      ("febf::1", .privateNetwork, nil),
      ("fec0::1", .network, "fec0::/48"),
      ("example.com", .unknown, nil),
      ("192.0.2", .unknown, nil),
      ("", .unknown, nil),
      (nil, .unknown, nil),
    ] as [(String?, SessionPlace.Kind, String?)])
  func table(address: String?, kind: SessionPlace.Kind, network: String?) {
    let place = SessionWords.place(address, .none, .english)
    #expect(place.kind == kind)
    #expect(place.network == network)
  }

  @Test("The place of a session is named in the reader's language")
  func words() {
    #expect(SessionWords.place("192.0.2.77", .none, .english).name == "Network 192.0.2.0/24")
    #expect(SessionWords.place("192.0.2.77", .none, .spanish).name == "Red 192.0.2.0/24")
    #expect(SessionWords.place("::1", .none, .spanish).name == "Este equipo")
    #expect(SessionWords.place("10.0.0.1", .none, .english).name == "Private network")
    #expect(SessionWords.place(nil, .none, .english).name == "Unknown place")
  }
}
