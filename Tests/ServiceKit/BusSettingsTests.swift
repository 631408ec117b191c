import Messaging
import Operations
import ServiceKit
import Testing

@Suite("Settings of the bus")
struct BusSettingsTests {
  @Test("say of an address in another form which form it must have, and that form is taken")
  func form() throws {
    var values = Dictionary(
      uniqueKeysWithValues: ServiceName.allCases.filter { $0 != .gateway }.map {
        ("racha.bus.endpoints.\($0.rawValue)", "tcp://\($0.rawValue):7001")
      })
    values["racha.bus.endpoints.social"] = "social:7001"
    let problems = try problems(values)
    #expect(
      problems.filter { $0.hasPrefix("racha.bus.endpoints") } == [
        "racha.bus.endpoints.social must be tcp://host:port, not \"social:7001\""
      ])
    #expect(NetworkAddress("tcp://host:7001") != nil && NetworkAddress("host:7001") == nil)
  }

  private func problems(_ values: [String: String]) throws -> [String] {
    do {
      _ = try BusSettings.endpoints(Settings(values), Home(path: "/tmp/nowhere"))
      return []
    } catch let invalid as Settings.Invalid {
      return invalid.problems.map(\.description)
    }
  }
}
