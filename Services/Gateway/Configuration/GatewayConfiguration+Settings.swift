import Foundation
import Operations
public import ServiceKit

extension GatewayConfiguration {
  /// The configuration that the settings say; what breaks its rule is recorded with them.
  public init(_ settings: Settings) {
    self.init()
    http.host = settings.string("racha.http.host", default: http.host)
    http.port = settings.int("racha.http.port", default: http.port, in: 0...65535)
    tcp.host = settings.string("racha.tcp.host", default: tcp.host)
    tcp.port = settings.int("racha.tcp.port", default: tcp.port, in: 0...65535)
    readCertificate(settings)
    allowedOrigins = settings.string("racha.http.allowedOrigins", default: "").split(at: ",", omitsEmpty: true).map {
      String($0.withoutBlanks)
    }
    proxies.read(settings)
    tcpProxies = settings.networks("racha.tcp.trustedProxies")
    if settings.string("racha.health.networks") != nil { healthNetworks = settings.networks("racha.health.networks") }
    metrics = settings.choice("racha.metrics", default: metrics)
    metricsToken = settings.metricsToken()
    if settings.string("racha.gateway.threads") != nil {
      threads = settings.int("racha.gateway.threads", default: 1, in: 1...256)
    }
    version = ServiceProcess.version
    limits.read(settings)
    rates.read(settings)
    tokens.remembered = settings.int("racha.tokens.remembered", default: tokens.remembered, in: 2...10_000_000)
    tokens.revocations = settings.int("racha.tokens.revocations", default: tokens.revocations, in: 1...10_000_000)
    tokens.keySeconds = settings.int("racha.tokens.keySeconds", default: tokens.keySeconds, in: 1...3600)
    live.heartbeatSeconds = settings.int("racha.live.heartbeatSeconds", default: live.heartbeatSeconds, in: 1...3600)
    live.queue = settings.int("racha.live.queue", default: live.queue, in: 1...100_000)
    live.page = settings.int("racha.live.page", default: live.page, in: 1...500)
  }

  private mutating func readCertificate(_ settings: Settings) {
    switch (settings.string("racha.tls.certificateFile"), settings.string("racha.tls.keyFile")) {
    case (let chain?, let key?):
      let certificate = Certificate(chainFile: chain, keyFile: key)
      do {
        _ = try certificate.tls()
      } catch let fault as Certificate.Fault {
        settings.refuse(fault.isOfKey ? "racha.tls.keyFile" : "racha.tls.certificateFile", fault.rule)
      } catch {
        settings.refuse("racha.tls.certificateFile", "cannot be used: \(error)")
      }
      self.certificate = certificate
    case (nil, nil): break
    case (_?, nil): settings.refuse("racha.tls.keyFile", "must be set, since racha.tls.certificateFile is")
    case (nil, _?): settings.refuse("racha.tls.certificateFile", "must be set, since racha.tls.keyFile is")
    }
  }
}

extension TrustedProxies {
  fileprivate mutating func read(_ settings: Settings) {
    networks = settings.networks("racha.http.trustedProxies")
    field = settings.choice("racha.http.forwardedHeader", default: field)
  }
}

