import Operations
import ServiceKit
import Testing

@testable import GatewayService

@Suite("Health and metrics")
struct HealthTests {
  @Test("Ready means that all six are; each is told")
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
      let ready = try await gateway.http("GET", "/readyz")
      #expect(ready.status == 200)
      guard case .array(let services) = try ready.json["services"] else {
        Issue.record("no services")
        return
      }
      #expect(services.count == 6)
      bus.answer(.rewards) { _ in throw Failure(RequestFailure.unavailable) }
      let unready = try await gateway.http("GET", "/readyz")
      #expect(unready.status == 503)
      #expect(unready.body.contains(#"{"service":"rewards","status":"unavailable"}"#))
      #expect(try await gateway.http("GET", "/livez").status == 200)
    }
  }

  @Test("What hinders a service from being ready is told with it")
  func hindrances() throws {
    let stuck = [Hindrance(part: "MailWorker", state: .stuck)]
    let answer = ReadHealth.Output(
      service: .notifications, isReady: false, version: "1", uptimeSeconds: 5, hindrances: stuck)
    let report = ReadyReport([(.notifications, .success(answer))], version: "1", isStopping: false)
    #expect(!report.isReady)
    #expect(
      String(decoding: report.json.bytes, as: UTF8.self).contains(
        #""uptimeSeconds":5,"hindrances":[{"part":"MailWorker","state":"stuck"}]"#))
    let listener = [Hindrance(part: "listener.identity", state: .stuck)]
    let own = ReadyReport([], version: "1", isStopping: false, own: listener)
    #expect(!own.isReady && String(decoding: own.json.bytes, as: UTF8.self).contains("listener.identity"))
    #expect(ReadyReport([], version: "1", isStopping: false).isReady)
  }

  @Test("Metrics of several processes declare each family once")
  func merges() {
    let first = "# TYPE a counter\na{service=\"x\"} 1\n# TYPE b gauge\nb{service=\"x\"} 2\n"
    let second = "# TYPE b gauge\nb{service=\"y\"} 3\n"
    #expect(
      MetricsText.merge([first, second])
        == "# TYPE a counter\na{service=\"x\"} 1\n# TYPE b gauge\nb{service=\"x\"} 2\nb{service=\"y\"} 3\n")
  }
}
