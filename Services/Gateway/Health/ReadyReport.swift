import Operations
import ServiceKit

/// What `/readyz` tells: whether all six services are ready, and each of them.
struct ReadyReport: Sendable {
  let isReady: Bool
  let json: JSON

  init(_ answers: [(service: ServiceName, answer: Result<ReadHealth.Output, Failure>)], version: String, isStopping: Bool) {
    var services: [JSON] = [
      ["service": "gateway", "status": .string(isStopping ? "stopping" : "ready"), "version": .string(version)]
    ]
    var isReady = !isStopping
    for (service, answer) in answers {
      switch answer {
      case .success(let health):
        isReady = isReady && health.isReady
        services.append([
          "service": .string(service.rawValue), "status": .string(health.isReady ? "ready" : "not_ready"),
          "version": .string(health.version), "uptimeSeconds": .integer(health.uptimeSeconds),
        ])
      case .failure(let failure):
        isReady = false
        services.append(["service": .string(service.rawValue), "status": .string(failure.code)])
      }
    }
    self.isReady = isReady
    json = ["status": .string(isReady ? "ready" : "not_ready"), "services": .array(services)]
  }
}
