import Foundation
import NIOPosix
import Operations
import ServiceKit
import Synchronization
import Testing

@testable import GatewayService

@Suite("Health and metrics")
struct HealthTests {
  @Test("The gateway is ready if all six services are, and reports each")
  func readiness() async throws {
    let bus = FakeBus()
    for service in SystemQuestions.services where service != .identity {
      bus.answer(service) { request in
        Reply(request, ReadHealth.Output(service: service, isReady: true, version: "1", uptimeSeconds: 5))
      }
    }
    bus.answer(.identity) { request in
      Reply(request, ReadHealth.Output(service: .identity, isReady: true, version: "1", uptimeSeconds: 5))
    }
    try await RunningGateway.with(bus: bus) { gateway in
      let ready = try await gateway.ready()
      guard case .array(let services) = try ready.json["services"] else {
        Issue.record("no services")
        return
      }
      #expect(services.count == 6)
      bus.answer(.rewards) { _ in throw Failure(RequestFailure.unavailable) }
      // What was ready is taken to be so for a second more.
      var unready = ready
      while unready.status == 200 { unready = try await gateway.http("GET", "/readyz") }
      #expect(unready.status == 503)
      #expect(unready.body.contains(#"{"service":"rewards","status":"unavailable"}"#))
      #expect(try await gateway.http("GET", "/livez").status == 200)
    }
  }

  @Test("The services are asked for their health once a second, however many clients ask")
  func kept() async throws {
    let bus = FakeBus()
    let asked = Mutex(0)
    for service in SystemQuestions.services {
      bus.answer(service) { request in
        guard request.header.operation == ReadHealth.spec.name else { throw Failure(RequestFailure.notFound) }
        asked.withLock { $0 += 1 }
        return Reply(request, ReadHealth.Output(service: service, isReady: true, version: "1", uptimeSeconds: 5))
      }
    }
    try await RunningGateway.with(bus: bus) { gateway in
      let began = ContinuousClock.now
      _ = try await gateway.ready()
      try await withThrowingDiscardingTaskGroup { tasks in
        for _ in 0..<8 {
          tasks.addTask {
            let connection = try await RawConnection(port: gateway.httpPort)
            for _ in 0..<50 {
              try await connection.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
              #expect(try await connection.receiveResponse().status == 200)
            }
            try await connection.close()
          }
        }
      }
      let seconds = (ContinuousClock.now - began) / .seconds(1)
      // 400 asked; the clock starts after the first answer.
      #expect(Double(asked.withLock { $0 }) <= 5 * (seconds + 2))
    }
  }

