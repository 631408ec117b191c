import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import Testing

@Suite("Metrics and readiness of the six processes", .serialized)
struct MetricsTests {
  @Test("Metrics of the six processes are Prometheus text with names by its conventions, and the six are ready soon")
  func conventions() async throws {
    // As a keeper says it, of one of them.
    let cluster = try RunningCluster(ownSettings: { service, _ in service == .rewards ? ["RACHA_RESTARTS": "3"] : [:] })
    defer { cluster.stop() }
    try FileManager.default.createDirectory(atPath: "\(cluster.home)/logs", withIntermediateDirectories: true)
    for (name, count) in [("social.log", 1000), ("social.log.1", 234)] {
      try Data(repeating: 10, count: count).write(to: URL(filePath: "\(cluster.home)/logs/\(name)"))
    }
    let start = ContinuousClock.now
    try await cluster.start()
    print("from start to all six ready: \(ContinuousClock.now - start)")
    // Something of everything: an answer, a refusal, a write with its event.
    _ = try await cluster.client.call(
      RegisterAccount.self,
      .init(
        email: .init(text: "ana@example.org"), username: .init(text: "ana"), password: .init(text: "Rio-7-lento"),
        passwordConfirmation: .init(text: "Rio-7-lento")))
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

    func value(_ name: String, _ service: ServiceName, _ metrics: PrometheusText) -> Double? {
      metrics.families.flatMap(\.samples).first { sample in
        sample.name == name && sample.labels.contains { $0.name == "service" && $0.value == service.rawValue }
      }?.value
    }
    for service in ServiceName.allCases {
      #expect(value("racha_up", service, metrics) == 1)
      let memory = try #require(value("racha_memory_bytes", service, metrics))
      #expect(try (1_000_000..<memory).contains(#require(value("racha_heap_bytes", service, metrics))))
      #expect(try #require(value("racha_disk_free_bytes", service, metrics)) > 0)
      #expect(try #require(value("racha_start_time_seconds", service, metrics)) > 1_700_000_000)
    }
    // Arenas of malloc besides the main one begin at multiples of 64 MiB; threads share four at most.
    for service in ServiceName.allCases {
      let maps = try String(contentsOfFile: "/proc/\(cluster.processID(service))/maps", encoding: .utf8)
      let arenas = maps.split(separator: "\n").count { $0.contains(/^[0-9a-f]+[048c]000000-\S+ rw-p 00000000 00:00 0 *$/) }
      #expect((1...3).contains(arenas), "\(service) has \(arenas) arenas besides the main one")
    }
    for service in ServiceName.allCases where service != .gateway {
      #expect(try #require(value("racha_store_bytes", service, metrics)) > 1000)
      #expect(value("racha_write_ahead_log_bytes", service, metrics) != nil)
      // A part of what is allocated.
      let held = try #require(value("racha_sqlite_memory_bytes", service, metrics))
      #expect(try (100_000..<#require(value("racha_heap_bytes", service, metrics))).contains(held))
    }
    #expect(value("racha_restarts_total", .rewards, metrics) == 3)
    #expect(value("racha_log_bytes", .social, metrics) == 1234)
    // Of what nobody says or keeps, and of a backup that nobody has made, there are no numbers, rather than zeros.
    #expect(value("racha_restarts_total", .social, metrics) == nil)
    #expect(value("racha_log_bytes", .rewards, metrics) == nil)
    #expect(value("racha_last_backup_timestamp_seconds", .gateway, metrics) == nil)
    try Data("/backups/1\n".utf8).write(to: URL(fileURLWithPath: "\(cluster.home)/last-backup"))

    // One that is stopped is reported as down, and up again when it goes on.
    Foundation.kill(cluster.processID(.rewards), SIGSTOP)
    let down = try PrometheusText(try await cluster.client.get("/metrics").text)
    Foundation.kill(cluster.processID(.rewards), SIGCONT)
    #expect(value("racha_up", .rewards, down) == 0)
    #expect(value("racha_up", .social, down) == 1)
    #expect(try #require(value("racha_last_backup_timestamp_seconds", .gateway, down)) > 1_700_000_000)
    let again = try await eventually {
      try PrometheusText(try await cluster.client.get("/metrics").text)
    } until: {
      value("racha_up", .rewards, $0) == 1
    }
    #expect(value("racha_up", .rewards, again) == 1)
  }

  @Test("Readiness of the six processes names the fault of the process that has one")
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
