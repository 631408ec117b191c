import Foundation
public import Messaging
public import Operations

/// The location of the bus, from the settings: Unix sockets under the home folder, or TCP with CURVE.
///
/// `racha.bus.endpoints.<service>` is `tcp://host:port` (events on the next port); all six or none. With them,
/// `racha.bus.curve.secretKeyFile` names the file of this process's secret key and `racha.bus.curve.allowListFile` the file that
/// says which key is which service and what it may call.
public enum BusSettings {
  /// The endpoints from the settings.
  ///
  /// - Parameter own: the service of this process.
  public static func endpoints(_ settings: Settings, _ home: Home, for own: ServiceName) throws -> Endpoints {
    let services = ServiceName.allCases.filter { $0 != .gateway }
    let texts = services.map { (service: $0, text: settings.string("racha.bus.endpoints.\($0.rawValue)")) }
    if texts.allSatisfy({ $0.text == nil }) { return .local(directory: home.sockets) }
    var addresses: [ServiceName: NetworkAddress] = [:]
    let interface = settings.string("racha.bus.interface", default: "*")
    for (service, text) in texts {
      let key = "racha.bus.endpoints.\(service.rawValue)"
      guard let text else {
        settings.refuse(key, "must be set, since other endpoints are")
        continue
      }
      guard let address = NetworkAddress(text, interface: interface) else {
        settings.refuse(key, "must be tcp://host:port, not \"\(text)\"")
        continue
      }
      addresses[service] = address
    }
    let secret = file("racha.bus.curve.secretKeyFile", settings)
    let list = file("racha.bus.curve.allowListFile", settings)
    try settings.check()
    do {
      let keys = try CurveKeyPair(
        secretKey: String(decoding: secret, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
      let allowed = try AllowList.decode(list)
      let servers = Dictionary(
        uniqueKeysWithValues: ServiceName.allCases.compactMap { service in allowed.serverKey(of: service).map { (service, $0) } })
      for service in ServiceName.allCases where servers[service] == nil {
        settings.refuse("racha.bus.curve.allowListFile", "must have an entry for \(service.rawValue)")
      }
      // Otherwise no caller could reach the service, or no service would answer it.
      let isOurs =
        own == .gateway
        ? allowed.entries.contains { $0.service == own && $0.key == keys.publicKey } : servers[own] == keys.publicKey
      if !isOurs {
        settings.refuse(
          "racha.bus.curve.secretKeyFile", "must hold the key whose public half the allow-list has first for \(own.rawValue)")
      }
      try settings.check()
      return .network(addresses, Curve(keys: keys, servers: servers, allowed: allowed))
    } catch let invalid as Settings.Invalid {
      throw invalid
    } catch let failure as Failure {
      let faults = failure.fields.map { "\($0.field) \($0.code)" }.joined(separator: ", ")
      settings.refuse(
        "racha.bus.curve.allowListFile",
        "must be an allow-list, {\"entries\":[{\"key\",\"service\",\"operations\"}]}: \(faults.isEmpty ? failure.code : faults)")
    } catch {
      settings.refuse("racha.bus.curve.secretKeyFile", "must hold a CURVE secret key in Z85")
    }
    try settings.check()
    return .local(directory: home.sockets)
  }

  private static func file(_ key: String, _ settings: Settings) -> [UInt8] {
    guard let path = settings.string(key) else {
      settings.refuse(key, "must be set for a bus over TCP: nothing travels between hosts in clear")
      return []
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      settings.refuse(key, "must name a readable file, not \"\(path)\"")
      return []
    }
    return [UInt8](data)
  }
}
