import Operations
import ServiceKit

/// What `/readyz` reports: whether all six services are ready, and of each that is not, what prevents it.
///
/// A service that reads and cannot write is `degraded`, and so is the whole; it counts as ready, since it is better asked than not, and no
/// other gateway would do better.
struct ReadyReport: Sendable {
  let isReady: Bool
  let json: JSON

  /// - Parameter own: the problems of the gateway itself.
  init(
    _ answers: [(service: ServiceName, answer: Result<ReadHealth.Output, Failure>)], version: String, isStopping: Bool,
    own: [HealthProblem] = []
  ) {
    let status = isStopping ? "stopping" : own.isEmpty ? "ready" : "not_ready"
    var services = [
      ReadyReport.row(["service": "gateway", "status": .string(status), "version": .string(version)], own)
    ]
    var isReady = !isStopping && own.isEmpty
    var isDegraded = false
    for (service, answer) in answers {
      switch answer {
      case .success(let health):
        isReady = isReady && health.isReady
        isDegraded = isDegraded || !health.problems.isEmpty
        let row: JSON = [
          "service": .string(service.rawValue),
          "status": .string(!health.isReady ? "not_ready" : health.problems.isEmpty ? "ready" : "degraded"),
          "version": .string(health.version), "uptimeSeconds": .integer(health.uptimeSeconds),
        ]
        services.append(ReadyReport.row(row, health.problems))
      case .failure(let failure):
        isReady = false
        services.append(["service": .string(service.rawValue), "status": .string(failure.code)])
      }
    }
    self.isReady = isReady
    json = ["status": .string(!isReady ? "not_ready" : isDegraded ? "degraded" : "ready"), "services": .array(services)]
  }

  private static func row(_ row: JSON, _ problems: [HealthProblem]) -> JSON {
    guard !problems.isEmpty else { return row }
    var row = row
    row["problems"] = .array(
      problems.map { problem in
        var fields: JSON = ["part": .string(problem.part), "state": .string(problem.state.rawValue)]
        if let done = problem.done { fields["done"] = .integer(done) }
        if let total = problem.total { fields["total"] = .integer(total) }
        return fields
      })
    return row
  }
}
