import Client
import Cluster
import IdentityContract
import Operations
import Testing

@Suite("Metrics and readiness of the six processes", .serialized)
struct MetricsTests {
  @Test("are Prometheus text with names by its conventions, and the six are ready soon")
  func conventions() async throws {
    let cluster = try RunningCluster()
    defer { cluster.stop() }
    let start = ContinuousClock.now
    try await cluster.start()
    print("from start to all six ready: \(ContinuousClock.now - start)")
    // Something of everything: an answer, a refusal, a write with its event.
    _ = try await cluster.client.call(
      RegisterAccount.self,
      .init(
        email: .init(text: "ana@example.org"), username: .init(text: "ana"), password: .init(text: "Rio-7-lento"),
        passwordRepetition: .init(text: "Rio-7-lento")))
    _ = try await cluster.client.get("/v1/offers")
    let six = Set(ServiceName.allCases.map(\.rawValue))
    func services(_ metrics: PrometheusText) -> Set<String> {
      Set(metrics.families.flatMap(\.samples).flatMap(\.labels).filter { $0.name == "service" }.map(\.value))
    }
    // Whoever takes long to answer is left out.
    let metrics = try await eventually {
      try PrometheusText(try await cluster.client.get("/metrics").text)
    } until: {
      services($0) == six
    }
    #expect(services(metrics) == six)
    #expect(metrics.faults.isEmpty)
    #expect(metrics.families.count > 15)
  }

  @Test("are known to be wrong where they are")
  func wrong() throws {
    let text = """
      # TYPE racha_lost_total_total counter
      racha_lost_total_total{service="a",service="a"} 1
      # TYPE racha_waiting_total gauge
      racha_waiting_total{service="a"} 1
      # TYPE racha_time_ms histogram
      racha_time_ms_bucket{le="+Inf"} 1
      """
    #expect(
      try PrometheusText(text).faults == [
        "racha_lost_total_total says something twice", "racha_lost_total_total has a label twice: [\"service\", \"service\"]",
        "racha_waiting_total is a gauge", "racha_time_ms is not in a base unit",
      ])
    #expect(throws: PrometheusText.Malformed.self) { try PrometheusText("# TYPE a gauge\na{b=\"c} 1") }
  }
}
