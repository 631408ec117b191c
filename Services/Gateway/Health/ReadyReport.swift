import Operations
import ServiceKit

/// What `/readyz` tells: whether all six services are ready, and of each that is not, what hinders it.
struct ReadyReport: Sendable {
  let isReady: Bool
  let json: JSON

  /// - Parameter own: what hinders the gateway itself.
  init(
    _ answers: [(service: ServiceName, answer: Result<ReadHealth.Output, Failure>)], version: String, isStopping: Bool,
    own: [Hindrance] = []
  ) {
    let status = isStopping ? "stopping" : own.isEmpty ? "ready" : "not_ready"
    var services = [
      ReadyReport.row(["service": "gateway", "status": .string(status), "version": .string(version)], own)
    ]
    var isReady = !isStopping && own.isEmpty
    for (service, answer) in answers {
      switch answer {
      case .success(let health):
        isReady = isReady && health.isReady
        let row: JSON = [
          "service": .string(service.rawValue), "status": .string(health.isReady ? "ready" : "not_ready"),
          "version": .string(health.version), "uptimeSeconds": .integer(health.uptimeSeconds),
        ]
        services.append(ReadyReport.row(row, health.hindrances))
      case .failure(let failure):
        isReady = false
        services.append(["service": .string(service.rawValue), "status": .string(failure.code)])
      }
    }
    self.isReady = isReady
    json = ["status": .string(isReady ? "ready" : "not_ready"), "services": .array(services)]
  }

  private static func row(_ row: JSON, _ hindrances: [Hindrance]) -> JSON {
    guard !hindrances.isEmpty else { return row }
    var row = row
    row["hindrances"] = .array(hindrances.map { ["part": .string($0.part), "state": .string($0.state.rawValue)] })
    return row
  }
}
