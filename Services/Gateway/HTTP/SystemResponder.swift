import GatewayContract
import NIOCore
import Operations
import ServiceKit

/// Answers what the gateway itself is asked.
struct SystemResponder: Sendable {
  private let version: String
  private let questions: SystemQuestions
  /// The health reports of the services. Ready services are asked once a second, however often clients ask; others as often as a start
  /// needs.
  private let health: Kept<[(service: ServiceName, answer: Result<ReadHealth.Output, Failure>)]>
  private let ownMetrics: @Sendable () -> String
  private let metrics: MetricsAccess
  private let metricsToken: MetricsToken?
  private let documentation: Documentation
  private let isStopping: @Sendable () -> Bool
  private let healthProblems: @Sendable () -> [HealthProblem]

  /// - Parameters:
  ///   - ownMetrics: this process's metrics as Prometheus text.
  ///   - isStopping: whether the server takes no more work.
  ///   - problems: what keeps the gateway itself from being ready.
  init(
    _ configuration: GatewayConfiguration, _ catalog: Catalog, _ problems: ProblemWriter, _ client: GatewayClient,
    ownMetrics: @escaping @Sendable () -> String, isStopping: @escaping @Sendable () -> Bool,
    healthProblems: @escaping @Sendable () -> [HealthProblem]
  ) {
    version = configuration.version
    let questions = SystemQuestions(client: client, seconds: 1)
    self.questions = questions
    health = Kept { answers in
      ReadyReport(answers, version: "", isStopping: false).isReady ? .seconds(1) : .milliseconds(50)
    } _: {
      await questions.ask(ReadHealth.self)
    }
    self.ownMetrics = ownMetrics
    self.isStopping = isStopping
    self.healthProblems = healthProblems
    metrics = configuration.metrics
    metricsToken = configuration.metricsToken
    documentation = Documentation(catalog, problems, version: configuration.version)
  }

  func answer(_ endpoint: SystemEndpoint, _ exchange: Exchange) async throws(Failure) -> HTTPAnswer {
    switch endpoint {
    case .livez: return .json(200, (["status": "ok", "version": .string(version)] as JSON).bytes)
    case .readyz:
      let report = ReadyReport(await health.value, version: version, isStopping: isStopping(), own: healthProblems())
      return .json(report.isReady ? 200 : 503, report.json.bytes)
    case .metrics:
      try metrics.check(exchange, metricsToken)
      // Thousands of lines, on no event loop: other connections would wait for it.
      let text = await withTaskExecutorPreference(globalConcurrentExecutor) {
        MetricsText.all(own: ownMetrics(), await questions.ask(ReadMetrics.self))
      }
      return HTTPAnswer(status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: ByteBuffer(bytes: text))
    case .openAPI:
      return HTTPAnswer(status: 200, type: "application/json", body: await documentation.documents.openAPI, isShared: true)
    case .docs:
      let documents = await documentation.documents
      return HTTPAnswer(
        status: 200, type: "text/html; charset=utf-8", body: documents.page, policy: documents.policy, isShared: true)
    }
  }
}