extension Settings {
  /// The token of `racha.metricsToken`, or the first line of the file that `racha.metricsTokenFile` names.
  fileprivate func metricsToken() -> MetricsToken? {
    let (own, file) = (string("racha.metricsToken", isSecret: true), string("racha.metricsTokenFile"))
    if own != nil, file != nil {
      refuse("racha.metricsTokenFile", "must not be set, since racha.metricsToken is")
      return nil
    }
    var text = own
    if let file {
      guard let data = FileManager.default.contents(atPath: file) else {
        refuse("racha.metricsTokenFile", "must name a readable file, not \"\(file)\"")
        return nil
      }
      text = String(decoding: data.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }
    guard let text else { return nil }
    guard let token = MetricsToken(text) else {
      refuse(
        file == nil ? "racha.metricsToken" : "racha.metricsTokenFile",
        "must be at least \(MetricsToken.minLength) letters, digits or signs of ASCII without spaces")
      return nil
    }
    return token
  }

  /// Networks with commas between them.
  fileprivate func networks(_ key: String) -> [IPNetwork] {
    string(key, default: "").split(at: ",", omitsEmpty: true).compactMap { text in
      let text = String(text.withoutBlanks)
      if let network = IPNetwork(text) { return network }
      refuse(key, "must be networks such as 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7, with commas, not \"\(text)\"")
      return nil
    }
  }
}

extension GatewayConfiguration.Limits {
  fileprivate mutating func read(_ settings: Settings) {
    body = settings.int("racha.limits.bodyBytes", default: body, in: 1024...16_777_216)
    headers = settings.int("racha.limits.headerBytes", default: headers, in: 1024...1_048_576)
    headerSeconds = settings.int("racha.limits.headerSeconds", default: headerSeconds, in: 1...3600)
    requestSeconds = settings.int("racha.limits.requestSeconds", default: requestSeconds, in: 1...3600)
    attachmentBytes = settings.int("racha.attachments.bytesPerFile", default: attachmentBytes, in: 1024...(1 << 30))
    uploadSeconds = settings.int("racha.limits.uploadSeconds", default: uploadSeconds, in: 1...86400)
    uploads = settings.int("racha.limits.uploads", default: uploads, in: 1...10000)
    uploadsPerAddress = settings.int("racha.limits.uploadsPerAddress", default: uploadsPerAddress, in: 1...10000)
    answerSeconds = settings.int("racha.limits.answerSeconds", default: answerSeconds, in: 1...3600)
    writeSeconds = settings.int("racha.limits.writeSeconds", default: writeSeconds, in: 1...3600)
    writeBytes = settings.int("racha.limits.writeBytes", default: writeBytes, in: 1...16_777_216)
    idleSeconds = settings.int("racha.limits.idleSeconds", default: idleSeconds, in: 1...86400)
    connections = settings.int("racha.limits.connections", default: connections, in: 1...1_000_000)
    connectionsPerAddress = settings.int("racha.limits.connectionsPerAddress", default: connectionsPerAddress, in: 1...1_000_000)
    // Not less than one largest body takes.
    let oneBody = HeldBytes.copies * body + 65536
    bytesInFlight = settings.int("racha.limits.bytesInFlight", default: bytesInFlight, in: oneBody...1 << 40)
    bytesInFlightPerAddress = settings.int(
      "racha.limits.bytesInFlightPerAddress", default: bytesInFlightPerAddress, in: oneBody...1 << 40)
    callsPerConnection = settings.int("racha.limits.callsPerConnection", default: callsPerConnection, in: 1...10000)
    batch = settings.int("racha.limits.batch", default: batch, in: 1...10000)
    stopSeconds = settings.int("racha.limits.stopSeconds", default: stopSeconds, in: 0...60)
  }
}

extension GatewayConfiguration.Rates {
  fileprivate mutating func read(_ settings: Settings) {
    for rateClass in RateClass.allCases {
      account[rateClass] = GatewayConfiguration.Rates.rate(
        settings, "racha.limits.rate.\(rateClass.rawValue).account", account[rateClass])
      address[rateClass] = GatewayConfiguration.Rates.rate(
        settings, "racha.limits.rate.\(rateClass.rawValue).address", address[rateClass])
    }
    remembered = settings.int("racha.limits.rate.remembered", default: remembered, in: 1...10_000_000)
    let factor = settings.int("racha.limits.rateFactor", default: 1, in: 1...1_000_000)
    account = account.mapValues { GatewayConfiguration.Rate($0.count * factor, per: $0.seconds) }
    address = address.mapValues { GatewayConfiguration.Rate($0.count * factor, per: $0.seconds) }
  }

  private static func rate(
    _ settings: Settings, _ key: String, _ value: GatewayConfiguration.Rate?
  ) -> GatewayConfiguration.Rate? {
    guard let text = settings.string(key) else { return value }
    guard let rate = GatewayConfiguration.Rate(text: text) else {
      settings.refuse(key, "must be calls/seconds such as 600/60, not \"\(text)\"")
      return value
    }
    return rate
  }
}
