import Foundation
import Messaging
import Operations
import ServiceKit
import Testing

@Suite("Settings of the bus")
struct BusSettingsTests {
  @Test("A malformed address in the bus's settings is refused with the required form, which is accepted")
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

  @Test("Settings of a bus over TCP name a missing key of the process, and services missing in the allow-list")
  func keys() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-keys-\(ID<BusSettingsTests>().description)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let keys = try Dictionary(uniqueKeysWithValues: ServiceName.allCases.map { ($0, try CurveKeyPair.generate()) })
    let second = try CurveKeyPair.generate()
    func values(_ own: CurveKeyPair, _ entries: [AllowList.Entry]) throws -> [String: String] {
      var values = Dictionary(
        uniqueKeysWithValues: ServiceName.allCases.filter { $0 != .gateway }.map {
          ("racha.bus.endpoints.\($0.rawValue)", "tcp://\($0.rawValue):7001")
        })
      for (name, key, text) in [
        ("key", "racha.bus.curve.secretKeyFile", own.secretKey),
        ("list", "racha.bus.curve.allowListFile", String(decoding: AllowList(entries: entries).json, as: UTF8.self)),
      ] {
        let path = folder.appendingPathComponent(name).path
        #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        values[key] = path
      }
      return values
    }
    let entries = keys.map { AllowList.Entry(key: $0.value.publicKey, service: $0.key, operations: ["*"]) }
    let more = entries + [.init(key: second.publicKey, service: .social, operations: [])]
    let (social, gateway) = (try #require(keys[.social]), try #require(keys[.gateway]))
    #expect(try problems(values(social, entries)) == [])
    // A further key of a service leaves its own in force.
    #expect(try problems(values(social, more)) == [])
    #expect(try problems(values(gateway, entries), of: .gateway) == [])
    let rule = "racha.bus.curve.secretKeyFile must hold the key whose public half the allow-list has first for social"
    #expect(try problems(values(gateway, entries)) == [rule])
    #expect(try problems(values(second, more)) == [rule])
    let missing = try problems(values(social, entries.filter { $0.service != .rewards }))
    #expect(missing == ["racha.bus.curve.allowListFile must have an entry for rewards"])
  }

  private func problems(_ values: [String: String], of own: ServiceName = .social) throws -> [String] {
    do {
      _ = try BusSettings.endpoints(Settings(values), Home(path: "/tmp/nowhere"), for: own)
      return []
    } catch let invalid as Settings.Invalid {
      return invalid.problems.map(\.description)
    }
  }
}