  @Test("Reserved networks get only health answers beyond the limits of connections")
  func reserved() async throws {
    try await RunningGateway.with(change: {
      $0.limits.connectionsPerAddress = 2
      $0.healthNetworks = ["127.0.0.1/32"].compactMap { IPNetwork($0) }
    }) { gateway in
      var held: [RawConnection] = []
      for address in ["127.0.0.1", "127.0.0.2"] {
        for _ in 0..<2 {
          let connection = try await RawConnection(port: gateway.httpPort, from: address)
          try await connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try await connection.receiveResponse().status == 200)
          held.append(connection)
        }
      }
      // More of them than are reserved at a time, one after the other.
      for _ in 0..<(ConnectionCounts.maxForHealth * 2) {
        let connection = try await RawConnection(port: gateway.httpPort)
        try await connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try await connection.receiveResponse()
        #expect(response.status == 200 && response.fields["connection"] == "close")
        #expect(try await connection.receiveAll() == "")
        try await connection.close()
      }
      #expect(try await gateway.http("GET", "/readyz").status == 503)
      for request in ["GET /docs", "POST /livez", "GET /v1/live", "GET /livez/x"] {
        let connection = try await RawConnection(port: gateway.httpPort)
        try await connection.send("\(request) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        let response = try await connection.receiveResponse()
        #expect(try response.status == 503 && response.json["code"] == "too_many_connections")
        #expect(try await connection.receiveAll() == "")
        try await connection.close()
      }
      let other = try await RawConnection(port: gateway.httpPort, from: "127.0.0.2")
      #expect(try await other.receiveResponse().status == 503)
      // Who holds what is reserved gives way to who comes later.
      for _ in 0..<(ConnectionCounts.maxForHealth + 10) { held.append(try await RawConnection(port: gateway.httpPort)) }
      for _ in 0..<20 {
        let connection = try await RawConnection(port: gateway.httpPort)
        try await connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await connection.receiveResponse().status == 200)
        held.append(connection)
      }
      #expect(try await held[4].receiveAll() == "")
      // Who says nothing there makes room soon.
      let silent = try await RawConnection(port: gateway.httpPort)
      #expect(try await silent.receiveAll() == "")
    }
  }

  @Test("The reason why a service is not ready is reported with it")
  func problems() throws {
    let stuck = [HealthProblem(part: "MailWorker", state: .stuck)]
    let answer = ReadHealth.Output(
      service: .notifications, isReady: false, version: "1", uptimeSeconds: 5, problems: stuck)
    let report = ReadyReport([(.notifications, .success(answer))], version: "1", isStopping: false)
    #expect(!report.isReady)
    #expect(
      String(decoding: report.json.bytes, as: UTF8.self).contains(
        #""uptimeSeconds":5,"problems":[{"part":"MailWorker","state":"stuck"}]"#))
    let subscriber = [HealthProblem(part: "subscriber.identity", state: .stuck)]
    let own = ReadyReport([], version: "1", isStopping: false, own: subscriber)
    #expect(!own.isReady && String(decoding: own.json.bytes, as: UTF8.self).contains("subscriber.identity"))
    #expect(ReadyReport([], version: "1", isStopping: false).isReady)
  }

  @Test("A service that does not answer has a metric that says so")
  func down() {
    let text = MetricsText.all(
      own: "# TYPE a counter\na{service=\"gateway\"} 1\n",
      [
        (.identity, .success(.init(text: "# TYPE a counter\na{service=\"identity\"} 2\n"))),
        (.social, .failure(Failure(RequestFailure.timedOut))),
      ])
    #expect(
      String(decoding: text, as: UTF8.self) == """
        # TYPE a counter
        a{service="gateway"} 1
        a{service="identity"} 2
        # TYPE racha_up gauge
        racha_up{service="gateway"} 1
        racha_up{service="identity"} 1
        racha_up{service="social"} 0

        """)
  }

  @Test(
    "A configured token opens the metrics from anywhere, and without it not even this machine can read them",
    arguments: [
      (nil, "elsewhere", 401), (nil, "here", 401), ("Bearer 0123456789abcdefghij", "elsewhere", 200),
      ("Bearer 0123456789abcdefghij", "here", 200), ("Bearer 0123456789abcdefghiJ", "elsewhere", 401),
      ("Bearer 0123456789abcdefghiJ", "here", 401), ("Bearer 0123456789abcdefghi", "elsewhere", 401),
      ("Basic 0123456789abcdefghij", "elsewhere", 401), ("Bearer ", "elsewhere", 401),
    ] as [(String?, String, Int)])
  func token(authorization: String?, from: String, status: Int) async throws {
    var fields: [String: String] = from == "here" ? [:] : ["Via": "1.1 proxy"]
    if let authorization { fields["Authorization"] = authorization }
    try await RunningGateway.with(change: { $0.metricsToken = MetricsToken("0123456789abcdefghij") }) { [fields] gateway in
      let answer = try await gateway.http("GET", "/metrics", fields)
      #expect(answer.status == status)
      if status == 401 { #expect(try answer.json["code"] == "unauthenticated") }
    }
  }

  @Test("The metrics' token comes from a setting or a file, and must be long enough not to be guessed")
  func tokenSettings() throws {
    let file = "/tmp/racha-metrics-token-\(UInt32.random(in: .min ... .max))"
    defer { unlink(file) }
    try Data("0123456789abcdefghij\n".utf8).write(to: URL(fileURLWithPath: file))
    for values in [["racha.metricsToken": "0123456789abcdefghij"], ["racha.metricsTokenFile": file]] {
      let settings = Settings(values)
      let token = GatewayConfiguration(settings).metricsToken
      try settings.check()
      #expect(token?.matches("0123456789abcdefghij") == true)
    }
    for values in [
      ["racha.metricsToken": "short"], ["racha.metricsToken": "0123456789 abcdefghij"], ["racha.metricsTokenFile": "/nowhere"],
      ["racha.metricsToken": "0123456789abcdefghij", "racha.metricsTokenFile": file],
    ] {
      let settings = Settings(values)
      _ = GatewayConfiguration(settings)
      #expect(throws: Settings.Invalid.self) { try settings.check() }
    }
  }

  @Test("A service that reads and cannot write is degraded, and still counts as ready")
  func degraded() throws {
    let full = ReadHealth.Output(
      service: .identity, isReady: true, version: "1", uptimeSeconds: 5,
      problems: [HealthProblem(part: "store", state: .storageFull)])
    let report = ReadyReport([(.identity, .success(full))], version: "1", isStopping: false)
    #expect(report.isReady)
    let text = String(decoding: report.json.bytes, as: UTF8.self)
    #expect(text.hasPrefix(#"{"status":"degraded","services":["#))
    #expect(text.contains(#"{"service":"identity","status":"degraded""#) && text.contains(#""state":"storageFull""#))
    // One that answers nobody is worse.
    let worse = ReadyReport(
      [(.identity, .success(full)), (.social, .failure(Failure(RequestFailure.unavailable)))], version: "1", isStopping: false)
    #expect(!worse.isReady)
  }

  /// Whether the metrics were read on an event loop.
  private final class MetricsReading: Sendable {
    let isOnEventLoop = Mutex<Bool?>(nil)

    @Sendable
    func text() -> String {
      isOnEventLoop.withLock { $0 = MultiThreadedEventLoopGroup.currentEventLoop != nil }
      return ""
    }
  }

  @Test("Metrics are put together on no event loop, where other connections would wait for them")
  func metricsOffEventLoops() async throws {
    let reading = MetricsReading()
    try await RunningGateway.with(metrics: reading.text) { gateway in
      let answer = try await gateway.http("GET", "/metrics")
      #expect(answer.status == 200)
    }
    #expect(reading.isOnEventLoop.withLock { $0 } == false)
  }

  @Test("Metrics of several processes declare each family once")
  func merges() {
    let first = """
      # HELP a A.
      # TYPE a counter
      a{service="x"} 1
      a{service="x",n="2"} 1
      # TYPE b gauge
      b{service="x"} 2

      """
    // Its lines begin where those of the first end.
    let second = "# TYPE b gauge\nb{service=\"y\"} 3\n\nb{service=\"y\",n=\"2\"} 4\n# TYPE a counter\na{service=\"y\"} 5"
    let merged = String(decoding: MetricsText.merge([first, second]), as: UTF8.self)
    #expect(
      merged == """
        # TYPE a counter
        a{service="x"} 1
        a{service="x",n="2"} 1
        a{service="y"} 5
        # TYPE b gauge
        b{service="x"} 2
        b{service="y"} 3
        b{service="y",n="2"} 4

        """)
  }
}
