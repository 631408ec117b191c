import CoreMetrics
import ServiceKit
import Testing

@Suite("Prometheus text")
struct PrometheusMetricsTests {
  @Test("Prometheus text shows counters, gauges and histograms with their labels")
  func text() {
    let metrics = PrometheusMetrics()
    metrics.makeCounter(label: "requests", dimensions: [("operation", "a\"b")]).increment(by: 3)
    metrics.makeCounter(label: "requests", dimensions: [("operation", "a\"b")]).increment(by: 1)
    metrics.makeMeter(label: "queue.depth", dimensions: []).set(Int64(7))
    let timer = metrics.makeTimer(label: "commit", dimensions: [])
    timer.recordNanoseconds(2_000_000)
    timer.recordNanoseconds(20_000_000_000)
    let lines = metrics.text(service: "social").split(separator: "\n").map(String.init)
    #expect(lines.contains("# TYPE racha_requests_total counter"))
    #expect(lines.contains(#"racha_requests_total{service="social",operation="a\"b"} 4"#))
    #expect(lines.contains(#"racha_queue_depth{service="social"} 7"#))
    #expect(lines.contains(#"racha_commit_seconds_bucket{service="social",le="0.001"} 0"#))
    #expect(lines.contains(#"racha_commit_seconds_bucket{service="social",le="0.0025"} 1"#))
    #expect(lines.contains(#"racha_commit_seconds_bucket{service="social",le="+Inf"} 2"#))
    #expect(lines.contains(#"racha_commit_seconds_count{service="social"} 2"#))
    #expect(lines.filter { $0.hasPrefix("# TYPE") }.count == 3)
  }

  @Test("Unknown and infinite values are written as Prometheus writes them")
  func unknown() {
    let metrics = PrometheusMetrics()
    for (label, value) in [("a", Double.nan), ("b", .infinity), ("c", -.infinity), ("d", 0.5)] {
      metrics.makeMeter(label: label, dimensions: []).set(value)
    }
    let values = metrics.text(service: "x").split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: " ")[1]
    }
    #expect(values == ["NaN", "+Inf", "-Inf", "0.5"])
  }
}
